import QtQuick
import QtQuick.Window

// Gives a window in full screen the size of its screen where no window manager does, and its size before afterwards.
Timer {
    id: root

    required property Window window
    required property bool fullScreen
    property rect before  // empty: the size was not set here

    interval: 300  // a window manager has set the size by then
    onFullScreenChanged: fullScreen ? restart() : restore()
    onTriggered: {
        const to = window.screen
        if (window.width === to.width && window.height === to.height) return
        before = Qt.rect(window.x, window.y, window.width, window.height)
        set(Qt.rect(to.virtualX, to.virtualY, to.width, to.height))
    }
    function restore() {
        stop()
        if (before.width > 0) set(before)
        before = Qt.rect(0, 0, 0, 0)
    }
    function set(to: rect) {
        window.x = to.x
        window.y = to.y
        window.width = to.width
        window.height = to.height
    }
}
