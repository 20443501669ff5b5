import QtQuick
import QtQuick.Templates as T
import Throng.Ui

// Shows the playback position; drag to seek.
T.Slider {
    id: control

    required property Session session

    implicitHeight: Theme.target
    focusPolicy: Qt.TabFocus
    hoverEnabled: true
    live: true
    from: 0
    to: Math.max(0.001, session.source.duration)
    stepSize: 0
    Accessible.name: qsTr("Position")

    // Limits the rate of seeks while the handle is dragged.
    Timer {
        id: pacer
        interval: 120
        onTriggered: control.session.transport.seek(control.value)
    }
    onMoved: if (!pacer.running) pacer.start()
    onPressedChanged: if (!pressed) session.transport.seek(value)
    Binding {
        target: control
        property: "value"
        value: control.session.transport.position
        when: !control.pressed && !pacer.running
        restoreMode: Binding.RestoreNone
    }

    background: Rectangle {
        y: (control.height - height) / 2
        width: control.width
        height: control.hovered || control.pressed ? 8 : 6
        radius: height / 2
        color: Theme.surfacePressed
        Rectangle {
            width: control.visualPosition * parent.width
            height: parent.height
            radius: parent.radius
            color: Theme.accent
        }
    }
    handle: Rectangle {
        x: control.visualPosition * (control.width - width)
        y: (control.height - height) / 2
        width: 18
        height: 18
        radius: 9
        color: Theme.text
        visible: control.hovered || control.pressed || control.visualFocus
        FocusRing { control: control; radius: 12 }
    }
}
