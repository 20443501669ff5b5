import QtQuick
import Throng.Ui

// The actions of keys and buttons, by the ids of the shortcut table.
QtObject {
    id: root

    required property QtObject view  // the window: opens menus and sheets, toggles full screen and panel
    required property Source source
    required property Transport transport
    required property Playlist playlist
    required property DetectionSettings detection
    required property DisplaySettings display
    required property Captures captures
    required property Clocks clocks
    required property Views views
    required property Feedback feedback
    required property bool kiosk
    required property bool wallShown

    readonly property var speeds: [0.25, 0.5, 1, 2, 4]
    readonly property var table: ({
        play: () => {
            const before = transport.state
            if (source.still || before === "idle" || before === "opening") return
            transport.toggle()
            if (before !== "failed") say(before === "running" ? qsTr("Paused") : qsTr("Playing"))
        },
        step: () => replay.active ? replay.step(1) : transport.step(),
        stepBack: () => replay.active ? replay.step(-1)
                                      : source.seekable && transport.stepBack(),
        back: () => seekBy(-5),
        forward: () => seekBy(5),
        start: () => source.seekable && transport.seek(0),
        slower: () => changeSpeed(-1),
        faster: () => changeSpeed(1),
        loop: () => {
            transport.loop = !transport.loop
            say(transport.loop ? qsTr("Loop on") : qsTr("Loop off"))
        },
        markLoop: () => markLoop(),
        nextFile: () => playlist.step(1) || say(qsTr("There is no next file")),
        previousFile: () => playlist.step(-1) || say(qsTr("There is no previous file")),
        open: () => view.openFile(),
        sources: () => view.showSources(),
        demo: () => view.openDemo(),
        zoomIn: () => view.zoomBy(1.25),
        zoomOut: () => view.zoomBy(0.8),
        zoomReset: () => view.resetZoom(),
        raw: () => sayIs(display.raw = !display.raw, qsTr("Raw detections")),
        kept: () => sayIs(display.kept = !display.kept, qsTr("Kept detections")),
        labels: () => sayIs(display.labels = !display.labels, qsTr("Scores and hits")),
        landmarks: () => sayIs(display.landmarks = !display.landmarks, qsTr("Eyes, nose and mouth")),
        blur: () => {
            if (!display.hidesAlways) display.blur = !display.blur
            say(display.hidesAlways || display.blur ? qsTr("Detected faces are hidden") : qsTr("Faces are visible"))
        },
        stageMap: () => {
            const map = views.find("stageMap")
            map.open = !map.open
            say(map.open ? qsTr("Cascade heat map on") : qsTr("Cascade heat map off"))
        },
        detector: () => detection.nextDetector(),
        rule: () => detection.nextRule(),
        thetaUp: () => changeTheta(0.05),
        thetaDown: () => changeTheta(-0.05),
        clockUp: () => changeClock(1),
        clockDown: () => changeClock(-1),
        sweep: () => view.startOrStopSweep(),
        fullscreen: () => view.toggleFullScreen(),
        panel: () => view.togglePanel(),
        counts: () => view.toggleCounts(),
        undo: () => (views.find("counts") as CountsView).undo(),
        screenshot: () => captures.saveScreenshot(),
        record: () => {
            captures.record()
            if (captures.recorder.recording) say(qsTr("Recording"))
        },
        help: () => view.toggleHelp(),
        escape: () => view.stepBack(),
        quit: () => view.close()
    })

    // In the kiosk, visitors open no sources, store no images, and do not leave.
    readonly property var lockedInKiosk: ["nextFile", "previousFile", "open", "sources", "demo", "fullscreen",
                                            "screenshot", "record", "quit"]

    // The sources of the wall are fixed, and views show one source; one that is enlarged can be replaced.
    readonly property var lockedInWall: ["nextFile", "previousFile", "open", "sources", "demo", "screenshot", "record"]

    readonly property Replay replay: views.find("replay") as Replay

    function isAllowed(id: string): bool {
        const opens = views.find(id)  // a view, or null
        return !(kiosk && (lockedInKiosk.includes(id) || opens?.inKiosk === false))
               && !(wallShown && (lockedInWall.includes(id) || opens !== null))
    }
    function trigger(id: string) {
        if (!isAllowed(id)) return
        const opens = views.find(id)
        if (id in table) table[id]()
        else opens.open = !opens.open
    }

    // A key changes what may not be in sight: a short message over the image names the new value. Detection settings
    // send theirs themselves, with the next result.
    function say(text: string) { feedback.say(text) }
    function sayIs(on: bool, title: string) { say(on ? qsTr("%1 on").arg(title) : qsTr("%1 off").arg(title)) }
    function seekBy(seconds: real) {
        if (!source.seekable) return
        const target = Math.max(0, Math.min(source.duration, transport.position + seconds))
        transport.seek(target)
        say(Theme.clock(target))
    }
    function markLoop() {
        if (!source.seekable) return
        transport.markLoop()
        say(transport.loopEnd >= 0 ? qsTr("Repeating %1 to %2").arg(Theme.clock(transport.loopStart)).arg(Theme.clock(transport.loopEnd))
            : transport.loopStart >= 0 ? qsTr("Repeat from %1: press again at the end").arg(Theme.clock(transport.loopStart))
            : qsTr("Repeat off"))
    }
    function changeSpeed(step: int) {
        const at = speeds.indexOf(transport.speed)
        const from = at < 0 ? speeds.indexOf(1) : at
        setSpeed(speeds[Math.max(0, Math.min(speeds.length - 1, from + step))])
    }
    function nextSpeed() { setSpeed(speeds[(speeds.indexOf(transport.speed) + 1) % speeds.length]) }
    function setSpeed(speed: real) {
        transport.speed = speed
        say(qsTr("Speed %1×").arg(Theme.number(speed)))
    }
    function changeTheta(step: real) {
        detection.theta = Math.round(Math.max(0, Math.min(1, detection.theta + step)) * 100) / 100
    }
    property bool clockRequested: false
    function changeClock(step: int) {
        clocks.step(step)
        clockRequested = true
        sayClock()
    }
    // Names the clock when it is in force, or why it is not.
    function sayClock() {
        if (!clockRequested || clocks.pending.length > 0) return
        clockRequested = false
        say(clocks.error.length > 0 ? clocks.error
            : clocks.chosen.length > 0 ? qsTr("GPU clock: %1").arg(clocks.nameOf(clocks.chosen)) : clocks.summary)
    }
    readonly property Connections clockWatch: Connections {
        target: root.clocks
        function onChanged() { root.sayClock() }
    }
}
