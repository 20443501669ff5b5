import QtQuick
import QtQuick.Layouts
import Throng.Ui

// Replaces the side panel while two settings are compared: the controls of either side.
Rectangle {
    id: root

    readonly property string tipSide: "left"
    required property CompareView view
    property bool kiosk: false
    property bool rightSide: true  // the controls change the right side
    readonly property DetectionSettings settings: rightSide ? view.second : view.first
    required property bool usesDevice
    signal modelRequested()
    signal modelsRequested()  // that they are looked for

    color: Theme.surface

    ColumnLayout {
        id: head
        x: Theme.gapLarge
        y: Theme.gap
        width: parent.width - 2 * Theme.gapLarge
        spacing: 4
        RowLayout {
            Layout.fillWidth: true
            Label {
                Layout.fillWidth: true
                text: qsTr("Side by side")
                font.pixelSize: Theme.fontTitle
                font.bold: true
            }
            IconButton {
                iconName: "close"
                tip: qsTr("Close (V)")
                onClicked: root.view.open = false
            }
        }
        RowLayout {
            Layout.fillWidth: true
            spacing: 4
            ChipButton {
                Layout.fillWidth: true
                Layout.preferredWidth: 1
                text: qsTr("Left")
                tip: qsTr("Settings of the left side; the window keeps them")
                chosen: !root.rightSide
                onClicked: root.rightSide = false
            }
            ChipButton {
                Layout.fillWidth: true
                Layout.preferredWidth: 1
                text: qsTr("Right")
                tip: qsTr("Settings of the right side")
                chosen: root.rightSide
                onClicked: root.rightSide = true
            }
        }
        IconButton {
            Layout.fillWidth: true
            framed: true
            text: qsTr("Set right to the same as left")
            onClicked: root.view.copyFirst()
        }
    }
    ScrollArea {
        id: flick
        anchors.fill: parent
        anchors.topMargin: head.y + head.height + Theme.gap
        contentHeight: column.height + 2 * Theme.gapLarge
        Column {
            id: column
            x: Theme.gapLarge
            width: flick.width - 2 * Theme.gapLarge
            spacing: Theme.gap
            DetectorPanel {
                width: parent.width
                detection: root.settings
                usesDevice: root.usesDevice
                kiosk: root.kiosk || root.rightSide  // the file dialog sets the model of the left side
                onModelRequested: root.modelRequested()
                onModelsRequested: root.modelsRequested()
            }
            SuppressionPanel {
                width: parent.width
                detection: root.settings
                usesDevice: root.usesDevice
            }
        }
    }
    Edge {}
}
