// Tests the counts of the window: editing and saving lines and zones, by pointer and keys, and their figures.
#include <QDir>
#include <QSignalSpy>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stop_token>
#include <thread>

#include "tests/support/random.h"
#include "tests/ui/window_fixture.h"
#include "ui/counts/live_counter.h"
#include "ui/counts/plan_file.h"
#include "ui/counts/shape_model.h"

namespace throng::ui {
namespace {

void write_file(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}
std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

const std::string kPlan =
    "# the shop\nsize = [320, 240]\n[[line]]\nname = \"door\"\nfrom = [40, 200]\nto = [280, 200]\n"
    "[[zone]]\nname = \"queue\"\npoints = [[20, 20], [300, 20], [300, 160], [20, 160]]\n";

// Random edits: the plan is valid after each, a rejected one changes nothing, and undo leads back to the start.
TEST(PlanEditor, UndoesEveryEdit) {
    const std::uint64_t seed = test::seed(21);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> x(-20, 340), y(-20, 260);
    for (int run = 0; run < 30; ++run) {
        PlanEditor editor;
        const CountPlan start = parse_count_plan(kPlan, "plan.toml");
        editor.set(start);
        std::vector<CountPlan> states{start};
        for (int step = 0; step < 40; ++step) {
            const CountPlan before = editor.plan();
            const int rows = editor.rows();
            const int row = rows > 0 ? static_cast<int>(random() % static_cast<unsigned>(rows)) : -1;
            try {
                switch (random() % 5) {
                    case 0: editor.add(false, {{x(random), y(random)}, {x(random), y(random)}}); break;
                    case 1:
                        editor.add(true, {{x(random), y(random)},
                                          {x(random), y(random)},
                                          {x(random), y(random)},
                                          {x(random), y(random)}});
                        break;
                    case 2:
                        if (row >= 0) editor.rename(row, random() % 4 == 0 ? "a,b" : "name " + std::to_string(step));
                        break;
                    case 3:
                        if (row >= 0 && rows > 3) editor.remove(row);
                        break;
                    default:
                        if (row < 0) break;
                        editor.move(row, 1, {x(random), y(random)});
                        editor.move(row, 1, {x(random), y(random)});
                        editor.finish_move();
                }
            } catch (const Error& error) {
                EXPECT_EQ(error.kind(), ErrorKind::usage);
                ASSERT_EQ(editor.plan(), before) << error.what();
            }
            ASSERT_NO_THROW(static_cast<void>(parse_count_plan(format_count_plan(editor.plan()), "plan.toml")));
            if (editor.plan() != states.back()) states.push_back(editor.plan());
        }
        while (editor.can_undo()) {
            editor.undo();
            states.pop_back();
            ASSERT_FALSE(states.empty());
            ASSERT_EQ(editor.plan(), states.back());
        }
        EXPECT_EQ(editor.plan(), start);
    }
}

TEST(PlanFile, KeepsCommentsAndChangesOfOthers) {
    const test::ScratchDir folder;
    const std::string path = (folder.path() / "plan.toml").string();
    EXPECT_EQ(read_plan_file(path).plan, CountPlan{}) << "a new file";
    write_file(path, kPlan);
    const PlanText read = read_plan_file(path);
    EXPECT_EQ(read.text, kPlan);
    SavedPlan saved = save_plan_file(path, read.plan, read.text);
    EXPECT_EQ(text_of(path), format_count_plan(read.plan));
    EXPECT_EQ(text_of(saved.backup), kPlan) << "comments";
    EXPECT_TRUE(save_plan_file(path, read.plan, saved.text).backup.empty()) << "nothing else to keep";
    write_file(path, kPlan);
    EXPECT_THROW(static_cast<void>(save_plan_file(path, read.plan, saved.text)), Error);
    EXPECT_EQ(text_of(path), kPlan);
    EXPECT_NE(save_plan_file(path, read.plan, std::nullopt).backup, saved.backup) << "an older copy is kept, too";
    EXPECT_THROW(static_cast<void>(save_plan_file((folder.path() / "none" / "plan.toml").string(), read.plan, {})),
                 Error);
}

TEST(PlanFile, ReadsPlanAndTextTogether) {
    const test::ScratchDir folder;
    const std::string path = (folder.path() / "plan.toml").string();
    const std::string texts[] = {kPlan, "size = [320, 240]\n"};
    write_file(path, texts[0]);
    std::jthread other([&](const std::stop_token& stop) {  // another program, which replaces the file again and again
        for (int i = 0; !stop.stop_requested(); ++i) {
            write_file(path + ".new", texts[i % 2]);
            std::filesystem::rename(path + ".new", path);
        }
    });
    std::string last;
    for (int changes = 0; changes < 30;) {
        const PlanText read = read_plan_file(path);
        ASSERT_EQ(read.plan, parse_count_plan(read.text, path)) << "after " << changes << " changes";
        if (read.text != last) ++changes;
        last = read.text;
    }
}

class CountsFile : public testing::Test {
protected:
    CountsFile() {
        write_file(path_, kPlan);
        counts_ = std::make_unique<CountsView>(path_, parse_count_plan(kPlan, path_));
        QObject::connect(counts_.get(), &CountsView::fileChanged, [this] { ++file_changes_; });
        QObject::connect(counts_.get(), &CountsView::failed,
                         [this](const Error& error) { failure_ = error.problem().text(); });
        EXPECT_TRUE(test::wait_for([&] { return file_changes_ == 1; })) << "read";
    }

