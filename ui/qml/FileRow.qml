import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Throng.Ui

// A file or folder of the file dialog: a small image or an icon, its name, size and date.
T.ItemDelegate {
    id: control

    required property int index
    required property string fileName
    required property string filePath
    required property bool fileIsDir
    required property double fileSize
    required property date fileModified
    readonly property string about: (fileSize < 1e6 ? qsTr("%1 KB").arg(Math.ceil(fileSize / 1000))
                                     : qsTr("%1 MB").arg(Theme.fixed(fileSize / 1e6, fileSize < 1e7 ? 1 : 0))) + " · "
                                    + fileModified.toLocaleDateString(Qt.locale(), Locale.ShortFormat)
    property bool thumbnails: true
    property bool current: false  // where the keys are
    property bool several: false  // more than one can be chosen

    implicitHeight: Theme.target + Theme.gap
    focusPolicy: Qt.NoFocus
    hoverEnabled: true
    Accessible.name: fileName
    Accessible.description: fileIsDir ? "" : about
    Accessible.checked: highlighted

    contentItem: RowLayout {
        spacing: 10
        Item {
            Layout.leftMargin: Theme.gap
            Layout.preferredWidth: 72
            Layout.preferredHeight: 48
            Image {
                objectName: "thumbnail"
                anchors.fill: parent
                source: control.thumbnails && !control.fileIsDir ? FileSystem.thumbnailOf(control.filePath) : ""
                sourceSize.width: 144
                sourceSize.height: 96
                fillMode: Image.PreserveAspectFit
                Icon {
                    anchors.centerIn: parent
                    width: 24
                    height: 24
                    name: control.fileIsDir ? "folder" : "video"
                    color: control.fileIsDir ? Theme.accent : Theme.textDim
                    visible: parent.implicitWidth <= 1
                }
            }
        }
        ColumnLayout {
            Layout.fillWidth: true
            spacing: 0
            Label {
                Layout.fillWidth: true
                text: control.fileName
                elide: Text.ElideMiddle
            }
            Remark {
                Layout.fillWidth: true
                visible: !control.fileIsDir
                text: control.about
            }
        }
        Icon {
            Layout.rightMargin: 12
            Layout.preferredWidth: 24
            Layout.preferredHeight: 24
            name: "check"
            color: control.highlighted ? Theme.accent : Theme.groove
            visible: control.several && !control.fileIsDir && (control.highlighted || control.hovered)
        }
    }
    background: Rectangle {
        radius: Theme.radius - 2
        color: control.pressed ? Theme.surfacePressed
             : control.hovered || control.highlighted ? Theme.surfaceHigh : "transparent"
        FocusRing { shown: control.current; anchors.margins: 0 }
    }
}
