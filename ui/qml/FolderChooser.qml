import QtQuick
import QtQuick.Dialogs

FolderDialog {
    signal chosen(url folder)

    title: qsTr("Open a folder of images")
    onAccepted: chosen(selectedFolder)
}
