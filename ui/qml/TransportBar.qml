import QtQuick
import QtQuick.Layouts
import Throng.Ui

// Transport bar: play, step, seek, speed, loop; record, screenshot, full screen.
Rectangle {
    id: root

    property real tipEnd: 0  // where a panel beside the image begins, in the window
    property real tipLift: 0  // height of the controls above the bar
    readonly property string tipSide: "above"
    required property Source source
    required property Transport transport
    required property Playlist playlist
    required property Recorder recorder
    required property Replay replay
    required property Actions actions
    required property ShortcutModel shortcuts
    property bool fullScreen: false
    property bool kiosk: false  // nothing to record, store or leave
    property bool wall: false   // no source to play
    property bool narrow: width < 720

    readonly property bool replays: !wall && replay.open
    readonly property bool playable: !source.still && transport.state !== "idle" && transport.state !== "opening"

    implicitHeight: 60
    color: Theme.surface

    RowLayout {
        anchors.fill: parent
        anchors.leftMargin: Theme.gap
        anchors.rightMargin: Theme.gap
        spacing: 2

        Label {
            objectName: "wallHint"
            Layout.fillWidth: true
            Layout.leftMargin: Theme.gap
            visible: root.wall
            text: qsTr("Select a source to enlarge it")
            color: Theme.textDim
        }
        IconButton {
            objectName: "previousFile"
            visible: !root.wall && !root.kiosk && root.playlist.count > 1
            iconName: "previous"
            tip: root.shortcuts.tip("previousFile")
            onClicked: root.actions.trigger("previousFile")
        }
        IconButton {
            objectName: "playButton"
            visible: !root.wall
            iconName: root.transport.playing ? "pause" : "play"
            tip: root.shortcuts.tip("play")
            enabled: root.playable
            onClicked: root.actions.trigger("play")
        }
        IconButton {
            iconName: "stepback"
            tip: root.shortcuts.tip("stepBack")
            visible: !root.wall && root.source.seekable && !root.narrow
            enabled: root.playable && root.transport.state !== "failed"
            onClicked: root.actions.trigger("stepBack")
        }
        IconButton {
            iconName: "step"
            tip: root.shortcuts.tip("step")
            visible: !root.wall
            enabled: root.playable && !root.source.live && root.transport.state !== "failed"
            onClicked: root.actions.trigger("step")
        }
        IconButton {
            objectName: "nextFile"
            visible: !root.wall && !root.kiosk && root.playlist.count > 1
            iconName: "next"
            tip: root.shortcuts.tip("nextFile")
            onClicked: root.actions.trigger("nextFile")
        }
        Label {
            Layout.leftMargin: Theme.gap
            Layout.rightMargin: Theme.gap
            visible: !root.wall && !root.source.still && !root.source.live
            text: root.source.seekable
                ? Theme.clock(root.transport.position) + " / " + Theme.clock(root.source.duration)
                : Theme.clock(root.transport.position)
        }
        SeekBar {
            id: seekBar
            Layout.fillWidth: true
            Layout.leftMargin: Theme.gap
            Layout.rightMargin: Theme.gap
            visible: root.source.seekable && !(root.replays && root.width < 1000)
            source: root.source
            transport: root.transport
            timeline: root.replay.timeline
        }
        Loader {
            Layout.fillWidth: !seekBar.visible  // a narrow bar has no space for both
            Layout.preferredWidth: 260
            active: root.replays
            visible: active
            sourceComponent: ReplayBar { replay: root.replay }
        }
        Item {
            Layout.fillWidth: true
            visible: !root.wall && !root.source.seekable && !root.replays
        }
        SpeedButton {
            visible: !root.wall && !root.source.live && !root.source.still && !root.narrow
            transport: root.transport
            actions: root.actions
        }
        IconButton {
            iconName: "loop"
            tip: root.shortcuts.tip("loop")
            visible: !root.wall && !root.source.live && !root.source.still && !root.narrow
            checked: root.transport.loop
            onClicked: root.actions.trigger("loop")
        }
        Rectangle {
            visible: !root.kiosk && !root.wall
            Layout.leftMargin: Theme.gap
            Layout.rightMargin: Theme.gap
            implicitWidth: 1
            implicitHeight: 28
            color: Theme.line
        }
        IconButton {
            visible: !root.kiosk && !root.wall
            iconName: root.recorder.recording ? "stop" : "record"
            iconColor: root.recorder.recording ? Theme.danger : Theme.text
            text: root.recorder.recording ? Theme.clock(root.recorder.seconds) : ""
            implicitWidth: root.narrow && text.length === 0 ? Theme.target : 96  // the counter moves no other button
            tip: root.shortcuts.tip("record")
            enabled: root.recorder.recording || root.playable && root.transport.state !== "failed"
            onClicked: root.actions.trigger("record")
        }
        IconButton {
            visible: !root.kiosk && !root.wall
            iconName: "camera"
            tip: root.shortcuts.tip("screenshot")
            enabled: root.transport.state !== "opening"
            onClicked: root.actions.trigger("screenshot")
        }
        IconButton {
            objectName: "fullScreenButton"
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
