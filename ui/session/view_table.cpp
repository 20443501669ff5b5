#include "ui/session/view_table.h"

#include "ui/compare/compare_view.h"
#include "ui/counts/counts_view.h"
#include "ui/matrix/matrix_view.h"
#include "ui/race/race_view.h"
#include "ui/replay/replay.h"
#include "ui/stagemap/stage_map_view.h"

namespace throng::ui {
namespace {

template <typename Made>
std::unique_ptr<View> make_view(const ViewContext&) {
    return std::make_unique<Made>();
}

std::unique_ptr<View> make_counts(const ViewContext& context) {
    return std::make_unique<CountsView>(context.setup.count_file, context.setup.count_plan);
}

std::unique_ptr<View> make_compare(const ViewContext& context) {
    return std::make_unique<CompareView>(
        [&setup = context.setup](const DetectorParams& detector) { return setup.make_backend(detector).backend; },
        context.setup.playback.fallback, context.detection, context.setup.detectors, context.median_ms);
}

std::unique_ptr<View> make_race(const ViewContext& context) {
    return std::make_unique<RaceView>(context.setup.race_suppression, context.setup.race_detector);
}

// A face that is shown only while a switch is held is not stored.
std::unique_ptr<View> make_replay(const ViewContext& context) {
    auto replay = std::make_unique<Replay>();
    QObject::connect(&context.display, &DisplaySettings::changed, replay.get(),
                     [&display = context.display, made = replay.get()] {
                         made->set_hides_faces(display.blur() || display.hides_always());
                     });
    return replay;
}

// lupdate finds no namespace in an initializer of std::array.
const ViewRow kViewRows[] = {
    {{"matrix", "M", QT_TR_NOOP("Window"), QT_TR_NOOP("Suppression matrix"), QT_TR_NOOP("Matrix"),
      QT_TR_NOOP("Boxes of the same face are compared with each other: only the best one is kept."), "matrix",
      ViewPlace::beside, "MatrixPanel.qml", 2, "matrix"},
     make_view<MatrixView>},
    {{"counts", "Z", QT_TR_NOOP("Window"), QT_TR_NOOP("People, lines and zones"), QT_TR_NOOP("Count"),
      QT_TR_NOOP("Draw lines and zones on the image: people who cross or enter them are counted."), "crowd",
      ViewPlace::own, "", 0, "", false},  // it saves files
     make_counts},
    {{"compare", "V", QT_TR_NOOP("Window"), QT_TR_NOOP("Two settings side by side"), QT_TR_NOOP("Compare"),
      QT_TR_NOOP("The same image, searched twice: drag the line and see what each side finds."), "compare",
      ViewPlace::over, "CompareOverlay.qml", 1, "compare"},
     make_compare},
    {{"race", "X", QT_TR_NOOP("Window"), QT_TR_NOOP("Race of the implementations"), QT_TR_NOOP("Race"),
      QT_TR_NOOP("Several programs do the same work on the same image: the shortest bar wins."), "race",
      ViewPlace::beside, "RacePanel.qml", 2, "race"},
     make_race},
    {{"replay", "I", QT_TR_NOOP("Window"), QT_TR_NOOP("The last 30 seconds"), QT_TR_NOOP("Replay"),
      QT_TR_NOOP("Nothing is lost: choose a moment in the bar and look at it again."), "recent", ViewPlace::own,
      "ReplayPanel.qml", 3, "replay"},
     make_replay},
    {{"stageMap", "G", QT_TR_NOOP("Image"), QT_TR_NOOP("Cascade heat map on or off"), QT_TR_NOOP("Stages"),
      QT_TR_NOOP("The brighter a spot, the more stages of the detector it passed."), "", ViewPlace::over,
      "StageMapOverlay.qml", 0, "stage-map"},
     make_view<StageMapView>},
};

}  // namespace

std::span<const ViewRow> view_table() {
    return kViewRows;
}

}  // namespace throng::ui
