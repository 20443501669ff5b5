import QtQuick
import QtQuick.Layouts
import Throng.Ui

// The map of cascade stages over the frame, with its legend, the choice of a size, and its cost.
Item {
    id: root
    objectName: "stageMap"

    required property VideoItem view
    required property Session session
    property real covered: 0  // height of what covers the lower edge
    readonly property StageMapView map: session.stageMap
    readonly property real legendHeight: legendBox.height

    clip: true

    StageMapItem {
        x: root.view.frameRect.x
        y: root.view.frameRect.y
        width: root.view.frameRect.width
        height: root.view.frameRect.height
        view: root.map
        Accessible.role: Accessible.Graphic
        Accessible.name: qsTr("Map of stages")
    }
    Rectangle {
        id: legendBox
        objectName: "stageMapLegend"
        anchors.right: parent.right
        anchors.bottom: parent.bottom
        anchors.margins: Theme.gap + 4
        anchors.bottomMargin: root.covered + Theme.gap + 4
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
                    tip: root.map.level > 0 ? qsTr("Smaller windows only") : qsTr("Windows of all sizes")
                    visible: root.map.problem.length === 0
                    enabled: root.map.level >= 0
                    onClicked: root.map.level -= 1
                }
                Label {
                    objectName: "stageMapLevel"
                    Layout.preferredWidth: 120
                    horizontalAlignment: Text.AlignHCenter
                    visible: root.map.problem.length === 0
                    text: root.map.levelText
                }
                IconButton {
                    objectName: "stageMapLarger"
                    iconName: "plus"
                    tip: root.map.level < 0 ? qsTr("Windows of the smallest size only") : qsTr("Larger windows only")
                    visible: root.map.problem.length === 0
                    enabled: root.map.level < root.map.levels - 1
                    onClicked: root.map.level += 1
                }
                IconButton {
                    iconName: "close"
                    tip: qsTr("Close (G)")
                    onClicked: root.map.open = false
                }
            }
            Row {
                id: legend
                Layout.fillWidth: true
                Layout.rightMargin: 6
                visible: root.map.ready
                Repeater {
                    model: root.map.bands
                    Column {
                        id: band
                        required property var modelData
                        width: legend.width / Math.max(1, root.map.bands.length)
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
            Label {
                objectName: "stageMapStatus"
                Layout.fillWidth: true
                text: root.map.problem.length > 0 ? root.map.problem
                    : !root.map.ready ? qsTr("Computing the map …")
                    : qsTr("%1 of %2 windows pass all").arg(Theme.count(root.map.accepted)).arg(Theme.count(root.map.visited))
                color: root.map.problem.length > 0 ? Theme.warning : Theme.textDim
                font.pixelSize: Theme.fontSmall
                wrapMode: Text.Wrap
                elide: Text.ElideNone
            }
            Label {
                objectName: "stageMapCost"
                readonly property bool late: root.map.behind >= 0.25
                Layout.fillWidth: true
                visible: root.map.ready
                text: qsTr("Cost: %1 ms, on the CPU").arg(Theme.milliseconds(root.map.computeMs))
                      + (late ? qsTr(" · %1 s behind the image").arg(root.map.behind.toFixed(1)) : "")
                color: late ? Theme.warning : Theme.textDim
                font.pixelSize: Theme.fontSmall
            }
        }
    }
}
