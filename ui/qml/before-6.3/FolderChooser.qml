import QtQuick
import QtQuick.Dialogs

// Qt 6.2 has no dialog for folders: any file in it stands for the folder.
FileDialog {
    signal chosen(url folder)

    title: qsTr("Open a folder of images: choose any file in it")
    onAccepted: chosen(Qt.resolvedUrl(selectedFile.toString().replace(/[^/]*$/, "")))
}
