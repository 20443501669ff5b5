import QtQuick
import QtQuick.Layouts
import Throng.Ui

// The same frame through several implementations, as bars: suppression, then detection without its optimizations.
Rectangle {
    id: root

    readonly property string tipSide: "left"
    required property RaceView view

    objectName: "racePanel"
    color: Theme.surface
    clip: true

    component Bars: ColumnLayout {
        id: bars
        required property string title
        required property var rows
        readonly property real longest: Math.max(...rows.map(row => row.ms), 0.001)
        spacing: 2
        visible: rows.length > 0
        Label {
            Layout.fillWidth: true
            Layout.topMargin: Theme.gap
            text: bars.title
            color: Theme.textDim
            font.bold: true
            wrapMode: Text.Wrap
        }
        Repeater {
            model: bars.rows
            Column {
                id: row
                required property var modelData
                readonly property bool ran: modelData.reason.length === 0
                readonly property color barColor: modelData.reference ? Theme.accent : Theme.warning
                objectName: "raceRow"
                Layout.fillWidth: true
                Layout.topMargin: 6
                spacing: 2
                Accessible.role: Accessible.StaticText
                Accessible.name: name.text + ": " + figures.text + ", " + note.text
                Item {
                    width: parent.width
                    height: 22
                    Label {
                        id: name
                        width: parent.width - figures.implicitWidth - Theme.gap
                        height: parent.height
                        text: row.modelData.name
                        fontSizeMode: Text.HorizontalFit
                        minimumPixelSize: Theme.fontSmall - 2
                        font.bold: row.modelData.reference
                    }
                    Label {
                        id: figures
                        anchors.right: parent.right
                        height: parent.height
                        text: !row.ran ? qsTr("–")
                            : qsTr("%1 ms").arg(Theme.milliseconds(row.modelData.ms))
                              + (row.modelData.reference || row.modelData.times <= 0 ? ""
                                 : qsTr(" · %1 times").arg(row.modelData.times < 0.095 ? Theme.fixed(row.modelData.times, 2)
                                                                                      : Theme.times(row.modelData.times)))
                        color: row.barColor
                        font.bold: true
                    }
                }
                Item {
                    width: parent.width
                    height: 14
                    visible: row.ran
                    ProgressLine {
                        anchors.fill: parent
                        value: Math.max(2 / width, row.modelData.ms / bars.longest)
                        fill: row.barColor
                    }
                    // A frame at 30 frames per second.
                    Rectangle {
                        x: parent.width * 1000 / 30 / bars.longest - 1
                        y: -2
                        width: 2
                        height: parent.height + 4
                        color: Theme.text
                        visible: 1000 / 30 < bars.longest
                    }
                }
                Note {
                    id: note
                    width: parent.width
                    text: !row.ran ? row.modelData.reason
                        : qsTr("%1 % of a 33 ms frame").arg(100 * row.modelData.share < 0.95
                              ? Theme.fixed(100 * row.modelData.share, 2) : Theme.fixed(100 * row.modelData.share, 0))
                          + (row.modelData.note.length > 0 ? " · " + row.modelData.note : "")
                }
            }
        }
    }

    RowLayout {
        id: head
        x: Theme.gap + 4
        y: Theme.gap
        width: parent.width - 2 * x
        spacing: 2
        Label {
            Layout.fillWidth: true
            text: qsTr("Race")
            font.pixelSize: Theme.fontTitle
            font.bold: true
        }
        IconButton {
            iconName: "play"
            text: root.view.running ? qsTr("Measuring …") : qsTr("Again")
            tip: qsTr("Measure the frame on screen again")
            enabled: !root.view.running && root.view.rawCount >= 0
            onClicked: root.view.start()
        }
        IconButton {
            iconName: "close"
            tip: qsTr("Close (X)")
            onClicked: root.view.open = false
        }
    }
    ScrollArea {
        id: flick
        objectName: "raceScroll"
        anchors.fill: parent
        anchors.topMargin: head.y + head.height
        contentHeight: column.height + 2 * Theme.gap
        activeFocusOnTab: true
        Accessible.role: Accessible.List
        Accessible.name: qsTr("Times of the implementations")
        Accessible.focusable: true
        readonly property bool visualFocus: activeFocus
        Keys.onUpPressed: flick.contentY = Math.max(0, flick.contentY - Theme.target)
        Keys.onDownPressed: flick.contentY = Math.max(0, Math.min(contentHeight - height, contentY + Theme.target))
        ColumnLayout {
            id: column
            x: Theme.gap + 4
            width: flick.width - 2 * x - 6
            spacing: 0
            Note {
                text: root.view.rawCount < 0 ? qsTr("Waiting for the frame …")
                    : qsTr("Medians of repeated runs on the frame on screen. Playback is paused meanwhile.")
            }
            Label {
                Layout.fillWidth: true
                visible: root.view.error.length > 0
                text: root.view.error
                color: Theme.warning
                wrapMode: Text.Wrap
                elide: Text.ElideNone
            }
            Bars {
                Layout.fillWidth: true
                title: qsTr("Suppression of %1 raw detections, any number of hits, no merging").arg(Theme.count(root.view.rawCount))
                rows: root.view.suppression
            }
            Bars {
                Layout.fillWidth: true
                title: qsTr("Detection")
                rows: root.view.detector
            }
        }
    }
    FocusRing { shown: flick.visualFocus; anchors.fill: flick; anchors.margins: 2 }
    Edge {}
}
