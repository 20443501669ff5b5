import QtQuick
import QtQuick.Layouts
import Throng.Ui

// The map of cascade stages over the frame, with its legend, the choice of a size, and its cost.
Item {
    id: root
    objectName: "stageMap"

    required property StageMapView view
    required property VideoView frame
    readonly property VideoItem video: frame.video
    readonly property real stripHeight: visible ? legendBox.height + Theme.gap : 0

    visible: video.hasFrame && !view.covered

    clip: true

    // A map may take longer than a frame: it lies over the frame that it was made of.
    ImageItem {
        objectName: "stageMapFrame"
        x: root.video.frameRect.x
        y: root.video.frameRect.y
        width: root.video.frameRect.width
        height: root.video.frameRect.height
        image: root.view.frameImage
    }
    ImageItem {
        x: root.video.frameRect.x
        y: root.video.frameRect.y
        width: root.video.frameRect.width
        height: root.video.frameRect.height
        image: root.view.image
        part: root.view.cells
        cells: true
        Accessible.role: Accessible.Graphic
        Accessible.name: qsTr("Cascade heat map")
    }
    Rectangle {
        id: legendBox
        objectName: "stageMapLegend"
        readonly property string tipSide: "left"
        anchors.right: parent.right
        anchors.bottom: parent.bottom
        anchors.margins: Theme.gap + 4
        anchors.bottomMargin: root.frame.covered + Theme.gap + 4
        width: Math.min(parent.width - 24, 428)
        height: content.implicitHeight + 2 * Theme.gap
        radius: Theme.radius
        color: "#e0131a23"
        TapHandler { gesturePolicy: TapHandler.ReleaseWithinBounds }  // the image below does not react
        ColumnLayout {
            id: content
            anchors.left: parent.left
            anchors.right: parent.right
            anchors.top: parent.top
            anchors.margins: Theme.gap
            anchors.leftMargin: 14
            spacing: 2
            RowLayout {
                Layout.fillWidth: true
                spacing: 2
                Label {
                    Layout.fillWidth: true
                    text: qsTr("Stages passed")
                    font.bold: true
                }
                IconButton {
                    objectName: "stageMapSmaller"
                    iconName: "minus"
                    tip: root.view.level > 0 ? qsTr("Smaller windows only") : qsTr("Windows of all sizes")
                    visible: root.view.problem.length === 0
                    enabled: root.view.level >= 0
                    onClicked: root.view.level -= 1
                }
                Label {
                    objectName: "stageMapLevel"
                    Layout.preferredWidth: 120
                    horizontalAlignment: Text.AlignHCenter
                    visible: root.view.problem.length === 0
                    text: root.view.levelText
                }
                IconButton {
                    objectName: "stageMapLarger"
                    iconName: "plus"
                    tip: root.view.level < 0 ? qsTr("Windows of the smallest size only") : qsTr("Larger windows only")
                    visible: root.view.problem.length === 0
                    enabled: root.view.level < root.view.levels - 1
                    onClicked: root.view.level += 1
                }
                IconButton {
                    iconName: "close"
                    tip: qsTr("Close (G)")
                    onClicked: root.view.open = false
                }
            }
            Row {
                id: legend
                Layout.fillWidth: true
                Layout.rightMargin: 6
                visible: root.view.ready
                Repeater {
                    model: root.view.bands
                    Column {
                        id: band
                        required property var modelData
                        width: legend.width / Math.max(1, root.view.bands.length)
                        Rectangle {
                            width: parent.width
                            height: 12
                            color: band.modelData.color
                        }
                        Label {
                            width: parent.width
                            horizontalAlignment: Text.AlignHCenter
                            text: band.modelData.text
                            font.pixelSize: Theme.fontSmall
                        }
                    }
                }
            }
            Note {
                objectName: "stageMapStatus"
                text: root.view.problem.length > 0 ? root.view.problem
                    : !root.view.ready ? qsTr("Computing the map …")
                    : qsTr("%1 of %2 windows pass all").arg(Theme.count(root.view.accepted)).arg(Theme.count(root.view.visited))
                color: root.view.problem.length > 0 ? Theme.warning : Theme.textDim
            }
            Remark {
                objectName: "stageMapCost"
                readonly property bool late: root.view.behind >= 0.25
                Layout.fillWidth: true
                visible: root.view.ready
                text: qsTr("Cost: %1 ms, on the CPU").arg(Theme.milliseconds(root.view.computeMs))
                      + (late ? qsTr(" · from %1 s ago").arg(Theme.fixed(root.view.behind, 1)) : "")
            }
        }
    }
}
