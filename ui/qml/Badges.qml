import QtQuick
import Throng.Ui

// What is true of the image on screen, in a word each.
Row {
    id: root

    required property Source source
    required property Transport transport
    required property RunStatus status
    required property Recorder recorder
    required property Replay replay
    required property bool hidden  // faces, on screen

    spacing: 6

    component Badge: Rectangle {
        id: badge
        property string text
        property color letters: Theme.accentText
        implicitWidth: label.implicitWidth + 20
        implicitHeight: 26
        radius: 13
        Accessible.role: Accessible.StaticText
        Accessible.name: text
        Remark {
            id: label
            anchors.centerIn: parent
            text: badge.text
            font.bold: true
            color: badge.letters
        }
    }
    Badge {
        objectName: "badgeReplay"
        visible: root.replay.active
        text: qsTr("REPLAY")
        color: Theme.text
    }
    Badge {
        objectName: "badgeLive"
        visible: root.source.live && root.transport.playing && !root.status.silent && !root.replay.active
        text: qsTr("LIVE")
        color: Theme.accent
    }
    Badge {
        objectName: "badgeSilent"
        visible: root.source.live && root.status.silent
        text: root.transport.playing ? qsTr("RECONNECTING") : qsTr("NO SIGNAL")
        color: Theme.warning
    }
    Badge {
        objectName: "badgeRecording"
        visible: root.recorder.recording
        text: qsTr("REC") + " " + Theme.clock(root.recorder.seconds)
        color: Theme.danger
    }
    Badge {
        objectName: "badgeHidden"
        visible: root.hidden
        text: qsTr("HIDDEN")
        color: Theme.surfaceHigh
        letters: Theme.text
    }
}
