import QtQuick
import Throng.Ui

// The actions of keys and buttons, by the ids of the shortcut table.
QtObject {
    id: root

    required property Session session
    required property QtObject view  // the window: opens menus and sheets, toggles full screen and panel

    readonly property var speeds: [0.25, 0.5, 1, 2, 4]
    readonly property var table: ({
        play: () => session.transport.toggle(),
        step: () => session.transport.step(),
        back: () => session.transport.seek(session.transport.position - 5),
        forward: () => session.transport.seek(session.transport.position + 5),
        start: () => session.transport.seek(0),
        slower: () => changeSpeed(-1),
        faster: () => changeSpeed(1),
        loop: () => session.transport.loop = !session.transport.loop,
        open: () => view.openFile(),
        sources: () => view.showSources(),
        demo: () => session.openDemo(),
        raw: () => session.display.raw = !session.display.raw,
        kept: () => session.display.kept = !session.display.kept,
        labels: () => session.display.labels = !session.display.labels,
        landmarks: () => session.display.landmarks = !session.display.landmarks,
        blur: () => session.display.blur = !session.display.blur,
        detector: () => session.detection.detector = (session.detection.detector + 1)
                                                     % session.detection.detectors.length,
        rule: () => session.detection.nextRule(),
        thetaUp: () => changeTheta(0.05),
        thetaDown: () => changeTheta(-0.05),
        clockUp: () => session.clocks.step(1),
        clockDown: () => session.clocks.step(-1),
        sweep: () => session.startOrStopSweep(),
        fullscreen: () => view.toggleFullScreen(),
        panel: () => view.togglePanel(),
        screenshot: () => session.captures.saveScreenshot(),
        record: () => session.captures.record(),
        help: () => view.toggleHelp(),
        escape: () => view.stepBack(),
        quit: () => view.close()
    })

    function trigger(id: string) { table[id]() }

    function changeSpeed(step: int) {
        const at = speeds.indexOf(session.transport.speed)
        const from = at < 0 ? speeds.indexOf(1) : at
        session.transport.speed = speeds[Math.max(0, Math.min(speeds.length - 1, from + step))]
    }
    function nextSpeed() {
        session.transport.speed = speeds[(speeds.indexOf(session.transport.speed) + 1) % speeds.length]
    }
    function changeTheta(step: real) {
        session.detection.theta = Math.round(Math.max(0, Math.min(1, session.detection.theta + step)) * 100) / 100
    }
}
