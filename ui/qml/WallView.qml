import QtQuick
import QtQuick.Layouts
import Throng.Ui

// The sources of the wall in a grid, with totals. A press, or Enter on the chosen tile, enlarges a source.
Rectangle {
    id: root
    objectName: "wall"

    required property Wall wall
    required property DetectionSettings detection
    required property DisplaySettings display
    required property Feedback feedback
    readonly property bool visualFocus: activeFocus  // keys of the window that it uses yield
    property int current: 0
    readonly property int count: wall ? wall.tiles.length : 0
    readonly property int columns: wall ? wall.columns(count, grid.width, grid.height) : 1
    readonly property int rows: Math.ceil(count / columns)

    color: "black"
    activeFocusOnTab: true
    Accessible.role: Accessible.List
    Accessible.name: qsTr("Sources")
    Accessible.focusable: true
    onVisibleChanged: if (visible) forceActiveFocus()
    Component.onCompleted: if (visible) forceActiveFocus()

    Keys.onPressed: event => {
        const step = event.key === Qt.Key_Left ? -1 : event.key === Qt.Key_Right ? 1
            : event.key === Qt.Key_Up ? -columns : event.key === Qt.Key_Down ? columns : 0
        if (step !== 0) {
            if (current + step >= 0 && current + step < count) current += step
        } else if (event.key === Qt.Key_Home) current = 0
        else if (event.key === Qt.Key_End) current = count - 1
        else if (event.key === Qt.Key_Return || event.key === Qt.Key_Enter || event.key === Qt.Key_Space) enlarge(current)
        else return
        event.accepted = true
    }
    function enlarge(number: int) {
        current = number
        const tile = wall.tiles[number]
        if (tile.state === "opening" || tile.state === "failed") feedback.say(qsTr("%1 is not running").arg(tile.title))
        else wall.enlarge(number)
    }

    Rectangle {
        id: totals
        width: parent.width
        height: 40
        color: Theme.surface
        RowLayout {
            anchors.fill: parent
            anchors.leftMargin: Theme.gap + 4
            anchors.rightMargin: Theme.gap + 4
            spacing: Theme.gapLarge
            Label {
                objectName: "wallFaces"
                text: root.wall ? "%1 %2".arg(Theme.count(root.wall.faces)).arg(Theme.counted(root.wall.faces, root.detection.finds)) : ""
                color: Theme.accent
                font.pixelSize: Theme.fontTitle
                font.bold: true
            }
            Label {
                text: root.wall ? qsTr("%1 of %2 sources").arg(root.wall.running).arg(root.count) : ""
                color: root.wall && root.wall.running < root.count ? Theme.warning : Theme.text
            }
            Label { text: root.wall ? qsTr("%1 fps in total").arg(Theme.rate(root.wall.frameRate)) : "" }
            Remark {
                Layout.fillWidth: true
                horizontalAlignment: Text.AlignRight
                text: root.detection.title + (root.wall && root.wall.backend !== "" ? " · " + root.wall.backend : "")
            }
        }
    }
    Item {
        id: grid
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.top: totals.bottom
        anchors.bottom: parent.bottom

        Repeater {
            model: root.wall ? root.wall.tiles : []
            Item {
                id: cell
                required property int index
                required property WallTile modelData
                readonly property bool chosen: root.current === index
                readonly property bool small: width < 320
                objectName: "tile" + index
                x: Math.round((index % root.columns) * grid.width / root.columns)
                y: Math.round(Math.floor(index / root.columns) * grid.height / root.rows)
                width: Math.floor(grid.width / root.columns)
                height: Math.floor(grid.height / root.rows)
                Accessible.role: Accessible.Button
                Accessible.name: modelData.title + ": " + figures.text
                Accessible.onPressAction: root.enlarge(index)

                VideoItem {
                    anchors.fill: parent
                    anchors.margins: 2
                    feed: cell.modelData.feed
                    display: root.display
                    small: true
                    rawColor: Theme.rawBox
                    keptColor: Theme.keptBox
                }
                Column {
                    anchors.centerIn: parent
                    anchors.verticalCenterOffset: -14
                    width: parent.width - 24
                    spacing: 4
                    visible: !cell.modelData.hasImage
                    Icon {
                        anchors.horizontalCenter: parent.horizontalCenter
                        visible: cell.height > 150
                        width: cell.width < 240 ? 28 : 48
                        height: width
                        name: cell.modelData.state === "failed" ? "warning" : "video"
                        color: cell.modelData.state === "failed" ? Theme.warning : Theme.line
                    }
                    Label {
                        width: parent.width
                        horizontalAlignment: Text.AlignHCenter
                        wrapMode: Text.Wrap
                        maximumLineCount: cell.small ? 2 : 3
                        font.pixelSize: cell.small ? Theme.fontSmall : Theme.fontBody
                        text: cell.modelData.state === "failed" ? cell.modelData.problem
                            : cell.modelData.state === "opening" ? qsTr("Opening …") : qsTr("Waiting for the first frame …")
                    }
                    Remark {
                        width: parent.width
                        horizontalAlignment: Text.AlignHCenter
                        visible: cell.modelData.state === "failed"
                        text: cell.modelData.retryIn > 0 ? qsTr("retrying in %1 s").arg(cell.modelData.retryIn) : qsTr("reopening …")
                    }
                }
                Rectangle {
                    anchors.left: parent.left
                    anchors.right: parent.right
                    anchors.bottom: parent.bottom
                    anchors.margins: 2
                    height: cell.small ? 40 : 26
                    color: "#c0131a23"
                    Grid {
                        anchors.fill: parent
                        anchors.leftMargin: 8
                        anchors.rightMargin: 8
                        columns: cell.small ? 1 : 2
                        columnSpacing: 8
                        Label {
                            width: cell.small ? parent.width : parent.width - figures.implicitWidth - 8
                            height: cell.small ? 20 : 26
                            text: cell.modelData.title
                            font.pixelSize: Theme.fontSmall
                            font.bold: true
                        }
                        Remark {
                            id: figures
                            width: Math.min(implicitWidth, parent.width)
                            height: cell.small ? 20 : 26
                            color: cell.modelData.state === "failed" || cell.modelData.state === "silent" ? Theme.warning : Theme.textDim
                            text: cell.modelData.state === "failed" ? qsTr("failed")
                                : cell.modelData.state === "opening" ? qsTr("opening")
                                : cell.modelData.state === "silent" ? qsTr("no signal")
                                : !cell.modelData.hasImage ? qsTr("waiting")
                                : qsTr("%1 %2").arg(Theme.count(cell.modelData.faces)).arg(Theme.counted(cell.modelData.faces, root.detection.finds))
                                  + (cell.modelData.state === "ended" ? qsTr(" · ended")
                                     : cell.modelData.frameRate > 0 ? qsTr(" · %1 fps").arg(Theme.rate(cell.modelData.frameRate)) : "")
                                  + (cell.modelData.state === "running" && cell.modelData.latency > 0 ? qsTr(" · %1 ms").arg(Theme.fixed(cell.modelData.latency, 0)) : "")
                        }
                    }
                }
                // A notice: a stream that reconnects.
                Remark {
                    x: 10
                    y: 8
                    width: parent.width - 20
                    visible: cell.modelData.hasImage && text.length > 0
                    text: cell.modelData.problem
                    color: Theme.warning
                }
                Rectangle {
                    anchors.fill: parent
                    color: "transparent"
                    border.width: 2
                    border.color: cell.chosen && root.activeFocus ? Theme.accent : "transparent"
                }
                TapHandler { onTapped: root.enlarge(cell.index) }
                HoverHandler { cursorShape: Qt.PointingHandCursor }
            }
        }
    }
}
