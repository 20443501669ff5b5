import QtQuick
import Throng.Ui

// Playback speed; a click selects the next one.
IconButton {
    id: root

    required property Transport transport
    required property Actions actions

    text: Theme.number(transport.speed) + "×"
    tip: qsTr("Playback speed ([ and ])")
    implicitWidth: 62
    onClicked: actions.nextSpeed()
}
