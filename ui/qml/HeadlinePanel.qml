import QtQuick
import QtQuick.Layouts
import Throng.Ui

// Headline figures, readable from a distance: number of faces, speed, device.
ColumnLayout {
    id: root

    required property RunStatus status
    required property BackendStatus backend
    required property DetectionSettings detection
    required property Source source
    required property Transport transport
    required property Replay replay
    readonly property int faces: replay.active ? replay.kept : status.faces
    readonly property int rawCount: replay.active ? replay.raw : status.rawCount
    // There is a result.
    readonly property bool known: replay.active || !status.silent && (status.frameMs > 0 || status.frameRate > 0)

    property bool dense: false

    spacing: dense ? 2 : Theme.gap

    RowLayout {
        Layout.fillWidth: true
        spacing: Theme.gap + 4
        Label {
            objectName: "headline"
            text: root.known ? Theme.count(root.faces) : "–"
            color: Theme.accent
            font.pixelSize: (root.faces < 1000 ? 1 : 0.75) * (root.dense ? 40 : Theme.fontHeadline)
            font.bold: true
        }
        Column {
            Layout.fillWidth: true
            Layout.alignment: Qt.AlignVCenter
            Label {
                width: parent.width
                text: root.detection.softRule ? qsTr("boxes")
                                                      : Theme.counted(root.faces, root.detection.finds)
                font.pixelSize: Theme.fontTitle
            }
            Remark {
                width: parent.width
                text: qsTr("found by %1").arg(root.detection.title)
            }
            Remark {
                width: parent.width
                visible: root.known
                text: qsTr("from %1 raw detections").arg(Theme.count(root.rawCount))
            }
        }
    }
    RowLayout {
        Layout.fillWidth: true
        Metric {
            // A still image and a paused video have no rate.
            readonly property bool playing: root.transport.playing && !root.source.still
                                            && !root.replay.active
            readonly property real value: playing ? root.status.frameRate
                : root.replay.active ? root.replay.totalMs : root.status.frameMs
            figure: value <= 0 ? "–" : playing ? Theme.rate(value) : Theme.milliseconds(value)
            unit: playing ? qsTr("fps") : qsTr("ms")
            label: playing ? qsTr("detection") : qsTr("this frame")
        }
        Metric {
            visible: !root.source.still && !root.replay.active
            figure: root.status.latency > 0 ? Theme.fixed(root.status.latency, 0) : "–"
            unit: qsTr("ms")
            label: qsTr("to screen")
        }
        Metric {
            visible: !root.source.still
            figure: Theme.count(root.status.dropped)
            label: qsTr("dropped")
        }
    }
    Remark {
        Layout.fillWidth: true
        visible: root.status.overflow > 0
        text: qsTr("%1 detections exceeded the buffer capacity").arg(Theme.count(root.status.overflow))
        color: Theme.warning
    }
    Column {
        Layout.fillWidth: true
        visible: root.backend.name.length > 0
        Label {
            width: parent.width
            text: root.backend.name.toUpperCase() + "  " + root.backend.description
            font.pixelSize: Theme.fontSmall
            font.bold: true
        }
        Remark {
            width: parent.width
            visible: root.backend.memoryTotal > 0
            text: qsTr("memory %1 of %2 GiB in use").arg(Theme.gibibytes(root.backend.memoryUsed))
                                                   .arg(Theme.gibibytes(root.backend.memoryTotal))
        }
        Remark {
            width: parent.width
            visible: text.length > 0 && !root.dense
            text: root.backend.reason
            wrapMode: Text.Wrap
            maximumLineCount: 2
        }
    }
}
