import QtQuick
import QtQuick.Templates as T
import Throng.Ui

// Large buttons for the first source, shown while none is open.
Item {
    id: root

    required property CameraModel cameraModel
    required property RecentModel recentModel
    readonly property int cameras: cameraModel.count
    readonly property bool low: height < 260  // leaves no space for icons above the names
    signal camerasRequested()  // that they are looked for
    signal openRequested(spec: string)
    signal demoRequested()
    signal fileRequested()
    signal sourcesRequested()

    component StartButton: T.AbstractButton {
        id: control

        property string iconName
        property string subtitle
        property string tip

        width: row.buttonWidth
        height: row.buttonHeight
        focusPolicy: Qt.TabFocus
        hoverEnabled: true
        Accessible.name: text
        Accessible.description: subtitle
        Keys.onReturnPressed: clicked()
        Keys.onEnterPressed: clicked()

        contentItem: Item {
            Column {
                anchors.centerIn: parent
                width: parent.width - 16
                spacing: root.low ? 2 : Theme.gap
                Icon {
                    anchors.horizontalCenter: parent.horizontalCenter
                    width: 48
                    height: 48
                    visible: !root.low
                    name: control.iconName
                    color: Theme.accent
                }
                Label {
                    width: parent.width
                    horizontalAlignment: Text.AlignHCenter
                    text: control.text
                    font.bold: true
                    font.pixelSize: Theme.fontTitle
                    fontSizeMode: Text.HorizontalFit
                    minimumPixelSize: Theme.fontSmall
                }
                Remark {
                    width: parent.width
                    horizontalAlignment: Text.AlignHCenter
                    text: control.subtitle
                }
            }
        }
        background: Rectangle {
            radius: 12
            color: control.pressed ? Theme.surfacePressed : control.hovered ? Theme.surfaceHigh : Theme.surface
            border.color: Theme.line
            FocusRing { shown: control.visualFocus }
        }
        Tip { text: control.tip; shown: control.hovered && !control.pressed }
    }

    // Also finds a camera that is plugged in meanwhile.
    Timer {
        running: root.visible
        interval: 2000
        repeat: true
        triggeredOnStart: true
        onTriggered: root.camerasRequested()
    }
    Column {
        readonly property string tipSide: "above"
        anchors.centerIn: parent
        spacing: root.low ? Theme.gap : Theme.gapLarge
        Label {
            objectName: "startHeading"
            width: row.width
            horizontalAlignment: Text.AlignHCenter
            text: qsTr("Choose a source, or drop a file here")
            color: Theme.textDim
            font.pixelSize: root.low ? Theme.fontBody : Theme.fontTitle
        }
        Row {
            id: row
            readonly property real buttonWidth: Math.min(176, (root.width - 32 - 2 * spacing) / 3)
            readonly property real buttonHeight: root.low ? 60 : 148
            spacing: Theme.gap + 4
            StartButton {
                id: camera
                objectName: "startCamera"
                iconName: "camera"
                text: qsTr("Camera")
                subtitle: root.cameras === 0 ? qsTr("None found") : qsTr("%1 found").arg(root.cameras)
                tip: qsTr("Open a camera of this machine or on the network")
                KeyNavigation.right: file
                // Several: the menu names them. None: it takes the address of a network camera.
                onClicked: root.cameras === 1 ? root.openRequested(root.cameraModel.specAt(0)) : root.sourcesRequested()
            }
            StartButton {
                id: file
                objectName: "startFile"
                iconName: "video"
                text: qsTr("File")
                subtitle: qsTr("Video or image")
                tip: qsTr("Choose a video or an image")
                KeyNavigation.right: demo
                onClicked: root.fileRequested()
            }
            StartButton {
                id: demo
                objectName: "startDemo"
                iconName: "crowd"
                text: qsTr("Demo crowd")
                subtitle: qsTr("Needs no file")
                tip: qsTr("Show a generated crowd of 60 faces")
                onClicked: root.demoRequested()
            }
        }
        // The files and folders of the last times, as far as they fit.
        Column {
            id: recent
            objectName: "startRecent"
            readonly property real space: root.height - row.buttonHeight - 120
            readonly property int fit: Math.max(0, Math.min(5, Math.floor(space / Theme.target)))
            width: row.width
            visible: fit > 0 && root.recentModel.count > 0
            Remark { text: qsTr("Recent"); font.bold: true }
            Repeater {
                model: root.recentModel
                MenuRow {
                    required property string spec
                    required property string title
                    required property string location
                    required property int index
                    objectName: "startRecent" + index
                    width: recent.width
                    visible: index < recent.fit
                    iconName: "recent"
                    text: title
                    subtitle: location
                    onClicked: root.openRequested(spec)
                }
            }
        }
    }
}
