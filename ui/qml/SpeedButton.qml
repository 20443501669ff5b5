import QtQuick
import Throng.Ui

// Playback speed; a click selects the next one.
IconButton {
    id: root

    required property Session session
    required property Actions actions

    text: session.transport.speed + "×"
    tip: qsTr("Playback speed ([ and ])")
    implicitWidth: 62
    onClicked: actions.nextSpeed()
}
