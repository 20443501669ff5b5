import QtQuick
import Throng.Ui

// The frame with its boxes, or a placeholder if there is no frame.
Rectangle {
    id: root

    required property FrameFeed feed
    required property Source source
    required property Transport transport
    required property RunStatus status
    required property DetectionSettings detection
    required property DisplaySettings display
    required property Playlist playlist
    required property Feedback feedback
    required property Sweep sweep
    required property Views viewList
    property bool dropping: false
    property bool strip: false    // shows the headline figures over the frame, for when the side panel is closed
    property bool large: false    // the figures are read from a distance
    property real topMargin: 0    // height of what covers the upper edge
    property real covered: 0      // height of what covers the lower edge
    property real below: 0        // height of the bar below it
    property real badges: 0       // height of those at its upper right corner
    property real banner: 0       // height of the message over the upper edge
    property bool canOpen: true   // the user may open a source
    property bool named: false    // no bar names the source
    property bool canHide: true   // by a button beside the figures
    property string hideTip       // of the button that hides faces
    readonly property VideoItem video: video
    readonly property alias startSpace: startSpace  // of the start page, below messages
    readonly property real figuresHeight: figures.visible ? figures.height + Theme.gap : 0
    readonly property CountsView counts: viewList.find("counts") as CountsView
    readonly property MatrixView matrix: viewList.find("matrix") as MatrixView
    readonly property real stripHeight: {
        let height = 0
        for (let i = 0; i < views.count; ++i) height = Math.max(height, (views.itemAt(i) as ViewLoader)?.stripHeight ?? 0)
        return height
    }
    readonly property string sourceState: transport.state
    readonly property bool empty: !video.hasFrame && source.opening.length === 0
                                  && (sourceState === "idle" || sourceState === "ended" || sourceState === "failed")
    signal doubleTapped()
    signal hideRequested()

    color: "black"

    VideoItem {
        id: video
        anchors.fill: parent
        clip: true
        feed: root.feed
        display: root.display
        rawColor: Theme.rawBox
        keptColor: Theme.keptBox
    }
    // Views over the image.
    Repeater {
        id: views
        model: Array.from(root.viewList.all).filter(view => view.over)
        ViewLoader {
            required property View modelData
            anchors.fill: video
            view: modelData
            properties: ({ frame: root })
        }
    }
    // Draws the box of the row of the matrix below the pointer, and the boxes that suppress it.
    Repeater {
        model: root.matrix.boxes
        Rectangle {
            required property rect modelData
            required property int index
            readonly property real ratio: video.frameRect.width / Math.max(1, video.frameWidth)
            objectName: "matrixBox"
            x: video.frameRect.x + modelData.x * ratio - border.width
            y: video.frameRect.y + modelData.y * ratio - border.width
            width: modelData.width * ratio + 2 * border.width
            height: modelData.height * ratio + 2 * border.width
            color: index === 0 ? "#40ffffff" : "transparent"
            border.width: 3
            border.color: index === 0 ? Theme.text : Theme.warning
        }
    }
    TapHandler {
        onDoubleTapped: root.doubleTapped()
        onTapped: event => {
            const ratio = video.frameRect.width / Math.max(1, video.frameWidth)
            if (root.matrix.open) root.matrix.followAt(Qt.point((event.position.x - video.frameRect.x) / ratio,
                                                                (event.position.y - video.frameRect.y) / ratio))
        }
    }
    WheelHandler {
        target: null
        onWheel: event => {
            video.zoomAt(Qt.point(event.x, event.y), Math.pow(1.25, event.angleDelta.y / 120))
            root.sayZoom()
        }
    }
    PinchHandler {
        id: pinch
        property real last: 1
        target: null
        onActiveChanged: last = 1
        onActiveScaleChanged: {
            video.zoomAt(centroid.position, activeScale / last)
            last = activeScale
        }
    }
    DragHandler {
        property point last
        target: null
        enabled: video.zoom > 1
        cursorShape: active ? Qt.ClosedHandCursor : undefined
        onActiveChanged: last = Qt.point(0, 0)
        onActiveTranslationChanged: {
            video.panBy(Qt.point(activeTranslation.x - last.x, activeTranslation.y - last.y))
            last = Qt.point(activeTranslation.x, activeTranslation.y)
        }
    }
    CountsOverlay {
        anchors.fill: video
        view: video
        counts: root.counts
        covered: root.covered
        below: root.below
    }
    Item {
        id: startSpace
        anchors.fill: parent
        anchors.topMargin: root.topMargin + root.banner
        anchors.bottomMargin: root.covered
        visible: root.empty && root.canOpen
    }
    function sayZoom() { root.feedback.say(video.zoom > 1 ? qsTr("Zoom %1×").arg(Theme.fixed(video.zoom, 1)) : qsTr("Whole image")) }

    Column {
        anchors.centerIn: parent
        width: Math.min(parent.width - 32, 480)
        spacing: Theme.gapLarge
        visible: !video.hasFrame && !startSpace.visible
        Icon {
            anchors.horizontalCenter: parent.horizontalCenter
            width: 72
            height: 72
            name: root.transport.state === "failed" ? "warning" : "crowd"
            color: Theme.line
        }
        Label {
            width: parent.width
            horizontalAlignment: Text.AlignHCenter
            wrapMode: Text.Wrap
            color: Theme.textDim
            font.pixelSize: Theme.fontTitle
            text: root.transport.state === "opening" ? qsTr("Opening %1 …").arg(root.source.title)
                : root.empty ? qsTr("No source is open")
                : qsTr("Waiting for the first frame …")
        }
    }

    Plate {
        id: figures
        objectName: "figures"
        readonly property string tipSide: "below"
        anchors.left: parent.left
        anchors.top: parent.top
        anchors.margins: Theme.gap + 4
        anchors.topMargin: root.topMargin + Theme.gap + 4
        width: row.implicitWidth + 28
        height: root.large ? 88 : 52
        visible: root.strip && video.hasFrame && root.counts.tool === "" && root.counts.selected < 0
        Row {
            id: row
            x: 14
            height: parent.height
            spacing: Theme.gap + 2
            Label {
                height: parent.height
                text: root.status.silent ? "–" : Theme.count(root.status.faces)
                color: Theme.accent
                font.pixelSize: root.large ? Theme.fontHeadline : Theme.fontFigure + 8
                font.bold: true
            }
            Column {
                anchors.verticalCenter: parent.verticalCenter
                Label {
                    text: root.detection.softRule
                        ? qsTr("boxes") : Theme.counted(root.status.faces, root.detection.finds)
                    font.bold: true
                    font.pixelSize: root.large ? Theme.fontFigure : Theme.fontBody
                }
                Label {
                    readonly property bool playing: root.transport.playing && !root.source.still
                    // Of a running source: results per second, and the time from capture to screen.
                    readonly property real ms: playing ? root.status.latency : root.status.frameMs
                    text: root.detection.title
                          + (playing && root.status.frameRate > 0
                             ? qsTr(" · %1 fps").arg(Theme.rate(root.status.frameRate)) : "")
                          + (ms > 0 ? qsTr(" · %1 ms").arg(Theme.milliseconds(ms)) : "")
                    color: Theme.textDim
                    font.pixelSize: root.large ? Theme.fontTitle : Theme.fontSmall
                }
            }
            IconButton {
                objectName: "stripHide"
                anchors.verticalCenter: parent.verticalCenter
                visible: root.canHide && !root.display.hidesAlways
                framed: true
                iconName: "eye"
                text: root.width < 560 ? "" : qsTr("Hide faces")
                tip: root.hideTip
                checked: root.display.blur
                onClicked: root.hideRequested()
            }
        }
    }

    // Progress of the clock sweep, whose panel may be out of sight.
    Plate {
        objectName: "sweepProgress"
        anchors.right: parent.right
        anchors.top: parent.top
        anchors.margins: Theme.gap + 4
        anchors.topMargin: root.topMargin + root.badges + Theme.gap + 4
        width: 232
        height: 52
        visible: root.sweep.running
        Label {
            x: 14
            y: 7
            text: qsTr("Clock sweep: %1 of %2").arg(root.sweep.at + 1).arg(root.sweep.size)
        }
        ProgressLine {
            x: 14
            y: 36
            width: parent.width - 28
            color: Theme.surfacePressed
            value: (root.sweep.at + 0.5) / Math.max(1, root.sweep.size)
        }
    }

    // Names what the last key or change has done.
    Rectangle {
        objectName: "feedback"
        anchors.horizontalCenter: parent.horizontalCenter
        anchors.bottom: parent.bottom
        anchors.bottomMargin: root.covered + Theme.gapLarge + (openingPill.visible ? 44 : 0)
                              + root.stripHeight
        width: Math.min(parent.width - 24, Math.ceil(feedbackSize.advanceWidth) + 36)
        height: Math.max(root.large ? 60 : 44, feedback.implicitHeight + 16)
        radius: root.large ? 30 : 22
        color: "#e0131a23"
        visible: root.feedback.text.length > 0
        Accessible.role: Accessible.AlertMessage
        Accessible.name: feedback.text
        // The implicit width of a label that wraps depends on its width.
        TextMetrics { id: feedbackSize; font: feedback.font; text: feedback.text }
        Label {
            id: feedback
            objectName: "feedbackText"
            anchors.centerIn: parent
            width: parent.width - 24
            horizontalAlignment: Text.AlignHCenter
            text: root.feedback.text
            font.bold: true
            font.pixelSize: root.large ? Theme.fontFigure : Theme.fontTitle
            wrapMode: Text.Wrap
            maximumLineCount: 4
        }
    }

    // The current source remains on screen until the next one is open.
    Plate {
        anchors.horizontalCenter: parent.horizontalCenter
        anchors.bottom: parent.bottom
        anchors.margins: Theme.gapLarge
        anchors.bottomMargin: root.covered + Theme.gapLarge
        width: Math.min(parent.width - 24, opening.implicitWidth + 32)
        height: 36
        radius: 18
        visible: video.hasFrame && root.source.opening.length > 0
        id: openingPill
        Label {
            id: opening
            anchors.centerIn: parent
            width: parent.width - 32
            text: qsTr("Opening %1 …").arg(root.source.opening)
            elide: Text.ElideMiddle
        }
    }

    // A photograph and a file among others have a name.
    Plate {
        objectName: "sourceName"
        anchors.left: parent.left
        anchors.bottom: noticePlate.visible ? noticePlate.top : parent.bottom
        anchors.margins: Theme.gap + 4
        anchors.bottomMargin: noticePlate.visible ? Theme.gap : root.covered + Theme.gap + 4
        width: Math.min(parent.width - 24, sourceName.implicitWidth + 24)
        height: 36
        visible: root.named && video.hasFrame && (root.source.still || root.playlist.count > 1)
        Label {
            id: sourceName
            anchors.centerIn: parent
            width: parent.width - 24
            text: root.source.title
                  + (root.playlist.place.length > 0 ? " · " + root.playlist.place : "")
            elide: Text.ElideMiddle
        }
    }

    // Notice about an error that does not stop playback: a stream that reconnects, a model that failed to load.
    Plate {
        id: noticePlate
        anchors.left: parent.left
        anchors.bottom: parent.bottom
        anchors.margins: Theme.gap + 4
        anchors.bottomMargin: root.covered + Theme.gap + 4
        width: Math.min(parent.width - 24, Math.ceil(noticeSize.advanceWidth) + 56)
        height: Math.max(36, notice.implicitHeight + 14)
        visible: root.status.notice.length > 0
        // Not the implicit width of the text, which changes with the width while lines are wrapped.
        TextMetrics { id: noticeSize; font: notice.font; text: notice.text }
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
            text: root.status.notice
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
