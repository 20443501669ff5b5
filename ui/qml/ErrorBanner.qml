import QtQuick
import QtQuick.Layouts
import Throng.Ui

// Message banner over the image: what happened, where, what to do. Messages that are not errors disappear after 6 s.
Rectangle {
    id: root

    required property Alert alert
    property bool canRetry: false
    signal retryRequested()
    readonly property string tipSide: "below"

    implicitHeight: row.implicitHeight + 2 * Theme.gap + 4
    radius: Theme.radius
    color: Theme.surfaceHigh
    border.color: alert.isError ? Theme.danger : Theme.accent
    border.width: 1
    visible: alert.visible
    Accessible.role: Accessible.AlertMessage
    Accessible.name: alert.what + " " + alert.where + " " + alert.advice

    Rectangle {
        width: 5
        height: parent.height
        radius: 2
        color: parent.border.color
    }
    RowLayout {
        id: row
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.verticalCenter: parent.verticalCenter
        anchors.leftMargin: Theme.gapLarge
        anchors.rightMargin: 4
        spacing: Theme.gap + 4

        Icon {
            Layout.alignment: Qt.AlignTop
            Layout.topMargin: 8
            implicitWidth: 26
            implicitHeight: 26
            name: root.alert.isError ? "warning" : "check"
            color: root.border.color
        }
        ColumnLayout {
            Layout.fillWidth: true
            Layout.topMargin: 4
            Layout.bottomMargin: 4
            spacing: 2
            Label {
                Layout.fillWidth: true
                text: root.alert.what
                font.bold: true
                font.pixelSize: Theme.fontTitle - 1
                wrapMode: Text.Wrap
            }
            Label {
                Layout.fillWidth: true
                visible: text.length > 0
                text: root.alert.where
                wrapMode: Text.WrapAnywhere
                maximumLineCount: 3
            }
            Label {
                Layout.fillWidth: true
                visible: text.length > 0
                text: root.alert.advice
                color: Theme.textDim
                wrapMode: Text.Wrap
            }
        }
        IconButton {
            visible: root.alert.isError && root.canRetry
            iconName: "reset"
            text: qsTr("Retry")
            tip: qsTr("Open it again")
            onClicked: root.retryRequested()
        }
        IconButton {
            iconName: "close"
            tip: qsTr("Dismiss (Esc)")
            onClicked: root.alert.dismiss()
        }
    }
    Timer {
        running: root.alert.visible && !root.alert.isError
        interval: 6000
        onTriggered: root.alert.dismiss()
    }
}
