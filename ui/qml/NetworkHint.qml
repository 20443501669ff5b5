import QtQuick
import QtQuick.Layouts
import Throng.Ui

// Hint that a network finds more faces: a button to use it, or the command that gets one. A closed hint is not shown again.
Rectangle {
    id: root

    required property DetectionSettings detection
    required property PanelSections sections
    property bool allowed: true
    readonly property bool installed: detection.getNetwork.length === 0
    // An installed network is news to who has closed the hint how to get one.
    readonly property string key: installed ? "networkHint" : "getNetworkHint"
    property int closed: 0  // counts closings in this run: the saved state has no signal

    objectName: "networkHint"
    implicitHeight: Math.max(Theme.target, words.implicitHeight + 2 * Theme.gap)
    visible: allowed && detection.offersNetwork && closed >= 0 && sections.isOpen(key)
    radius: Theme.radius
    color: Theme.surfaceHigh
    Accessible.role: Accessible.StaticText
    Accessible.name: words.text

    RowLayout {
        anchors.fill: parent
        anchors.leftMargin: 12
        spacing: 4
        Note {
            id: words
            text: root.installed ? qsTr("A network is installed: it finds more faces")
                                 : qsTr("A network finds more faces: %1").arg(root.detection.getNetwork)
            color: Theme.text
        }
        IconButton {
            objectName: "useNetwork"
            visible: root.installed
            text: qsTr("Use")
            tip: qsTr("Detect with the network")
            iconColor: Theme.accent
            onClicked: root.detection.useNetwork()
        }
        IconButton {
            objectName: "closeNetworkHint"
            iconName: "close"
            tip: qsTr("Do not show this again")
            onClicked: {
                root.sections.setOpen(root.key, false)
                ++root.closed
            }
        }
    }
}
