import QtQml
import QtQuick
import QtQuick.Controls.Basic as C
import Throng.Ui

// The window: title bar, image, side panel and transport bar. In full screen the bars lie over the image and are hidden
// while the pointer is idle.
C.ApplicationWindow {
    id: root

    required property Session session
    property bool kiosk: false        // full screen that no key leaves, and no way to open another source
    property Stand stand: null        // attract mode, hidden faces; null in a plain window
    readonly property Attract attract: stand?.attract ?? null
    property bool details: false      // in the kiosk: all figures and controls, instead of three large buttons
    property Wall wall: null          // several sources; null: one
    property bool panelRequested: panelAtStart()  // a binding until the user decides
    readonly property bool wallShown: wall !== null && wall.enlarged < 0  // otherwise the session shows one of them

    readonly property bool visitor: kiosk && !details && wall === null && !(attract?.running ?? false)
    readonly property bool fullScreen: visibility === Window.FullScreen
    property int wallTile: 0  // the chosen one, also while the wall is not shown
    readonly property bool compact: width < 960  // the panel lies over the image
    // Includes the replay, which is operated in the transport bar.
    readonly property bool chrome: !visitor && (!fullScreen || pointer.recentlyMoved || sources.visible || sheet.visible
                                                || fileSheet.active || titleBar.viewMenu.visible
                                                || session.views.find("replay").open && !attract?.running)
    // In a compact window the panel is closed while lines and zones are drawn.
    readonly property bool panelOpen: attract?.running ? attract.panel
        : !visitor && panelRequested && (!compact || (panelToggledOn && counts.tool === ""))
    property bool panelToggledOn: false   // in a compact window the panel is shown only on request
    readonly property View besideRequested: session.views.beside  // a view beside the image
    readonly property bool docked: besideRequested !== null && !(compact && panelOpen)  // hidden below the panel
    onBesideRequestedChanged: if (besideRequested) panelToggledOn = false
    readonly property CountsView counts: session.views.find("counts") as CountsView
    readonly property CompareView compare: session.views.find("compare") as CompareView
    readonly property alias actions: actions

    width: 1440
    height: 860
    minimumWidth: 480
    minimumHeight: 320
    title: session.source.spec.length > 0 ? session.source.title + " – Throng" : "Throng"
    color: Theme.background

    // Below 1,300 px the image needs the width: the strip over it has the most important figures.
    function panelAtStart(): bool {
        const sections = session.sections
        return wall === null && (sections.isKnown("sidePanel") ? sections.isOpen("sidePanel") : width >= 1300)
    }
    // Asks with the dialog of the desktop, if it has one. Such a dialog may replace a file without a question.
    function askFor(request: var) {
        const loader = FileSystem.desktopAsks && request.mode !== "save" ? desktopDialogs : fileSheet
        loader.active = true
        loader.item.ask(request)
    }
    function openFile() {
        askFor({ mode: "files", title: qsTr("Open videos and images"), kind: qsTr("Videos and images"),
                 patterns: session.source.patterns, folder: session.recent.folder(),
                 accept: files => session.playlist.openAll(files) })
    }
    function openFolder() {
        askFor({ mode: "folder", title: qsTr("Open a folder of images"), folder: session.recent.folder(),
                 accept: folders => session.playlist.openAll(folders) })
    }
    function openModel() {
        askFor({ mode: "file", title: qsTr("Open a detector model"), kind: qsTr("Models"),
                 patterns: session.detection.modelPattern, folder: FileSystem.parentOf(session.detection.model),
                 accept: files => session.detection.openModel(files[0]) })
    }
    function saveCounts() {
        askFor({ mode: "save", title: qsTr("Save the lines and zones"), patterns: "*.toml", suffix: "toml",
                 folder: counts.folder, name: counts.file === "" ? "lines-and-zones.toml" : counts.file,
                 accept: files => counts.saveAs(files[0]) })
    }
    function openDemo() { session.openDemo() }
    function startOrStopSweep() { session.startOrStopSweep() }
    function showSources() { sources.visible ? sources.close() : sources.open() }
    function toggleHelp() { sheet.visible ? sheet.close() : sheet.open() }
    function toggleFullScreen() { fullScreen ? showNormal() : showFullScreen() }
    function showDetails() {
        details = true
        panelRequested = true
        panelToggledOn = true
        showChrome()
    }
    function togglePanel() {
        if (visitor) {
            showDetails()
        } else if (compact) {
            panelToggledOn = !panelOpen
            panelRequested = true
        } else {
            panelRequested = !panelRequested
            if (wall === null) session.sections.setOpen("sidePanel", panelRequested)
        }
    }
    function toggleCounts() {
        counts.open = !counts.open || !panelOpen
        if (!counts.open) return
        if (!panelOpen) togglePanel()
        panel.scrollToCounts()
    }
    function zoomBy(factor: real) {
        view.video.zoomAt(Qt.point(view.video.width / 2, view.video.height / 2), factor)
        view.sayZoom()
    }
    function resetZoom() {
        view.video.resetZoom()
        view.sayZoom()
    }
    // Returns to the view of the program's start, for the next visitor.
    function resetView() {
        sheet.close()
        sources.close()
        const files = fileSheet.item as FileSheet
        if (files) files.close()
        titleBar.viewMenu.close()
        session.sections.restore()
        panel.scrollToTop()
        if (wall) wall.shrink()
        panelRequested = Qt.binding(() => panelAtStart())
        panelToggledOn = false
        details = false
        visitorBar.step = 0
        view.video.resetZoom()
    }
    function showChrome() {
        pointer.recentlyMoved = true
        idleTimer.restart()
    }
    function stepBack() {
        if (sheet.visible) sheet.close()
        else if (sources.visible) sources.close()
        else if (titleBar.viewMenu.visible) titleBar.viewMenu.close()
        else if (session.alert.visible) session.alert.dismiss()
        else if (session.views.cancel()) return
        else if (compact && panelOpen) togglePanel()
        else if (session.views.stepBack()) return
        else if (wall && !wallShown) wall.shrink()
        else if (details) details = false
        else if (fullScreen && !kiosk) showNormal()
    }

    Repeater {
        model: Array.from(root.session.views.all).filter(view => view.id !== "counts")  // which is a part of the panel
        ViewFocus {
            required property View modelData
            open: modelData.open
        }
    }
    ViewFocus { open: root.panelOpen }
    Binding { target: root.counts; property: "locked"; value: root.kiosk }
    Binding { target: root.session; property: "seen"; value: root.visibility !== Window.Minimized }

    Actions {
        id: actions
        view: root
        source: root.session.source
        transport: root.session.transport
        playlist: root.session.playlist
        detection: root.session.detection
        display: root.session.display
        captures: root.session.captures
        clocks: root.session.clocks
        views: root.session.views
        feedback: root.session.feedback
        kiosk: root.kiosk
        wallShown: root.wallShown
    }
    ShortcutModel { id: shortcutTable }
    Instantiator {
        model: shortcutTable
        delegate: Shortcut {
            required property string actionId
            required property var keySequences
            required property bool yieldsToFocus
            sequences: keySequences
            enabled: actions.isAllowed(actionId)
                     && (!yieldsToFocus || !(root.activeFocusItem?.visualFocus ?? false))
            onActivated: actions.trigger(actionId)
        }
    }
    Loader {
        id: desktopDialogs
        active: false
        source: "DesktopDialogs.qml"  // by its name: Qt 6.2 lacks a part of it
    }
    // A closed sheet would go on to watch its folder and to read images. It is not unloaded while its own code runs.
    Timer {
        interval: 0
        running: fileSheet.active && !(fileSheet.item as FileSheet)?.visible
        onTriggered: fileSheet.active = false
    }
    Loader {
        id: fileSheet
        active: false
        sourceComponent: FileSheet {
            parent: root.contentItem
            thumbnails: !root.session.display.blur && !root.session.display.hidesAlways
        }
    }

    // Keeps the bars visible for 2.5 s after the pointer moved. A resting pointer reports changes too: the scene below
    // it is updated with every frame.
    HoverHandler {
        id: pointer
        property bool recentlyMoved: false
        property point last
        onPointChanged: {
            const now = point.scenePosition
            if (now.x === last.x && now.y === last.y) return
            last = now
            root.showChrome()
        }
        cursorShape: root.chrome ? Qt.ArrowCursor : Qt.BlankCursor
    }
    Timer {
        id: idleTimer
        interval: 2500
        onTriggered: pointer.recentlyMoved = false
    }
    ScreenSize {
        window: root
        fullScreen: root.fullScreen
    }

    TitleBar {  // the first one: Tab begins here
        id: titleBar
        z: 2
        anchors.left: parent.left
        anchors.right: root.fullScreen && root.panelOpen ? panel.left : parent.right
        anchors.top: parent.top
        visible: root.chrome
        opacity: root.fullScreen ? 0.92 : 1
        source: root.session.source
        playlist: root.session.playlist
        viewList: root.session.views
        actions: actions
        shortcuts: shortcutTable
        panelOpen: root.panelOpen
        kiosk: root.kiosk || root.wallShown  // the sources of the wall are fixed
        details: root.details
        tipEnd: view.x + view.width
        onDetailsClosed: root.details = false
    }
    Loader {
        anchors.fill: view
        active: root.wallShown
        sourceComponent: WallView {
            current: root.wallTile
            onCurrentChanged: root.wallTile = current
            wall: root.wall
            detection: root.session.detection
            display: root.session.display
            feedback: root.session.feedback
        }
    }
    VideoView {
        id: view
        anchors.left: parent.left
        anchors.right: root.docked && !dock.below ? dock.left
            : root.panelOpen && (!root.compact || root.compare.open && root.width >= 720) ? panel.left : parent.right
        anchors.top: root.visitor ? caption.bottom : root.fullScreen ? parent.top
            : caption.visible ? caption.bottom : titleBar.bottom
        anchors.bottom: root.docked && dock.below ? dock.top : root.visitor ? visitorBar.top
            : root.fullScreen ? parent.bottom : transport.top
        feed: root.session.feed
        source: root.session.source
        transport: root.session.transport
        status: root.session.status
        detection: root.session.detection
        display: root.session.display
        playlist: root.session.playlist
        feedback: root.session.feedback
        sweep: root.session.sweep
        viewList: root.session.views
        dropping: drop.containsDrag
        strip: !root.panelOpen && !root.compare.open
        canHide: !root.visitor && !(root.attract?.running ?? false)  // a touch ends a scene
        visible: !root.wallShown
        large: root.fullScreen && width >= 1200
        covered: (root.fullScreen && root.chrome ? transport.height : 0) + replay.stripHeight
        below: root.fullScreen ? 0 : transport.height
        z: root.counts.tool !== "" ? 1 : 0  // its bar covers the transport bar while a shape is drawn
        topMargin: root.visitor || !root.fullScreen ? 0
            : (root.chrome ? titleBar.height : 0) + (caption.visible ? caption.height : 0)
        badges: badges.visible && badges.width > 0 ? badges.height + Theme.gap : 0
        banner: banner.visible ? banner.height + 12 : 0
        canOpen: actions.isAllowed("open")
        onDoubleTapped: actions.trigger("fullscreen")
        hideTip: shortcutTable.tip("blur")
        named: !titleBar.visible && !root.visitor
        onHideRequested: actions.trigger("blur")
    }
    StartPage {
        objectName: "startPage"
        parent: view.startSpace
        anchors.fill: parent
        cameraModel: root.session.cameras
        recentModel: root.session.recent
        onCamerasRequested: root.session.cameras.find()
        onOpenRequested: spec => root.session.open(spec)
        onDemoRequested: root.session.openDemo()
        onFileRequested: actions.trigger("open")
        onSourcesRequested: actions.trigger("sources")
    }
    ViewLoader {
        id: replay
        anchors.left: view.left
        anchors.right: view.right
        anchors.top: view.top
        anchors.topMargin: view.topMargin
        anchors.bottom: root.fullScreen && root.chrome ? transport.top : view.bottom
        view: root.wallShown ? null : root.session.views.find("replay")
        properties: ({ barBelow: transport.visible })
    }
    Binding { target: replay.shown; property: "barBelow"; value: transport.visible; when: replay.shown !== null }
    Badges {
        id: badges
        objectName: "badges"
        anchors.right: view.right
        anchors.top: view.top
        // Below the figures of a narrow image; a replayed frame covers them.
        readonly property real offset: view.width < 640 && !badges.replay.active ? view.figuresHeight : 0
        anchors.topMargin: view.topMargin + offset + Theme.gap
        anchors.rightMargin: Theme.gap + 4
        visible: !root.wallShown && view.video.hasFrame
        source: root.session.source
        transport: root.session.transport
        status: root.session.status
        recorder: root.session.captures.recorder
        replay: root.session.views.find("replay") as Replay
        hidden: badges.replay.active ? badges.replay.hidesFaces
            : root.compare.open ? root.session.display.blur : view.video.hidesFaces
    }
    ViewCaption {
        id: caption
        objectName: "viewCaption"
        readonly property View shown: visitorBar.step > 0 ? null : root.session.views.top
        anchors.left: parent.left
        anchors.right: root.visitor ? parent.right : root.compact && panel.visible ? panel.left : view.right
        anchors.top: titleBar.visible ? titleBar.bottom : parent.top
        visible: root.visitor || shown !== null && !root.wallShown && !(root.attract?.running ?? false)
                                 && (shown !== root.counts || root.panelOpen)
                                 && width >= 200  // no sentence fits beside the panel of a narrow window
        name: shown?.name ?? visitorBar.name
        about: shown?.about ?? visitorBar.about
        large: root.visitor && width >= 1000
    }
    VisitorBar {
        id: visitorBar
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.bottom: parent.bottom
        height: Math.max(60, Math.min(112, root.height / 7))
        visible: root.visitor
        display: root.session.display
        matrix: root.session.views.find("matrix") as MatrixView
        compare: root.compare
        zoomed: view.video.zoom > 1
        canReveal: !root.session.views.imageCovered
        onHeld: on => root.stand?.hold(on)
        onZoomResetRequested: root.resetZoom()
        onDetailsRequested: root.showDetails()
    }
    ViewLoader {
        id: dock
        readonly property real space: root.width - (root.panelOpen && !root.compact ? panel.width : 0)
        readonly property real tall: parent.height - titleBar.height
                                     - (root.visitor ? visitorBar.height : transport.height)
        readonly property bool below: space < tall  // a window in portrait format
        anchors.right: root.panelOpen && !root.compact ? panel.left : parent.right
        anchors.bottom: root.visitor ? visitorBar.top
            : root.fullScreen && !root.chrome ? parent.bottom : transport.top
        width: below ? space : Math.round(Math.max(360, Math.min(space * 0.55, (shown?.widest ?? 2) * tall)))
        height: below ? Math.round(tall * 0.55) : root.visitor ? parent.height - visitorBar.height - caption.height
            : root.fullScreen && !root.chrome ? parent.height : tall
        visible: root.docked
        view: root.besideRequested
    }
    SidePanel {
        id: panel
        objectName: "sidePanel"
        anchors.right: parent.right
        anchors.top: root.fullScreen ? parent.top : titleBar.bottom
        anchors.bottom: root.fullScreen && !root.chrome ? parent.bottom : transport.top
        width: Math.min(Theme.panelWidth, root.width - 60)
        visible: root.panelOpen && !root.compare.open
        sections: root.session.sections
        status: root.session.status
        backend: root.session.backend
        detection: root.session.detection
        display: root.session.display
        source: root.session.source
        transport: root.session.transport
        stages: root.session.stages
        history: root.session.history
        switches: root.session.switches
        clocks: root.session.clocks
        sweep: root.session.sweep
        views: root.session.views
        shortcuts: shortcutTable
        onSwitchChosen: (switchId, choice) => root.session.setSwitch(switchId, choice)
        onSwitchesReset: root.session.resetSwitches()
        onSweepRequested: root.session.startOrStopSweep()
        onModelsRequested: root.session.detection.findModels()
        kiosk: root.kiosk
        wall: root.wallShown
        onModelRequested: root.openModel()
        onCountsFileRequested: root.saveCounts()
    }
    Loader {
        anchors.fill: panel
        active: root.panelOpen && root.compare.open
        sourceComponent: ComparePanel {
            objectName: "comparePanel"
            view: root.compare
            usesDevice: root.session.backend.name === "cuda"
            kiosk: root.kiosk
            onModelsRequested: root.session.detection.findModels()
            onModelRequested: root.openModel()
        }
    }
    TransportBar {
        id: transport
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.bottom: parent.bottom
        visible: root.chrome
        opacity: root.fullScreen ? 0.92 : 1
        source: root.session.source
        transport: root.session.transport
        playlist: root.session.playlist
        recorder: root.session.captures.recorder
        replay: root.session.views.find("replay") as Replay
        actions: actions
        shortcuts: shortcutTable
        fullScreen: root.fullScreen
        kiosk: root.kiosk
        wall: root.wallShown
        tipEnd: view.x + view.width
        tipLift: replay.stripHeight
    }
    footer: StandCaption { stand: root.stand }
    StandLayer {
        anchors.fill: view
        anchors.bottomMargin: root.fullScreen && root.chrome ? transport.height : 0
        stand: root.stand
        display: root.session.display
        matrix: root.session.views.find("matrix") as MatrixView
        canReveal: !root.session.views.imageCovered && !root.wall && !root.visitor
        onResetRequested: root.resetView()
        onTouched: root.showChrome()
    }
    ErrorBanner {
        id: banner
        objectName: "errorBanner"
        anchors.horizontalCenter: view.horizontalCenter
        anchors.top: view.top  // below the figures and badges
        anchors.topMargin: view.topMargin + 12 + Math.max(view.figuresHeight, badges.offset + view.badges)
        width: Math.min(view.width - 24, 720)
        alert: root.session.alert
        canRetry: root.session.transport.state === "failed"
        onRetryRequested: root.session.open(root.session.source.spec)
    }

    SourceMenu {
        id: sources
        x: 8
        y: titleBar.height + 4
        cameraModel: root.session.cameras
        recentModel: root.session.recent
        onCamerasRequested: root.session.cameras.find()
        onOpenRequested: spec => root.session.open(spec)
        onDemoRequested: root.session.openDemo()
        onFileRequested: root.openFile()
        onFolderRequested: root.openFolder()
    }
    ShortcutSheet {
        id: sheet
        shortcuts: shortcutTable
        actions: actions
    }
    DropArea {
        id: drop
        anchors.fill: parent
        enabled: !root.kiosk && !root.wallShown
        onEntered: event => event.accepted = event.hasUrls
        onDropped: event => {
            if (event.hasUrls) root.session.playlist.openAll(event.urls)
        }
    }
}
