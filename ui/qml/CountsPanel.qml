import QtQuick
import QtQuick.Layouts
import Throng.Ui

// People now and over time, and the lines and zones with their counts. A row selects its shape, which can then be
// renamed, deleted, and changed in the image.
ColumnLayout {
    id: root

    required property CountsView counts
    signal fileRequested()

    spacing: 4

    RowLayout {
        Layout.fillWidth: true
        Metric {
            objectName: "peopleNow"
            figure: Theme.count(root.counts.people)
            label: qsTr("people now")
        }
        Metric {
            objectName: "peopleUnique"
            figure: Theme.count(root.counts.unique)
            label: qsTr("over time")
        }
        IconButton {
            iconName: "reset"
            tip: qsTr("Count again from zero")
            onClicked: root.counts.restart()
        }
    }
    Repeater {
        model: root.counts.shapes
        ColumnLayout {
            id: row
            required property int index
            required property string name
            required property bool isZone
            required property real crossedIn
            required property real crossedOut
            required property int occupancy
            required property real visits
            required property real dwell
            readonly property bool chosen: root.counts.selected === index
            readonly property string figures: isZone
                ? qsTr("%1 inside · %2 visits · %3").arg(Theme.count(occupancy)).arg(Theme.count(visits))
                      .arg(dwell < 0 ? "–" : qsTr("%1 s each").arg(Theme.fixed(dwell, 1)))
                : qsTr("%1 in · %2 out").arg(Theme.count(crossedIn)).arg(Theme.count(crossedOut))
            Layout.fillWidth: true
            spacing: 0

            IconButton {
                objectName: "shapeRow" + row.index
                Layout.fillWidth: true
                implicitHeight: Theme.target
                horizontalPadding: 0
                checked: row.chosen
                enabled: !root.counts.locked
                opacity: 1
                tip: row.isZone ? qsTr("Change this zone") : qsTr("Change this line")
                Accessible.name: row.name + ": " + row.figures
                onClicked: root.counts.select(row.chosen ? -1 : row.index)
                contentItem: RowLayout {
                    spacing: Theme.gap
                    Label {
                        Layout.fillWidth: true
                        Layout.leftMargin: Theme.gap
                        text: row.name
                        font.bold: row.chosen
                        color: row.chosen ? Theme.accent : Theme.text
                    }
                    Remark {
                        Layout.rightMargin: Theme.gap
                        text: row.figures
                    }
                }
            }
            RowLayout {
                Layout.fillWidth: true
                visible: row.chosen
                spacing: 4
                InputField {
                    id: field
                    objectName: "shapeName" + row.index
                    readonly property bool visualFocus: activeFocus  // the panel scrolls to it
                    Layout.fillWidth: true
                    Layout.leftMargin: 2
                    text: row.name
                    maximumLength: 60
                    validator: RegularExpressionValidator { regularExpression: /[A-Za-z0-9 _-]*/ }
                    Accessible.name: qsTr("Name")
                    onEditingFinished: {
                        if (text.trim() !== row.name) root.counts.rename(row.index, text)
                        text = Qt.binding(() => row.name)
                    }
                }
                IconButton {
                    objectName: "deleteShape" + row.index
                    iconName: "minus"
                    text: qsTr("Delete")
                    tip: qsTr("Delete it (undo: Ctrl+Z)")
                    onClicked: root.counts.remove(row.index)
                }
            }
        }
    }
    RowLayout {
        Layout.fillWidth: true
        visible: !root.counts.locked
        spacing: 4
        ChipButton {
            objectName: "drawLine"
            Layout.fillWidth: true
            Layout.preferredWidth: 1
            text: qsTr("+ Line")
            tip: qsTr("Draw a line: people who cross it are counted, in both directions")
            chosen: root.counts.tool === "line"
            onClicked: root.counts.begin("line")
        }
        ChipButton {
            objectName: "drawZone"
            Layout.fillWidth: true
            Layout.preferredWidth: 1
            text: qsTr("+ Zone")
            tip: qsTr("Draw a zone: people inside, visits and their duration")
            chosen: root.counts.tool === "zone"
            onClicked: root.counts.begin("zone")
        }
        ChipButton {
            objectName: "undoShape"
            text: qsTr("Undo")
            tip: qsTr("Undo the last change (Ctrl+Z)")
            enabled: root.counts.canUndo
            onClicked: root.counts.undo()
        }
    }
    RowLayout {
        Layout.fillWidth: true
        visible: !root.counts.locked && (root.counts.file !== "" || root.counts.shapes.count > 0)
        spacing: 4
        Remark {
            Layout.fillWidth: true
            text: root.counts.file === "" ? qsTr("not saved yet")
                : root.counts.saved ? root.counts.file : qsTr("%1: not saved").arg(root.counts.file)
            color: root.counts.saved ? Theme.textDim : Theme.warning
            elide: Text.ElideMiddle
        }
        ChipButton {
            visible: root.counts.file !== ""
            text: qsTr("Reload")
            tip: qsTr("Read %1 again").arg(root.counts.file)
            onClicked: root.counts.reload()
        }
        ChipButton {
            text: qsTr("Save as…")
            tip: qsTr("Save the lines and zones to a file for --count; changes are then saved at once")
            onClicked: root.fileRequested()
        }
    }
    Note {
        text: root.counts.shapes.count > 0 || root.counts.locked
            ? qsTr("Counting takes %1 ms per frame. People who return are counted again.").arg(Theme.milliseconds(root.counts.frameMs))
            : qsTr("Draw lines and zones over the image to count crossings and visits.")
    }
}
