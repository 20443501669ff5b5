import QtQml
import QtQuick
import QtQuick.Controls.Basic as C
import QtQuick.Templates as T
import Throng.Ui

// List of the keyboard shortcuts, generated from their table.
C.Popup {
    id: root
    objectName: "shortcutSheet"

    required property ShortcutModel shortcuts
    required property Actions actions

    // Without the keys that are locked, in a kiosk or the wall.
    readonly property string gestures: qsTr("Gestures")
    readonly property var headings: shortcuts.touched ? [gestures] : shortcuts.groups()
    function entriesOf(group: string): var {
        const all = group === gestures ? shortcuts.gestures() : shortcuts.entries(group)
        return Array.from(all).filter(entry => actions.isAllowed(entry.id))
    }

    parent: T.Overlay.overlay
    anchors.centerIn: parent
    width: Math.min(parent.width - 32, 1180)
    // Whole rows only: a row that is cut in half looks like an error.
    readonly property int row: Theme.scaled(28) + 4
    readonly property int frame: 2 * padding + 48
    height: frame + Math.min(flow.height, Math.floor((parent.height - 32 - frame) / row) * row)
    modal: true
    focus: true  // Esc closes it
    padding: 20

    background: Rectangle { color: Theme.surface; border.color: Theme.line; radius: 14 }
    T.Overlay.modal: Rectangle { color: "#b0000000" }

    // A modal popup blocks the window's shortcuts.
    Instantiator {
        model: root.shortcuts
        delegate: Shortcut {
            required property string actionId
            required property var keySequences
            sequences: keySequences
            enabled: root.visible && (actionId === "help" || actionId === "quit")
            onActivated: root.actions.trigger(actionId)
        }
    }
    Label {
        id: heading
        text: root.shortcuts.touched ? qsTr("Touch") : qsTr("Keyboard shortcuts")
        font.pixelSize: Theme.fontFigure
        font.bold: true
    }
    IconButton {
        anchors.right: parent.right
        anchors.top: parent.top
        anchors.margins: -8
        iconName: "close"
        tip: qsTr("Close (Esc)")
        onClicked: root.close()
    }
    ScrollArea {
        id: flick
        objectName: "sheetScroll"
        function scrollBy(rows) { contentY = Math.max(0, Math.min(contentHeight - height, Math.round(contentY / root.row + rows) * root.row)) }
        focus: true
        Keys.onUpPressed: scrollBy(-1)
        Keys.onDownPressed: scrollBy(1)
        Keys.onPressed: event => {
            if (event.key === Qt.Key_PageDown) scrollBy(Math.floor(height / root.row))
            else if (event.key === Qt.Key_PageUp) scrollBy(-Math.floor(height / root.row))
        }
        onMovementEnded: scrollBy(0)
        anchors.fill: parent
        anchors.topMargin: 48
        contentHeight: flow.height
        Row {
            id: flow
            readonly property int columns: width > 1000 ? 3 : width > 640 ? 2 : 1
            // Puts each group into the shortest column. A group has a heading and an empty row at its end.
            readonly property var groups: {
                const filled = Array.from({ length: columns }, () => ({ groups: [], rows: 0 }))
                for (const group of root.headings) {
                    if (root.entriesOf(group).length === 0) continue
                    const shortest = filled.reduce((a, b) => b.rows < a.rows ? b : a)
                    shortest.groups.push(group)
                    shortest.rows += root.entriesOf(group).length + 2
                }
                return filled.map(column => column.groups)
            }
            width: parent.width
            spacing: root.row
            Repeater {
                model: flow.groups
                Column {
                    id: stack
                    required property var modelData
                    width: (flow.width - (flow.columns - 1) * flow.spacing) / flow.columns
                    spacing: root.row
                    Repeater {
                        model: stack.modelData
                        Column {
                            id: group
                            required property string modelData
                            width: stack.width
                            spacing: 4
                            bottomPadding: 4  // every position is a multiple of the row
                            Label {
                                text: group.modelData
                                color: Theme.accent
                                font.bold: true
                                height: Theme.scaled(28)
                            }
                            Repeater {
                                model: root.entriesOf(group.modelData)
                                Row {
                                    id: entry
                                    required property var modelData
                                    spacing: 14
                                    Item {
                                        width: Theme.scaled(96)
                                        height: Theme.scaled(28)
                                        Rectangle {
                                            anchors.verticalCenter: parent.verticalCenter
                                            width: Math.min(parent.width, keys.implicitWidth + 16)
                                            height: Theme.scaled(26)
                                            radius: 6
                                            color: Theme.surfaceHigh
                                            border.color: Theme.line
                                            Label {
                                                id: keys
                                                anchors.centerIn: parent
                                                text: entry.modelData.keys
                                                font.pixelSize: Theme.fontSmall
                                                font.bold: true
                                            }
                                        }
                                    }
                                    Label {
                                        width: group.width - Theme.scaled(96) - 14
                                        height: Math.ceil(Math.max(Theme.scaled(28), implicitHeight) / root.row) * root.row - 4
                                        topPadding: (Theme.scaled(28) - metrics.height) / 2
                                        verticalAlignment: Text.AlignTop  // the first line is at the key
                                        text: entry.modelData.text
                                        wrapMode: Text.Wrap
                                        FontMetrics { id: metrics; font.pixelSize: Theme.fontBody }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
