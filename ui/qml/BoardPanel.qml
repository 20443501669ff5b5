import QtQuick
import QtQuick.Layouts
import Throng.Ui

// The board's telemetry with the last two minutes, and the clock sweep.
ColumnLayout {
    id: root

    required property Clocks clocks
    required property Sweep sweep
    signal sweepRequested()  // or its end

    spacing: 2

    Label {
        Layout.fillWidth: true
        visible: text.length > 0
        text: root.clocks.board
        font.bold: true
    }
    Remark {
        Layout.fillWidth: true
        visible: text.length > 0
        text: root.clocks.location
        elide: Text.ElideMiddle
        Layout.bottomMargin: 6
    }
    Repeater {
        model: root.clocks.telemetry
        Item {
            id: row
            required property string title
            required property string value
            required property string details
            required property var plot
            Layout.fillWidth: true
            implicitHeight: 32
            Label {
                id: name
                width: 124
                height: parent.height
                text: row.title
                color: Theme.textDim
            }
            PlotItem {
                anchors.left: name.right
                anchors.right: figure.left
                anchors.leftMargin: 8
                anchors.rightMargin: 8
                y: 4
                height: parent.height - 8
                plot: row.plot
                colors: [Theme.accent]
                grid: [0]
                gridColor: Theme.line
            }
            Label {
                id: figure
                anchors.right: parent.right
                width: 100
                height: parent.height
                horizontalAlignment: Text.AlignRight
                text: row.value
                font.bold: true
            }
            HoverHandler { id: pointer }
            Tip { text: row.details; shown: pointer.hovered }
        }
    }
    Label {
        Layout.fillWidth: true
        visible: root.clocks.telemetry.count === 0
        text: qsTr("No sensors available")
        color: Theme.textDim
    }

    RowLayout {
        Layout.fillWidth: true
        Layout.topMargin: Theme.gap
        visible: root.sweep.possible || root.sweep.rows.length > 0
        spacing: Theme.gap
        Column {
            Layout.fillWidth: true
            Label { text: qsTr("Latency vs. clock"); width: parent.width }
            Remark {
                width: parent.width
                text: root.sweep.running ? qsTr("clock profile %1 of %2").arg(root.sweep.at + 1).arg(root.sweep.size)
                    : root.sweep.status.length > 0 ? root.sweep.status
                    : qsTr("measures each clock profile")
            }
        }
        IconButton {
            iconName: root.sweep.running ? "stop" : "play"
            text: root.sweep.running ? qsTr("Cancel") : qsTr("Sweep")
            tip: root.sweep.running ? qsTr("Cancel the sweep and restore the clock")
                                    : qsTr("Measure the latency at each clock profile (%1)").arg("W")
            framed: true
            onClicked: root.sweepRequested()
        }
    }
    ProgressLine {
        Layout.fillWidth: true
        visible: root.sweep.running
        value: (root.sweep.at + 0.5) / Math.max(1, root.sweep.size)
    }
    Legend {
        Layout.topMargin: 4
        visible: curves.visible
        entries: [
            { text: qsTr("total"), color: Theme.warning },
            { text: qsTr("map"), color: Theme.accent },
            { text: qsTr("reduce"), color: Theme.text },
            { text: qsTr("ms vs. MHz"), color: "transparent" }
        ]
    }
    Item {
        id: curves
        Layout.fillWidth: true
        visible: root.sweep.rows.length > 0
        implicitHeight: 190
        Item {
            id: plot
            anchors.fill: parent
            anchors.margins: 10
            anchors.leftMargin: 48
            anchors.rightMargin: 20
            anchors.bottomMargin: 26
            PlotItem {
                anchors.fill: parent
                anchors.margins: -inset
                inset: 5
                plot: visible ? root.sweep.plot : undefined
                colors: [Theme.warning, Theme.text, Theme.accent]
                grid: Array.from(root.sweep.timeTicks).map(tick => tick.at)
                gridColor: Theme.line
            }
        }
        Repeater {
            model: root.sweep.timeTicks
            Remark {
                required property var modelData
                anchors.right: plot.left
                anchors.rightMargin: Theme.gap
                y: plot.y + (1 - modelData.at) * plot.height - height / 2
                text: modelData.text
            }
        }
        Repeater {
            model: root.sweep.clockTicks
            Remark {
                required property var modelData
                x: plot.x + modelData.at * plot.width - width / 2
                anchors.bottom: curves.bottom
                text: modelData.text
            }
        }
    }
    Repeater {
        model: root.sweep.rows.length > 0
            ? [{ clock: qsTr("clock"), map: qsTr("map"), reduce: qsTr("reduce"), total: qsTr("total"), note: "" },
               ...root.sweep.rows] : []
        Column {
            id: line
            required property var modelData
            required property int index
            Layout.fillWidth: true
            Row {
                width: parent.width
                Repeater {
                    model: [line.modelData.clock, line.modelData.map, line.modelData.reduce, line.modelData.total]
                    Label {
                        required property string modelData
                        required property int index
                        width: line.width * (index === 0 ? 0.34 : 0.22)
                        height: 22
                        horizontalAlignment: index === 0 ? Text.AlignLeft : Text.AlignRight
                        text: modelData
                        color: line.index === 0 ? Theme.textDim : Theme.text
                        font.pixelSize: line.index === 0 ? Theme.fontSmall : Theme.fontBody
                    }
                }
            }
            Remark {
                width: parent.width
                visible: text.length > 0
                text: line.modelData.note
                color: Theme.warning
                wrapMode: Text.WrapAnywhere
                maximumLineCount: 2
            }
        }
    }
}
