import QtQuick
import Throng.Ui

// Adds to the image what a trade show needs: the switch that shows faces while it is held. Also applies what scenes set
// in the view itself.
Item {
    id: root

    required property Stand stand  // null in a plain window
    required property DisplaySettings display
    required property MatrixView matrix
    property bool canReveal: true  // the view on screen can show faces
    signal resetRequested()
    signal touched()

    IconButton {
        objectName: "revealButton"
        anchors.right: parent.right
        anchors.bottom: parent.bottom
        anchors.margins: Theme.gap + 4
        visible: root.stand !== null && root.canReveal && root.display.hidesAlways
                 && !(root.stand.attract?.running ?? false)
        framed: true
        iconName: "eye"
        text: qsTr("Hold to show faces")
        tip: qsTr("Faces are hidden again when it is released (H)")
        onPressedChanged: root.stand.hold(pressed)
    }
    Connections {
        target: root.stand
        function onTouched() { root.touched() }
    }
    Connections {
        target: root.stand?.attract ?? null
        function onReset() { root.resetRequested() }
        function onSceneChanged() { root.stand.attract.sweep ? sweepDelay.restart() : sweepDelay.stop() }
    }
    Timer {
        id: sweepDelay
        interval: 1500  // the matrix is there first, unreduced
        onTriggered: root.matrix.sweepRequested()
    }
}
