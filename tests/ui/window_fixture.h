// Fixture of the tests of the whole window, with a fake source and backend. Any QML warning fails the test.
#pragma once

#include <gtest/gtest.h>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include <QCursor>
#include <QQmlApplicationEngine>
#include <QQuickItem>
#include <QQuickWindow>
#include <QTest>

#include "core/base/latest_value.h"
#include "core/base/sleep.h"
#include "tests/support/test_data.h"
#include "tests/ui/fakes.h"
#include "tests/ui/wait.h"
#include "ui/compare/compare_view.h"
#include "ui/counts/counts_view.h"
#include "ui/matrix/matrix_view.h"
#include "ui/race/race_view.h"
#include "ui/replay/replay.h"
#include "ui/stagemap/stage_map_view.h"
#include "ui/stand/stand.h"
#include "ui/video/video_item.h"
#include "ui/wall/wall.h"
#include "ui/window.h"

namespace throng::ui {

class Window : public testing::Test {
protected:
    Window() { previous_handler_ = qInstallMessageHandler(note_message); }

    ~Window() override {
        engine_.reset();
        stand_.reset();
        wall_.reset();
        session_.reset();
        qInstallMessageHandler(previous_handler_);
        EXPECT_TRUE(warnings_.isEmpty()) << warnings_.join('\n').toStdString();
        warnings_.clear();
    }

    void open(const test::FakeClip& clip, QSize size = {1320, 800}) {
        SessionSetup setup;
        setup.open_source = [this, clip, make = make_source_](
                                const std::string& spec, const std::stop_token& stop) -> std::unique_ptr<VideoSource> {
            if (std::unique_ptr<VideoSource> made = make ? make(spec) : nullptr) return made;
            if (spec == "silent") {
                EXPECT_FALSE(sleep_for(std::chrono::minutes(5), stop)) << "opening was not stopped";
                throw Error(ErrorKind::interrupted, "stopped while opening", spec);
            }
            if (spec == "missing.mp4") {
                throw Error(ErrorKind::input, "cannot open the video", spec, "check the path");
            }
            test::FakeClip opened = clip;
            opened.live = spec.rfind("camera:", 0) == 0;
            if (opened.live) ++camera_opens_;
            if (opened.live && broken_) throw Error(ErrorKind::input, "cannot open the camera", spec, "plug it in");
            if (opened.live) opened.silent = &silent_;
            return test::make_fake_source(opened);
        };
        setup.make_backend = [clip](const DetectorParams&) {
            return BackendChoice{test::make_fake_backend(clip), "selected by the test"};
        };
        setup.list_cameras = [this] { return cameras_; };
        setup.make_recording = [this](const std::string&, const SourceInfo&, bool, bool) {
            return std::make_shared<CountingSink>(recorded_, closed_, recorded_frame_, closing_);
        };
        setup.make_sinks = make_sinks_;
        setup.expect_again = [this](int source_number) {
            const std::lock_guard lock(lost_mutex_);
            ++lost_[source_number];
        };
        setup.sinks_hide_faces = sinks_hide_faces_;
        setup.detector_chosen = detector_chosen_;
        setup.try_network = try_network_;
        setup.settings.keep_rate = keep_rate_;
        setup.count_file = count_file_;
        if (!count_file_.empty()) setup.count_plan = load_count_plan(count_file_);
        setup.settings.carry = carry_;
        if (carry_) setup.settings.tracking.emplace();
        setup.race_suppression = race_suppression_;
        setup.race_detector = race_detector_;
        setup.clocks.clocks.root = folder_.path() / "board";
        setup.clocks.period = std::chrono::milliseconds(50);
        engine_.reset();  // of a window before
        session_ = std::make_unique<Session>(std::move(setup), store_);
        engine_ = std::make_unique<QQmlApplicationEngine>();
        if (stand_options_) stand_ = std::make_unique<Stand>(*session_, *stand_options_);
        if (!wall_sources_.isEmpty()) wall_ = std::make_unique<Wall>(wall_sources_, *session_);
        engine_->setInitialProperties({{"session", QVariant::fromValue(session_.get())},
                                       {"wall", QVariant::fromValue(wall_.get())},
                                       {"kiosk", kiosk_},
                                       {"stand", QVariant::fromValue(stand_.get())}});
        engine_->load(load_module(*engine_));
        ASSERT_FALSE(engine_->rootObjects().isEmpty());
        window_ = qobject_cast<QQuickWindow*>(engine_->rootObjects().first());
        window_->resize(size);
        // Otherwise the cursor is at 0 0, over a button whose tooltip would cover the image.
        QCursor::setPos(size.width() / 2, size.height() / 2);
        window_->show();
        video_ = window_->findChild<VideoItem*>();
        ASSERT_NE(video_, nullptr);
    }

