import QtQuick
import QtQuick.Dialogs
import Throng.Ui

// The file dialogs. Loaded when the first one is opened.
QtObject {
    id: root

    required property Session session

    function openFile() { file.open() }
    function openFolder() { folder.open() }
    function openModel() { model.open() }
    function saveCounts() { counts.open() }

    readonly property FileDialog file: FileDialog {
        title: qsTr("Open a video or image")
        nameFilters: [
            qsTr("Videos and images") + " (" + root.session.source.patterns + ")",
            qsTr("All files (*)")
        ]
        onAccepted: root.session.openUrl(selectedFile)
    }
    readonly property FolderChooser folder: FolderChooser {
        onChosen: folder => root.session.openUrl(folder)
    }
    readonly property FileDialog model: FileDialog {
        title: qsTr("Open a detector model")
        nameFilters: [root.session.detection.modelFilter, qsTr("All files (*)")]
        onAccepted: root.session.detection.openModel(selectedFile)
    }
    readonly property FileDialog counts: FileDialog {
        title: qsTr("Save the lines and zones")
        fileMode: FileDialog.SaveFile
        defaultSuffix: "toml"
        nameFilters: [qsTr("Lines and zones (*.toml)"), qsTr("All files (*)")]
        onAccepted: root.session.counts.saveAs(selectedFile)
    }
}
