import QtQuick
import Throng.Ui

// The text of a scene in large type below the image, with the end of the scene as a line that grows.
Rectangle {
    id: root

    required property Stand stand  // null in a plain window
    readonly property Attract attract: stand?.attract ?? null
    readonly property bool narrow: Window.width < 640
    readonly property int lines: narrow || Window.width < 1.2 * Window.height ? 3 : 2
    // Readable from some meters: a share of the window's height, as wide lines allow.
    readonly property int size: Math.round(Math.max(16, Math.min(Window.height / 18, Window.width / 26)))

    objectName: "standCaption"
    visible: attract?.running ?? false
    implicitHeight: Math.round(size * 1.3) * lines + small.height + 3 * Theme.gap + 4
    color: Theme.surface

    Rectangle {
        objectName: "sceneProgress"
        width: root.width * (root.attract?.progress ?? 0)
        height: 4
        color: Theme.accent
    }
    Label {
        id: line
        objectName: "sceneText"
        x: Theme.gapLarge
        y: 4 + Theme.gap
        width: root.width - 2 * Theme.gapLarge
        height: Math.round(root.size * 1.3) * root.lines
        text: root.attract?.text ?? ""
        font.pixelSize: root.size
        font.bold: true
        fontSizeMode: Text.Fit
        minimumPixelSize: 12
        wrapMode: Text.Wrap
        elide: Text.ElideNone
        maximumLineCount: root.lines
    }
    Item {
        id: small
        anchors.top: line.bottom
        anchors.topMargin: Theme.gap
        x: Theme.gapLarge
        width: line.width
        height: root.narrow ? 2 * (counter.font.pixelSize + 8) : counter.font.pixelSize + 8
        Label {
            anchors.left: parent.left
            anchors.bottom: root.narrow ? undefined : parent.bottom
            text: root.attract?.hint ?? ""
            color: Theme.accent
            font.pixelSize: counter.font.pixelSize
            width: root.narrow ? parent.width : parent.width - counter.width - Theme.gapLarge
        }
        Label {
            id: counter
            objectName: "standCounter"
            anchors.right: root.narrow ? undefined : parent.right
            anchors.bottom: parent.bottom
            text: {
                const faces = Theme.count(root.stand?.faces ?? 0)
                return root.stand?.storesImages ? qsTr("%1 faces so far; images are stored").arg(faces)
                                                : qsTr("%1 faces so far, 0 images stored").arg(faces)
            }
            color: Theme.textDim
            font.pixelSize: Math.round(Math.max(Theme.fontSmall, root.size * 0.5))
        }
    }
}
