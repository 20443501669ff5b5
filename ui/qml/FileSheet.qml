import Qt.labs.folderlistmodel
import QtQuick
import QtQuick.Controls.Basic as C
import QtQuick.Layouts
import QtQuick.Templates as T
import Throng.Ui

// Asks for files, for a folder, or for the name of a file to save, where the desktop has no dialog for that. Asks before
// it replaces a file.
C.Popup {
    id: root
    objectName: "fileSheet"

    property bool thumbnails: true  // false: faces are hidden, and small images would show them
    // mode: "files", "file", "folder" or "save". title. patterns: of the files to list, "*.jpg *.png". folder: shown first.
    // name, suffix: of a file to save. accept: called with the list of URLs.
    property var request: ({})
    property string folder      // the one that is listed
    property var chosen: []     // paths of rows
    property string problem     // why the last attempt did nothing
    property string asked       // the file that would be replaced
    readonly property bool saves: request.mode === "save"
    readonly property bool takesFolder: request.mode === "folder"
    // Takes what was chosen as it is, and reads what was typed as people type it.
    readonly property string path: chosen.length === 1 && field.text === chosen[0] ? chosen[0]
        : FileSystem.pathOf(field.text, folder, saves ? request.suffix : "")
    readonly property bool named: path !== "" && !(saves && FileSystem.isFolder(path))

    function ask(next: var) {
        request = next
        const last = FileSystem.isFolder(next.folder) ? next.folder : FileSystem.documents()
        show(last, next.name ?? "")
        open()
    }
    function show(path: string, name: string) {
        folder = path
        chosen = []
        list.currentIndex = -1
        setText(within(name))
    }
    function within(name: string): string { return (folder === "/" ? folder : folder + "/") + name }
    function setText(text: string) {
        field.text = text
        problem = asked = ""
    }
    // Shows the folder in the list, with the name that was typed: that of a file, not of a folder.
    function goTo(path: string) {
        show(path, saves && named ? field.text.slice(field.text.lastIndexOf("/") + 1) : "")
    }
    // adds: to what is chosen already, or removes it.
    function choose(path: string, adds: bool) {
        const several = adds && request.mode === "files" && FileSystem.isFile(path)
        const others = several ? chosen.filter(other => FileSystem.isFile(other)) : []
        chosen = others.includes(path) ? others.filter(other => other !== path) : [...others, path]
        if (!saves || FileSystem.isFile(path)) setText(chosen.length === 1 ? chosen[0] : within(""))
    }
    // A folder is opened, a file is the answer.
    function activate(path: string) {
        if (FileSystem.isFolder(path)) return goTo(path)
        choose(path, false)
        accept()
    }
    // A key that is held answers no question: Enter would replace the file that it asks about.
    function isHeldEnter(event: var): bool {
        return event.isAutoRepeat && (event.key === Qt.Key_Return || event.key === Qt.Key_Enter)
    }
    function accept() {
        const one = chosen.length < 2
        if (path === "") return
        if (saves && FileSystem.isFile(path) && asked !== path) {
            asked = path
        } else if (one && !takesFolder && FileSystem.isFolder(path)) {
            goTo(path)
        } else if (one && !saves && !(takesFolder ? FileSystem.isFolder(path) : FileSystem.isFile(path))) {
            problem = takesFolder ? qsTr("There is no folder %1").arg(path) : qsTr("There is no file %1").arg(path)
        } else {
            close()
            request.accept((one ? [path] : chosen).map(each => FileSystem.urlOf(each)))
        }
    }

    anchors.centerIn: parent
    width: Math.min(parent.width - 32, 820)
    height: Math.min(parent.height - 32, 640)
    modal: true
    focus: true  // Esc closes it
    padding: Theme.gapLarge
    onOpened: {
        if (!saves) return list.forceActiveFocus(Qt.PopupFocusReason)
        field.forceActiveFocus(Qt.PopupFocusReason)
        const name = field.text.lastIndexOf("/") + 1
        const dot = field.text.lastIndexOf(".")
        field.select(name, dot > name ? dot : field.text.length)
    }

    background: Rectangle { color: Theme.surface; border.color: Theme.line; radius: 14 }
    T.Overlay.modal: Rectangle { color: "#b0000000" }

    ColumnLayout {
        anchors.fill: parent
        spacing: Theme.gap
        Label {
            Layout.fillWidth: true
            text: root.request.title ?? ""
            font.pixelSize: Theme.fontTitle
            font.bold: true
        }
        RowLayout {
            Layout.fillWidth: true
            spacing: Theme.gap
            IconButton {
                objectName: "fileUp"
                framed: true
                iconName: "folder"
                text: qsTr("Up")
                enabled: root.folder !== "/"
                onClicked: root.goTo(FileSystem.parentOf(root.folder))
            }
            InputField {
                id: field
                objectName: "fileField"
                Layout.fillWidth: true
                Accessible.name: qsTr("File")
                onTextEdited: {
                    root.chosen = []
                    root.problem = root.asked = ""
                }
                Keys.onPressed: event => event.accepted = root.isHeldEnter(event)
                onAccepted: {
                    const other = FileSystem.isFolder(root.path) && root.path !== root.folder
                    other ? root.goTo(root.path) : root.accept()
                }
            }
        }
        ListView {
            id: list
            objectName: "fileList"
            Layout.fillWidth: true
            Layout.fillHeight: true
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            activeFocusOnTab: true
            readonly property bool visualFocus: activeFocus  // keys of the window yield
            currentIndex: -1
            Accessible.role: Accessible.List
            Accessible.name: qsTr("Files and folders")
            C.ScrollBar.vertical: ScrollHandle {}
            FocusRing { shown: list.visualFocus && list.currentIndex < 0; anchors.margins: 0 }
            function pathAt(row: int): string { return entries.get(row, "filePath") }
            Keys.onPressed: event => {
                if (event.key === Qt.Key_Backspace) {
                    if (root.folder === "/") return
                    root.goTo(FileSystem.parentOf(root.folder))
                } else if (event.key === Qt.Key_Return || event.key === Qt.Key_Enter) {
                    if (root.isHeldEnter(event)) return
                    if (currentIndex < 0 || root.chosen.length > 1) root.accept()
                    else root.activate(pathAt(currentIndex))
                } else return
                event.accepted = true
            }
            model: FolderListModel {
                id: entries
                folder: FileSystem.urlOf(root.folder)
                nameFilters: root.request.patterns?.split(" ") ?? []
                caseSensitive: false
                sortCaseSensitive: false
                showDirsFirst: true
                showFiles: !root.takesFolder
            }
            delegate: FileRow {
                id: row
                function pick(adds: bool) {
                    list.forceActiveFocus(Qt.MouseFocusReason)
                    list.currentIndex = index
                    root.choose(filePath, adds)
                }
                Keys.onSpacePressed: root.choose(filePath, true)
                width: list.width - Theme.gap
                thumbnails: root.thumbnails && root.request.mode === "files"  // others are no images
                several: root.request.mode === "files"
                highlighted: root.chosen.includes(filePath)
                current: list.activeFocus && list.currentIndex === index
                TapHandler {
                    acceptedModifiers: Qt.NoModifier
                    onTapped: point => row.pick(point.position.x > row.width - 48)  // on its mark
                    onDoubleTapped: root.activate(row.filePath)
                }
                TapHandler {
                    acceptedModifiers: Qt.ControlModifier
                    onTapped: row.pick(true)
                }
            }
            Label {
                anchors.centerIn: parent
                visible: entries.status === FolderListModel.Ready && entries.count === 0
                text: !FileSystem.isReadable(root.folder) ? qsTr("This folder cannot be read")
                    : root.takesFolder ? qsTr("No folders here") : qsTr("No matching files here")
                color: Theme.textDim
            }
        }
        RowLayout {
            Layout.fillWidth: true
            spacing: Theme.gap
            Remark {
                objectName: "fileQuestion"
                readonly property bool warns: root.problem !== "" || root.asked !== "" || root.saves && !root.named
                Layout.fillWidth: true
                text: root.problem !== "" ? root.problem
                    : root.asked !== "" ? qsTr("%1 already exists. Its contents will be replaced.").arg(root.asked)
                    : !root.saves ? "" : !root.named ? qsTr("Enter a file name.") : qsTr("Saves to %1").arg(root.path)
                color: warns ? Theme.warning : Theme.textDim
                wrapMode: Text.WrapAnywhere
                maximumLineCount: 2
            }
            IconButton {
                framed: true
                text: qsTr("Cancel")
                onClicked: root.close()
            }
            IconButton {
                objectName: "fileAccept"
                framed: true
                enabled: root.named && !(root.takesFolder && FileSystem.isFolder(root.path)
                                         && !FileSystem.isReadable(root.path))
                text: root.asked !== "" ? qsTr("Replace") : root.saves ? qsTr("Save")
                    : root.chosen.length > 1 ? qsTr("Open %1 files").arg(root.chosen.length)
                    : root.takesFolder ? qsTr("Open this folder") : qsTr("Open")
                onClicked: root.accept()
            }
        }
    }
}
