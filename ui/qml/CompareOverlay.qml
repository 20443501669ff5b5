import QtQuick
import Throng.Ui

// Two settings on the same frame: both images, a divider that can be dragged, and a caption on each side.
Item {
    id: root

    required property CompareView view
    required property VideoView frame
    property real fraction: 0.5  // position of the divider

    visible: frame.video.hasFrame

    function moveTo(x: real) { fraction = Math.max(0, Math.min(1, x / Math.max(1, width))) }

    Rectangle {
        anchors.fill: parent
        color: "black"
        visible: root.view.ready
    }
    component Side: Item {
        id: side
        required property var image
        height: root.height
        clip: true
        ImageItem {
            x: root.view.target.x - side.x
            y: root.view.target.y
            width: root.view.target.width
            height: root.view.target.height
            image: side.image
        }
    }
    Side {
        objectName: "compareItem"
        width: Math.round(root.fraction * root.width)
        image: root.view.leftImage
    }
    Side {
        x: Math.round(root.fraction * root.width)
        width: root.width - x
        image: root.view.rightImage
    }

    component Caption: Plate {
        id: caption
        required property DetectionSettings settings
        required property int count
        required property real ms
        property string note
        property color noteColor: Theme.textDim
        width: Math.min((root.width - 3 * Theme.gap) / 2, 24 + Math.ceil(Math.max(titleSize.advanceWidth,
            figuresSize.advanceWidth, detailsSize.advanceWidth, remarkSize.advanceWidth)))
        height: lines.implicitHeight + 12
        y: root.frame.topMargin + root.frame.badges + Theme.gap
        Accessible.role: Accessible.StaticText
        Accessible.name: title.text + ", " + figures.text + (note.length > 0 ? ", " + note : "")
        // The implicit width of a label that wraps or shrinks depends on its width.
        TextMetrics { id: titleSize; font: title.font; text: title.text }
        TextMetrics { id: figuresSize; font: figures.font; text: figures.visible ? figures.text : "" }
        TextMetrics { id: detailsSize; font: details.font; text: details.text }
        TextMetrics { id: remarkSize; font: remark.font; text: remark.text }
        Column {
            id: lines
            x: 12
            y: 6
            width: caption.width - 24
            Label {
                id: title
                width: parent.width
                text: caption.settings.title
                      + (caption.settings.model.length > 0 ? " · " + caption.settings.modelName : "")
                font.bold: true
                font.pixelSize: root.frame.large ? Theme.fontFigure : Theme.fontBody
            }
            Label {
                id: figures
                width: parent.width
                visible: root.view.ready
                text: qsTr("%1 %2 · %3 ms").arg(Theme.count(caption.count))
                          .arg(Theme.counted(caption.count, caption.settings.finds)).arg(Theme.milliseconds(caption.ms))
                color: Theme.accent
                font.bold: true
                font.pixelSize: root.frame.large ? Theme.fontFigure : Theme.fontTitle
                fontSizeMode: Text.HorizontalFit
                minimumPixelSize: Theme.fontSmall
            }
            Note {
                id: details
                width: parent.width
                text: qsTr("%1, %2 ≥ %3").arg(caption.settings.rules[caption.settings.rule])
                          .arg(caption.settings.overlaps[caption.settings.overlap]).arg(Theme.fixed(caption.settings.theta, 2))
                      + (caption.settings.minHits > 1 ? qsTr(", %1 hits").arg(caption.settings.minHits) : "")
                      + qsTr(", from %1 px").arg(caption.settings.minSize)
            }
            Note {
                id: remark
                width: parent.width
                visible: text.length > 0
                text: caption.note
                color: caption.noteColor
            }
        }
    }
    Caption {
        objectName: "compareLeft"
        x: Theme.gap
        settings: root.view.first
        count: root.view.leftCount
        ms: root.view.leftMs
        // While both run at the same time, they share the processor.
        note: root.view.playing && root.view.aloneMs > 0
              ? qsTr("alone %1 ms").arg(Theme.milliseconds(root.view.aloneMs)) : ""
    }
    Caption {
        objectName: "compareRight"
        x: root.width - width - Theme.gap
        settings: root.view.second
        count: root.view.rightCount
        ms: root.view.rightMs
        note: root.view.error.length > 0 ? root.view.error
            : !root.view.ready ? qsTr("Computing …")
            : root.view.playing && root.view.shown < root.view.offered - 1
            ? qsTr("too slow: %1 of %2 frames shown").arg(Theme.count(root.view.shown)).arg(Theme.count(root.view.offered))
            : ""
        noteColor: root.view.error.length > 0 || root.view.ready ? Theme.warning : Theme.textDim
    }

    Item {
        id: divider
        objectName: "compareDivider"
        readonly property bool visualFocus: activeFocus  // the arrow keys move it instead of the playback position
        x: root.fraction * root.width - width / 2
        width: Theme.target
        height: parent.height
        activeFocusOnTab: true
        Accessible.role: Accessible.Slider
        Accessible.name: qsTr("Divider between both settings")
        Accessible.focusable: true
        Accessible.onIncreaseAction: root.moveTo((root.fraction + 0.02) * root.width)
        Accessible.onDecreaseAction: root.moveTo((root.fraction - 0.02) * root.width)
        Keys.onLeftPressed: root.moveTo((root.fraction - 0.02) * root.width)
        Keys.onRightPressed: root.moveTo((root.fraction + 0.02) * root.width)
        Keys.onPressed: event => {
            if (event.key !== Qt.Key_Home && event.key !== Qt.Key_End) return
            root.moveTo(event.key === Qt.Key_Home ? 0 : root.width)
            event.accepted = true
        }
        HoverHandler { cursorShape: Qt.SplitHCursor }
        DragHandler {
            id: drag
            target: null
            xAxis.enabled: true
            dragThreshold: 0
            onCentroidChanged: if (active) root.moveTo(root.mapFromItem(null, centroid.scenePosition.x, 0).x)
        }
        Rectangle {
            anchors.horizontalCenter: parent.horizontalCenter
            width: 3
            height: parent.height
            color: Theme.text
        }
        Rectangle {
            anchors.horizontalCenter: parent.horizontalCenter
            y: parent.height * 0.62
            width: 40
            height: 40
            radius: 20
            color: drag.active ? Theme.accent : Theme.text
            border.color: Theme.surface
            border.width: 2
            Icon {
                anchors.centerIn: parent
                width: 24
                height: 24
                name: "split"
                color: Theme.accentText
            }
            FocusRing { shown: divider.visualFocus; radius: 23 }
        }
    }
}
