import QtQuick
import QtQuick.Controls.Basic as C
import QtQuick.Layouts
import Throng.Ui

// Menu of the sources: files, folders, URLs, cameras, the demo crowd, and recently opened sources.
C.Popup {
    id: root
    objectName: "sourceMenu"

    required property CameraModel cameraModel
    required property RecentModel recentModel
    signal camerasRequested()  // that they are looked for
    signal openRequested(spec: string)
    signal demoRequested()
    signal fileRequested()
    signal folderRequested()

    width: 380
    height: Math.min(implicitHeight, parent ? parent.height - y - 16 : implicitHeight)
    padding: 6
    focus: true
    background: Rectangle { color: Theme.surface; border.color: Theme.line; radius: 12 }
    onOpened: {
        camerasRequested()
        address.forceActiveFocus(Qt.PopupFocusReason)
        address.selectAll()  // typing replaces the previous address
        address.selectsOnPress = true
    }
    onClosed: if (recentModel.hasSecrets(address.text)) address.clear()  // is not shown again

    function openSource(spec: string) {
        close()
        openRequested(spec)
    }

    component Heading: Remark {
        Layout.fillWidth: true
        Layout.leftMargin: 10
        Layout.topMargin: 6
        font.bold: true
    }

    ScrollArea {
        readonly property string tipSide: "right"
        anchors.fill: parent
        implicitHeight: column.implicitHeight
        contentHeight: column.implicitHeight
        ColumnLayout {
            id: column
            width: parent.width
            spacing: 0

            MenuRow {
                Layout.fillWidth: true
                iconName: "video"
                text: qsTr("Video or image…")
                onClicked: { root.close(); root.fileRequested() }
            }
            MenuRow {
                Layout.fillWidth: true
                iconName: "folder"
                text: qsTr("Folder of images…")
                onClicked: { root.close(); root.folderRequested() }
            }
            MenuRow {
                Layout.fillWidth: true
                iconName: "crowd"
                text: qsTr("Demo crowd")
                onClicked: { root.close(); root.demoRequested() }
            }
            RowLayout {
                Layout.fillWidth: true
                Layout.leftMargin: 10
                spacing: 4
                InputField {
                    id: address
                    objectName: "address"
                    Layout.fillWidth: true
                    placeholderText: qsTr("rtsp://… or another source")
                    // The first press sets the cursor into the previous address; typing would be inserted there.
                    property bool selectsOnPress: false
                    onTextEdited: selectsOnPress = false
                    onReleased: {
                        if (selectsOnPress) selection.start()
                        selectsOnPress = false
                    }
                    Timer {  // the field has handled the release then
                        id: selection
                        interval: 0
                        onTriggered: address.selectAll()
                    }
                    onAccepted: if (text.trim().length > 0) root.openSource(text.trim())
                }
                IconButton {
                    iconName: "right"
                    tip: qsTr("Open the address")
                    enabled: address.text.trim().length > 0
                    onClicked: root.openSource(address.text.trim())
                }
            }

            Heading { text: qsTr("Cameras") }
            Repeater {
                model: root.cameraModel
                MenuRow {
                    required property string spec
                    required property string title
                    Layout.fillWidth: true
                    iconName: "camera"
                    text: title
                    subtitle: spec
                    onClicked: root.openSource(spec)
                }
            }
            Label {
                Layout.leftMargin: 40
                Layout.preferredHeight: 36
                visible: root.cameraModel.count === 0
                text: qsTr("None found")
                color: Theme.textDim
            }

            Heading { text: qsTr("Recent"); visible: root.recentModel.count > 0 }
            Repeater {
                model: root.recentModel
                MenuRow {
                    required property string spec
                    required property string title
                    required property string location
                    Layout.fillWidth: true
                    iconName: "recent"
                    text: title
                    subtitle: location
                    onClicked: root.openSource(spec)
                }
            }
        }
    }
}
