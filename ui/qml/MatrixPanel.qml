import QtQuick
import QtQuick.Layouts
import Throng.Ui

// The suppression matrix of the current frame, one-pass and greedy side by side. A sweep over the rows shows the
// reduction; a row below the pointer lights up in the image.
Rectangle {
    id: root

    readonly property string tipSide: "left"
    required property MatrixView view
    // Which rules are shown: that of the frame, one of both, or both side by side.
    property string rules: ""  // "": that of the frame, or both where there is space
    readonly property bool both: rules === "both" || rules === "" && width > 1.2 * height
    readonly property bool showsGreedy: both || (rules === "" ? view.greedyInUse : rules === "greedy")
    readonly property bool showsOnePass: both || !showsGreedy
    readonly property real widest: rules === "both" ? 2 : 0.8  // useful width as a multiple of the height
    function nextRules() { rules = both ? "onePass" : showsGreedy ? "both" : "greedy" }
    property real sweep: 1  // upper fraction of the rows that have been reduced

    // Returns where a row lies in an image of this height; the row as a fraction of the whole matrix.
    function rowAt(fraction: real, height: real): real {
        return (fraction - view.part.y) / view.part.height * height
    }

    objectName: "matrixPanel"
    color: Theme.surface
    clip: true

    Connections {
        target: root.view
        function onSweepRequested() { sweeping.restart() }
    }

    NumberAnimation {
        id: sweeping
        target: root
        property: "sweep"
        from: 0
        to: 1
        duration: 4000
    }

    component Panel: Item {
        id: panel
        required property bool greedy
        readonly property string title: greedy ? qsTr("Greedy") : qsTr("One-pass")
        readonly property int all: greedy ? root.view.keptGreedy : root.view.keptOnePass
        readonly property int kept: root.sweep < 1 ? root.view.keptBefore(root.sweep, greedy) : all
        readonly property real side: Math.min(width - 12, height - 48)
        Layout.fillWidth: true
        Layout.fillHeight: true
        Layout.preferredWidth: 1

        Label {
            id: heading
            width: parent.width
            text: panel.title
            font.bold: true
        }
        Remark {
            anchors.top: heading.bottom
            width: parent.width
            readonly property int first: Math.round(root.view.part.y * root.view.count)
            text: qsTr("%1 of %2 kept").arg(Theme.count(panel.kept)).arg(Theme.count(root.view.count))
                  + (root.view.part.height < 1 ? qsTr(" · rows %1 to %2").arg(Theme.count(first + 1))
                      .arg(Theme.count(first + Math.round(root.view.part.height * root.view.count))) : "")
        }
        Rectangle {
            y: 44
            width: panel.side + 2
            height: panel.side + 2
            color: Theme.background
            border.color: Theme.line
            ImageItem {
                id: cells
                objectName: panel.greedy ? "matrixGreedy" : "matrixOnePass"
                x: 1
                y: 1
                width: panel.side
                height: panel.side
                image: panel.greedy ? root.view.greedyImage : root.view.onePassImage
                cells: true
                Accessible.role: Accessible.Graphic
                Accessible.name: qsTr("Suppression matrix, %1").arg(panel.title)
                Accessible.focusable: true
                activeFocusOnTab: true
                readonly property bool visualFocus: activeFocus  // the arrow keys select a row
                function selectRow(row: int) {
                    const last = root.view.count - 1
                    root.view.select((Math.max(0, Math.min(last, row)) + 0.5) / (last + 1), panel.greedy)
                }
                readonly property int row: root.view.selectedRow < 0 ? -1 : Math.floor(root.view.selectedRow * root.view.count)
                onActiveFocusChanged: {
                    if (activeFocus) selectRow(row)
                    else if (!root.view.following) root.view.select(-1, panel.greedy)
                }
                Keys.onUpPressed: selectRow(row - 1)
                Keys.onDownPressed: selectRow(row + 1)
                Keys.onReturnPressed: root.view.follow(root.view.selectedRow, panel.greedy)
                // Its keys to zoom are those of the image, too.
                Keys.onShortcutOverride: event => event.accepted = event.key === Qt.Key_Plus || event.key === Qt.Key_Minus
                Keys.onPressed: event => {
                    const selected = Qt.point(0.5, Math.max(0, Math.min(1, root.rowAt(root.view.selectedRow, 1))))
                    if (event.key === Qt.Key_Home || event.key === Qt.Key_End)
                        selectRow(event.key === Qt.Key_Home ? 0 : root.view.count)
                    else if (event.key === Qt.Key_Plus) root.view.zoom(0.5, selected)
                    else if (event.key === Qt.Key_Minus) root.view.zoom(2, selected)
                    else return
                    event.accepted = true
                }
                function fraction(y: real): real { return root.view.part.y + y / height * root.view.part.height }
                function inside(point: point): point { return Qt.point(point.x / width, point.y / height) }
                WheelHandler {
                    acceptedDevices: PointerDevice.Mouse | PointerDevice.TouchPad
                    onWheel: event => root.view.zoom(Math.pow(0.8, event.angleDelta.y / 120), cells.inside(point.position))
                }
                PinchHandler {
                    target: null
                    property real before: 1
                    onActiveChanged: before = 1
                    onActiveScaleChanged: {
                        if (active) root.view.zoom(before / activeScale, cells.inside(centroid.position))
                        before = activeScale
                    }
                }
                DragHandler {
                    target: null
                    enabled: root.view.part.height < 1
                    property point before
                    onActiveChanged: before = Qt.point(0, 0)
                    onActiveTranslationChanged: {
                        const now = Qt.point(activeTranslation.x, activeTranslation.y)
                        if (active) root.view.pan((before.x - now.x) / cells.width, (before.y - now.y) / cells.height)
                        before = now
                    }
                }
                FocusRing { shown: cells.visualFocus; anchors.margins: -1; radius: 0 }
                HoverHandler {
                    id: pointer
                    enabled: !root.view.following
                    onPointChanged: if (hovered) root.view.select(cells.fraction(point.position.y), panel.greedy)
                    onHoveredChanged: if (!hovered && !root.view.following) root.view.select(-1, panel.greedy)
                }
                TapHandler {
                    onTapped: event => {
                        if (root.view.following) root.view.select(-1, panel.greedy)
                        else root.view.follow(cells.fraction(event.position.y), panel.greedy)
                    }
                }
            }
            // Rows that have not been reduced yet.
            Rectangle {
                id: unreduced
                x: 1
                y: 1 + Math.max(0, Math.min(panel.side, root.rowAt(root.sweep, panel.side)))
                width: panel.side
                height: panel.side + 1 - y
                color: "#a00b0f14"
            }
            Rectangle {
                y: unreduced.y - 1
                width: parent.width
                height: 2
                color: Theme.text
                visible: sweeping.running
            }
            Rectangle {
                x: 1
                y: root.rowAt(root.view.selectedRow, panel.side)
                width: panel.side
                height: 1
                color: Theme.text
                visible: root.view.selectedRow >= 0 && y >= 0 && y <= panel.side
            }
            // Rows where the rules differ.
            Repeater {
                model: root.view.differing
                Rectangle {
                    required property real modelData
                    x: panel.side + 3
                    y: root.rowAt(modelData, panel.side) - 1
                    width: 7
                    height: 3
                    color: Theme.warning
                    visible: y >= 0 && y < panel.side
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
            IconButton {
                iconName: "play"
                tip: qsTr("Sweep over the rows: the reduction")
                enabled: root.view.count > 0
                onClicked: sweeping.restart()
            }
            ChipButton {
                Layout.fillWidth: true
                Layout.maximumWidth: implicitWidth
                text: qsTr("By score")
                tip: qsTr("Rows and columns in order of falling score")
                chosen: !root.view.byCluster
                onClicked: root.view.byCluster = false
            }
            ChipButton {
                Layout.fillWidth: true
                Layout.maximumWidth: implicitWidth
                text: qsTr("By cluster")
                tip: qsTr("Rows and columns grouped by the kept detection that suppresses them")
                chosen: root.view.byCluster
                onClicked: root.view.byCluster = true
            }
            Item { Layout.fillWidth: true }
            ChipButton {
                objectName: "matrixRules"
                Layout.fillWidth: true
                Layout.maximumWidth: implicitWidth
                text: root.both ? qsTr("Both rules") : root.showsGreedy ? qsTr("Greedy") : qsTr("One-pass")
                tip: qsTr("Show one-pass, greedy, or both")
                Accessible.role: Accessible.Button
                onClicked: root.nextRules()
            }
            IconButton {
                iconName: "close"
                tip: qsTr("Close (M)")
                onClicked: root.view.open = false
            }
        }
        RowLayout {
            Layout.fillWidth: true
            Layout.fillHeight: true
            spacing: Theme.gap
            Panel {
                visible: root.showsOnePass
                greedy: false
            }
            Panel {
                visible: root.showsGreedy
                greedy: true
            }
        }
        Remark {
            objectName: "matrixStatus"
            Layout.fillWidth: true
            text: root.view.selection.length > 0
                ? (root.view.following ? qsTr("following: %1").arg(root.view.selection) : root.view.selection)
                : root.view.waiting ? qsTr("No frames yet")
                : root.view.computeMs === 0 ? qsTr("Computing …")  // the first one; many detections take seconds
                : root.view.count === 0 ? qsTr("No raw detections in this frame")
                : qsTr("cost of this view: %1 ms per matrix, on the CPU").arg(Theme.milliseconds(root.view.computeMs))
            color: root.view.selection.length > 0 ? Theme.text : Theme.textDim
        }
        Note {
            objectName: "matrixDifference"
            // Comes and goes with the frames: its place remains, so that the matrix keeps its size.
            property real tallest: 0
            Layout.minimumHeight: tallest
            onImplicitHeightChanged: tallest = Math.max(tallest, implicitHeight)
            text: root.view.difference
            color: Theme.text
        }
        Note {
            visible: root.height > 560  // it would make a small matrix smaller
            text: qsTr("A cell is lit if its column suppresses its row (map). A row without a lit cell is kept (reduce). "
                       + "In greedy, dim columns are suppressed themselves. Marked rows differ. The wheel, two fingers or "
                       + "+ and − zoom.")
        }
    }
}
