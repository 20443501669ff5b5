import QtQuick
import QtQuick.Dialogs

// The file dialogs of the desktop. The request is that of FileSheet, to open only.
QtObject {
    id: root

    property var request: ({})

    function ask(next: var) {
        request = next
        next.mode === "folder" ? folder.open() : file.open()
    }

    readonly property FileDialog file: FileDialog {
        title: root.request.title ?? ""
        fileMode: root.request.mode === "files" ? FileDialog.OpenFiles : FileDialog.OpenFile
        nameFilters: [(root.request.kind ?? "") + " (" + root.request.patterns + ")", qsTr("All files (*)")]
        onAccepted: root.request.accept(selectedFiles)
    }
    readonly property FolderDialog folder: FolderDialog {
        title: root.request.title ?? ""
        onAccepted: root.request.accept([selectedFolder])
    }
}
