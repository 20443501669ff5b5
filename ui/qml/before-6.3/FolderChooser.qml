import QtQuick
import QtQuick.Dialogs

// Qt 6.2 has no folder dialog: the user chooses any file in the folder.
FileDialog {
    signal chosen(url folder)

    title: qsTr("Open a folder of images: choose any file in it")
    onAccepted: chosen(Qt.resolvedUrl(selectedFile.toString().replace(/[^/]*$/, "")))
}
