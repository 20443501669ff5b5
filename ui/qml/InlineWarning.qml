import QtQuick
import Throng.Ui

// Warning within a panel: what happened, where, and what to do.
Rectangle {
    id: root

    property string text
    property string location
    property string advice
    property bool closable: false
    signal closed()

    implicitHeight: words.implicitHeight + 2 * Theme.gap
    radius: Theme.radius
    color: Theme.surfaceHigh
    border.color: Theme.warning
    border.width: 1
    Accessible.role: Accessible.AlertMessage
    Accessible.name: text + " " + location + " " + advice

    Icon {
        x: 10
        y: Theme.gap
        width: 20
        height: 20
        name: "warning"
        color: Theme.warning
    }
    Column {
        id: words
        x: 40
        y: Theme.gap
        width: parent.width - x - (root.closable ? Theme.target : 10)
        spacing: 3
        Label {
            width: parent.width
            text: root.text
            wrapMode: Text.Wrap
            elide: Text.ElideNone
        }
        Remark {
            width: parent.width
            visible: text.length > 0
            text: root.location
            wrapMode: Text.WrapAnywhere
            elide: Text.ElideNone
        }
        Label {
            width: parent.width
            visible: text.length > 0
            text: root.advice
            font.pixelSize: Theme.fontSmall
            wrapMode: Text.Wrap
            elide: Text.ElideNone
        }
    }
    IconButton {
        anchors.right: parent.right
        anchors.top: parent.top
        visible: root.closable
        iconName: "close"
        tip: qsTr("Dismiss")
        onClicked: root.closed()
    }
}