    // Shortcuts need an active window.
    void activate() {
        window_->requestActivate();
        ASSERT_TRUE(QTest::qWaitForWindowActive(window_));
    }

    void play(const QString& spec = "clip.mp4") {
        session_->open(spec);
        ASSERT_TRUE(test::wait_for([&] { return video_->has_frame(); }));
    }

    // Waits until everything that was done has had its effect on the window.
    void draw() { ASSERT_TRUE(test::wait_for_drawing(*window_)); }

    // Waits for that many results after the current one.
    [[nodiscard]] bool wait_for_results(int count) {
        int seen = 0;
        const auto counter = QObject::connect(session_.get(), &Session::resultChanged, [&] { ++seen; });
        const bool arrived = test::wait_for([&] { return seen >= count; });
        QObject::disconnect(counter);
        return arrived;
    }

    // Pauses, then seeks to a distant frame, so that no other frame is in flight.
    void pause_at(int index, double fps = test::FakeClip{}.fps) {
        trigger("play");
        ASSERT_TRUE(test::wait_for([&] { return session_->transport()->state() == "paused"; }));
        session_->transport()->seek(index / fps);
        ASSERT_TRUE(test::wait_for([&] {
            return session_->result()->frame.info().index == index && video_->frame().result == session_->result();
        }));
    }

    void trigger(const QString& action) {
        auto* actions = window_->property("actions").value<QObject*>();
        ASSERT_TRUE(QMetaObject::invokeMethod(actions, "trigger", Q_ARG(QString, action))) << action.toStdString();
    }

    void type(const char* text) {
        for (; *text != 0; ++text) QTest::keyClick(window_, *text);
    }

    // Returns the color that the window shows at (x, y) of the box, relative to its size.
    QColor shown_at(const QImage& image, const Box& box, double x, double y) {
        const QRectF rect = video_->mapping().map(box);
        const QPointF point = video_->mapToScene(rect.topLeft() + QPointF(x * rect.width(), y * rect.height()));
        const double ratio = image.width() / static_cast<double>(window_->width());
        return image.pixelColor(static_cast<int>(point.x() * ratio), static_cast<int>(point.y() * ratio));
    }

    // Returns the button with this text, or null.
    QObject* control(const QString& text) { return control(text, window_->contentItem()); }
    static QObject* control(const QString& text, QQuickItem* below) {
        if (below->inherits("QQuickAbstractButton") && below->property("text").toString() == text) return below;
        for (QQuickItem* item : below->childItems()) {
            if (QObject* found = control(text, item)) return found;
        }
        return nullptr;
    }
    // Returns true if a visible item contains this text.
    bool shows(const QString& text) { return shows(text, window_->contentItem()); }
    static bool shows(const QString& text, QQuickItem* below) {
        if (!below->isVisible()) return false;
        if (below->property("text").toString().contains(text)) return true;
        const QList<QQuickItem*> items = below->childItems();
        return std::any_of(items.begin(), items.end(), [&](QQuickItem* item) { return shows(text, item); });
    }
    // Returns the visible item with this object name, or null.
    QQuickItem* item(const QString& name) {
        auto* found = window_->findChild<QQuickItem*>(name);
        if (found == nullptr) return item(name, window_->contentItem());
        return found->isVisible() ? found : nullptr;
    }
    // Finds items of a Repeater, too: they have no QObject parent.
    static QQuickItem* item(const QString& name, QQuickItem* below) {
        if (!below->isVisible()) return nullptr;
        if (below->objectName() == name) return below;
        for (QQuickItem* child : below->childItems()) {
            if (QQuickItem* found = item(name, child)) return found;
        }
        return nullptr;
    }
    QPoint center_of(const QQuickItem& item) {
        return item.mapToScene(QPointF(item.width() / 2, item.height() / 2)).toPoint();
    }
    // Returns true if the item is visible and inside the window.
    bool in_sight(const QString& name) {
        QQuickItem* found = item(name);
        return found != nullptr &&
               QRectF(0, 0, window_->width(), window_->height()).contains(found->mapRectToScene(found->boundingRect()));
    }
    // Returns an empty string once the item is inside the window and drawn in several colors, otherwise what is wrong.
    // Saves the window as IMAGE.png in the folder $THRONG_UI_PICTURES if it is set.
    std::string wait_until_drawn(const QString& name, const QString& image_name) {
        const std::string mismatch = test::wait_for_image(*window_, [&](const QImage& image) {
            const std::string what = name.toStdString();
            if (window_->contentItem()->size().toSize() != window_->size())
                return std::string("laid out for another size");
            if (!in_sight(name)) return what + " is not inside the window";
            QQuickItem* found = item(name);
            const double ratio = image.width() / static_cast<double>(window_->width());
            // Not the bounds: those of a field are its text.
            const QRectF area = found->mapRectToScene(QRectF(QPointF(), found->size()));
            std::set<QRgb> colors;
            for (int y = static_cast<int>(area.top()); y < area.bottom(); ++y) {
                for (int x = static_cast<int>(area.left()); x < area.right(); ++x) {
                    colors.insert(image.pixel(static_cast<int>(x * ratio), static_cast<int>(y * ratio)));
                }
            }
            return colors.size() < 4 ? what + " is not drawn" : std::string{};
        });
        const QString target = qEnvironmentVariable("THRONG_UI_PICTURES");
        if (!target.isEmpty()) {
            EXPECT_TRUE(window_->grabWindow().save(QStringLiteral("%1/%2-%3x%4.png")
                                                       .arg(target, image_name)
                                                       .arg(window_->width())
                                                       .arg(window_->height())));
        }
        return mismatch;
    }
    // Returns the contrast of two colors: 1 to 21.
    static double contrast(const QColor& a, const QColor& b) {
        const auto luminance = [](const QColor& color) {
            const auto linear = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
            return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
        };
        const double one = luminance(a), other = luminance(b);
        return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
    }
    bool click(const QString& text) {
        QObject* found = control(text);
        return found != nullptr && QMetaObject::invokeMethod(found, "clicked");
    }

