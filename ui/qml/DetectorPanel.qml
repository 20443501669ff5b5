import QtQuick
import QtQuick.Layouts
import Throng.Ui

// Live controls of the detector.
ColumnLayout {
    id: root

    required property DetectionSettings detection
    property string givenUp: ""  // RunStatus.givenUp
    property bool usesDevice: false  // the detector runs on a GPU
    property bool kiosk: false     // no file dialogs
    signal modelRequested()   // open a model file
    signal modelsRequested()  // the model list was opened

    spacing: 2

    Choice {
        objectName: "detectorChoice"
        label: qsTr("Detector")
        labelWidth: Theme.scaled(90)
        tip: root.detection.help
        model: root.detection.detectors
        index: root.detection.detector
        onChosen: i => root.detection.detector = i
    }
    Note {
        Layout.bottomMargin: 4
        text: root.detection.help
    }
    RowLayout {
        Layout.fillWidth: true
        visible: root.detection.takesModel
        spacing: 4
        Choice {
            label: qsTr("Model")
            tip: qsTr("The file with the weights or stages of the detector")
            labelWidth: Theme.scaled(64)
            model: root.detection.models
            index: root.detection.modelIndex
            onChosen: i => root.detection.chooseModel(i)
            onOpened: root.modelsRequested()
        }
        IconButton {
            visible: !root.kiosk
            iconName: "folder"
            tip: qsTr("Open a model file")
            onClicked: root.modelRequested()
        }
    }
    LabeledSlider {
        visible: root.detection.takesThreshold
        label: qsTr("Minimum score")
        tip: qsTr("Detections below this score are dropped: higher finds fewer faces, with fewer false ones")
        range: root.detection.ranges.score_threshold
        value: root.detection.scoreThreshold
        valueText: !root.detection.usesModelThreshold ? Theme.fixed(root.detection.scoreThreshold, 2)
            : root.detection.modelThreshold > 0 ? qsTr("%1 (of the model)").arg(Theme.fixed(root.detection.modelThreshold, 3))
            : qsTr("of the model")
        onMoved: v => root.detection.scoreThreshold = Math.round(v * 100) / 100
    }
    LabeledSlider {
        label: qsTr("Minimum size")
        tip: qsTr("Smallest face in pixels of the frame: larger is faster and misses small faces")
        range: root.detection.ranges.min_size
        value: root.detection.minSize
        valueText: qsTr("%1 px").arg(root.detection.minSize)
        onMoved: v => root.detection.minSize = Math.round(v)
    }
    LabeledSlider {
        // The right end of the slider means "up to the frame size".
        readonly property int unlimited: range.to
        label: qsTr("Maximum size")
        tip: qsTr("Largest face in pixels of the frame")
        range: root.detection.ranges.max_size
        value: root.detection.maxSize === 0 ? unlimited : root.detection.maxSize
        valueText: root.detection.maxSize === 0 ? qsTr("no limit") : qsTr("%1 px").arg(root.detection.maxSize)
        onMoved: v => root.detection.maxSize = v >= unlimited ? 0 : Math.round(v)
    }
    LabeledSlider {
        label: qsTr("Scale factor")
        tip: qsTr("Factor between two sizes that are searched: larger is faster and misses faces in between")
        range: root.detection.ranges.scale_factor
        value: root.detection.scaleFactor
        valueText: Theme.fixed(root.detection.scaleFactor, 2)
        onMoved: v => root.detection.scaleFactor = Math.round(v * 100) / 100
    }
    Note {
        objectName: "automaticQuality"
        visible: root.givenUp.length > 0 && !root.kiosk
        text: qsTr("Automatic: %1, to keep %2 frames/s").arg(root.givenUp).arg(root.detection.keepRate)
    }
    Toggle {
        visible: root.detection.takesThreshold && root.usesDevice
        text: qsTr("16-bit arithmetic")
        tip: qsTr("Faster on most GPUs, slightly less accurate")
        checked: root.detection.half
        onToggled: root.detection.half = checked
    }
}
