import QtQuick
import Throng.Ui

// Shows what was seen at a moment of a bar, above the pointer: a small image and a line of text.
Rectangle {
    id: root

    required property real center  // in the bar
    required property string text
    property var image             // undefined: none was made
    property real aspect: 1        // width by height of the image

    x: Math.max(0, Math.min((parent?.width ?? width) - width, center - width / 2))
    y: -height + 4
    width: Math.max(time.implicitWidth + 16, image ? thumbnail.width + 8 : 0)
    height: 28 + (image ? thumbnail.height + 4 : 0)
    radius: Theme.radius
    color: Theme.surfaceHigh
    border.color: Theme.line
    ImageItem {
        id: thumbnail
        objectName: "hoverImage"
        x: 4
        y: 4
        width: 160
        height: width / root.aspect
        visible: root.image !== undefined
        image: root.image
    }
    Label {
        id: time
        objectName: "hoverTimeText"
        anchors.horizontalCenter: parent.horizontalCenter
        anchors.bottom: parent.bottom
        height: 28
        text: root.text
        font.pixelSize: Theme.fontSmall
    }
}
