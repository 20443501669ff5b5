import QtQuick
import QtQuick.Layouts
import Throng.Ui

// A remark in small, dim letters, on as many lines as it needs.
Remark {
    Layout.fillWidth: true
    wrapMode: Text.Wrap
    elide: Text.ElideNone
}
