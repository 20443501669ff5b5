import QtQuick
import Throng.Ui

// Message banner over the image. Messages that are not errors disappear after 6 s.
Message {
    id: root

    required property Alert alert
    property bool canRetry: false
    signal retryRequested()
    readonly property string tipSide: "below"

    visible: alert.visible
    text: alert.what
    location: alert.where
    advice: alert.advice
    isWarning: alert.isError
    border.color: alert.isError ? Theme.danger : Theme.accent
    letters: Theme.fontTitle - 1
    closeTip: qsTr("Dismiss (Esc)")
    onClosed: alert.dismiss()

    IconButton {
        visible: root.alert.isError && root.canRetry
        iconName: "reset"
        text: qsTr("Retry")
        tip: qsTr("Open it again")
        onClicked: root.retryRequested()
    }
    Timer {
        running: root.alert.visible && !root.alert.isError
        interval: 6000
        onTriggered: root.alert.dismiss()
    }
}
