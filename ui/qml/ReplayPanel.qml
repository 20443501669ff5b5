import QtQuick
import QtQuick.Layouts
import Throng.Ui

// The last 30 seconds. A frame that is chosen in the bar covers the live image, with its boxes and its stages, until
// "Live" is pressed.
Item {
    id: root

    required property Replay view
    property bool barBelow: false  // the transport bar has the times of the frames
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
        FrameItem {
            objectName: "replayImage"
            anchors.fill: parent
            image: root.view.picture
            frame: root.view.frameSize
            boxes: root.view.boxes
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
        height: root.barBelow ? 52 : 112
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
            Loader {
                Layout.fillWidth: true
                Layout.fillHeight: true
                active: !root.barBelow
                visible: active
                sourceComponent: ReplayBar { replay: root.view }
            }
        }
    }
}
