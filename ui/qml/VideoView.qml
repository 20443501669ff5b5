import QtQuick
import Throng.Ui

// The frame with its boxes, or a placeholder if there is no frame.
Rectangle {
    id: root

    required property Session session
    property bool dropping: false
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

    // The current source stays on screen until the next one is open.
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
