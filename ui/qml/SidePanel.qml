import QtQuick
import QtQuick.Controls.Basic as C
import QtQuick.Layouts
import Throng.Ui

// Side panel: figures, timings and live controls in sections.
Rectangle {
    id: root

    required property Session session
    required property ShortcutModel shortcuts
    property bool kiosk: false
    readonly property bool dense: height < 800  // keeps the clock profiles visible below the bars
    signal modelRequested()
    signal countsFileRequested()

    color: Theme.surface

    function scrollToTop() { flick.contentY = 0 }

    ScrollToFocus {
        flick: flick
        content: column
        onFocusMoved: scroll.stop()  // it would scroll away from the control
    }
    Flickable {
        id: flick
        objectName: "panelScroll"
        anchors.fill: parent
        contentWidth: width
        boundsBehavior: Flickable.StopAtBounds
        clip: true
        C.ScrollBar.vertical: ScrollHandle {}

        ColumnLayout {
            id: column
            x: Theme.gapLarge
            y: root.dense ? Theme.gap : Theme.gapLarge
            width: flick.width - 2 * Theme.gapLarge
            spacing: root.dense ? 4 : Theme.gap
            // Not a binding: Qt 6.2 reports the layout that it triggers as a binding loop.
            onImplicitHeightChanged: flick.contentHeight = implicitHeight + 2 * Theme.gapLarge

            HeadlinePanel {
                Layout.fillWidth: true
                dense: root.dense
                session: root.session
            }
            Section {
                Layout.fillWidth: true
                session: root.session
                key: "timing"
                title: qsTr("Timing")
                TimingPanel { Layout.fillWidth: true; session: root.session; dense: root.dense }
            }
            Section {
                Layout.fillWidth: true
                session: root.session
                key: "switches"
                title: qsTr("Optimizations")
                visible: root.session.switches.count > 0
                SwitchPanel { Layout.fillWidth: true; session: root.session }
            }
            Section {
                Layout.fillWidth: true
                session: root.session
                key: "board"
                title: qsTr("Board")
                BoardPanel { Layout.fillWidth: true; session: root.session }
            }
            Section {
                id: counts
                Layout.fillWidth: true
                session: root.session
                key: "counts"
                title: qsTr("People, lines and zones")
                visible: !root.kiosk  // it saves files
                open: root.session.counts.open
                onOpenChanged: root.session.counts.open = open
                Component.onCompleted: if (open) scroll.restart()
                Connections {
                    target: root.session.counts
                    function onOpenChanged() {
                        counts.open = root.session.counts.open
                        if (counts.open) scroll.restart()
                    }
                }
                Timer {  // the layout has the section's height then
                    id: scroll
                    objectName: "scrollToCounts"
                    interval: 30
                    onTriggered: flick.contentY = Math.max(0, Math.min(counts.y, flick.contentHeight - flick.height))
                }
                CountsPanel {
                    Layout.fillWidth: true
                    session: root.session
                    onFileRequested: root.countsFileRequested()
                }
            }
            Section {
                Layout.fillWidth: true
                session: root.session
                key: "image"
                title: qsTr("Image")
                DisplayPanel {
                    Layout.fillWidth: true
                    stageMap: root.session.stageMap
                    display: root.session.display
                    shortcuts: root.shortcuts
                    landmarks: root.session.detection.hasLandmarks
                }
            }
            Section {
                Layout.fillWidth: true
                session: root.session
                key: "detector"
                title: qsTr("Detector")
                NetworkHint {
                    Layout.fillWidth: true
                    session: root.session
                    allowed: !root.kiosk
                }
                DetectorPanel {
                    Layout.fillWidth: true
                    detection: root.session.detection
                    givenUp: root.session.status.givenUp
                    usesDevice: root.session.backend.name === "cuda"
                    kiosk: root.kiosk
                    onModelRequested: root.modelRequested()
                    onModelsRequested: root.session.findModels()
                }
            }
            Section {
                Layout.fillWidth: true
                session: root.session
                key: "suppression"
                title: qsTr("Suppression")
                SuppressionPanel {
                    Layout.fillWidth: true
                    detection: root.session.detection
                    usesDevice: root.session.backend.name === "cuda"
                }
            }
        }
    }
    Rectangle {
        width: 1
        height: parent.height
        color: Theme.line
    }
}
