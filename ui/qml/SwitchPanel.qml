import QtQuick
import QtQuick.Layouts
import Throng.Ui

// Switches of the detector's optimizations. The bars show the effect of each.
ColumnLayout {
    id: root

    required property SwitchModel switches
    signal chosen(switchId: string, choice: string)
    signal resetRequested()

    spacing: 2

    Repeater {
        model: root.switches
        Loader {
            id: row
            required property string switchId
            required property string title
            required property string help
            required property var choices
            required property int chosen
            required property bool toggle
            required property bool on
            Layout.fillWidth: true
            sourceComponent: toggle ? toggleRow : choiceRow

            Component {
                id: toggleRow
                Toggle {
                    text: row.title
                    tip: row.help
                    checked: row.on
                    onToggled: {
                        root.chosen(row.switchId, checked ? "on" : "off")
                        checked = Qt.binding(() => row.on)
                    }
                }
            }
            Component {
                id: choiceRow
                Choice {
                    label: row.title
                    tip: row.help
                    model: row.choices.map(choice => qsTranslate("throng::ui", choice))
                    index: row.chosen
                    onChosen: i => root.chosen(row.switchId, row.choices[i])
                }
            }
        }
    }
    IconButton {
        Layout.alignment: Qt.AlignRight
        visible: root.switches.changedCount > 0
        iconName: "reset"
        text: qsTr("Defaults")
        tip: qsTr("Reset all optimizations to their defaults")
        onClicked: root.resetRequested()
    }
}
