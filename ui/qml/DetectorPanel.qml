import QtQuick
import QtQuick.Layouts
import Throng.Ui

// Live controls of the detector.
ColumnLayout {
    id: root

    required property DetectionSettings detection
    signal modelWanted()

    spacing: 2

    Choice {
        Layout.fillWidth: true
        label: qsTr("Detector")
        model: root.detection.detectors.map(kind => kind === "haar" ? "Haar" : kind.toUpperCase())
        index: root.detection.detector
        onChosen: i => root.detection.detector = i
    }
    RowLayout {
        Layout.fillWidth: true
        Label { text: qsTr("Model"); color: Theme.textDim; Layout.fillWidth: true }
        Label {
            text: root.detection.modelName
            Layout.maximumWidth: 170
            elide: Text.ElideMiddle
        }
        IconButton {
            iconName: "reset"
            tip: qsTr("The detector's own model")
            visible: root.detection.model.length > 0
            onClicked: root.detection.model = ""
        }
        IconButton {
            iconName: "folder"
            tip: qsTr("Another model file")
            onClicked: root.modelWanted()
        }
    }
    LabeledSlider {
        Layout.fillWidth: true
        label: qsTr("Smallest face")
        from: 16
        to: 240
        stepSize: 2
        value: root.detection.minSize
        valueText: qsTr("%1 px").arg(root.detection.minSize)
        onMoved: v => root.detection.minSize = Math.round(v)
    }
    LabeledSlider {
        // The right end means "as large as the frame".
        readonly property int endless: 640
        Layout.fillWidth: true
        label: qsTr("Largest face")
        from: 40
        to: endless
        stepSize: 10
        value: root.detection.maxSize === 0 ? endless : root.detection.maxSize
        valueText: root.detection.maxSize === 0 ? qsTr("any") : qsTr("%1 px").arg(root.detection.maxSize)
        onMoved: v => root.detection.maxSize = v >= endless ? 0 : Math.round(v)
    }
    LabeledSlider {
        Layout.fillWidth: true
        label: qsTr("Scale factor")
        from: 1.02
        to: 2
        stepSize: 0.01
        value: root.detection.scaleFactor
        valueText: root.detection.scaleFactor.toFixed(2)
        onMoved: v => root.detection.scaleFactor = Math.round(v * 100) / 100
    }
}
