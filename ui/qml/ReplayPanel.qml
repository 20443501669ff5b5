import QtQuick
import QtQuick.Layouts
import Throng.Ui

// The last 30 seconds: a strip with the time of every frame. A frame that is chosen there covers the live image, with
// its boxes and its stages, until "Live" is pressed.
Item {
    id: root

    required property Session session
    required property Replay view
    readonly property alias stripHeight: strip.height

    Rectangle {
        objectName: "replayFrame"
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.top: parent.top
        anchors.bottom: strip.top
        color: "black"
        visible: root.view.active
        MouseArea { anchors.fill: parent }  // the live image below is not to be used
        ReplayItem {
            objectName: "replayImage"
            anchors.fill: parent
            replay: root.view
            boxColor: Theme.keptBox
            Accessible.role: Accessible.Graphic
            Accessible.name: root.view.title
        }
        Label {
            anchors.centerIn: parent
            visible: root.view.active && !root.view.hasImage
            text: qsTr("No image was stored of this frame")
            color: Theme.textDim
        }
        Plate {
            objectName: "replayStages"
            anchors.right: parent.right
            anchors.top: parent.top
            anchors.margins: Theme.gap
            anchors.topMargin: 26 + 2 * Theme.gap  // the badges are above
            width: 208
            height: Math.min(parent.height - 2 * Theme.gap, stages.implicitHeight + 2 * Theme.gap)
            clip: true
            Column {
                id: stages
                x: Theme.gap + 4
                y: Theme.gap
                width: parent.width - 2 * x
                Repeater {
                    model: root.view.stages
                    Item {
                        required property var modelData
                        width: stages.width
                        height: 20
                        Label {
                            text: parent.modelData.label
                            font.bold: parent.modelData.total
                        }
                        Label {
                            anchors.right: parent.right
                            text: qsTr("%1 ms").arg(Theme.milliseconds(parent.modelData.ms))
                            font.bold: parent.modelData.total
                        }
                    }
                }
            }
        }
    }

    Rectangle {
        id: strip
        objectName: "replayStrip"
        readonly property string tipSide: "above"
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.bottom: parent.bottom
        height: 112
        color: Theme.surface
        ColumnLayout {
            anchors.fill: parent
            anchors.leftMargin: Theme.gap
            anchors.rightMargin: Theme.gap
            anchors.bottomMargin: 4
            spacing: 0
            RowLayout {
                Layout.fillWidth: true
                spacing: 2
                Label {
                    objectName: "replayTitle"
                    Layout.fillWidth: true
                    text: root.view.active ? root.view.title
                        : root.width < 760 ? qsTr("last %1 s").arg(Theme.fixed(root.view.seconds, 0))
                        : qsTr("last %1 s · %2 MB, %3 ms per frame on a thread of its own")
                              .arg(Theme.fixed(root.view.seconds, 0)).arg(Theme.fixed(root.view.megabytes, 1))
                              .arg(Theme.milliseconds(root.view.costMs))
                    color: root.view.active ? Theme.text : Theme.textDim
                }
                IconButton {
                    objectName: "replayBack"
                    iconName: "stepback"
                    tip: qsTr("One frame back in the last 30 seconds (,)")
                    enabled: root.view.count > 0
                    onClicked: root.view.step(-1)
                }
                IconButton {
                    iconName: "step"
                    tip: qsTr("One frame forward in the last 30 seconds (.)")
                    enabled: root.view.active
                    onClicked: root.view.step(1)
                }
                IconButton {
                    objectName: "replayLive"
                    iconName: "play"
                    text: qsTr("Live")
                    tip: qsTr("Back to the live image (Esc)")
                    enabled: root.view.active
                    onClicked: root.view.goLive()
                }
                IconButton {
                    iconName: "close"
                    tip: qsTr("Close, and forget the last 30 seconds (I)")
                    onClicked: root.view.open = false
                }
            }
            Rectangle {
                Layout.fillWidth: true
                Layout.fillHeight: true
                color: Theme.background
                border.color: Theme.line
                ReplayPlot {
                    id: plot
                    objectName: "replayPlot"
                    anchors.fill: parent
                    anchors.margins: 1
                    replay: root.view
                    color: Theme.accent
                    markColor: Theme.text
                    Accessible.role: Accessible.Graphic
                    Accessible.name: qsTr("Milliseconds of every frame of the last 30 seconds")
                    Accessible.focusable: true
                    activeFocusOnTab: root.view.count > 0
                    readonly property bool visualFocus: activeFocus  // the arrow keys choose a frame
                    Keys.onLeftPressed: root.view.step(-1)
                    Keys.onRightPressed: root.view.step(1)
                    Keys.onPressed: event => {
                        if (event.key === Qt.Key_Home) root.view.selectSecondsAgo(30)
                        else if (event.key === Qt.Key_End) root.view.goLive()
                        else return
                        event.accepted = true
                    }
                    FocusRing { shown: plot.visualFocus; anchors.margins: 0; radius: 0 }
                    MouseArea {
                        function pick(x: real) { root.view.selectSecondsAgo(Math.max(0, 30 * (1 - x / width))) }
                        anchors.fill: parent
                        onPressed: event => pick(event.x)
                        onPositionChanged: event => pick(event.x)
                    }
                }
                Remark {
                    x: 4
                    text: root.view.count > 0 ? qsTr("%1 ms").arg(plot.msScale) : qsTr("Recording begins with the next frame")
                }
            }
        }
    }
}
