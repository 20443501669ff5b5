import QtQuick
import Throng.Ui

// The times of all frames of the last 30 seconds, the newest at the right: the end of the seek bar. Press or drag to
// choose one.
Rectangle {
    id: root

    required property Replay replay
    readonly property real length: 30  // seconds
    function secondsAt(x: real): real { return Math.max(0, length * (1 - x / width)) }

    implicitHeight: Theme.target
    color: Theme.background
    border.color: Theme.line
    PlotItem {
        id: plot
        objectName: "replayPlot"
        anchors.fill: parent
        anchors.margins: 1
        plot: visible ? root.replay.plot : undefined
        colors: [Theme.accent, Theme.text]
        Accessible.role: Accessible.Graphic
        Accessible.name: qsTr("Milliseconds of every frame of the last 30 seconds")
        Accessible.focusable: true
        activeFocusOnTab: true
        readonly property bool visualFocus: activeFocus  // the arrow keys choose a frame
        Keys.onLeftPressed: root.replay.step(-1)
        Keys.onRightPressed: root.replay.step(1)
        Keys.onPressed: event => {
            if (event.key === Qt.Key_Home) root.replay.selectSecondsAgo(root.length)
            else if (event.key === Qt.Key_End) root.replay.goLive()
            else return
            event.accepted = true
        }
        FocusRing { shown: plot.visualFocus; anchors.margins: 0; radius: 0 }
        MouseArea {
            id: pointer
            anchors.fill: parent
            hoverEnabled: true
            onPressed: event => root.replay.selectSecondsAgo(root.secondsAt(event.x))
            onPositionChanged: event => { if (pressed) root.replay.selectSecondsAgo(root.secondsAt(event.x)) }
        }
    }
    Remark {
        x: 4
        width: parent.width - 8
        text: root.replay.count > 0 ? qsTr("%1 ms").arg(Theme.number(root.replay.msScale)) : qsTr("Recording begins with the next frame")
    }
    Peek {
        objectName: "replayPeek"
        readonly property real ago: root.secondsAt(pointer.mouseX)
        visible: pointer.containsMouse && root.replay.count > 0
        center: pointer.mouseX
        // Read the aspect, which reports every change: the bar moves below a pointer that rests.
        image: visible && root.replay.aspect > 0 ? root.replay.imageAt(ago) : undefined
        aspect: root.replay.aspect
        text: visible && root.replay.aspect > 0 ? root.replay.momentAt(ago) : ""
    }
}
