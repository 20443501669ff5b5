import QtQuick
import QtQuick.Controls.Basic as C
import QtQuick.Layouts
import QtQuick.Templates as T
import Throng.Ui

// Combo box with its label at the left. Emits `chosen(index)` only for user input.
T.ComboBox {
    id: control

    property string label
    property string tip
    property int labelWidth: Theme.scaled(156)
    Layout.fillWidth: true
    property int index: -1
    signal chosen(int index)
    signal opened()

    implicitWidth: 200
    implicitHeight: Theme.target
    focusPolicy: Qt.TabFocus
    hoverEnabled: true
    opacity: enabled ? 1 : 0.4
    currentIndex: index
    onActivated: i => {
        chosen(i)
        currentIndex = Qt.binding(() => index)  // a rejected choice is reverted
    }
    Accessible.name: label
    Accessible.description: tip

    contentItem: Item {
        Label {
            anchors.left: parent.left
            anchors.verticalCenter: parent.verticalCenter
            width: control.labelWidth - 8
            text: control.label
            color: Theme.textDim
        }
        Rectangle {
            anchors.right: parent.right
            anchors.verticalCenter: parent.verticalCenter
            width: Math.max(120, parent.width - control.labelWidth)
            height: 36
            radius: Theme.radius
            color: control.hovered || control.down ? Theme.surfacePressed : Theme.surfaceHigh
            Label {
                anchors.fill: parent
                anchors.leftMargin: 12
                anchors.rightMargin: 34
                text: control.displayText
                fontSizeMode: Text.HorizontalFit  // long names of models
                minimumPixelSize: Theme.fontSmall - 2
            }
            Icon {
                anchors.right: parent.right
                anchors.rightMargin: 9
                anchors.verticalCenter: parent.verticalCenter
                width: 18
                height: 18
                name: "down"
                color: Theme.textDim
            }
            FocusRing { shown: control.visualFocus }
        }
    }
    delegate: MenuRow {
        required property var modelData
        required property int index
        width: ListView.view.width
        text: modelData
        highlighted: control.highlightedIndex === index
        iconName: control.currentIndex === index ? "check" : " "
    }
    Tip { text: control.tip; shown: control.hovered && !control.pressed && !control.popup.visible }

    popup: T.Popup {
        readonly property int rows: Math.max(2, Math.floor(320 / Theme.target))  // whole rows
        onAboutToShow: {
            control.opened()
            control.forceActiveFocus(Qt.MouseFocusReason)  // the box handles the keys of its list; a click sets no focus
        }
        x: control.width - width
        y: control.height
        width: Math.max(120, control.width - control.labelWidth, Math.min(control.width, 340))
        height: Math.min(contentItem.implicitHeight, rows * Theme.target) + 2 * padding
        padding: 4
        contentItem: ListView {
            clip: true
            implicitHeight: contentHeight
            model: control.popup.visible ? control.delegateModel : null
            currentIndex: control.highlightedIndex
            boundsBehavior: Flickable.StopAtBounds
            C.ScrollBar.vertical: ScrollHandle {}
        }
        background: Rectangle { color: Theme.surface; border.color: Theme.line; radius: Theme.radius }
    }
}
