import QtQuick
import Throng.Ui

// Buttons for the GPU clock profiles, with the current clock, warnings and errors. One line of text if the clock cannot
// be controlled.
Column {
    id: root

    required property Clocks clocks
    readonly property int columns: Math.ceil(buttons.count / Math.max(1, Math.ceil(buttons.count / 4)))  // full rows

    spacing: 6

    Item {
        width: parent.width
        height: Math.max(22, reason.visible ? reason.implicitHeight : 0)
        Label {
            id: heading
            height: 22
            visible: root.clocks.controllable
            text: qsTr("GPU clock")
            color: Theme.textDim
        }
        Note {
            id: reason
            anchors.left: parent.left
            anchors.right: now.left
            anchors.rightMargin: now.text.length > 0 ? 8 : 0
            visible: !root.clocks.controllable
            text: root.clocks.summary
        }
        Remark {
            anchors.right: now.left
            anchors.rightMargin: 10
            height: 22
            visible: root.clocks.controllable
            text: root.clocks.pending.length > 0 ? qsTr("applying …")
                : root.clocks.requestedClock.length > 0 && root.clocks.requestedClock !== root.clocks.currentClock
                  ? qsTr("requested %1").arg(root.clocks.requestedClock) : ""
        }
        Label {
            id: now
            anchors.right: parent.right
            height: 22
            text: root.clocks.currentClock
            font.bold: true
        }
    }
    Grid {
        width: parent.width
        visible: root.clocks.controllable
        columns: root.columns
        spacing: 4
        Repeater {
            id: buttons
            model: root.clocks.profiles
            ChipButton {
                required property string profileId
                required property string title
                required property string shortTitle
                required property string clock
                required property bool available
                required property string reason
                width: (root.width - (root.columns - 1) * 4) / root.columns
                text: shortTitle
                chosen: root.clocks.chosen === profileId
                busy: root.clocks.pending === profileId
                enabled: available
                tip: available ? title + ": " + clock : title + ": " + reason
                onClicked: root.clocks.apply(profileId)
            }
        }
    }
    Message {
        width: parent.width
        visible: text.length > 0
        text: root.clocks.warning
        closable: false
    }
    Message {
        width: parent.width
        visible: text.length > 0
        text: root.clocks.error
        location: root.clocks.errorLocation
        advice: root.clocks.errorAdvice
        onClosed: root.clocks.dismiss()
    }
}
