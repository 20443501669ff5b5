import QtQuick
import QtQuick.Layouts
import Throng.Ui

// Transport bar: play, step, seek, speed, loop; record, screenshot, full screen.
Rectangle {
    id: root

    required property Session session
    required property Actions actions
    required property ShortcutModel shortcuts
    property bool fullScreen: false
    property bool kiosk: false  // hides the full-screen button; the shortcut still works
    property bool narrow: width < 720

    readonly property bool playable: !session.still && session.state !== "idle" && session.state !== "opening"

    implicitHeight: 60
    color: Theme.surface

    RowLayout {
        anchors.fill: parent
        anchors.leftMargin: Theme.gap
        anchors.rightMargin: Theme.gap
        spacing: 2

        IconButton {
            iconName: root.session.playing ? "pause" : "play"
            tip: root.shortcuts.tip("play")
            enabled: root.playable
            onClicked: root.actions.trigger("play")
        }
        IconButton {
            iconName: "step"
            tip: root.shortcuts.tip("step")
            enabled: root.playable && !root.session.live && root.session.state !== "failed"
            onClicked: root.actions.trigger("step")
        }
        Label {
            Layout.leftMargin: Theme.gap
            Layout.rightMargin: Theme.gap
            visible: !root.session.still && !root.session.live
            text: root.session.seekable
                ? Theme.clock(root.session.position) + " / " + Theme.clock(root.session.duration)
                : Theme.clock(root.session.position)
        }
        Rectangle {
            Layout.leftMargin: Theme.gap
            visible: root.session.live
            implicitWidth: liveText.implicitWidth + 20
            implicitHeight: 26
            radius: 13
            color: root.session.playing ? Theme.accent : Theme.surfacePressed
            Label {
                id: liveText
                anchors.centerIn: parent
                text: qsTr("LIVE")
                font.bold: true
                font.pixelSize: Theme.fontSmall
                color: root.session.playing ? Theme.accentText : Theme.textDim
            }
        }
        SeekBar {
            Layout.fillWidth: true
            Layout.leftMargin: Theme.gap
            Layout.rightMargin: Theme.gap
            visible: root.session.seekable
            session: root.session
        }
        Item {
            Layout.fillWidth: true
            visible: !root.session.seekable
        }
        SpeedButton {
            visible: !root.session.live && !root.session.still && !root.narrow
            session: root.session
            actions: root.actions
        }
        IconButton {
            iconName: "loop"
            tip: root.shortcuts.tip("loop")
            visible: !root.session.live && !root.session.still && !root.narrow
            checked: root.session.loop
            onClicked: root.actions.trigger("loop")
        }
        Rectangle {
            Layout.leftMargin: Theme.gap
            Layout.rightMargin: Theme.gap
            implicitWidth: 1
            implicitHeight: 28
            color: Theme.line
        }
        IconButton {
            iconName: root.session.recorder.recording ? "stop" : "record"
            iconColor: root.session.recorder.recording ? Theme.danger : Theme.text
            text: root.session.recorder.recording ? Theme.clock(root.session.recorder.seconds) : ""
            tip: root.shortcuts.tip("record")
            enabled: root.session.recorder.recording || root.playable && root.session.state !== "failed"
            onClicked: root.actions.trigger("record")
        }
        IconButton {
            iconName: "camera"
            tip: root.shortcuts.tip("screenshot")
            enabled: root.session.state !== "opening"
            onClicked: root.actions.trigger("screenshot")
        }
        IconButton {
            visible: !root.kiosk
            iconName: root.fullScreen ? "window" : "fullscreen"
            tip: root.shortcuts.tip("fullscreen")
            onClicked: root.actions.trigger("fullscreen")
        }
    }
    Rectangle {
        width: parent.width
        height: 1
        color: Theme.line
    }
}
