import Throng.Ui

// A short remark in small, dim letters.
Label {
    color: Theme.textDim
    font.pixelSize: Theme.fontSmall
}
