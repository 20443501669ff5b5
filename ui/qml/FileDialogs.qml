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
}
