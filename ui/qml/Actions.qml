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
        detector: () => nextDetector(),
        rule: () => nextRule(),
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

    // In the kiosk, visitors neither open sources nor leave full screen.
    readonly property var lockedInKiosk: ["open", "sources", "fullscreen"]

    function isAllowed(id: string): bool { return !(view.kiosk && lockedInKiosk.includes(id)) }
    function trigger(id: string) { if (isAllowed(id)) table[id]() }

    function changeSpeed(step: int) {
        const at = speeds.indexOf(session.transport.speed)
        const from = at < 0 ? speeds.indexOf(1) : at
        session.transport.speed = speeds[Math.max(0, Math.min(speeds.length - 1, from + step))]
    }
    function nextSpeed() {
        session.transport.speed = speeds[(speeds.indexOf(session.transport.speed) + 1) % speeds.length]
    }
    // Keys change what the panel may not show: a message names the new value.
    function nextDetector() {
        const detection = session.detection
        detection.detector = (detection.detector + 1) % detection.detectors.length
        session.alert.notify(qsTr("Detector: %1").arg(detection.title), detection.help)
    }
    function nextRule() {
        session.detection.nextRule()
        session.alert.notify(qsTr("Suppression: %1").arg(session.detection.rules[session.detection.rule]), "")
    }
    function changeTheta(step: real) {
        const theta = Math.round(Math.max(0, Math.min(1, session.detection.theta + step)) * 100) / 100
        session.detection.theta = theta
        session.alert.notify(qsTr("Overlap threshold: %1").arg(theta.toFixed(2)), "")
    }
}
