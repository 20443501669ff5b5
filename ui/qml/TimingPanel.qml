import QtQuick
import QtQuick.Layouts
import Throng.Ui

// One bar per stage, the clock profiles, and the scrolling plot of raw detections, map and reduce.
ColumnLayout {
    id: root

    required property StageModel stages
    required property Clocks clocks
    required property History history
    required property Replay replay
    property bool dense: false
    property bool wall: false   // several sources, whose stages are not measured here
    property bool whole: false  // also stages that take less than 0.1 ms
    readonly property bool measured: stages.count > 0

    spacing: root.dense ? 0 : 2

    Item {
        Layout.fillWidth: true
        visible: !root.wall  // its height is kept for the first frame
        opacity: root.measured ? 1 : 0
        implicitHeight: Theme.scaled(20)
        HoverHandler { id: headPointer }
        Tip {
            shown: headPointer.hovered
            text: qsTr("Last frame; median (p50) and 99th percentile (p99) of recent frames")
        }
        Remark {
            text: qsTr("milliseconds, full scale %1").arg(root.stages.scale)
        }
        Row {
            anchors.right: parent.right
            Repeater {
                model: [qsTr("last"), "p50", "p99"]
                Remark {
                    required property string modelData
                    width: Theme.scaled(58)
                    horizontalAlignment: Text.AlignRight
                    text: modelData
                }
            }
        }
    }
    Repeater {
        model: root.stages
        StageBar {
            required property string name
            required property bool isShort
            objectName: "stage_" + name
            visible: root.whole || !isShort
            Layout.fillWidth: true
            dense: root.dense
            scaleMs: root.stages.scale
            emphasized: name === "total"
        }
    }
    IconButton {
        objectName: "shortStages"
        visible: root.stages.shortStages > 0
        iconName: root.whole ? "minus" : "plus"
        iconColor: Theme.textDim
        text: root.whole ? qsTr("Fewer stages")
            : qsTr("%1 stages below 0.1 ms").arg(root.stages.shortStages)
        tip: root.whole ? qsTr("Hide the stages that take less than 0.1 ms")
                        : qsTr("Show the stages that take less than 0.1 ms")
        onClicked: root.whole = !root.whole
    }
    Label {
        Layout.fillWidth: true
        visible: !root.measured && !root.wall
        text: qsTr("No frames yet")
        color: Theme.textDim
    }
    RowLayout {
        Layout.fillWidth: true
        visible: root.stages.baselineTitle.length > 0
        spacing: Theme.gap
        Rectangle {
            implicitWidth: 2
            implicitHeight: 16
            color: Theme.warning
        }
        Remark {
            Layout.fillWidth: true
            text: qsTr("baseline: %1").arg(root.stages.baselineTitle)
        }
        IconButton {
            iconName: "close"
            tip: qsTr("Clear the baseline")
            onClicked: root.stages.clearBaseline()
        }
    }
    ClockSelector {
        objectName: "clockSelector"
        Layout.fillWidth: true
        Layout.topMargin: Theme.gap
        visible: clocks.present
        clocks: root.clocks
    }

    Item {
        Layout.fillWidth: true
        Layout.topMargin: Theme.gap
        visible: !root.wall
        opacity: root.measured ? 1 : 0
        implicitHeight: Theme.scaled(20)
        Legend {
            entries: [
                { text: qsTr("raw detections"), color: Theme.textDim },
                { text: qsTr("map"), color: Theme.accent },
                { text: qsTr("reduce"), color: Theme.text }
            ]
        }
    }
    Item {
        Layout.fillWidth: true
        visible: !root.wall
        opacity: root.measured ? 1 : 0
        implicitHeight: 104
        PlotItem {
            id: plot
            objectName: "timingPlot"
            visible: root.measured
            anchors.fill: parent
            anchors.topMargin: 18
            plot: visible ? root.history.plot : undefined
            colors: [Theme.textDim, Theme.text, Theme.accent]
            grid: [0, 0.5, 1]
            gridColor: Theme.line
            Accessible.role: Accessible.Graphic
            Accessible.name: qsTr("Plot of raw detections, map and reduce")
            TapHandler {
                onTapped: event => {
                    const number = root.history.numberAt(event.position.x / plot.width)
                    if (number >= 0) root.replay.selectNumber(number)
                }
            }
            HoverHandler { id: plotPointer }
            Tip {
                shown: plotPointer.hovered
                text: qsTr("Click a spike to see its frame while the replay is open (I)")
            }
        }
        Remark {
            text: plot.visible ? qsTr("%1 raw").arg(Theme.count(root.history.rawScale)) : ""
        }
        Remark {
            anchors.right: parent.right
            text: plot.visible ? qsTr("%1 ms").arg(Theme.number(root.history.msScale)) : ""
        }
    }
}
