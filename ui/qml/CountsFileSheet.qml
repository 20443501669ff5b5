import QtQuick
import QtQuick.Controls.Basic as C
import QtQuick.Layouts
import QtQuick.Templates as T
import Throng.Ui

// Asks for the file of the lines and zones, and before it replaces one. Qt's own dialog gives no name of a new file in
// version 6.4, and replaces a file without a question.
C.Popup {
    id: root
    objectName: "countsFileSheet"

    required property CountsView counts
    readonly property string path: counts.pathOf(field.text)
    property string asked  // the path that would be replaced

    function save() {
        if (path === "") return
        if (counts.exists(path) && asked !== path) {
            asked = path
            return
        }
        counts.saveAs(path)
        close()
    }

    parent: T.Overlay.overlay
    anchors.centerIn: parent
    width: Math.min(parent.width - 32, 640)
    modal: true
    focus: true  // Esc closes it
    padding: 20
    onAboutToShow: {
        asked = ""
        field.text = counts.pathOf(counts.file === "" ? "lines-and-zones" : counts.file)
    }
    onOpened: {
        field.forceActiveFocus()
        field.select(field.text.lastIndexOf("/") + 1, field.text.lastIndexOf("."))
    }

    background: Rectangle { color: Theme.surface; border.color: Theme.line; radius: 14 }
    T.Overlay.modal: Rectangle { color: "#b0000000" }

    ColumnLayout {
        anchors.fill: parent
        spacing: Theme.gap
        Label {
            Layout.fillWidth: true
            text: qsTr("Save the lines and zones")
            font.pixelSize: Theme.fontTitle
            font.bold: true
        }
        InputField {
            id: field
            objectName: "countsFileName"
            Layout.fillWidth: true
            Accessible.name: qsTr("File")
            onTextChanged: root.asked = ""
            onAccepted: root.save()
        }
        Remark {
            objectName: "countsFileQuestion"
            Layout.fillWidth: true
            text: root.path === "" ? qsTr("Name a file.")
                : root.asked !== "" ? qsTr("%1 exists already. Its contents are replaced.").arg(root.asked)
                : qsTr("Saves to %1").arg(root.path)
            color: root.path === "" || root.asked !== "" ? Theme.warning : Theme.textDim
            wrapMode: Text.WrapAnywhere
            elide: Text.ElideNone
        }
        RowLayout {
            Layout.fillWidth: true
            spacing: Theme.gap
            Item { Layout.fillWidth: true }
            IconButton {
                framed: true
                text: qsTr("Cancel")
                onClicked: root.close()
            }
            IconButton {
                objectName: "countsFileSave"
                framed: true
                enabled: root.path !== ""
                text: root.asked !== "" ? qsTr("Replace") : qsTr("Save")
                onClicked: root.save()
            }
        }
    }
}
