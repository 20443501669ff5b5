import QtQuick
import QtQuick.Controls.Basic as C
import QtQuick.Layouts
import Throng.Ui

// Title bar: the open source, and buttons for the source menu, the views, help and side panel. In a narrow bar the views
// are in a menu, so that the title remains legible.
Rectangle {
    id: root

    required property Session session
    required property Actions actions
    required property ShortcutModel shortcuts
    property bool panelOpen: true
    property bool kiosk: false
    property alias viewMenu: menu

    readonly property bool narrow: width < 720
    onNarrowChanged: menu.close()
    readonly property var allViews: [
        { id: "matrix", icon: "matrix" },
        { id: "counts", icon: "crowd" },
        { id: "compare", icon: "compare" },
        { id: "race", icon: "race" },
        { id: "replay", icon: "recent" }
    ]
    readonly property var views: allViews.filter(view => actions.isAllowed(view.id))
    function isOpen(id: string): bool { return session[id].open && (id !== "counts" || panelOpen) }

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
        Repeater {
            model: root.narrow ? [] : root.views
            IconButton {
                required property var modelData
                objectName: modelData.id + "Button"
                iconName: modelData.icon
                tip: root.shortcuts.tip(modelData.id)
                checked: root.isOpen(modelData.id)
                onClicked: root.actions.trigger(modelData.id)
            }
        }
        IconButton {
            id: more
            objectName: "moreButton"
            visible: root.narrow && root.views.length > 0
            iconName: "more"
            tip: qsTr("Views")
            checked: menu.visible || root.views.some(view => root.isOpen(view.id))
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
                            highlighted: root.isOpen(modelData.id)
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
