import QtQuick
import QtQuick.Controls.Basic as C
import QtQuick.Layouts
import Throng.Ui

// Side panel: figures, timings and live controls in sections.
Rectangle {
    id: root

    required property Session session
    required property ShortcutModel shortcuts
    readonly property CountsView counting: session.views.find("counts") as CountsView
    readonly property Replay replay: session.views.find("replay") as Replay
    property bool kiosk: false
    readonly property string tipSide: "left"
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
                status: root.session.status
                backend: root.session.backend
                detection: root.session.detection
                source: root.session.source
                transport: root.session.transport
                replay: root.replay
            }
            Section {
                sections: root.session.sections
                key: "timing"
                title: qsTr("Timing")
                TimingPanel {
                    Layout.fillWidth: true
                    dense: root.dense
                    stages: root.session.stages
                    clocks: root.session.clocks
                    history: root.session.history
                    replay: root.replay
                }
            }
            Section {
                sections: root.session.sections
                key: "switches"
                title: qsTr("Optimizations")
                visible: root.session.switches.count > 0
                SwitchPanel {
                    Layout.fillWidth: true
                    switches: root.session.switches
                    onChosen: (switchId, choice) => root.session.setSwitch(switchId, choice)
                    onResetRequested: root.session.resetSwitches()
                }
            }
            Section {
                sections: root.session.sections
                key: "board"
                title: qsTr("Board")
                visible: root.session.clocks.present || root.session.clocks.telemetry.count > 0
                BoardPanel {
                    Layout.fillWidth: true
                    clocks: root.session.clocks
                    sweep: root.session.sweep
                    onSweepRequested: root.session.startOrStopSweep()
                }
            }
            Section {
                id: counts
                sections: root.session.sections
                key: "counts"
                title: qsTr("People, lines and zones")
                visible: !root.kiosk  // it saves files
                open: root.counting.open
                onOpenChanged: root.counting.open = open
                Component.onCompleted: if (open) scroll.restart()
                Connections {
                    target: root.counting
                    function onOpenChanged() {
                        counts.open = root.counting.open
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
                    counts: root.counting
                    onFileRequested: root.countsFileRequested()
                }
            }
            Section {
                sections: root.session.sections
                key: "image"
                title: qsTr("Image")
                DisplayPanel {
                    Layout.fillWidth: true
                    stageMap: root.session.views.find("stageMap")
                    display: root.session.display
                    shortcuts: root.shortcuts
                    landmarks: root.session.detection.hasLandmarks
                }
            }
            Section {
                sections: root.session.sections
                key: "detector"
                title: qsTr("Detector")
                NetworkHint {
                    Layout.fillWidth: true
                    detection: root.session.detection
                    sections: root.session.sections
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
                sections: root.session.sections
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
    Edge {}
}
