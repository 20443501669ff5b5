// Tests the suppression matrix against the rules as plain loops (core/algo/nms_reference.h), and its view in the window.
#include <cmath>
#include <numeric>
#include <random>

#include "core/algo/nms_reference.h"
#include "tests/support/random.h"
#include "tests/support/sanitized.h"
#include "tests/ui/window_fixture.h"
#include "ui/matrix/suppression_matrix.h"

namespace throng::ui {
namespace {

DetectionSet random_set(std::mt19937_64& random, int count) {
    std::uniform_real_distribution<float> position(0, 600), size(20, 90);
    std::uniform_int_distribution<int> score(0, 50);  // equal scores occur
    DetectionSet set;
    for (int i = 0; i < count; ++i) {
        const float side = size(random);
        set.detections.push_back(
            {{position(random), position(random), side, side}, static_cast<float>(score(random)), 1, i});
    }
    return set;
}

SuppressionMatrix matrix_of(const DetectionSet& set, const NmsParams& nms, MatrixOrder order, int side,
                            const MatrixPart& part = {}) {
    return compute_matrix(set, nms, order, part, side, {}, std::stop_token()).value();
}

// Every cell and both results, in both orders.
TEST(Matrix, EqualsTheRulesAsPlainLoops) {
    const std::uint64_t seed = test::seed(5);
    std::mt19937_64 random(seed);
    const MatrixColors colors;
    for (const int count : {1, 2, 37, 180}) {
        const DetectionSet set = random_set(random, count);
        NmsParams nms;
        nms.overlap = count % 2 == 0 ? Overlap::min : Overlap::iou;
        nms.theta = 0.25F;
        std::vector<std::size_t> ranked(set.detections.size());
        std::iota(ranked.begin(), ranked.end(), 0U);
        std::sort(ranked.begin(), ranked.end(), [&](auto a, auto b) {
            const Detection &i = set.detections[a], &j = set.detections[b];
            return precedes(i.box, i.score, static_cast<std::uint32_t>(a), j.box, j.score,
                            static_cast<std::uint32_t>(b));
        });
        const auto suppresses = [&](std::size_t j, std::size_t i) {
            return pair_overlap(nms.overlap, set.detections[ranked[i]].box, set.detections[ranked[j]].box, 0) >=
                   nms.theta;
        };
        const std::vector<bool> one_pass = keep_one_pass(ranked.size(), suppresses);
        const std::vector<bool> greedy = keep_greedy(ranked.size(), suppresses);
        for (const MatrixOrder order : {MatrixOrder::score, MatrixOrder::cluster}) {
            const SuppressionMatrix matrix = matrix_of(set, nms, order, 1000);
            ASSERT_EQ(matrix.size(), ranked.size());
            ASSERT_EQ(matrix.one_pass_image.width(), count);
            for (std::size_t row = 0; row < matrix.size(); ++row) {
                const std::size_t i = matrix.ranks[row];
                EXPECT_EQ(matrix.rows[row], ranked[i]);
                EXPECT_EQ(matrix.one_pass[row] != 0, one_pass[i]);
                EXPECT_EQ(matrix.greedy[row] != 0, greedy[i]);
                std::size_t suppressors = 0;
                for (std::size_t column = 0; column < matrix.size(); ++column) {
                    const std::size_t j = matrix.ranks[column];
                    const bool set_cell = j < i && suppresses(j, i);
                    suppressors += set_cell && greedy[j] ? 1 : 0;
                    const auto at = [&](const QImage& image) {
                        return image.pixel(static_cast<int>(column), static_cast<int>(row));
                    };
                    if (row == column) continue;
                    EXPECT_EQ(at(matrix.one_pass_image), set_cell ? colors.effective : colors.empty);
                    EXPECT_EQ(at(matrix.greedy_image), !set_cell   ? colors.empty
                                                       : greedy[j] ? colors.effective
                                                                   : colors.ignored);
                }
                EXPECT_EQ(suppressors_of(matrix, row, true).size(), suppressors);
            }
        }
    }
}

// A part has the cells of the whole image, also where parts reach beyond it.
TEST(Matrix, ShowsAPartAsTheWholeDoes) {
    const std::uint64_t seed = test::seed(8);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> place(-0.2, 1.2);
    const int count = 150;
    const DetectionSet set = random_set(random, count);
    for (const MatrixOrder order : {MatrixOrder::score, MatrixOrder::cluster}) {
        const SuppressionMatrix whole = matrix_of(set, {}, order, 1000);
        EXPECT_EQ(whole.part, MatrixPart());
        for (int i = 0; i < 20; ++i) {
            const MatrixPart asked{place(random), place(random), place(random)};
            const SuppressionMatrix part = matrix_of(set, {}, order, 1000, asked);
            const auto cells = [&](double fraction) { return static_cast<int>(std::lround(fraction * count)); };
            const QRect shown(cells(part.part.left), cells(part.part.top), cells(part.part.extent),
                              cells(part.part.extent));
            ASSERT_TRUE(QRect(0, 0, count, count).contains(shown)) << "seed " << seed << ", " << i;
            EXPECT_EQ(part.one_pass_image, whole.one_pass_image.copy(shown)) << "seed " << seed << ", " << i;
            EXPECT_EQ(part.greedy_image, whole.greedy_image.copy(shown)) << "seed " << seed << ", " << i;
            EXPECT_EQ(part.greedy, whole.greedy);
        }
    }
    EXPECT_EQ(matrix_of(set, {}, MatrixOrder::score, 10, {0, 0, 0.2}).greedy_image.size(), QSize(10, 10));
}

TEST(Matrix, GroupsTheRowsOfACluster) {
    std::mt19937_64 random(test::seed(6));
    const SuppressionMatrix matrix = matrix_of(random_set(random, 300), {}, MatrixOrder::cluster, 300);
    // A group begins with its kept detection, which suppresses the others.
    std::size_t kept = 0;
    for (std::size_t row = 0; row < matrix.size(); ++row) {
        if (matrix.greedy[row] != 0) {
            kept = row;
            continue;
        }
        EXPECT_EQ(suppressors_of(matrix, row, true).front(), kept);
    }
}

TEST(Matrix, AcceptsNoneInvalidAndManyDetections) {
    EXPECT_EQ(matrix_of({}, {}, MatrixOrder::score, 100).size(), 0U);
    DetectionSet invalid;
    invalid.detections.push_back({{0, 0, -1, 5}, 1});
    invalid.detections.push_back({{0, 0, 5, 5}, std::nanf("")});
    EXPECT_EQ(matrix_of(invalid, {}, MatrixOrder::score, 100).size(), 0U);
    std::mt19937_64 random(test::seed(7));
    const int count = test::kSanitized ? 4000 : 20000;  // the time grows with the square
    const SuppressionMatrix large = matrix_of(random_set(random, count), {}, MatrixOrder::cluster, 256);
    EXPECT_EQ(large.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(large.greedy_image.size(), QSize(256, 256));
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(compute_matrix(large.raw, {}, MatrixOrder::score, {}, 256, {}, stop.get_token())) << "can be canceled";
}

// Returns the first visible item with this object name. Delegates of a repeater are no QObject children of the window.
const QQuickItem* visible_child(const QQuickItem& below, const QString& name) {
    if (below.objectName() == name && below.isVisible()) return &below;
    for (const QQuickItem* child : below.childItems()) {
        if (const QQuickItem* found = visible_child(*child, name)) return found;
    }
    return nullptr;
}

TEST_F(Window, ShowsTheMatrixOfTheFrameWhileItIsOpen) {
    test::FakeClip clip;
    clip.boxes = 60;
    open(clip);
    activate();
    play();
    session_->display()->set_raw(false);
    ASSERT_TRUE(test::wait_for([&] { return session_->result()->raw.detections.empty(); })) << "not read back";
    QTest::keyClick(window_, Qt::Key_M);
    ASSERT_TRUE(test::wait_for([&] { return session_->view<MatrixView>()->count() == 60; }));
    ASSERT_TRUE(test::wait_for([&] { return in_sight("matrixGreedy"); })) << "the rule of the frame";
    EXPECT_EQ(item("matrixOnePass"), nullptr);
    pause_at(500000);

    QQuickItem* cells = item("matrixGreedy");
    const auto at_row = [&](int row) {
        return cells->mapToScene(QPointF(cells->width() / 2, (row + 0.5) * cells->height() / 60)).toPoint();
    };
    // Moves the pointer again until the row is selected: the matrix of a frame that was in flight clears the selection.
    const auto selects = [&](int row, const QString& text) {
        return test::wait_for([&] {
            QTest::mouseMove(window_, at_row(5));
            QTest::mouseMove(window_, at_row(row));
            return session_->view<MatrixView>()->selection().contains(text);
        });
    };
    ASSERT_TRUE(selects(0, "row 1: kept")) << session_->view<MatrixView>()->selection().toStdString();
    const QRectF box = session_->view<MatrixView>()->boxes().first().toRectF();
    const QQuickItem* shown = visible_child(*window_->contentItem(), "matrixBox");
    ASSERT_NE(shown, nullptr);
    const QRectF expected = video_->mapRectToScene(
        video_->mapping().map(Box{static_cast<float>(box.x()), static_cast<float>(box.y()),
                                  static_cast<float>(box.width()), static_cast<float>(box.height())}));
    EXPECT_LT((shown->mapRectToScene(shown->boundingRect()).center() - expected.center()).manhattanLength(), 2);
    // The boxes of the fake detector overlap in threes.
    ASSERT_TRUE(selects(1, "suppressed by"));
    EXPECT_GE(session_->view<MatrixView>()->boxes().size(), 2);

    QTest::keyClick(window_, Qt::Key_Escape);
    EXPECT_FALSE(session_->view<MatrixView>()->open());
    EXPECT_EQ(session_->view<MatrixView>()->count(), 0);
    EXPECT_TRUE(test::wait_for([&] { return session_->result()->raw.detections.empty(); })) << "no longer read back";
}

TEST_F(Window, TheMatrixFillsItsColumn) {
    test::FakeClip clip;
    clip.boxes = 60;
    open(clip, {1320, 800});
    play();
    trigger("matrix");
    ASSERT_TRUE(test::wait_for([&] { return in_sight("matrixGreedy"); }));
    draw();
    const auto rules = [&] {
        QStringList found;
        for (const char* name : {"matrixOnePass", "matrixGreedy"}) {
            if (item(name) != nullptr) found += QString::fromLatin1(name).mid(6);
        }
        return found.join(' ');
    };
    QQuickItem* panel = item("matrixPanel");
    EXPECT_GT(item("matrixGreedy")->width(), 0.6 * panel->height());
    EXPECT_GT(item("matrixGreedy")->width(), 0.8 * panel->width());
    for (const char* expected : {"OnePass Greedy", "OnePass", "Greedy"}) {
        QTest::mouseClick(window_, Qt::LeftButton, {}, center_of(*item("matrixRules")));
        EXPECT_TRUE(test::wait_for([&] { return rules() == expected; })) << rules().toStdString();
        draw();
    }

    // Below the image of a tall window there is space for both. A small window has none for the explanation.
    trigger("matrix");
    trigger("matrix");
    window_->resize(600, 900);
    EXPECT_TRUE(test::wait_for([&] { return rules() == "OnePass Greedy"; })) << rules().toStdString();
    window_->resize(800, 480);
    EXPECT_TRUE(test::wait_for([&] { return rules() == "Greedy"; })) << rules().toStdString();
    panel = item("matrixPanel");
    EXPECT_TRUE(test::wait_for([&] { return item("matrixGreedy")->width() > 0.55 * panel->height(); }));

    // A remark that comes and goes with the frames does not change its size.
    const double width = item("matrixGreedy")->width();
    for (const char* text : {"a remark", ""}) {
        panel->findChild<QQuickItem*>("matrixDifference")->setProperty("text", text);
        draw();
        EXPECT_EQ(item("matrixGreedy")->width(), width) << text;
    }
}

TEST_F(Window, TheMatrixZoomsAtThePointer) {
    test::FakeClip clip;
    clip.boxes = 64;
    open(clip, {1320, 800});
    activate();
    play();
    trigger("matrix");
    auto& view = *session_->view<MatrixView>();
    ASSERT_TRUE(test::wait_for([&] { return view.count() == 64 && in_sight("matrixGreedy"); }));
    pause_at(500000);
    QQuickItem* cells = item("matrixGreedy");
    const auto at = [&](double x, double y) {
        return cells->mapToScene(QPointF(x * cells->width(), y * cells->height())).toPoint();
    };
    const auto turn = [&](const QPoint& where, int notches) {
        QWheelEvent event(where, window_->mapToGlobal(where), {}, QPoint(0, 120 * notches), Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(window_, &event);
    };
    for (int i = 0; i < 20; ++i) turn(at(0.75, 0.75), 1);
    ASSERT_TRUE(test::wait_for([&] { return view.part().height() == 0.25; }))
        << "16 of 64 rows: " << view.part().height();
    EXPECT_NEAR(view.part().y() + 0.75 * view.part().height(), 0.75, 0.03) << "what was below the pointer stays there";
    EXPECT_TRUE(test::wait_for([&] { return shows("rows 37 to 52"); })) << view.part().y();
    // A row of the part is selected by its place in the part.
    EXPECT_TRUE(test::wait_for([&] {
        QTest::mouseMove(window_, at(0.5, 0.1));
        QTest::mouseMove(window_, at(0.5, 0.5 / 16));
        return view.selection().startsWith("row 37:");
    })) << view.selection().toStdString();
    // A drag moves the part.
    QTest::mousePress(window_, Qt::LeftButton, {}, at(0.5, 0.2));
    for (const double y : {0.3, 0.5, 0.7}) QTest::mouseMove(window_, at(0.5, y));
    QTest::mouseRelease(window_, Qt::LeftButton, {}, at(0.5, 0.7));
    EXPECT_TRUE(test::wait_for([&] { return view.part().y() < 0.5; })) << view.part().y();
    for (int i = 0; i < 20; ++i) turn(at(0.5, 0.5), -1);
    EXPECT_TRUE(test::wait_for([&] { return view.part() == QRectF(0, 0, 1, 1); }));
    view.zoom(0.5, {0, 0});
    trigger("matrix");
    trigger("matrix");
    EXPECT_TRUE(test::wait_for([&] { return view.count() == 64; }));
    EXPECT_EQ(view.part(), QRectF(0, 0, 1, 1)) << "opened again, it is shown whole";
}

// The boxes of the fake detector move to the right, by less than half of their width.
TEST_F(Window, TheMatrixFollowsAFace) {
    test::FakeClip clip;
    clip.boxes = 3;
    open(clip, {1320, 800});
    play();
    trigger("matrix");
    pause_at(500000);
    auto& view = *session_->view<MatrixView>();
    const auto first = [&] { return view.matrix()->raw.detections[view.matrix()->rows[0]].box.x; };
    const auto is_at = [&](int frame) { return view.count() == 3 && first() == test::box_of(test::gray_of(frame)).x; };
    ASSERT_TRUE(test::wait_for([&] { return is_at(500000); }));
    draw();
    const Box face = test::box_of(test::gray_of(500000));
    QTest::mouseClick(window_, Qt::LeftButton, {}, video_->mapToScene(video_->mapping().map(face).center()).toPoint());
    ASSERT_TRUE(view.following()) << "a press on the face";
    for (int frame = 500001; frame <= 500003; ++frame) {
        session_->transport()->step();
        ASSERT_TRUE(test::wait_for([&] { return is_at(frame); }));
        ASSERT_TRUE(view.following()) << frame;
        EXPECT_EQ(view.boxes().front().toRectF().x(), test::box_of(test::gray_of(frame)).x);
        EXPECT_TRUE(test::wait_for([&] { return shows("following: row 1"); }));
    }
    QTest::mouseClick(window_, Qt::LeftButton, {},
                      video_->mapToScene(video_->mapping().map(Box{2, 200, 4, 4}).center()).toPoint());
    EXPECT_FALSE(view.following()) << "a press beside the faces";
}

TEST(MatrixView, KeepsTheSelectedRowWhileItZooms) {
    std::mt19937_64 random(test::seed(9));
    const auto result_of = [&](int count) {
        auto result = std::make_shared<FrameResult>();
        result->raw = random_set(random, count);
        result->raw_count = static_cast<std::uint32_t>(count);
        return result;
    };
    MatrixView view;
    view.set_open(true);
    view.show(result_of(64), {});
    ASSERT_TRUE(test::wait_for([&] { return view.count() == 64; }));
    view.select(40.5 / 64, true);
    for (const double extent : {0.5, 0.25}) {
        view.zoom(0.5, {0.5, 0.6});
        ASSERT_TRUE(test::wait_for([&] { return view.part().height() == extent; })) << view.part().height();
        EXPECT_TRUE(view.selection().startsWith("row 41:")) << view.selection().toStdString();
    }
    view.show(result_of(65), {});
    ASSERT_TRUE(test::wait_for([&] { return view.count() == 65; }));
    EXPECT_EQ(view.selection(), "") << "another frame has other rows";
}

TEST(MatrixView, SaysWhyTheFrameShowsAnotherNumber) {
    const auto text_of = [](NmsRule rule, int min_hits, std::size_t shown) {
        auto result = std::make_shared<FrameResult>();
        for (int i = 0; i < 3; ++i)
            result->raw.detections.push_back({{100.0F + static_cast<float>(i), 100, 50, 50}, 5, 1, i});
        result->raw.detections.push_back({{400, 100, 50, 50}, 4, 1, 3});
        result->raw_count = 4;
        result->kept.detections.resize(shown);
        NmsParams nms;
        nms.rule = rule;
        nms.min_hits = min_hits;
        MatrixView view;
        view.set_open(true);
        view.show(result, nms);
        EXPECT_TRUE(test::wait_for([&] { return view.count() == 4; }));
        return view.difference().toStdString();
    };
    EXPECT_EQ(text_of(NmsRule::greedy, 1, 2), "");
    EXPECT_EQ(text_of(NmsRule::greedy, 1, 3), "") << "nothing was left out";
    EXPECT_EQ(text_of(NmsRule::greedy, 1, 1), "1 are shown: the confidence of 1 of the kept boxes is too low");
    EXPECT_EQ(text_of(NmsRule::greedy, 2, 1), "1 are shown: 1 of the kept boxes have fewer than 2 hits");
    EXPECT_EQ(text_of(NmsRule::one_pass, 3, 1), "1 are shown: 1 of the kept boxes have fewer than 3 hits");
    EXPECT_EQ(text_of(NmsRule::soft_linear, 1, 4), "4 boxes are shown: the soft rule lowers scores, and removes few");
}

TEST_F(Window, TheMatrixSaysThatItIsComputed) {
    test::FakeClip clip;
    for (const int boxes : {3000, 0}) {
        clip.boxes = boxes;
        open(clip);
        play();
        trigger("matrix");
        const auto status = [&] { return item("matrixStatus")->property("text").toString(); };
        EXPECT_EQ(status(), "Computing …") << boxes;
        EXPECT_TRUE(test::wait_for([&] { return status() != "Computing …"; }));
        EXPECT_EQ(status().startsWith("No raw detections"), boxes == 0) << status().toStdString();
        EXPECT_EQ(session_->view<MatrixView>()->count(), boxes);
    }
}

// Qt warns about an item that cannot be reached by Tab any more while it has the focus.
TEST_F(Window, TheMatrixClosesWhileItHasTheFocus) {
    test::FakeClip clip;
    clip.boxes = 30;
    open(clip);
    activate();
    play();
    auto& matrix = *session_->view<MatrixView>();
    matrix.set_open(true);
    ASSERT_TRUE(test::wait_for([&] { return matrix.count() > 0; }));
    QQuickItem* cells = item("matrixGreedy") != nullptr ? item("matrixGreedy") : item("matrixOnePass");
    ASSERT_NE(cells, nullptr);
    cells->forceActiveFocus(Qt::TabFocusReason);
    ASSERT_TRUE(cells->hasActiveFocus());
    matrix.set_open(false);
    EXPECT_TRUE(test::wait_for([&] { return item("matrixPanel") == nullptr; }));
}

TEST_F(Window, DrawsTheMatrixAtEverySize) {
    test::FakeClip clip;
    clip.width = 1280;
    clip.height = 720;
    clip.boxes = 300;
    open(clip, {1320, 800});
    play();
    session_->view<MatrixView>()->set_open(true);
    ASSERT_TRUE(test::wait_for([&] { return session_->view<MatrixView>()->count() == 300; }));
    pause_at(500000);
    TH_NEEDS_READ_BACK(*window_);
    for (const QSize size : {QSize(800, 480), QSize(1280, 800), QSize(1920, 1080), QSize(600, 900)}) {
        window_->resize(size);
        session_->view<MatrixView>()->set_by_cluster(size.width() == 1920);
        session_->view<MatrixView>()->select(0.5, true);
        EXPECT_EQ(wait_until_drawn("matrixPanel", "matrix"), "") << size.width();
    }
}

}  // namespace
}  // namespace throng::ui
