import QtQuick
import QtQuick.Layouts
import Throng.Ui

// The suppression matrix of the current frame, one-pass and greedy side by side. A sweep over the rows shows the
// reduction; a row below the pointer lights up in the image.
Rectangle {
    id: root

    required property Session session
    readonly property MatrixView matrix: session.matrix
    property real sweep: 1  // upper fraction of the rows that have been reduced
    readonly property string sourceState: session.transport.state
    readonly property bool waiting: sourceState === "idle" || sourceState === "opening" || sourceState === "failed"  // for a source

    color: Theme.surface
    clip: true

    NumberAnimation {
        id: sweeping
        target: root
        property: "sweep"
        from: 0
        to: 1
        duration: 4000
    }
    function startSweep() { sweeping.restart() }

    component Panel: Item {
        id: panel
        required property bool greedy
        required property string title
        readonly property int all: greedy ? root.matrix.keptGreedy : root.matrix.keptOnePass
        readonly property int kept: root.sweep < 1 ? root.matrix.keptBefore(root.sweep, greedy) : all
        readonly property real side: Math.min(width - 12, height - 48)

        Label {
            id: heading
            width: parent.width
            text: panel.title
            font.bold: true
        }
        Label {
            anchors.top: heading.bottom
            width: parent.width
            text: qsTr("%1 of %2 kept").arg(Theme.count(panel.kept)).arg(Theme.count(root.matrix.count))
            color: Theme.textDim
            font.pixelSize: Theme.fontSmall
        }
        Rectangle {
            y: 44
            width: panel.side + 2
            height: panel.side + 2
            color: Theme.background
            border.color: Theme.line
            MatrixItem {
                id: cells
                objectName: panel.greedy ? "matrixGreedy" : "matrixOnePass"
                x: 1
                y: 1
                width: panel.side
                height: panel.side
                view: root.matrix
                greedy: panel.greedy
                Accessible.role: Accessible.Graphic
                Accessible.name: qsTr("Suppression matrix, %1").arg(panel.title)
                Accessible.focusable: true
                activeFocusOnTab: root.matrix.count > 0
                readonly property bool visualFocus: activeFocus  // the arrow keys select a row
                function selectRow(row: int) {
                    const last = root.matrix.count - 1
                    root.matrix.select((Math.max(0, Math.min(last, row)) + 0.5) / (last + 1), panel.greedy)
                }
                readonly property int row: root.matrix.selectedRow < 0 ? -1 : Math.floor(root.matrix.selectedRow * root.matrix.count)
                onActiveFocusChanged: activeFocus ? selectRow(row) : root.matrix.select(-1, panel.greedy)
                Keys.onUpPressed: selectRow(row - 1)
                Keys.onDownPressed: selectRow(row + 1)
                Keys.onPressed: event => {
                    if (event.key !== Qt.Key_Home && event.key !== Qt.Key_End) return
                    selectRow(event.key === Qt.Key_Home ? 0 : root.matrix.count)
                    event.accepted = true
                }
                FocusRing { shown: cells.visualFocus; anchors.margins: -1; radius: 0 }
                HoverHandler {
                    id: pointer
                    onPointChanged: if (hovered) root.matrix.select(point.position.y / cells.height, panel.greedy)
                    onHoveredChanged: if (!hovered) root.matrix.select(-1, panel.greedy)
                }
                TapHandler {
                    onTapped: event => root.matrix.select(event.position.y / cells.height, panel.greedy)
                }
            }
            // Rows that have not been reduced yet.
            Rectangle {
                x: 1
                y: 1 + root.sweep * panel.side
                width: panel.side
                height: panel.side * (1 - root.sweep)
                color: "#a00b0f14"
            }
            Rectangle {
                y: root.sweep * panel.side
                width: parent.width
                height: 2
                color: Theme.text
                visible: sweeping.running
            }
            Rectangle {
                x: 1
                y: root.matrix.selectedRow * panel.side
                width: panel.side
                height: 1
                color: Theme.text
                visible: root.matrix.selectedRow >= 0
            }
            // Rows where the rules differ.
            Repeater {
                model: root.matrix.differing
                Rectangle {
                    required property real modelData
                    x: panel.side + 3
                    y: modelData * panel.side - 1
                    width: 7
                    height: 3
                    color: Theme.warning
                }
            }
        }
    }

    ColumnLayout {
        anchors.fill: parent
        anchors.margins: Theme.gap
        spacing: 4
        RowLayout {
            Layout.fillWidth: true
            spacing: 2
            Label {
                Layout.fillWidth: true
                text: root.width < 500 ? qsTr("Matrix") : qsTr("Suppression matrix")
                font.pixelSize: Theme.fontTitle
                font.bold: true
            }
            IconButton {
                iconName: "play"
                tip: qsTr("Sweep over the rows: the reduction")
                enabled: root.matrix.count > 0
                onClicked: root.startSweep()
            }
            ChipButton {
                text: qsTr("By score")
                tip: qsTr("Rows and columns in order of falling score")
                chosen: !root.matrix.byCluster
                onClicked: root.matrix.byCluster = false
            }
            ChipButton {
                text: qsTr("By cluster")
                tip: qsTr("Rows and columns grouped by the kept detection that suppresses them")
                chosen: root.matrix.byCluster
                onClicked: root.matrix.byCluster = true
            }
            IconButton {
                iconName: "close"
                tip: qsTr("Close (M)")
                onClicked: root.matrix.open = false
            }
        }
        RowLayout {
            Layout.fillWidth: true
            Layout.fillHeight: true
            spacing: Theme.gap
            Panel {
                Layout.fillWidth: true
                Layout.fillHeight: true
                Layout.preferredWidth: 1
                greedy: false
                title: qsTr("one-pass")
            }
            Panel {
                Layout.fillWidth: true
                Layout.fillHeight: true
                Layout.preferredWidth: 1
                greedy: true
                title: qsTr("greedy")
            }
        }
        Label {
            objectName: "matrixStatus"
            Layout.fillWidth: true
            text: root.matrix.selection.length > 0 ? root.matrix.selection
                : root.matrix.computeMs === 0 && root.waiting ? qsTr("No frames yet")
                : root.matrix.computeMs === 0 ? qsTr("Computing …")  // the first one; many detections take seconds
                : root.matrix.count === 0 ? qsTr("No raw detections in this frame")
                : qsTr("cost of this view: %1 ms per matrix, on the CPU").arg(Theme.milliseconds(root.matrix.computeMs))
            color: root.matrix.selection.length > 0 ? Theme.text : Theme.textDim
            font.pixelSize: Theme.fontSmall
        }
        Label {
            Layout.fillWidth: true
            visible: root.height > 420
            text: qsTr("A cell is lit if its column suppresses its row (map). A row without a lit cell is kept (reduce). "
                       + "In greedy, dim columns are suppressed themselves. Marked rows differ.")
            color: Theme.textDim
            font.pixelSize: Theme.fontSmall
            wrapMode: Text.Wrap
            elide: Text.ElideNone
        }
    }
}
