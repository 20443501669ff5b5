import QtQuick
import QtQuick.Layouts
import Throng.Ui

// Collapsible section of the side panel. Its state is saved between runs.
ColumnLayout {
    id: root

    Layout.fillWidth: true

    required property PanelSections sections
    required property string key
    property string title
    property bool open: sections.isOpen(key)
    default property alias content: body.data

    objectName: "section_" + key
    spacing: 4

    function toggle() {
        open = !open
        sections.setOpen(key, open)
    }

    Connections {
        target: root.sections
        function onRestored(key) { if (key === root.key) root.open = root.sections.isOpen(key) }
    }
    IconButton {
        Layout.fillWidth: true
        Layout.leftMargin: -Theme.gap
        Layout.rightMargin: -Theme.gap
        implicitHeight: Theme.target
        horizontalPadding: Theme.gap
        tip: root.open ? qsTr("Collapse") : qsTr("Expand")
        onClicked: root.toggle()
        Accessible.name: root.title
        contentItem: Item {
            Remark {
                anchors.verticalCenter: parent.verticalCenter
                text: root.title
                font.bold: true
                font.capitalization: Font.AllUppercase
                font.letterSpacing: 1.2
            }
            Icon {
                anchors.right: parent.right
                anchors.verticalCenter: parent.verticalCenter
                width: 18
                height: 18
                name: root.open ? "down" : "right"
                color: Theme.textDim
            }
        }
    }
    ColumnLayout {
        id: body
        Layout.fillWidth: true
        visible: root.open
        spacing: 4
    }
    Rectangle {
        Layout.fillWidth: true
        Layout.topMargin: 4
        implicitHeight: 1
        color: Theme.line
    }
}
