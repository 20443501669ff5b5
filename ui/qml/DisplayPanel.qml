import QtQuick
import QtQuick.Layouts
import Throng.Ui

// Switches of the overlay.
ColumnLayout {
    id: root

    required property DisplaySettings display
    required property ShortcutModel shortcuts
    required property View stageMap
    property bool landmarks: false  // the detector provides landmarks

    spacing: 0

    Toggle {
        text: qsTr("Raw detections")
        tip: root.shortcuts.tip("raw")
        checked: root.display.raw
        onToggled: root.display.raw = checked
    }
    Toggle {
        text: qsTr("Kept detections")
        tip: root.shortcuts.tip("kept")
        checked: root.display.kept
        onToggled: root.display.kept = checked
    }
    Toggle {
        text: qsTr("Scores and hits")
        tip: root.shortcuts.tip("labels")
        checked: root.display.labels
        onToggled: root.display.labels = checked
    }
    Toggle {
        visible: root.landmarks
        text: qsTr("Eyes, nose and mouth")
        tip: root.shortcuts.tip("landmarks")
        checked: root.display.landmarks
        onToggled: root.display.landmarks = checked
    }
    Toggle {
        visible: !root.display.hidesAlways
        text: qsTr("Hide faces")
        tip: root.shortcuts.tip("blur")
        checked: root.display.blur
        onToggled: root.display.blur = checked
    }
    Toggle {
        objectName: "stageMapToggle"
        text: qsTr("Cascade heat map")
        tip: root.shortcuts.tip("stageMap")
        checked: root.stageMap.open
        onToggled: root.stageMap.open = checked
    }
    Note {
        visible: root.display.blur
        text: qsTr("Only detected faces are hidden.")
    }
}
