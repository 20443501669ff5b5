import QtQuick
import QtQuick.Layouts
import Throng.Ui

// Live controls of non-maximum suppression.
ColumnLayout {
    id: root

    required property DetectionSettings detection
    property bool usesDevice: false  // NMS runs on a GPU

    spacing: 2

    Choice {
        label: qsTr("Rule")
        tip: qsTr("Which of several overlapping detections are kept")
        model: root.detection.rules
        index: root.detection.rule
        onChosen: i => root.detection.rule = i
    }
    Choice {
        label: qsTr("Overlap")
        tip: qsTr("How the overlap of two boxes is measured")
        model: root.detection.overlaps
        index: root.detection.overlap
        onChosen: i => root.detection.overlap = i
        enabled: !root.detection.softRule
    }
    LabeledSlider {
        label: qsTr("Threshold θ")
        tip: qsTr("Boxes that overlap by this fraction suppress each other: lower keeps fewer")
        range: root.detection.ranges.theta
        value: root.detection.theta
        valueText: Theme.fixed(root.detection.theta, 2)
        onMoved: v => root.detection.theta = Math.round(v * 100) / 100
    }
    LabeledSlider {
        label: qsTr("Minimum hits")
        tip: qsTr("Number of raw detections that a face needs: higher keeps fewer false ones")
        range: root.detection.ranges.min_hits
        value: root.detection.minHits
        valueText: root.detection.minHits
        onMoved: v => root.detection.minHits = Math.round(v)
        enabled: !root.detection.softRule
    }
    LabeledSlider {
        label: qsTr("Minimum confidence")
        tip: qsTr("Confidence from which a detection is shown and counted: higher keeps fewer false ones")
        range: root.detection.ranges.min_confidence
        value: root.detection.minConfidence
        valueText: Theme.fixed(root.detection.minConfidence, 2)
        onMoved: v => root.detection.minConfidence = Math.round(v * 100) / 100
    }
    Choice {
        label: qsTr("Merge")
        tip: qsTr("Whether a kept box is the mean of the boxes that it suppressed")
        model: root.detection.merges
        index: root.detection.merge
        onChosen: i => root.detection.merge = i
        enabled: !root.detection.softRule
    }
    Choice {
        visible: root.usesDevice
        label: qsTr("Kernels")
        tip: qsTr("Throng's kernels, or the paper's map and reduce (one-pass only)")
        model: root.detection.kernelSets
        index: root.detection.kernels
        onChosen: i => root.detection.kernels = i
    }
    IconButton {
        Layout.alignment: Qt.AlignRight
        iconName: "reset"
        text: qsTr("Reset")
        tip: qsTr("Reset detector and suppression to their settings at program start")
        onClicked: root.detection.reset()
    }
}
