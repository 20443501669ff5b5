import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Throng.Ui

// Slider with its label and value above it. Emits `moved(value)` only for user input.
Item {
    id: root

    property string label
    property string tip  // its unit and effect
    property string valueText: value.toString()
    property real value
    Layout.fillWidth: true
    required property var range  // {from, to, step}
    signal moved(real value)

    implicitHeight: 60
    opacity: enabled ? 1 : 0.4

    Label {
        anchors.left: parent.left
        text: root.label
        color: Theme.textDim
        height: 22
    }
    Label {
        anchors.right: parent.right
        text: root.valueText
        font.bold: true
        height: 22
    }
    T.Slider {
        id: slider
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.bottom: parent.bottom
        height: Theme.target
        focusPolicy: Qt.TabFocus
        from: root.range.from
        to: root.range.to
        stepSize: root.range.step
        snapMode: T.Slider.SnapAlways
        value: root.value
        onMoved: {
            root.moved(value)
            value = Qt.binding(() => root.value)  // a rejected value is reverted
        }
        hoverEnabled: true
        Accessible.name: root.label
        Accessible.description: root.tip

        background: ProgressLine {
            y: (slider.height - height) / 2
            width: slider.width
            height: implicitHeight
            color: Theme.groove
            value: (slider.handle.x + slider.handle.width / 2) / width
        }
        handle: Rectangle {
            x: slider.visualPosition * (slider.width - width)
            y: (slider.height - height) / 2
            width: 22
            height: 22
            radius: 11
            color: slider.pressed ? Theme.accent : Theme.text
            FocusRing { shown: slider.visualFocus; radius: 14 }
        }
    }
    Tip { text: root.tip; shown: slider.hovered && !slider.pressed }
}
