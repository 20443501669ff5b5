import QtQuick
import Throng.Ui

// Loads the QML file of a view while it is open. The file has the property view, and what is given here.
Loader {
    id: root

    required property View view    // null: none
    property var properties: ({})  // of the file, besides

    readonly property View opened: view?.open ? view : null
    readonly property var shown: item
    readonly property real stripHeight: shown?.stripHeight ?? 0  // of the lower edge, which the view needs for itself
    visible: opened !== null
    onOpenedChanged: load()
    Component.onCompleted: load()

    function load() {
        if (opened === null) source = ""
        else setSource(opened.file, Object.assign({ view: opened }, properties))
    }
}
