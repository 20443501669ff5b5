import QtQuick
import QtQuick.Layouts
import Throng.Ui

// A figure with its unit, and its label below. Those of a row are of one width.
Column {
    id: root

    property string figure
    property string unit
    property string label
    property color figureColor: Theme.text

    Layout.fillWidth: true
    Layout.preferredWidth: 1

    Row {
        spacing: 3
        Label {
            id: figureText
            text: root.figure
            color: root.figureColor
            font.pixelSize: Theme.fontFigure
            font.bold: true
        }
        Remark {
            anchors.baseline: figureText.baseline
            text: root.unit
        }
    }
    Remark {
        text: root.label
    }
}
