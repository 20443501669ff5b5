import QtQuick
import QtQuick.Layouts
import Throng.Ui

// One bar a stage, and the moving plot of raw detections, map and reduce.
ColumnLayout {
    id: root

    required property Session session

    spacing: 2

    Item {
        Layout.fillWidth: true
        implicitHeight: 20
        Label {
            text: qsTr("milliseconds, bars to %1").arg(root.session.stages.scale)
            color: Theme.textDim
            font.pixelSize: Theme.fontSmall
        }
        Row {
            anchors.right: parent.right
            Repeater {
                model: [qsTr("last"), "p50", "p99"]
                Label {
                    required property string modelData
                    width: 58
                    horizontalAlignment: Text.AlignRight
                    text: modelData
                    color: Theme.textDim
                    font.pixelSize: Theme.fontSmall
                }
            }
        }
    }
    Repeater {
        model: root.session.stages
        StageBar {
            required property string name
            Layout.fillWidth: true
            scale_ms: root.session.stages.scale
            emphasised: name === "total"
        }
    }
    Label {
        Layout.fillWidth: true
        visible: root.session.stages.count === 0
        text: qsTr("No frame yet")
        color: Theme.textDim
    }

    Item {
        Layout.fillWidth: true
        Layout.topMargin: Theme.gap
        implicitHeight: 20
        Row {
            spacing: 14
            Repeater {
                model: [
                    { text: qsTr("raw detections"), color: Theme.textDim },
                    { text: qsTr("map"), color: Theme.accent },
                    { text: qsTr("reduce"), color: Theme.text }
                ]
                Row {
                    id: legend
                    required property var modelData
                    spacing: 5
                    Rectangle {
                        anchors.verticalCenter: parent.verticalCenter
                        width: 12
                        height: 4
                        radius: 2
                        color: legend.modelData.color
                    }
                    Label { text: legend.modelData.text; color: Theme.textDim; font.pixelSize: Theme.fontSmall }
                }
            }
        }
    }
    Item {
        Layout.fillWidth: true
        implicitHeight: 104
        PlotItem {
            id: plot
            anchors.fill: parent
            anchors.topMargin: 18
            history: root.session.history
            rawColor: Theme.textDim
            mapColor: Theme.accent
            reduceColor: Theme.text
            gridColor: Theme.line
        }
        Label {
            text: Theme.count(plot.rawScale)
            color: Theme.textDim
            font.pixelSize: Theme.fontSmall
        }
        Label {
            anchors.right: parent.right
            text: qsTr("%1 ms").arg(plot.msScale)
            color: Theme.textDim
            font.pixelSize: Theme.fontSmall
        }
    }
}
