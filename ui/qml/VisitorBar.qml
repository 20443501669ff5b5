import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Throng.Ui

// What a visitor of the kiosk can do: three large buttons, and the way to everything else.
Rectangle {
    id: root

    required property DisplaySettings display
    required property MatrixView matrix
    required property View compare
    property bool zoomed: false
    property bool canReveal: true  // the image on screen can show faces
    signal held(bool on)           // the button that shows the faces of a camera
    signal zoomResetRequested()
    signal detailsRequested()
    readonly property string tipSide: "above"

    readonly property bool low: height < 80
    // All buttons have icons, above the text in narrow buttons, and letters of one size.
    readonly property bool stacked: how.width < 300 && height >= 66
    readonly property bool hasIcons: stacked || how.width > 220
    readonly property real space: how.width - (hasIcons && !stacked ? 60 : 16)  // for the text
    readonly property int letters: {
        const widest = Math.max(hide.visible ? hide.widest : reveal.widest, how.widest, comparing.widest)
        const largest = Math.max(Theme.fontTitle, height * (stacked ? 0.22 : 0.3))
        return Math.max(Theme.fontSmall, Math.floor(Math.min(largest, Theme.fontFigure * space / widest)))
    }
    readonly property var steps: [
        qsTr("A detector looks everywhere, at every size. It finds each face many times."),
        qsTr("Overlapping boxes belong to one face: the best one is kept."),
        qsTr("Every cell compares two boxes, all at once. Rows without a lit cell are kept.")
    ]
    property int step: 0  // of the explanation, from 1; 0: none
    readonly property string name: step > 0 ? qsTr("How it works") : display.blur ? qsTr("Hidden") : "Throng"
    readonly property string about: step > 0 ? steps[step - 1]
        : display.blur ? qsTr("Detected faces are hidden: on the screen, in videos and in images.")
        : qsTr("Every face in the image is found, many times per second.")

    color: Theme.surface

    function show(next: int) {
        const before = step
        step = next
        if (before === 0 && next === 0) return
        display.raw = next === 1 || next === 2
        display.kept = next !== 1
        matrix.byCluster = next === 3
        matrix.open = next === 3
        if (next > 0) compare.open = false
    }

    component VisitorButton: T.AbstractButton {
        id: control
        property string iconName
        property string longest: text  // of all its texts, so that the letters do not change their size
        readonly property real widest: metrics.advanceWidth
        readonly property color letters: checked ? Theme.accentText : Theme.text
        Layout.fillWidth: true
        Layout.fillHeight: true
        Layout.preferredWidth: 1
        focusPolicy: Qt.TabFocus
        Accessible.name: text
        TextMetrics { id: metrics; font.bold: true; font.pixelSize: Theme.fontFigure; text: control.longest }
        TextMetrics { id: size; font.bold: true; font.pixelSize: root.letters; text: control.text }
        contentItem: Item {
            Grid {
                anchors.centerIn: parent
                columns: root.stacked ? 1 : 2
                spacing: root.stacked ? 2 : Theme.gap + 4
                horizontalItemAlignment: Grid.AlignHCenter
                verticalItemAlignment: Grid.AlignVCenter
                Icon {
                    width: root.stacked ? Math.round(root.height * 0.36) : 32
                    height: width
                    visible: root.hasIcons
                    name: control.iconName
                    color: control.letters
                }
                Label {
                    width: Math.min(root.space, Math.ceil(size.advanceWidth) + 2)
                    horizontalAlignment: Text.AlignHCenter
                    text: control.text
                    wrapMode: Text.Wrap  // in the smallest letters; the implicit width depends on the width then
                    color: control.letters
                    font.bold: true
                    font.pixelSize: root.letters
                }
            }
        }
        background: Rectangle {
            radius: 12
            color: control.checked ? Theme.accent : control.pressed ? Theme.surfacePressed : Theme.surfaceHigh
            border.color: Theme.line
            FocusRing { shown: control.visualFocus }
        }
    }

    RowLayout {
        anchors.fill: parent
        anchors.margins: root.low ? 6 : 12
        spacing: root.low ? 6 : 12
        VisitorButton {
            id: hide
            objectName: "visitorHide"
            visible: !root.display.hidesAlways
            iconName: "eye"
            text: qsTr("Hide faces")
            checked: root.display.blur
            onClicked: root.display.blur = !root.display.blur
        }
        VisitorButton {
            id: reveal
            objectName: "revealButton"
            visible: root.display.hidesAlways
            enabled: root.canReveal
            opacity: enabled ? 1 : 0.4
            iconName: "eye"
            text: qsTr("Hold to show faces")
            onPressedChanged: root.held(pressed)
        }
        VisitorButton {
            id: how
            objectName: "visitorHow"
            iconName: "help"
            text: root.step > 0 ? qsTr("How it works, %1 of %2").arg(root.step).arg(root.steps.length)
                                : qsTr("How it works")
            longest: qsTr("How it works, %1 of %2").arg(root.steps.length).arg(root.steps.length)
            checked: root.step > 0
            onClicked: root.show((root.step + 1) % (root.steps.length + 1))
        }
        VisitorButton {
            id: comparing
            objectName: "visitorCompare"
            iconName: "compare"
            text: qsTr("Compare")
            checked: root.compare.open
            onClicked: {
                root.show(0)
                root.compare.open = !root.compare.open
            }
        }
        IconButton {
            objectName: "visitorWhole"
            Layout.fillHeight: true
            visible: root.zoomed
            iconName: "minus"
            text: qsTr("Whole image")
            tip: qsTr("Show the whole image")
            framed: true
            onClicked: root.zoomResetRequested()
        }
        IconButton {
            objectName: "visitorDetails"
            Layout.fillHeight: true
            iconName: "panel"
            text: qsTr("Details")
            letters: root.width < 1000 ? Theme.fontBody : Math.max(Theme.fontBody, Math.round(root.height * 0.2))
            tip: qsTr("Show all figures and controls")
            onClicked: root.detailsRequested()
        }
    }
    Rectangle {
        width: parent.width
        height: 1
        color: Theme.line
    }
}
