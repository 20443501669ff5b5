import QtQuick
import QtQuick.Layouts
import Throng.Ui

// Title bar: the open source, and buttons for the source menu, help and side panel.
Rectangle {
    id: root

    required property Session session
    required property Actions actions
    required property ShortcutModel shortcuts
    property bool panelOpen: true
    property bool kiosk: false
    property alias sourcesButton: sources

    implicitHeight: 56
    color: Theme.surface

    RowLayout {
        anchors.fill: parent
        anchors.leftMargin: Theme.gap
        anchors.rightMargin: Theme.gap
        spacing: 2

        IconButton {
            id: sources
            visible: !root.kiosk
            iconName: "folder"
            text: qsTr("Open")
            tip: root.shortcuts.tip("sources")
            onClicked: root.actions.trigger("sources")
        }
        Rectangle {
            visible: !root.kiosk
            Layout.leftMargin: Theme.gap
            Layout.rightMargin: Theme.gap
            implicitWidth: 1
            implicitHeight: 28
            color: Theme.line
        }
        Column {
            Layout.fillWidth: true
            Layout.leftMargin: root.kiosk ? Theme.gap : 0
            Label {
                width: parent.width
                text: root.session.source.spec.length > 0 ? root.session.source.title : "Throng"
                font.pixelSize: Theme.fontTitle
                font.bold: true
                elide: Text.ElideMiddle
            }
            Label {
                width: parent.width
                visible: text.length > 0
                text: root.session.source.details
                color: Theme.textDim
                font.pixelSize: Theme.fontSmall
            }
        }
        IconButton {
            objectName: "matrixButton"
            iconName: "matrix"
            tip: root.shortcuts.tip("matrix")
            checked: root.session.matrix.open
            onClicked: root.actions.trigger("matrix")
        }
        IconButton {
            objectName: "compareButton"
            iconName: "compare"
            tip: root.shortcuts.tip("compare")
            checked: root.session.compare.open
            onClicked: root.actions.trigger("compare")
        }
        IconButton {
            objectName: "raceButton"
            iconName: "race"
            tip: root.shortcuts.tip("race")
            checked: root.session.race.open
            onClicked: root.actions.trigger("race")
        }
        IconButton {
            objectName: "replayButton"
            iconName: "recent"
            tip: root.shortcuts.tip("replay")
            checked: root.session.replay.open
            onClicked: root.actions.trigger("replay")
        }
        IconButton {
            iconName: "help"
            tip: root.shortcuts.tip("help")
            onClicked: root.actions.trigger("help")
        }
        IconButton {
            iconName: "panel"
            tip: root.shortcuts.tip("panel")
            checked: root.panelOpen
            onClicked: root.actions.trigger("panel")
        }
    }
    Rectangle {
        anchors.bottom: parent.bottom
        width: parent.width
        height: 1
        color: Theme.line
    }
}
