import QtQuick
import QtQuick.Layouts
import Throng.Ui

// Switches of the overlay.
ColumnLayout {
    id: root

    required property DisplaySettings display
    required property ShortcutModel shortcuts
    required property StageMapView stageMap
    property bool landmarks: false  // the detector provides landmarks

    spacing: 0

    Toggle {
        Layout.fillWidth: true
        text: qsTr("Raw detections")
        tip: root.shortcuts.tip("raw")
        checked: root.display.raw
        onToggled: root.display.raw = checked
    }
    Toggle {
        Layout.fillWidth: true
        text: qsTr("Kept detections")
        tip: root.shortcuts.tip("kept")
        checked: root.display.kept
        onToggled: root.display.kept = checked
    }
    Toggle {
        Layout.fillWidth: true
        text: qsTr("Scores and hits")
        tip: root.shortcuts.tip("labels")
        checked: root.display.labels
        onToggled: root.display.labels = checked
    }
    Toggle {
        Layout.fillWidth: true
        visible: root.landmarks
        text: qsTr("Eyes, nose and mouth")
        tip: root.shortcuts.tip("landmarks")
        checked: root.display.landmarks
        onToggled: root.display.landmarks = checked
    }
    Toggle {
        Layout.fillWidth: true
        visible: !root.display.hidesAlways
        text: qsTr("Blur faces")
        tip: root.shortcuts.tip("blur")
        checked: root.display.blur
        onToggled: root.display.blur = checked
    }
    Toggle {
        objectName: "stageMapToggle"
        Layout.fillWidth: true
        text: qsTr("Map of stages")
        tip: root.shortcuts.tip("stageMap")
        checked: root.stageMap.open
        onToggled: root.stageMap.open = checked
    }
    Label {
        Layout.fillWidth: true
        visible: root.display.blur
        text: qsTr("Only faces that are found are hidden.")
        color: Theme.textDim
        font.pixelSize: Theme.fontSmall
        wrapMode: Text.Wrap
        elide: Text.ElideNone
    }
}
