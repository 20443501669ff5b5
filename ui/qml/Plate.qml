import QtQuick
import Throng.Ui

// Dark ground of texts that lie over the image.
Rectangle {
    radius: Theme.radius
    color: "#d0131a23"
}
