import QtQuick
import QtQuick.Dialogs

FolderDialog {
    signal chosen(url folder)

    title: qsTr("Open a folder of pictures")
    onAccepted: chosen(selectedFolder)
}
