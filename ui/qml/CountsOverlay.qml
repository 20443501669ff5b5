import QtQuick
import QtQuick.Layouts
import Throng.Ui

// Lines and zones over the image. They are drawn and changed with the pointer or the keys: arrows move the crosshair or
// the point, Space sets a point, Enter completes a zone, Tab goes to the next point, Del deletes.
Item {
    id: root
    objectName: "countsOverlay"

    required property VideoItem view
    required property CountsView counts
    property real covered: 0  // height of what covers the lower edge
    property real below: 0    // height of the bar below, which is hidden while a shape is drawn; 0: there is none
    readonly property rect image: view.frameRect
    readonly property bool drawing: counts.tool !== ""
    readonly property bool visualFocus: activeFocus  // keys of the window that it uses yield
    readonly property real reach: 24
    property point cursor: Qt.point(0.5, 0.5)  // of the keyboard
    property bool keyboard: false              // the crosshair is visible
    property int chosenPoint: 0
    property var selectedPoints: []            // of the selected shape
    readonly property var handles: drawing ? counts.drawn : counts.selected >= 0 ? selectedPoints : []

    visible: counts.open && view.hasFrame

    function toScreen(at: point): point { return Qt.point(image.x + at.x * image.width, image.y + at.y * image.height) }
    function toImage(x: real, y: real): point { return Qt.point((x - image.x) / image.width, (y - image.y) / image.height) }
    function moveBy(dx: real, dy: real, fine: bool) {
        const step = fine ? 0.002 : 0.02
        keyboard = true
        if (drawing) {
            cursor = Qt.point(Math.max(0, Math.min(1, cursor.x + dx * step)), Math.max(0, Math.min(1, cursor.y + dy * step)))
        } else {
            const at = selectedPoints[chosenPoint]
            counts.movePoint(chosenPoint, Qt.point(at.x + dx * step, at.y + dy * step))
            moved.restart()
        }
    }

    // One change for a series of key presses.
    Timer {
        id: moved
        objectName: "endOfMoves"
        interval: 600
        onTriggered: root.counts.finishMove()
    }
    Connections {
        target: root.counts
        function onEditingChanged() {
            if (root.drawing || root.counts.selected >= 0) root.forceActiveFocus()
            else root.focus = false
            if (root.counts.selected < 0) root.keyboard = root.keyboard && root.drawing
            root.chosenPoint = 0
        }
    }

    Keys.enabled: drawing || counts.selected >= 0
    Keys.onPressed: event => {
        const fine = (event.modifiers & Qt.ShiftModifier) !== 0
        const selected = counts.selected
        event.accepted = true
        if (event.key === Qt.Key_Left) moveBy(-1, 0, fine)
        else if (event.key === Qt.Key_Right) moveBy(1, 0, fine)
        else if (event.key === Qt.Key_Up) moveBy(0, -1, fine)
        else if (event.key === Qt.Key_Down) moveBy(0, 1, fine)
        else if (drawing && event.key === Qt.Key_Space) { keyboard = true; counts.addPoint(cursor) }
        else if (drawing && (event.key === Qt.Key_Return || event.key === Qt.Key_Enter)) counts.finish()
        else if (drawing && event.key === Qt.Key_Backspace) counts.undo()
        else if (!drawing && event.key === Qt.Key_Delete) counts.remove(selected)
        else if (!drawing && event.key === Qt.Key_Tab && chosenPoint < selectedPoints.length - 1) { keyboard = true; ++chosenPoint }
        else event.accepted = false
    }

    component Edge: Rectangle {
        property point from
        property point to
        x: from.x
        y: from.y - height / 2
        width: Math.hypot(to.x - from.x, to.y - from.y)
        height: 5
        transformOrigin: Item.Left
        rotation: Math.atan2(to.y - from.y, to.x - from.x) * 180 / Math.PI
        antialiasing: true
        border.width: 1
        border.color: "#a0000000"
    }
    component Handle: Rectangle {
        property point at
        property bool chosen: false
        x: at.x - width / 2
        y: at.y - height / 2
        width: chosen ? 24 : 16
        height: width
        radius: width / 2
        color: chosen ? Theme.accent : Theme.text
        border.width: 2
        border.color: "#a0000000"
    }

    Item {
        anchors.fill: parent
        clip: true

        Repeater {
            model: root.counts.shapes
            Item {
                id: shape
                required property int index
                required property string name
                required property bool isZone
                required property var points
                required property real crossedIn
                required property real crossedOut
                required property int occupancy
                readonly property bool chosen: root.counts.selected === index
                readonly property color tint: chosen ? Theme.text : Theme.warning
                // Of a line: to the side that counts as in, which is to the right, seen from the first point.
                readonly property real inward: Math.atan2(corners[1].y - corners[0].y, corners[1].x - corners[0].x) + Math.PI / 2
                readonly property var corners: points.map(p => root.toScreen(p))
                readonly property point middle: Qt.point(corners.reduce((sum, p) => sum + p.x, 0) / corners.length,
                                                         corners.reduce((sum, p) => sum + p.y, 0) / corners.length)
                anchors.fill: parent
                onCornersChanged: if (chosen) root.selectedPoints = points
                onChosenChanged: if (chosen) root.selectedPoints = points

                Repeater {
                    model: shape.isZone ? shape.points.length : 1
                    Edge {
                        required property int index
                        objectName: "edge"
                        from: shape.corners[index] ?? Qt.point(0, 0)
                        to: shape.corners[(index + 1) % shape.corners.length] ?? Qt.point(0, 0)
                        color: shape.tint
                    }
                }
                Icon {
                    visible: !shape.isZone
                    width: 30
                    height: 30
                    x: shape.middle.x + 16 * Math.cos(shape.inward) - width / 2
                    y: shape.middle.y + 16 * Math.sin(shape.inward) - height / 2
                    rotation: shape.inward * 180 / Math.PI
                    name: "right"
                    color: shape.tint
                }
                Plate {
                    // Opposite to the arrow of a line; within a zone.
                    readonly property real away: shape.isZone ? 0
                        : 10 + Math.abs(Math.cos(shape.inward)) * width / 2 + Math.abs(Math.sin(shape.inward)) * height / 2
                    x: Math.max(4, Math.min(root.width - width - 4, shape.middle.x - away * Math.cos(shape.inward) - width / 2))
                    y: Math.max(4, Math.min(root.height - height - 4, shape.middle.y - away * Math.sin(shape.inward) - height / 2))
                    width: Math.min(root.width - 8, label.implicitWidth + 16)
                    height: 26
                    radius: 6
                    Remark {
                        id: label
                        anchors.centerIn: parent
                        width: Math.min(implicitWidth, parent.width - 12)
                        text: shape.isZone ? qsTr("%1: %2").arg(shape.name).arg(Theme.count(shape.occupancy))
                            : qsTr("%1: %2 in, %3 out").arg(shape.name).arg(Theme.count(shape.crossedIn)).arg(Theme.count(shape.crossedOut))
                        color: shape.tint
                        font.bold: true
                    }
                }
            }
        }
        // Draws the shape in progress, closed to the pointer.
        Repeater {
            model: root.counts.drawn.length
            Edge {
                required property int index
                readonly property var next: root.counts.drawn[index + 1] ?? root.pending
                from: root.toScreen(root.counts.drawn[index] ?? Qt.point(0, 0))
                to: root.toScreen(next)
                color: Theme.text
                opacity: index + 1 < root.counts.drawn.length ? 1 : 0.6
            }
        }
        Repeater {
            model: root.handles.length
            Handle {
                required property int index
                at: root.toScreen(root.handles[index] ?? Qt.point(0, 0))
                chosen: root.drawing ? index === 0 && root.counts.tool === "zone" && root.counts.drawn.length > 2
                                     : root.keyboard && root.activeFocus && index === root.chosenPoint
            }
        }
        Item {
            x: root.toScreen(root.cursor).x
            y: root.toScreen(root.cursor).y
            visible: root.drawing && root.keyboard
            Rectangle { x: -16; y: -1; width: 32; height: 3; color: Theme.accent; border.color: "#a0000000" }
            Rectangle { x: -1; y: -16; width: 3; height: 32; color: Theme.accent; border.color: "#a0000000" }
        }
    }
    readonly property point pending: keyboard ? cursor : toImage(pointer.mouseX, pointer.mouseY)

    // Selects a shape, and ends the selection, without taking the press from the image.
    TapHandler {
        enabled: !root.drawing && !root.counts.locked
        onTapped: event => {
            const at = root.toImage(event.position.x, event.position.y)
            const size = Qt.size(root.image.width, root.image.height)
            if (root.counts.pointAt(at, size, root.reach) < 0) root.counts.select(root.counts.rowAt(at, size, 12))
        }
    }
    MouseArea {
        id: pointer
        property int point: -1
        anchors.fill: parent
        enabled: root.drawing || root.counts.selected >= 0
        hoverEnabled: root.drawing
        cursorShape: root.drawing ? Qt.CrossCursor : undefined
        onPositionChanged: event => {
            root.keyboard = false
            if (pressed && point >= 0) root.counts.movePoint(point, root.toImage(event.x, event.y))
        }
        onPressed: event => {
            const at = root.toImage(event.x, event.y)
            const size = Qt.size(root.image.width, root.image.height)
            point = root.drawing ? -1 : root.counts.pointAt(at, size, root.reach)
            if (!root.drawing && point < 0) {
                event.accepted = false
                return
            }
            root.keyboard = false
            if (!root.drawing) return
            const first = root.counts.drawn.length > 2 ? root.toScreen(root.counts.drawn[0]) : null
            if (first && Math.hypot(first.x - event.x, first.y - event.y) < root.reach) root.counts.finish()
            else root.counts.addPoint(at)
        }
        onReleased: release()
        onCanceled: release()
        function release() {
            if (point >= 0) root.counts.finishMove()
            point = -1
        }
    }

    Rectangle {
        objectName: "drawingBar"
        anchors.horizontalCenter: parent.horizontalCenter
        y: parent.height + (root.below > 0 ? (root.below - height) / 2 : -height - root.covered - Theme.gap)
        width: root.below > 0 ? parent.width : Math.min(parent.width - 16, bar.implicitWidth + 20)
        height: root.below > 0 ? root.below : Theme.target + 8
        radius: root.below > 0 ? 0 : Theme.radius
        color: Theme.surface
        border.color: Theme.line
        visible: root.drawing
        MouseArea { anchors.fill: parent }  // a press beside the buttons sets no point
        RowLayout {
            id: bar
            anchors.fill: parent
            anchors.leftMargin: 14
            anchors.rightMargin: 4
            spacing: 4
            Label {
                Layout.fillWidth: true
                text: root.counts.tool === "line"
                    ? (root.counts.drawn.length === 0 ? qsTr("Click the start of the line") : qsTr("Click the end of the line"))
                    : root.counts.drawn.length < 3 ? qsTr("Click the corners of the zone") : qsTr("Next corner, or the first one again")
            }
            ChipButton {
                objectName: "finishShape"
                visible: root.counts.tool === "zone"
                enabled: root.counts.drawn.length > 2
                text: qsTr("Done")
                tip: qsTr("Complete the zone (Enter)")
                onClicked: root.counts.finish()
            }
            ChipButton {
                text: qsTr("Undo")
                tip: qsTr("Remove the last point (Backspace)")
                enabled: root.counts.drawn.length > 0
                onClicked: root.counts.undo()
            }
            ChipButton {
                text: qsTr("Cancel")
                tip: qsTr("Stop drawing (Esc)")
                onClicked: root.counts.stepBack()
            }
        }
    }
}
