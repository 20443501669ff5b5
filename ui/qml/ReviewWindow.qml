import QtQuick
import QtQuick.Controls.Basic as C
import QtQuick.Layouts
import Throng.Ui

// The window of `throng anonymize --review`: the original at an uncertain track, the list of tracks, and the decisions.
C.ApplicationWindow {
    id: root

    required property Review review
    property bool discardAsked: false  // the next attempt to close discards decisions
    readonly property bool editable: !review.writing
    readonly property bool low: height < 560

    width: Math.min(1280, Screen.desktopAvailableWidth)
    height: Math.min(760, Screen.desktopAvailableHeight)
    minimumWidth: 640
    minimumHeight: 400
    visible: true
    title: qsTr("Review – Throng")
    color: Theme.background

    function step(by: int) { review.current = Math.max(0, Math.min(review.count - 1, review.current + by)) }

    onClosing: event => {
        if (review.writing || (review.unsaved && !discardAsked)) {
            discardAsked = !review.writing
            event.accepted = false
        }
    }
    Connections {
        target: root.review
        function onDecisionsChanged() { root.discardAsked = false }
    }

    Shortcut { sequences: ["Up"]; onActivated: root.step(-1) }
    Shortcut { sequences: ["Down"]; onActivated: root.step(1) }
    Shortcut { sequences: ["H"]; enabled: root.editable; onActivated: root.review.decide(false) }
    Shortcut { sequences: ["V"]; enabled: root.editable; onActivated: root.review.decide(true) }
    Shortcut { sequences: ["Backspace"]; enabled: root.editable; onActivated: root.review.undecide() }
    Shortcut { sequences: ["Space"]; onActivated: root.review.playing = !root.review.playing }
    Shortcut { sequences: ["Ctrl+S"]; enabled: root.editable; onActivated: root.review.write() }
    Shortcut { sequences: ["Ctrl+Q", "Ctrl+W"]; onActivated: root.close() }

    component TrackImage: FrameItem {
        image: root.review.frameImage
        frame: root.review.frameSize
        boxes: root.review.outlines
        boxColor: Theme.warning
        Accessible.role: Accessible.Graphic
    }

    RowLayout {
        anchors.fill: parent
        spacing: 0
        ColumnLayout {
            Layout.fillWidth: true
            Layout.fillHeight: true
            spacing: 0
            Rectangle {
                objectName: "reviewNotice"
                Layout.fillWidth: true
                implicitHeight: Math.max(40, notice.implicitHeight + 2 * Theme.gap)
                color: Theme.warning
                Label {
                    id: notice
                    anchors.verticalCenter: parent.verticalCenter
                    x: Theme.gapLarge
                    width: parent.width - 2 * x
                    text: qsTr("Original, faces not hidden: on this screen only. No image of it is stored.")
                    color: Theme.background
                    font.bold: true
                    wrapMode: Text.Wrap
                    elide: Text.ElideNone
                }
            }
            Rectangle {
                Layout.fillWidth: true
                Layout.fillHeight: true
                color: "black"
                TrackImage {
                    objectName: "reviewImage"
                    anchors.fill: parent
                    Accessible.name: qsTr("%1 in the original").arg(root.review.title)
                }
                Rectangle {
                    x: root.review.onRight ? Theme.gap : parent.width - width - Theme.gap
                    y: Theme.gap
                    width: Math.min(220, parent.width / 3)
                    height: width
                    color: "black"
                    border.color: Theme.warning
                    TrackImage {
                        objectName: "reviewCloseUp"
                        anchors.fill: parent
                        anchors.margins: 1
                        closeUp: true
                        Accessible.name: qsTr("%1 enlarged").arg(root.review.title)
                    }
                }
            }
            Rectangle {
                Layout.fillWidth: true
                implicitHeight: Theme.target + 2 * 4
                color: Theme.surface
                RowLayout {
                    anchors.fill: parent
                    anchors.leftMargin: Theme.gap
                    anchors.rightMargin: Theme.gapLarge
                    IconButton {
                        objectName: "reviewPlay"
                        iconName: root.review.playing ? "pause" : "play"
                        text: root.review.playing ? qsTr("Pause") : qsTr("Play the track")
                        tip: qsTr("Play the track in a loop, or stop in its middle (Space)")
                        onClicked: root.review.playing = !root.review.playing
                    }
                    Item { Layout.fillWidth: true }
                    Label {
                        text: qsTr("%1 · %2 s").arg(root.review.title).arg(Theme.fixed(root.review.position, 2))
                        color: Theme.textDim
                    }
                }
            }
        }
        Rectangle {
            Layout.preferredWidth: Math.min(Theme.panelWidth, root.width / 2)
            Layout.fillHeight: true
            color: Theme.surface
            ColumnLayout {
                anchors.fill: parent
                anchors.margins: Theme.gapLarge
                spacing: Theme.gap
                Label {
                    Layout.fillWidth: true
                    text: qsTr("Uncertain tracks")
                    font.pixelSize: Theme.fontTitle
                    font.bold: true
                }
                Label {
                    Layout.fillWidth: true
                    visible: !root.low
                    text: qsTr("They are hidden. Keep a track visible only if it is not a face.")
                    color: Theme.textDim
                    wrapMode: Text.Wrap
                    elide: Text.ElideNone
                }
                ListView {
                    id: list
                    objectName: "reviewList"
                    Layout.fillWidth: true
                    Layout.fillHeight: true
                    clip: true
                    spacing: 4
                    model: root.review
                    currentIndex: root.review.current
                    highlightMoveDuration: 0
                    boundsBehavior: Flickable.StopAtBounds
                    C.ScrollBar.vertical: ScrollHandle { }
                    delegate: Rectangle {
                        id: row

                        required property int index
                        required property int track
                        required property real first
                        required property real last
                        required property int frames
                        required property string doubts
                        required property string decision
                        readonly property bool chosen: index === root.review.current
                        readonly property string noun: frames === 1 ? qsTr("frame") : qsTr("frames")

                        objectName: "reviewTrack" + index
                        width: ListView.view.width - 10
                        height: 60
                        radius: Theme.radius
                        color: chosen ? Theme.surfacePressed : pointer.hovered ? Theme.surfaceHigh : "transparent"
                        border.color: chosen ? Theme.accent : Theme.line
                        Accessible.role: Accessible.ListItem
                        Accessible.name: qsTr("Track %1, %2, %3").arg(track).arg(doubts).arg(verdict.text)

                        HoverHandler { id: pointer }
                        TapHandler { onTapped: root.review.current = row.index }
                        Label {
                            x: 12
                            y: 8
                            width: parent.width - verdict.width - 32
                            text: qsTr("Track %1 · %2 s").arg(row.track).arg(
                                Theme.fixed(row.first, 1) + (row.last > row.first ? "–" + Theme.fixed(row.last, 1) : ""))
                            font.bold: row.chosen
                            fontSizeMode: Text.HorizontalFit
                            minimumPixelSize: Theme.fontSmall - 2
                        }
                        Remark {
                            x: 12
                            anchors.bottom: parent.bottom
                            anchors.bottomMargin: 8
                            width: parent.width - 24
                            text: "%1 %2 · %3".arg(row.frames).arg(row.noun)
                                              .arg(row.doubts.length > 0 ? row.doubts : qsTr("certain"))
                        }
                        Remark {
                            id: verdict
                            anchors.right: parent.right
                            anchors.rightMargin: 12
                            y: 8
                            text: row.decision === "keep" ? qsTr("visible") : row.decision === "hide" ? qsTr("hidden")
                                : qsTr("undecided")
                            font.bold: row.decision !== ""
                            color: row.decision === "keep" ? Theme.warning
                                : row.decision === "hide" ? Theme.accent : Theme.textDim
                        }
                    }
                }
                RowLayout {
                    Layout.fillWidth: true
                    spacing: Theme.gap
                    ChipButton {
                        objectName: "reviewHide"
                        Layout.fillWidth: true
                        Layout.preferredWidth: 1  // both alike
                        text: qsTr("Hide (H)")
                        tip: qsTr("A face, or possibly one: it stays hidden")
                        enabled: root.editable
                        onClicked: root.review.decide(false)
                    }
                    ChipButton {
                        objectName: "reviewKeep"
                        Layout.fillWidth: true
                        Layout.preferredWidth: 1
                        text: qsTr("Keep visible (V)")
                        tip: qsTr("Not a face: it is visible in the new file")
                        enabled: root.editable
                        onClicked: root.review.decide(true)
                    }
                }
                ProgressLine {
                    Layout.fillWidth: true
                    visible: root.review.writing
                    value: root.review.progress
                }
                ChipButton {
                    objectName: "reviewWrite"
                    Layout.fillWidth: true
                    text: root.review.writing ? qsTr("Cancel") : qsTr("Write again (Ctrl+S)")
                    tip: root.review.writing ? qsTr("Stop writing; the previous file is kept")
                                             : qsTr("Write %1 and its report with these decisions").arg(root.review.output)
                    chosen: root.review.unsaved && !root.review.writing
                    enabled: root.review.writing || root.review.unsaved
                    onClicked: root.review.writing ? root.review.cancel() : root.review.write()
                }
                Label {
                    objectName: "reviewMessage"
                    Layout.fillWidth: true
                    Layout.maximumHeight: 120
                    text: root.discardAsked ? qsTr("The decisions are not saved. Close again to discard them.")
                        : root.review.message.length > 0 ? root.review.message
                        : root.review.open > 0 ? qsTr("%1 of %2 still undecided").arg(root.review.open).arg(root.review.count)
                        : root.review.unsaved ? qsTr("All reviewed; not saved yet") : qsTr("All reviewed")
                    color: root.review.failed && !root.discardAsked ? Theme.danger
                        : root.discardAsked ? Theme.warning : Theme.textDim
                    wrapMode: Text.WrapAtWordBoundaryOrAnywhere
                    Accessible.role: Accessible.StaticText
                    Accessible.name: text
                }
            }
        }
    }
}
