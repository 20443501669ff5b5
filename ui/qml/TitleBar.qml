import QtQuick
import QtQuick.Controls.Basic as C
import QtQuick.Layouts
import Throng.Ui

// Title bar: the open source, and buttons for the source menu, the views, help and side panel. In a narrow bar the views
// are in a menu, so that the title remains legible.
Rectangle {
    id: root

    required property Source source
    required property Playlist playlist
    required property Views viewList
    required property Actions actions
    required property ShortcutModel shortcuts
    property bool panelOpen: true
    property real tipEnd: 0  // where a panel beside the image begins, in the window
    readonly property string tipSide: "below"
    property bool kiosk: false
    property bool details: false  // a visitor of the kiosk has opened it
    property alias viewMenu: menu
    signal detailsClosed()

    readonly property bool narrow: width < 720
    readonly property bool wide: width >= 1100  // names of the views beside their icons
    onNarrowChanged: menu.close()
    readonly property var views: Array.from(viewList.all).filter(view => view.icon !== "" && actions.isAllowed(view.id))
    function isOpen(view: View): bool { return view.open && (panelOpen || view.id !== "counts") }  // in the panel

    implicitHeight: 56
    color: Theme.surface

    RowLayout {
        anchors.fill: parent
        anchors.leftMargin: Theme.gap
        anchors.rightMargin: Theme.gap
        spacing: 2

        IconButton {
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
                objectName: "sourceTitle"
                width: parent.width
                text: root.source.spec.length > 0 ? root.source.title : "Throng"
                font.pixelSize: Theme.fontTitle
                font.bold: true
                elide: Text.ElideMiddle
            }
            Remark {
                width: parent.width
                visible: text.length > 0
                text: (root.playlist.place.length > 0 ? root.playlist.place + " · " : "")
                      + root.source.details
            }
        }
        Repeater {
            model: root.narrow ? [] : root.views
            IconButton {
                required property var modelData
                objectName: modelData.id + "Button"
                iconName: modelData.icon
                text: root.wide ? modelData.name : ""
                tip: root.shortcuts.tip(modelData.id)
                checked: root.isOpen(modelData)
                onClicked: root.actions.trigger(modelData.id)
            }
        }
        IconButton {
            id: more
            objectName: "moreButton"
            visible: root.narrow && root.views.length > 0
            iconName: "more"
            tip: qsTr("Views")
            checked: menu.visible || root.views.some(view => root.isOpen(view))
            onClicked: menu.visible ? menu.close() : menu.open()

            C.Popup {
                id: menu
                objectName: "viewMenu"
                x: more.width - width
                y: more.height + 8
                width: 330
                padding: 6
                focus: true
                closePolicy: C.Popup.CloseOnEscape | C.Popup.CloseOnPressOutsideParent
                background: Rectangle { color: Theme.surface; border.color: Theme.line; radius: 12 }
                contentItem: Column {
                    Repeater {
                        model: root.narrow ? root.views : []
                        MenuRow {
                            required property var modelData
                            objectName: modelData.id + "Row"
                            width: menu.availableWidth
                            iconName: modelData.icon
                            text: root.shortcuts.tip(modelData.id)
                            highlighted: root.isOpen(modelData)
                            onClicked: {
                                menu.close()
                                root.actions.trigger(modelData.id)
                            }
                        }
                    }
                }
            }
        }
        IconButton {
            objectName: "closeDetails"
            visible: root.details
            iconName: "close"
            text: root.narrow ? "" : qsTr("Close details")
            tip: qsTr("Back to the large buttons (Esc)")
            onClicked: root.detailsClosed()
        }
        IconButton {
            objectName: "helpButton"
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
