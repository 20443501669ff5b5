import QtQuick
import Throng.Ui

// A figure with its unit, and its label below.
Column {
    id: root

    property string figure
    property string unit
    property string label
    property color figureColor: Theme.text

    Row {
        spacing: 3
        Label {
            id: figureText
            text: root.figure
            color: root.figureColor
            font.pixelSize: Theme.fontFigure
            font.bold: true
        }
        Label {
            anchors.baseline: figureText.baseline
            text: root.unit
            color: Theme.textDim
            font.pixelSize: Theme.fontSmall
        }
    }
    Label {
        text: root.label
        color: Theme.textDim
        font.pixelSize: Theme.fontSmall
    }
}
