import QtQuick
import Throng.Ui

// Everything that a key or a button can do, by the names of the shortcut table.
QtObject {
    id: root

    required property Session session
    required property QtObject view  // the window: opens menus and sheets, changes its own state

    readonly property var speeds: [0.25, 0.5, 1, 2, 4]
    readonly property var table: ({
        play: () => session.toggle_play(),
        step: () => session.step(),
        back: () => session.seek(session.position - 5),
        forward: () => session.seek(session.position + 5),
        start: () => session.seek(0),
        slower: () => change_speed(-1),
        faster: () => change_speed(1),
        loop: () => session.loop = !session.loop,
        open: () => view.open_file(),
        sources: () => view.show_sources(),
        demo: () => session.open_demo(),
        raw: () => session.display.raw = !session.display.raw,
        kept: () => session.display.kept = !session.display.kept,
        labels: () => session.display.labels = !session.display.labels,
        landmarks: () => session.display.landmarks = !session.display.landmarks,
        blur: () => session.display.blur = !session.display.blur,
        detector: () => session.detection.detector = (session.detection.detector + 1)
                                                     % session.detection.detectors.length,
        rule: () => session.detection.next_rule(),
        theta_up: () => change_theta(0.05),
        theta_down: () => change_theta(-0.05),
        clock_up: () => session.clocks.step(1),
        clock_down: () => session.clocks.step(-1),
        sweep: () => session.start_or_stop_sweep(),
        fullscreen: () => view.toggle_full_screen(),
        panel: () => view.toggle_panel(),
        screenshot: () => session.save_screenshot(),
        record: () => session.record(),
        help: () => view.toggle_help(),
        escape: () => view.step_back(),
        quit: () => view.close()
    })

    function trigger(id: string) { table[id]() }

    function change_speed(step: int) {
        const at = speeds.indexOf(session.speed)
        const from = at < 0 ? speeds.indexOf(1) : at
        session.speed = speeds[Math.max(0, Math.min(speeds.length - 1, from + step))]
    }
    function next_speed() { session.speed = speeds[(speeds.indexOf(session.speed) + 1) % speeds.length] }
    function change_theta(step: real) {
        session.detection.theta = Math.round(Math.max(0, Math.min(1, session.detection.theta + step)) * 100) / 100
    }
}
