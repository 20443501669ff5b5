import QtQuick
import QtQuick.Templates as T
import Throng.Ui

// Shows the playback position; drag to seek.
T.Slider {
    id: control

    required property Source source
    required property Transport transport
    required property Timeline timeline

    objectName: "seekBar"
    implicitHeight: Theme.target
    focusPolicy: Qt.TabFocus
    hoverEnabled: true
    live: true
    from: 0
    to: Math.max(0.001, source.duration)
    stepSize: 0
    Accessible.name: qsTr("Position")

    // Limits the rate of seeks while the handle is dragged.
    Timer {
        id: pacer
        interval: 120
        onTriggered: control.transport.seek(control.value)
    }
    onMoved: if (!pacer.running) pacer.start()
    onPressedChanged: if (!pressed) transport.seek(value)
    Binding {
        target: control
        property: "value"
        value: control.transport.position
        when: !control.pressed && !pacer.running
        restoreMode: Binding.RestoreNone
    }

    // Where the middle of the handle moves.
    background: Rectangle {
        x: control.handle.width / 2
        y: (control.height - height) / 2
        width: control.width - control.handle.width
        height: control.hovered || control.pressed ? 8 : 6
        radius: height / 2
        color: Theme.groove
        PlotItem {
            z: -1  // below the track
            anchors.left: parent.left
            anchors.right: parent.right
            anchors.bottom: parent.top
            height: 17
            plot: visible ? control.timeline.plot : undefined
            colors: [Theme.textDim, Theme.warning]
            opacity: 0.6
        }
        Rectangle {
            width: control.visualPosition * parent.width
            height: parent.height
            radius: parent.radius
            color: Theme.accent
        }
        // The part that is repeated.
        Rectangle {
            readonly property real from: control.transport.loopStart / control.to
            readonly property real to: Math.max(from, control.transport.loopEnd / control.to)
            x: from * parent.width - 2
            y: -4
            width: Math.max(4, (to - from) * parent.width + 4)
            height: parent.height + 8
            radius: 2
            color: "transparent"
            border.color: Theme.warning
            border.width: 2
            visible: control.transport.loopStart >= 0
            Remark {
                objectName: "markA"
                anchors.right: parent.left
                anchors.rightMargin: 2
                anchors.verticalCenter: parent.verticalCenter
                text: "A"
                color: Theme.warning
                font.bold: true
            }
            Remark {
                objectName: "markB"
                anchors.left: parent.right
                anchors.leftMargin: 2
                anchors.verticalCenter: parent.verticalCenter
                visible: control.transport.loopEnd >= 0
                text: "B"
                color: Theme.warning
                font.bold: true
            }
        }
    }
    HoverHandler { id: pointer }
    Peek {
        objectName: "hoverTime"
        readonly property real fraction: control.pressed ? control.visualPosition
            : Math.max(0, Math.min(1, (center - control.background.x) / control.background.width))
        // Read the aspect, which reports every change: an image from before faces were hidden must not stay.
        readonly property int faces: visible && control.timeline.aspect > 0 ? control.timeline.facesAt(fraction) : -1
        visible: pointer.hovered || control.pressed
        center: pointer.point.position.x
        image: visible && control.timeline.aspect > 0 ? control.timeline.imageAt(fraction) : undefined
        aspect: control.timeline.aspect
        text: Theme.clock(control.pressed ? control.value : fraction * control.to)
              + (faces >= 0 ? qsTr(" · %1 found").arg(Theme.count(faces)) : "")
    }
    handle: Rectangle {
        x: control.visualPosition * (control.width - width)
        y: (control.height - height) / 2
        width: 18
        height: 18
        radius: 9
        color: Theme.text
        visible: control.hovered || control.pressed || control.visualFocus
        FocusRing { shown: control.visualFocus; radius: 12 }
    }
}
