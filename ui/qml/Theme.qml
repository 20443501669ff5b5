pragma Singleton
import QtQuick
import Throng.Ui

// Colors, sizes and fonts of the window. Dark with high contrast, for projectors; one accent color.
QtObject {
    readonly property color background: "#0b0f14"
    readonly property color surface: "#131a23"
    readonly property color surfaceHigh: "#1d2733"
    readonly property color surfacePressed: "#2a3746"
    readonly property color line: "#2b3847"
    readonly property color groove: "#627388"  // of sliders and switches: 3:1 to the surfaces
    readonly property color text: "#f3f7fb"
    readonly property color textDim: "#a8b6c5"
    readonly property color accent: "#2ee6bf"
    readonly property color accentText: "#04211b"
    readonly property color danger: "#ff7a70"
    readonly property color warning: "#ffce5c"

    readonly property color rawBox: "#50ffffff"
    readonly property color keptBox: accent

    readonly property int gap: 8
    readonly property int gapLarge: 16
    readonly property int radius: 8
    readonly property int target: 48      // minimum size of a touch target
    readonly property int panelWidth: scaled(372)

    readonly property int fontSmall: scaled(13)
    readonly property int fontBody: scaled(15)
    readonly property int fontTitle: scaled(18)
    readonly property int fontFigure: scaled(24)
    readonly property int fontHeadline: scaled(52)

    // Returns a size that was designed for the usual font, for a text of the user's font.
    function scaled(size: int): int { return Math.round(size * TextScale.factor) }
    // Formats milliseconds with about three significant digits: 0.042, 1.27, 38.1, 412.
    function milliseconds(ms: real): string {
        return ms < 0.995 ? fixed(ms, 3) : ms < 9.95 ? fixed(ms, 2) : ms < 99.5 ? fixed(ms, 1) : fixed(ms, 0)
    }
    // Formats bytes in GiB.
    function gibibytes(bytes: real): string {
        const gib = bytes / 1073741824
        return fixed(gib, gib < 9.95 ? 1 : 0)
    }
    // Returns the noun for n of "faces" or "people", in the language of the window.
    function counted(n: int, plural: string): string {
        if (plural === "people") return n === 1 ? qsTr("person") : qsTr("people")
        return n === 1 ? qsTr("face") : qsTr("faces")
    }
    // Formats frames per second: 29.7, 120.
    function rate(fps: real): string { return fixed(fps, fps < 99.5 ? 1 : 0) }
    // Formats a ratio: 1.3, 12.
    function times(ratio: real): string { return ratio < 9.95 ? fixed(ratio, 1) : fixed(ratio, 0) }
    // Formats 1234567 as 1 234 567.
    function count(n: real): string {
        return Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, "\u2009")
    }
    // Formats seconds as 2:05 or 1:02:03.
    function clock(seconds: real): string {
        const s = Math.max(0, Math.floor(seconds))
        const pad = n => (n < 10 ? "0" : "") + n
        const hours = Math.floor(s / 3600)
        const minutes = Math.floor(s / 60) % 60
        return hours > 0 ? hours + ":" + pad(minutes) + ":" + pad(s % 60) : minutes + ":" + pad(s % 60)
    }
    // Formats a number with as many decimals as it needs: 1, 0.5, 0,5.
    function number(value: real): string { return String(value).replace(".", Qt.locale().decimalPoint) }
    // Formats a number with so many decimals, as the language of the window writes it: 0.5, 0,5. Without
    // types: qmllint of Qt 6.4 ends with a signal where a typed function of a singleton calls another one.
    function fixed(value, decimals) {
        return value.toFixed(decimals).replace(".", Qt.locale().decimalPoint)
    }
}