    const test::ScratchDir folder_;
    const std::string path_ = (folder_.path() / "plan.toml").string();
    std::unique_ptr<CountsView> counts_;
    int file_changes_ = 0;
    std::string failure_;
};

TEST_F(CountsFile, AReloadKeepsNewerEdits) {
    counts_->reload();
    counts_->remove(0);  // before the window hears of the file
    ASSERT_TRUE(test::wait_for([&] { return counts_->saved(); }));
    EXPECT_TRUE(counts_->plan().lines.empty());
    EXPECT_EQ(text_of(path_), format_count_plan(counts_->plan()));
    EXPECT_EQ(failure_, "");
}

TEST_F(CountsFile, NewerEditsDoNotReplaceWhatAnotherProgramWrote) {
    const std::string other = kPlan + "[[line]]\nname = \"exit\"\nfrom = [40, 20]\nto = [280, 20]\n";
    write_file(path_, other);
    counts_->reload();
    counts_->remove(0);
    ASSERT_TRUE(test::wait_for([&] { return !failure_.empty(); }));
    EXPECT_EQ(failure_, "the file was changed by another program");
    EXPECT_TRUE(counts_->plan().lines.empty()) << "the edit remains";
    EXPECT_FALSE(counts_->saved());
    EXPECT_EQ(text_of(path_), other);
    counts_->reload();
    EXPECT_TRUE(test::wait_for([&] { return counts_->saved(); }));
    EXPECT_EQ(counts_->plan(), parse_count_plan(other, ""));
    counts_->remove(0);
    EXPECT_TRUE(test::wait_for([&] { return counts_->saved(); })) << "based on what was read";
    EXPECT_EQ(text_of(path_), format_count_plan(counts_->plan()));
}

TEST_F(CountsFile, AReloadDoesNotEndADrag) {
    counts_->select(0);
    counts_->reload();
    counts_->movePoint(0, {0.5, 0.25});
    ASSERT_TRUE(test::wait_for([&] { return file_changes_ == 2; })) << "read";
    counts_->finishMove();
    ASSERT_TRUE(test::wait_for([&] { return counts_->saved(); }));
    EXPECT_EQ(counts_->plan().lines[0].from, (CountPoint{160, 60}));
    EXPECT_EQ(text_of(path_), format_count_plan(counts_->plan()));
}

TEST(LiveCounter, CountsFromZeroAfterARestart) {
    const CountPlan plan = parse_count_plan(kPlan, "plan.toml");
    LiveCounter counter(plan);
    const auto walk = [&](std::int64_t id) {
        FrameResult result;
        for (int i = 0; i < 40; ++i) {
            result.frame = test::gray_frame(320, 240, 0).with_timing(i, i * 0.1, {});
            Track track;
            track.id = id;
            track.confirmed = true;
            track.smoothed = {150, static_cast<float>(5 * i), 20, 20};
            result.tracks = {track};
            counter.write(result);
        }
        return counter.figures().totals;
    };
    const CountTotals first = walk(1);
    EXPECT_EQ(first.people, 1);
    EXPECT_EQ(first.unique, 1);
    EXPECT_EQ(first.lines.at(0).in, 1) << "downwards is to the right of a line from left to right";
    EXPECT_EQ(first.zones.at(0).visits, 1);
    EXPECT_GT(first.zones.at(0).dwell, 1);
    counter.restart(plan);
    EXPECT_EQ(counter.figures().totals.unique, 0);
    EXPECT_EQ(walk(2).unique, 1);
}

class Counts : public Window {
protected:
    // Returns the visible item with this name. Rows of a repeater are no QObject children of the window.
    static const QQuickItem* visible_child(const QQuickItem& below, const QString& name) {
        if (!below.isVisible()) return nullptr;
        if (below.objectName() == name) return &below;
        for (const QQuickItem* child : below.childItems()) {
            if (const QQuickItem* found = visible_child(*child, name)) return found;
        }
        return nullptr;
    }
    void open_with_counts(QSize size = {1320, 800}) {
        open({}, size);
        activate();
        play();
        QTest::keyClick(window_, Qt::Key_Z);
        ASSERT_TRUE(test::wait_for([&] { return item("countsOverlay") != nullptr; }));
    }
    QPoint at(double x, double y) {  // fractions of the image
        const QRectF rect = video_->frame_rect();
        return video_->mapToScene(rect.topLeft() + QPointF(x * rect.width(), y * rect.height())).toPoint();
    }
    // Waits until no timer with this name runs.
    bool is_over(const char* timer) {
        return test::wait_for([&] {
            const auto all = window_->findChildren<QObject*>(timer);
            return std::none_of(all.begin(), all.end(), [](auto* each) { return each->property("running").toBool(); });
        });
    }
    void press(double x, double y) { QTest::mouseClick(window_, Qt::LeftButton, {}, at(x, y)); }
    void press(const QString& name) {
        ASSERT_TRUE(is_over("scrollToCounts"));
        draw();
        const QQuickItem* found = visible_child(*window_->contentItem(), name);
        ASSERT_NE(found, nullptr) << name.toStdString();
        QTest::mouseClick(window_, Qt::LeftButton, {}, center_of(*found));
    }
    const CountPlan& plan() { return session_->view<CountsView>()->plan(); }
    CountsView& counts() { return *session_->view<CountsView>(); }
};

TEST_F(Counts, DrawsChangesAndSavesWithThePointer) {
    count_file_ = (folder_.path() / "zones.toml").string();
    write_file(count_file_, kPlan);
    test::FakeClip clip;
    clip.boxes = 3;  // one face with 3 hits
    clip.fps = 30;
    open(clip);
    activate();
    play();
    ASSERT_TRUE(test::wait_for([&] { return item("countsOverlay") != nullptr; })) << "open with a file";
    ASSERT_TRUE(test::wait_for([&] { return counts().people() > 0 && counts().unique() > 0; }));
    session_->display()->set_kept(false);
    session_->display()->set_raw(false);

    press("drawZone");
    EXPECT_EQ(counts().tool(), "zone");
    EXPECT_TRUE(in_sight("drawingBar"));
    for (const auto& [x, y] : {std::pair{0.5, 0.25}, {0.75, 0.25}, {0.75, 0.5}, {0.5, 0.5}}) press(x, y);
    press(0.5, 0.25);  // the first corner again
    ASSERT_EQ(plan().zones.size(), 2U);
    EXPECT_EQ(plan().zones[1].name, "zone 1");
    EXPECT_NEAR(plan().zones[1].points[2].x, 240, 1);
    EXPECT_NEAR(plan().zones[1].points[2].y, 120, 1);
    EXPECT_EQ(counts().selected(), 2);
    ASSERT_TRUE(test::wait_for([&] { return counts().saved(); }));
    EXPECT_EQ(load_count_plan(count_file_), plan());
    EXPECT_EQ(text_of(count_file_ + ".bak"), kPlan);

    TH_NEEDS_READ_BACK(*window_);
    // The line is drawn in its color, the selected zone in white.
    EXPECT_EQ(test::wait_for_image(
                  *window_,
                  [&](const QImage& image) {
                      const double ratio = image.width() / static_cast<double>(window_->width());
                      const auto color_at = [&](QPoint p) { return image.pixelColor((QPointF(p) * ratio).toPoint()); };
                      return test::difference(0.2, 0.83, color_at(at(0.25, 200.0 / 240)), QColor("#ffce5c"), 40) +
                             test::difference(0.6, 0.25, color_at(at(0.6, 0.25)), QColor("#f3f7fb"), 40);
                  }),
              "");

    QTest::mousePress(window_, Qt::LeftButton, {}, at(0.75, 0.5));
    for (int i = 1; i <= 5; ++i) QTest::mouseMove(window_, at(0.75 + 0.02 * i, 0.5 + 0.04 * i));
    QTest::mouseRelease(window_, Qt::LeftButton, {}, at(0.85, 0.7));
    EXPECT_NEAR(plan().zones[1].points[2].x, 272, 1);
    EXPECT_NEAR(plan().zones[1].points[2].y, 168, 1);
    // A corner that makes the sides cross is put back, with the reason.
    QTest::mousePress(window_, Qt::LeftButton, {}, at(0.5, 0.25));
    QTest::mouseMove(window_, at(0.9, 0.4));
    QTest::mouseMove(window_, at(0.95, 0.4));
    QTest::mouseRelease(window_, Qt::LeftButton, {}, at(0.95, 0.4));
    EXPECT_NEAR(plan().zones[1].points[0].x, 160, 1);
    EXPECT_TRUE(session_->alert()->what().contains("not a polygon")) << session_->alert()->what().toStdString();
    session_->alert()->dismiss();

    QTest::keyClick(window_, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_NEAR(plan().zones[1].points[2].x, 240, 1);
    press(0.3, 0.3);  // within the first zone
    EXPECT_EQ(counts().selected(), 1);
    QTest::keyClick(window_, Qt::Key_Delete);
    ASSERT_EQ(plan().zones.size(), 1U);
    EXPECT_EQ(plan().zones[0].name, "zone 1");
    QTest::keyClick(window_, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(plan().zones.size(), 2U);
    QTest::keyClick(window_, Qt::Key_Escape);
    ASSERT_TRUE(test::wait_for([&] { return counts().saved(); }));
    EXPECT_EQ(load_count_plan(count_file_), plan());
}

TEST_F(Counts, TheirKeyScrollsToThemWhenTheyAreOpenAlready) {
    count_file_ = (folder_.path() / "zones.toml").string();
    write_file(count_file_, kPlan);
    open({}, {800, 480});
    activate();
    play();
    ASSERT_TRUE(test::wait_for([&] { return counts().open(); })) << "with a file";
    EXPECT_EQ(item("sidePanel"), nullptr);
    ASSERT_TRUE(wait_for_results(5));  // the panel has scrolled at the start, and its height is known
    draw();
    window_->findChild<QQuickItem*>("panelScroll")->setProperty("contentY", 0);
    QTest::keyClick(window_, Qt::Key_Z);
    EXPECT_TRUE(test::wait_for([&] { return in_sight("drawLine"); }));
}

TEST_F(Counts, AddsAndMovesWithTheKeys) {
    open_with_counts();
    counts().begin("line");
    draw();
    QTest::keyClick(window_, Qt::Key_Space);
    for (int i = 0; i < 10; ++i) QTest::keyClick(window_, Qt::Key_Right);
    QTest::keyClick(window_, Qt::Key_Down, Qt::ShiftModifier);
    QTest::keyClick(window_, Qt::Key_Space);
    ASSERT_EQ(plan().lines.size(), 1U);
    EXPECT_EQ(plan().lines[0].from, (CountPoint{160, 120}));
    EXPECT_NEAR(plan().lines[0].to.x, 160 + 320 * 0.2, 0.2);
    EXPECT_NEAR(plan().lines[0].to.y, 120 + 240 * 0.002, 0.2);
    EXPECT_TRUE(session_->transport()->playing()) << "Space is not the playback's";
    QTest::keyClick(window_, Qt::Key_Tab);
    QTest::keyClick(window_, Qt::Key_Up);
    EXPECT_TRUE(test::wait_for([&] { return !counts().saved() && std::abs(plan().lines[0].to.y - 115.7) < 0.2; }));
    ASSERT_TRUE(is_over("endOfMoves"));
    QTest::keyClick(window_, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_NEAR(plan().lines[0].to.y, 120.5, 0.2);

    counts().begin("zone");
    for (int corner = 0; corner < 3; ++corner) {
        QTest::keyClick(window_, Qt::Key_Space);
        QTest::keyClick(window_, corner == 0 ? Qt::Key_Left : Qt::Key_Up);
    }
    QTest::keyClick(window_, Qt::Key_Backspace);
    EXPECT_EQ(counts().drawn().size(), 2);
    QTest::keyClick(window_, Qt::Key_Space);
    QTest::keyClick(window_, Qt::Key_Return);
    EXPECT_EQ(plan().zones.size(), 1U);
    counts().begin("zone");
    QTest::keyClick(window_, Qt::Key_Escape);
    EXPECT_EQ(counts().tool(), "");
    QTest::keyClick(window_, Qt::Key_Left);
    EXPECT_EQ(session_->feedback()->text(), "0:00") << "the arrows seek again";
}

TEST_F(Counts, RenamesInThePanelAndKeepsNamesUnique) {
    count_file_ = (folder_.path() / "zones.toml").string();
    write_file(count_file_, kPlan);
    open({}, {1320, 1600});
    activate();
    play();
    counts().select(0);
    press("shapeName0");
    QTest::keyClick(window_, Qt::Key_A, Qt::ControlModifier);
    type("gate");
    QTest::keyClick(window_, Qt::Key_Return);
    EXPECT_EQ(plan().lines[0].name, "gate");
    counts().rename(0, "queue");
    EXPECT_EQ(plan().lines[0].name, "gate");
    EXPECT_TRUE(session_->alert()->what().contains("twice"));
    press("deleteShape0");
    EXPECT_TRUE(plan().lines.empty());
    EXPECT_EQ(session_->view<CountsView>()->shapes()->rowCount(), 1);
}

TEST_F(Counts, ABrokenFileLeavesThePreviousZones) {
    count_file_ = (folder_.path() / "zones.toml").string();
    write_file(count_file_, kPlan);
    open({});
    const QSignalSpy read(&counts(), &CountsView::fileChanged);
    play();
    ASSERT_EQ(plan().zones.size(), 1U);
    ASSERT_TRUE(test::wait_for([&] { return read.count() > 0; }));
    write_file(count_file_, kPlan + "[[zone]]\nname = \"b\"\npoints = [[1, 1], [2, 999]]\n");
    counts().reload();
    ASSERT_TRUE(test::wait_for([&] { return session_->alert()->is_error(); }));
    EXPECT_TRUE(session_->alert()->where().contains("zones.toml:12: points"))
        << session_->alert()->where().toStdString();
    EXPECT_EQ(plan(), parse_count_plan(kPlan, ""));
    // An edit does not replace what another program wrote.
    session_->alert()->dismiss();
    counts().remove(0);
    ASSERT_TRUE(test::wait_for([&] { return session_->alert()->is_error(); }));
    EXPECT_NE(text_of(count_file_).find("999"), std::string::npos);
    EXPECT_FALSE(counts().saved());
    write_file(count_file_, kPlan);
    counts().reload();
    EXPECT_TRUE(test::wait_for([&] { return counts().saved() && plan().lines.size() == 1; }));
}

TEST_F(Counts, VisitorsOfAKioskChangeNothing) {
    kiosk_ = true;
    count_file_ = (folder_.path() / "zones.toml").string();
    write_file(count_file_, kPlan);
    open({});
    activate();
    play();
    ASSERT_TRUE(test::wait_for([&] { return item("countsOverlay") != nullptr; }));
    counts().begin("zone");
    EXPECT_EQ(counts().tool(), "");
    press(0.3, 0.3);
    EXPECT_EQ(counts().selected(), -1);
    counts().remove(0);
    EXPECT_EQ(plan(), parse_count_plan(kPlan, ""));
    EXPECT_EQ(item("drawZone"), nullptr);
}

TEST_F(Counts, ThePanelMakesRoomInASmallWindow) {
    open_with_counts({800, 480});
    EXPECT_TRUE(window_->property("panelOpen").toBool());
    counts().begin("zone");
    ASSERT_TRUE(test::wait_for([&] { return in_sight("drawingBar"); }));
    EXPECT_FALSE(window_->property("panelOpen").toBool());
    for (const auto& [x, y] : {std::pair{0.5, 0.25}, {0.75, 0.25}, {0.75, 0.5}}) press(x, y);
    press("finishShape");
    EXPECT_EQ(plan().zones.size(), 1U);
    EXPECT_TRUE(window_->property("panelOpen").toBool());
}

TEST_F(Counts, OtherShapesKeepTheirCounts) {
    test::FakeClip clip;
    clip.boxes = 3;
    clip.fps = 30;
    clip.frames = 90;
    open(clip);
    activate();
    play();
    QTest::keyClick(window_, Qt::Key_Z);
    const auto zone = [&](double left, double right) {
        counts().begin("zone");
        for (const auto& [x, y] : {std::pair{left, 0.0}, {right, 0.0}, {right, 1.0}, {left, 1.0}}) {
            counts().addPoint({x, y});
        }
        counts().finish();
    };
    ASSERT_TRUE(test::wait_for([&] { return plan().width > 0; }));
    zone(0, 1);
    const auto visits = [&](int row) {
        const ShapeModel& shapes = *session_->view<CountsView>()->shapes();
        const auto role = shapes.roleNames().key("visits");
        return shapes.data(shapes.index(row), role).toInt();
    };
    ASSERT_TRUE(test::wait_for([&] { return session_->transport()->state() == "ended"; }));
    counts().refresh();
    const int before = visits(0);
    ASSERT_GT(before, 0);
    ASSERT_GT(counts().unique(), 0);
    const double unique = counts().unique();
    zone(0, 0.1);
    ASSERT_EQ(plan().zones.size(), 2U);
    EXPECT_EQ(visits(0), before) << "a shape was drawn";
    EXPECT_EQ(visits(1), 0);
    EXPECT_EQ(counts().unique(), unique);
    counts().rename(0, "hall");
    EXPECT_EQ(visits(0), before);
    counts().remove(1);
    EXPECT_EQ(visits(0), before) << "another one was deleted";
    counts().restart();
    EXPECT_EQ(visits(0), 0);
    EXPECT_EQ(counts().unique(), 0);
}

TEST_F(Counts, SavesToANewFileAndAsksBeforeItReplacesOne) {
    open_with_counts();
    counts().begin("line");
    counts().addPoint({0.1, 0.5});
    counts().addPoint({0.9, 0.5});
    ASSERT_EQ(plan().lines.size(), 1U);
    const auto open_sheet = [&] {
        auto* panel = window_->findChild<QObject*>("sidePanel");
        ASSERT_NE(panel, nullptr);
        ASSERT_TRUE(QMetaObject::invokeMethod(panel, "countsFileRequested"));
        ASSERT_TRUE(test::wait_for([&] { return item("fileField") && item("fileField")->hasActiveFocus(); }));
    };
    const auto enter = [&](const std::string& name) {
        QTest::keyClick(window_, Qt::Key_A, Qt::ControlModifier);
        type(name.c_str());
        QTest::keyClick(window_, Qt::Key_Return);
    };
    const auto is_closed = [&] { return item("fileField") == nullptr; };
    open_sheet();
    const std::filesystem::path file = folder_.path() / "new.toml";
    enter((folder_.path() / "new").string());
    EXPECT_TRUE(test::wait_for(is_closed));
    ASSERT_TRUE(test::wait_for([&] { return counts().saved() && counts().file() == "new.toml"; }));
    EXPECT_EQ(load_count_plan(file), plan());

    const std::filesystem::path foreign = folder_.path() / "foreign.toml";
    write_file(foreign, "# somebody's\n");
    open_sheet();
    enter("foreign");  // in the folder of the current file
    ASSERT_NE(item("fileQuestion"), nullptr) << "it asks";
    EXPECT_EQ(item("fileQuestion")->property("text").toString().toStdString(),
              foreign.string() + " already exists. Its contents will be replaced.");
    QKeyEvent held(QEvent::KeyPress, Qt::Key_Return, {}, "\r", true);
    QCoreApplication::sendEvent(window_, &held);
    ASSERT_FALSE(is_closed()) << "a key that is held is no answer";
    EXPECT_EQ(text_of(foreign), "# somebody's\n");
    EXPECT_EQ(counts().file(), "new.toml");
    QTest::keyClick(window_, Qt::Key_Escape);
    EXPECT_TRUE(test::wait_for(is_closed));
    EXPECT_EQ(counts().file(), "new.toml");
    open_sheet();
    enter("foreign.toml");
    QTest::keyClick(window_, Qt::Key_Return);
    EXPECT_TRUE(test::wait_for(is_closed));
    ASSERT_TRUE(test::wait_for([&] { return counts().saved() && counts().file() == "foreign.toml"; }));
    EXPECT_EQ(load_count_plan(foreign), plan());

    // A folder is no name: it is shown, and then a name is missing.
    std::filesystem::create_directory(folder_.path() / "sub");
    open_sheet();
    for (const std::string& typed : {std::string("sub"), std::string("..")}) {
        enter(typed);
        const std::string folder = (typed == ".." ? folder_.path() : folder_.path() / "sub").string() + "/";
        ASSERT_FALSE(is_closed()) << typed;
        EXPECT_EQ(item("fileField")->property("text").toString().toStdString(), folder) << typed;
        EXPECT_EQ(item("fileQuestion")->property("text").toString(), "Enter a file name.");
        EXPECT_FALSE(item("fileAccept")->isEnabled()) << typed;
    }
    QTest::keyClick(window_, Qt::Key_End);
    type("kept.toml");
    EXPECT_TRUE(item("fileAccept")->isEnabled());
    QTest::mouseClick(window_, Qt::LeftButton, {}, center_of(*item("fileUp")));
    EXPECT_EQ(item("fileField")->property("text").toString().toStdString(),
              (folder_.path().parent_path() / "kept.toml").string());
    QTest::keyClick(window_, Qt::Key_Escape);
    EXPECT_TRUE(test::wait_for(is_closed));

    open_sheet();
    QTest::keyClick(window_, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClick(window_, Qt::Key_Delete);
    QTest::keyClick(window_, Qt::Key_Return);
    EXPECT_FALSE(is_closed()) << "no name";
    QTest::keyClick(window_, Qt::Key_Escape);
    counts().saveAs({});
    EXPECT_EQ(counts().file(), "foreign.toml");
}

TEST_F(Counts, AreDrawnAtEverySize) {
    count_file_ = (folder_.path() / "zones.toml").string();
    write_file(count_file_, kPlan);
    open({});
    activate();
    play();
    TH_NEEDS_READ_BACK(*window_);
    for (const QSize size : {QSize(800, 480), QSize(1280, 800), QSize(1920, 1080), QSize(600, 900)}) {
        window_->resize(size);
        ASSERT_TRUE(test::wait_for([&] { return window_->size() == size; }));
        counts().set_open(false);
        if (!window_->property("panelOpen").toBool()) trigger("panel");
        ASSERT_TRUE(test::wait_for([&] { return window_->property("panelOpen").toBool(); }));
        counts().set_open(true);
        counts().select(1);
        EXPECT_EQ(wait_until_drawn("countsOverlay", "counts"), "") << size.width();
        counts().begin("zone");
        for (const auto& [x, y] : {std::pair{0.5, 0.25}, {0.75, 0.25}, {0.75, 0.5}}) press(x, y);
        QTest::mouseMove(window_, at(0.6, 0.6));
        EXPECT_EQ(wait_until_drawn("drawingBar", "drawing"), "") << size.width();
        counts().stepBack();
    }
}

}  // namespace
}  // namespace throng::ui
