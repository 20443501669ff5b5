import QtQuick
import Throng.Ui

// One stage: the last time as a bar, the median as a tick, the 99th percentile as a lighter bar below it. After a
// change, also the baseline as a marker and the ratio of the current time to it.
Item {
    id: root

    required property string label
    required property real last
    required property real p50
    required property real p99
    required property real baselineMs  // negative: none
    required property real ratio   // negative: unknown
    property real scaleMs: 1
    property bool emphasized: false
    property bool dense: false

    implicitHeight: Theme.scaled(20) + (dense ? 7 : 14)

    Label {
        id: name
        anchors.left: parent.left
        width: Math.min(implicitWidth, figures.x - (change.visible ? change.implicitWidth : 0))
        height: Theme.scaled(20)
        text: root.label
        font.bold: root.emphasized
    }
    Remark {
        id: change
        readonly property bool isSignificant: root.ratio > 0 && (root.ratio > 1.15 || root.ratio < 0.87)
        anchors.left: name.right
        height: Theme.scaled(20)
        visible: isSignificant
        leftPadding: 8
        text: (root.ratio >= 1 ? "▲ " : "▼ ") + Theme.times(root.ratio >= 1 ? root.ratio : 1 / root.ratio) + "×"
        color: root.ratio > 1 ? Theme.warning : Theme.accent
        elide: Text.ElideNone
    }
    HoverHandler { id: pointer }
    Tip {
        shown: pointer.hovered && change.isSignificant
        text: root.ratio >= 1 ? qsTr("%1 times slower").arg(Theme.times(root.ratio))
                              : qsTr("%1 times faster").arg(Theme.times(1 / root.ratio))
    }
    Row {
        id: figures
        anchors.right: parent.right
        Repeater {
            model: [root.last, root.p50, root.p99]
            Label {
                required property real modelData
                required property int index
                width: Theme.scaled(58)
                height: Theme.scaled(20)
                horizontalAlignment: Text.AlignRight
                text: Theme.milliseconds(modelData)
                color: index === 0 ? Theme.text : Theme.textDim
                font.bold: index === 0
            }
        }
    }
    Rectangle {
        id: track
        anchors.left: parent.left
        anchors.right: parent.right
        y: Theme.scaled(20) + (root.dense ? -1 : 3)
        height: root.dense ? 5 : 7
        radius: 3
        color: Theme.surfaceHigh
        readonly property real perMs: width / root.scaleMs
        Rectangle {
            width: Math.min(parent.width, root.p99 * track.perMs)
            height: parent.height
            radius: 3
            color: Theme.accent
            opacity: 0.3
        }
        Rectangle {
            width: Math.min(parent.width, Math.max(2, root.last * track.perMs))
            height: parent.height
            radius: 3
            color: Theme.accent
        }
        Rectangle {
            x: Math.min(parent.width, root.p50 * track.perMs) - 1
            y: -2
            width: 2
            height: parent.height + 4
            color: Theme.text
        }
        Rectangle {
            x: Math.min(parent.width - 2, root.baselineMs * track.perMs) - 1
            y: -3
            width: 3
            height: parent.height + 6
            radius: 1
            color: Theme.warning
            visible: root.baselineMs >= 0
        }
    }
}
