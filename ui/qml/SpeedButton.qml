import QtQuick
import Throng.Ui

// The speed of playback; a click takes the next one.
IconButton {
    id: root

    required property Session session
    required property Actions actions

    text: session.speed + "×"
    tip: qsTr("Speed of playback ([ and ])")
    implicitWidth: 62
    onClicked: actions.nextSpeed()
}
