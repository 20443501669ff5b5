import QtQuick
import QtQuick.Layouts
import Throng.Ui

// Headline figures, readable from a distance: number of faces, speed, device.
ColumnLayout {
    id: root

    required property Session session

    property bool dense: false

    spacing: dense ? 2 : Theme.gap

    RowLayout {
        Layout.fillWidth: true
        spacing: Theme.gap + 4
        Label {
            text: Theme.count(root.session.faces)
            color: Theme.accent
            font.pixelSize: (root.session.faces < 1000 ? 1 : 0.75) * (root.dense ? 40 : Theme.fontHeadline)
            font.bold: true
        }
        Column {
            Layout.fillWidth: true
            Layout.alignment: Qt.AlignVCenter
            Label {
                width: parent.width
                text: Theme.counted(root.session.faces, root.session.detection.finds)
                font.pixelSize: Theme.fontTitle
            }
            Label {
                width: parent.width
                text: qsTr("from %1 raw detections").arg(Theme.count(root.session.rawCount))
                color: Theme.textDim
                font.pixelSize: Theme.fontSmall
            }
        }
    }
    RowLayout {
        Layout.fillWidth: true
        Metric {
            Layout.fillWidth: true
            Layout.preferredWidth: 1
            figure: root.session.frameRate <= 0 ? "–" : root.session.frameRate < 99.5 ? root.session.frameRate.toFixed(1)
                                                  : root.session.frameRate.toFixed(0)
            unit: qsTr("fps")
            label: qsTr("detection")
        }
        Metric {
            Layout.fillWidth: true
            Layout.preferredWidth: 1
            figure: root.session.latency > 0 ? root.session.latency.toFixed(0) : "–"
            unit: qsTr("ms")
            label: qsTr("to screen")
        }
        Metric {
            Layout.fillWidth: true
            Layout.preferredWidth: 1
            figure: Theme.count(root.session.dropped)
            label: qsTr("dropped")
        }
    }
    Label {
        Layout.fillWidth: true
        visible: root.session.overflow > 0
        text: qsTr("%1 detections exceeded the buffer capacity").arg(Theme.count(root.session.overflow))
        color: Theme.warning
        font.pixelSize: Theme.fontSmall
    }
    Column {
        Layout.fillWidth: true
        visible: root.session.backend.length > 0
        Label {
            width: parent.width
            text: root.session.backend.toUpperCase() + "  " + root.session.backendDescription
            font.pixelSize: Theme.fontSmall
            font.bold: true
        }
        Label {
            width: parent.width
            visible: root.session.memoryTotal > 0
            text: qsTr("memory %1 of %2 GiB in use").arg(Theme.gibibytes(root.session.memoryUsed))
                                                   .arg(Theme.gibibytes(root.session.memoryTotal))
            color: Theme.textDim
            font.pixelSize: Theme.fontSmall
        }
        Label {
            width: parent.width
            visible: text.length > 0 && !root.dense
            text: root.session.backendReason
            color: Theme.textDim
            font.pixelSize: Theme.fontSmall
            wrapMode: Text.Wrap
            maximumLineCount: 2
        }
    }
}