    class CountingSink : public ResultSink {
    public:
        CountingSink(std::atomic<int>& written, std::atomic<int>& closed, LatestValue<FrameInfo>& newest,
                     std::chrono::milliseconds closing = {})
            : written_(written), closed_(closed), newest_(newest), closing_(closing) {}
        void write(const FrameResult& result) override {
            newest_.push(result.frame.info());
            ++written_;
        }
        void close() override {
            std::this_thread::sleep_for(closing_);
            ++closed_;
        }

    private:
        std::atomic<int>& written_;
        std::atomic<int>& closed_;
        LatestValue<FrameInfo>& newest_;
        std::chrono::milliseconds closing_;
    };

    static void note_message(QtMsgType type, const QMessageLogContext& context, const QString& text) {
        // Ignore warnings of Mesa and the platform plugin, which are not about the window.
        const bool is_warning = type != QtDebugMsg && type != QtInfoMsg;
        if (is_warning && (text.contains("qrc:") || text.contains("QML") || text.contains("QQuick"))) warnings_ += text;
        previous_handler_(type, context, text);
    }
    inline static QStringList warnings_;
    inline static QtMessageHandler previous_handler_ = nullptr;

    bool kiosk_ = false;      // set before open
    std::string count_file_;  // likewise
    bool detector_chosen_ = true;
    bool try_network_ = false;
    double keep_rate_ = 0;
    std::vector<CameraInfo> cameras_{{"camera:7", "Fake camera"}};
    QStringList wall_sources_;
    std::function<std::unique_ptr<VideoSource>(const std::string&)> make_source_;  // null: the clip
    // Makes the program's own outputs; null: none.
    SessionSetup::MakeSinks make_sinks_;
    std::mutex lost_mutex_;
    std::map<int, int> lost_;  // times that a source was lost, by its number
    int lost(int source_number) {
        const std::lock_guard lock(lost_mutex_);
        return lost_[source_number];
    }
    bool sinks_hide_faces_ = false;
    bool carry_ = false;  // boxes are carried to frames that are not detected
    RunRace race_suppression_, race_detector_;
    std::optional<StandOptions> stand_options_;  // set before open
    std::atomic<bool> broken_ = false;           // cameras cannot be opened
    std::atomic<bool> silent_ = false;           // cameras deliver no frames
    std::atomic<int> camera_opens_ = 0;          // attempts
    std::atomic<int> recorded_ = 0, closed_ = 0;
    std::chrono::milliseconds closing_{0};   // that a recording takes
    LatestValue<FrameInfo> recorded_frame_;  // newest one, as the recording received it
    test::ScratchDir folder_;
    QSettings store_{QString::fromStdString((folder_.path() / "settings.ini").string()), QSettings::IniFormat};
    std::unique_ptr<Session> session_;
    std::unique_ptr<Wall> wall_;
    std::unique_ptr<Stand> stand_;
    std::unique_ptr<QQmlApplicationEngine> engine_;
    QQuickWindow* window_ = nullptr;
    VideoItem* video_ = nullptr;
};

}  // namespace throng::ui
