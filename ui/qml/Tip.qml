import QtQuick
import QtQuick.Controls.Basic as C
import Throng.Ui

// Tooltip of a control, shown after the pointer has hovered over it for 0.6 s. It lies beside the bar or panel that
// holds the control, at the side that its property tipSide names, and so covers no other control. Without one: above.
// Its property tipLift is the height of what lies above a bar and has controls, too.
// The tips of a bar end before tipEnd, in coordinates of the window: there begins a panel.
C.ToolTip {
    id: tip

    property bool shown: false
    property string side: "above"
    property rect bar            // in coordinates of the control
    property real end: Infinity
    property var holder: null    // the bar or panel
    readonly property real lift: holder?.tipLift ?? 0  // may change during the delay
    property real room: 420      // for the text; a panel that fills a small window leaves none
    readonly property var owner: parent
    readonly property TextMetrics size: TextMetrics { font.pixelSize: Theme.fontSmall; text: tip.text }

    visible: shown && text.length > 0 && room > 120
    delay: 600
    margins: 2
    padding: Theme.gap
    width: Math.min(Math.ceil(size.advanceWidth) + 2 * padding + 4, room)
    x: side === "left" ? bar.x - width - 4 : side === "right" ? bar.x + bar.width + 4
     : Math.min((parent.width - width) / 2, end - width)
    y: side === "above" ? bar.y - height - 4 - lift : side === "below" ? bar.y + bar.height + 4
     : Math.max(bar.y, Math.min((parent.height - height) / 2, bar.y + bar.height - height))
    contentItem: Label {
        text: tip.text
        font.pixelSize: Theme.fontSmall
        wrapMode: Text.Wrap
    }
    background: Rectangle { color: Theme.surfaceHigh; border.color: Theme.line; radius: Theme.radius }

    onShownChanged: {
        if (!shown) return
        holder = owner
        while (holder && holder.tipSide === undefined) holder = holder.parent
        side = holder?.tipSide ?? "above"
        bar = owner.mapFromItem(holder ?? owner, 0, 0, (holder ?? owner).width, (holder ?? owner).height)
        end = holder?.tipEnd > 0 ? owner.mapFromItem(null, holder.tipEnd - 4, 0).x : Infinity
        const free = side === "left" ? owner.mapToItem(null, bar.x, 0).x
            : side === "right" ? owner.Window.width - owner.mapToItem(null, bar.x + bar.width, 0).x : 428
        room = Math.min(420, free - 8)
    }
}
