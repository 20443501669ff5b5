import QtQuick
import Throng.Ui

// The frame with its boxes, or a placeholder if there is no frame.
Rectangle {
    id: root

    required property Session session
    property bool dropping: false
    property bool figures: false  // shows the headline figures over the frame, for when the side panel is closed
    property real topMargin: 0    // height of what covers the upper edge
    readonly property VideoItem video: video
    signal doubleTapped()

    color: "black"

    VideoItem {
        id: video
        anchors.fill: parent
        clip: true
        session: root.session
        rawColor: Theme.rawBox
        keptColor: Theme.keptBox
    }
    TapHandler { onDoubleTapped: root.doubleTapped() }

    Column {
        anchors.centerIn: parent
        width: Math.min(parent.width - 32, 480)
        spacing: Theme.gapLarge
        visible: !video.hasFrame
        Icon {
            anchors.horizontalCenter: parent.horizontalCenter
            width: 72
            height: 72
            name: root.session.transport.state === "failed" ? "warning" : "crowd"
            color: Theme.line
        }
        Label {
            width: parent.width
            horizontalAlignment: Text.AlignHCenter
            wrapMode: Text.Wrap
            color: Theme.textDim
            font.pixelSize: Theme.fontTitle
            text: root.session.transport.state === "opening" ? qsTr("Opening %1 …").arg(root.session.source.title)
                : root.session.transport.state === "running" ? qsTr("Waiting for the first frame …")
                : qsTr("Drop a video or image here, or choose a source with Open")
        }
    }

    Rectangle {
        objectName: "figures"
        anchors.left: parent.left
        anchors.top: parent.top
        anchors.margins: Theme.gap + 4
        anchors.topMargin: root.topMargin + Theme.gap + 4
        width: row.implicitWidth + 28
        height: 52
        radius: Theme.radius
        color: "#d0131a23"
        visible: root.figures && video.hasFrame
        Row {
            id: row
            x: 14
            height: parent.height
            spacing: Theme.gap + 2
            Label {
                height: parent.height
                text: Theme.count(root.session.status.faces)
                color: Theme.accent
                font.pixelSize: Theme.fontFigure + 8
                font.bold: true
            }
            Column {
                anchors.verticalCenter: parent.verticalCenter
                Label {
                    text: Theme.counted(root.session.status.faces, root.session.detection.finds)
                    font.bold: true
                }
                Label {
                    readonly property real rate: root.session.status.frameRate
                    text: root.session.detection.title
                          + (root.session.transport.playing && rate > 0 ? qsTr(" · %1 fps").arg(rate.toFixed(rate < 99.5 ? 1 : 0))
                                                                        : "")
                    color: Theme.textDim
                    font.pixelSize: Theme.fontSmall
                }
            }
        }
    }

    // The current source remains on screen until the next one is open.
    Rectangle {
        anchors.horizontalCenter: parent.horizontalCenter
        anchors.bottom: parent.bottom
        anchors.margins: Theme.gapLarge
        width: Math.min(parent.width - 24, opening.implicitWidth + 32)
        height: 36
        radius: 18
        color: "#d0131a23"
        visible: video.hasFrame && root.session.source.opening.length > 0
        Label {
            id: opening
            anchors.centerIn: parent
            width: parent.width - 32
            text: qsTr("Opening %1 …").arg(root.session.source.opening)
            elide: Text.ElideMiddle
        }
    }

    // Notice about an error that does not stop playback: a stream that reconnects, a model that failed to load.
    Rectangle {
        anchors.left: parent.left
        anchors.bottom: parent.bottom
        anchors.margins: Theme.gap + 4
        width: Math.min(parent.width - 24, notice.implicitWidth + 56)
        height: Math.max(36, notice.implicitHeight + 14)
        radius: Theme.radius
        color: "#d0131a23"
        visible: root.session.status.notice.length > 0
        Icon {
            x: 12
            anchors.verticalCenter: parent.verticalCenter
            width: 20
            height: 20
            name: "warning"
            color: Theme.warning
        }
        Label {
            id: notice
            anchors.verticalCenter: parent.verticalCenter
            x: 42
            width: parent.width - 54
            text: root.session.status.notice
            wrapMode: Text.Wrap
            maximumLineCount: 3
        }
    }

    Rectangle {
        anchors.fill: parent
        anchors.margins: 6
        visible: root.dropping
        color: "#402ee6bf"
        border.color: Theme.accent
        border.width: 3
        radius: 12
        Label {
            anchors.centerIn: parent
            text: qsTr("Drop to open")
            font.pixelSize: Theme.fontFigure
            font.bold: true
        }
    }
}
