import QtQuick
import Throng.Ui

// Names what is shown over the image, and says it in one sentence.
Rectangle {
    id: root

    required property string name
    required property string about
    property bool large: false  // read from a distance

    implicitHeight: Math.max(title.implicitHeight, sentence.implicitHeight) + 12
    color: Theme.surfaceHigh
    Accessible.role: Accessible.StaticText
    Accessible.name: name + ": " + about

    Label {
        id: title
        objectName: "viewName"
        x: Theme.gap + 4
        y: 6
        text: root.name
        color: Theme.accent
        font.bold: true
        font.pixelSize: sentence.font.pixelSize
    }
    Label {
        id: sentence
        objectName: "viewAbout"
        anchors.left: title.right
        anchors.right: parent.right
        anchors.leftMargin: Theme.gap + 4
        anchors.rightMargin: Theme.gap + 4
        y: 6
        text: root.about
        font.pixelSize: root.large ? Theme.fontFigure : Theme.fontBody
        wrapMode: Text.Wrap
        elide: Text.ElideNone
    }
}
