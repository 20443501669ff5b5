import QtQuick
import QtQuick.Layouts
import Throng.Ui

// Side panel: figures, timings and live controls in sections.
Rectangle {
    id: root

    required property PanelSections sections
    required property RunStatus status
    required property BackendStatus backend
    required property DetectionSettings detection
    required property DisplaySettings display
    required property Source source
    required property Transport transport
    required property StageModel stages
    required property History history
    required property SwitchModel switches
    required property Clocks clocks
    required property Sweep sweep
    required property Views views
    required property ShortcutModel shortcuts
    readonly property CountsView counting: views.find("counts") as CountsView
    readonly property Replay replay: views.find("replay") as Replay
    property bool kiosk: false
    property bool wall: false  // several sources: no figures of one
    readonly property string tipSide: "left"
    readonly property bool dense: height < 800  // keeps the clock profiles visible below the bars
    signal switchChosen(switchId: string, choice: string)
    signal switchesReset()
    signal sweepRequested()
    signal modelsRequested()  // that they are looked for
    signal modelRequested()
    signal countsFileRequested()

    color: Theme.surface

    function scrollToTop() { flick.contentY = 0 }
    function scrollToCounts() { scroll.restart() }

    component PanelSection: Section { sections: root.sections }

    ScrollArea {
        id: flick
        objectName: "panelScroll"
        anchors.fill: parent
        onFocusMoved: scroll.stop()  // it would scroll away from the control

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
                visible: !root.wall
                dense: root.dense
                status: root.status
                backend: root.backend
                detection: root.detection
                source: root.source
                transport: root.transport
                replay: root.replay
            }
            PanelSection {
                key: "timing"
                title: qsTr("Timing")
                visible: !root.wall || root.clocks.present
                TimingPanel {
                    Layout.fillWidth: true
                    wall: root.wall
                    dense: root.dense
                    stages: root.stages
                    clocks: root.clocks
                    history: root.history
                    replay: root.replay
                }
            }
            PanelSection {
                key: "switches"
                title: qsTr("Optimizations")
                visible: root.switches.count > 0
                SwitchPanel {
                    Layout.fillWidth: true
                    switches: root.switches
                    onChosen: (switchId, choice) => root.switchChosen(switchId, choice)
                    onResetRequested: root.switchesReset()
                }
            }
            PanelSection {
                key: "board"
                title: qsTr("Board")
                visible: root.clocks.present || root.clocks.telemetry.count > 0
                BoardPanel {
                    Layout.fillWidth: true
                    clocks: root.clocks
                    sweep: root.sweep
                    onSweepRequested: root.sweepRequested()
                }
            }
            PanelSection {
                id: counts
                key: "counts"
                title: qsTr("People, lines and zones")
                visible: !root.kiosk && !root.wall  // it saves files
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
            PanelSection {
                key: "image"
                title: qsTr("Image")
                DisplayPanel {
                    Layout.fillWidth: true
                    stageMap: root.views.find("stageMap")
                    display: root.display
                    shortcuts: root.shortcuts
                    landmarks: root.detection.hasLandmarks
                }
            }
            PanelSection {
                key: "detector"
                title: qsTr("Detector")
                NetworkHint {
                    Layout.fillWidth: true
                    detection: root.detection
                    sections: root.sections
                    allowed: !root.kiosk
                }
                DetectorPanel {
                    Layout.fillWidth: true
                    detection: root.detection
                    givenUp: root.status.givenUp
                    usesDevice: root.backend.name === "cuda"
                    kiosk: root.kiosk
                    onModelRequested: root.modelRequested()
                    onModelsRequested: root.modelsRequested()
                }
            }
            PanelSection {
                key: "suppression"
                title: qsTr("Suppression")
                SuppressionPanel {
                    Layout.fillWidth: true
                    detection: root.detection
                    usesDevice: root.backend.name === "cuda"
                }
            }
        }
    }
    Edge {}
}
