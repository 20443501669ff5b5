// Measures how many faces of a drawn crowd the kiosk hides in the image of a camera, with real detectors.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <QSettings>
#include <atomic>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <optional>

#include "core/cpu/cpu_backend.h"
#include "core/eval/leaks.h"
#include "core/model/onnx.pb.h"
#include "core/synth/crowd.h"
#include "tests/support/onnx_maker.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_data.h"
#include "tests/ui/wait.h"
#include "ui/session/session.h"
#include "ui/stand/stand.h"

namespace throng::ui {
namespace {

constexpr std::int64_t kCrowdFrames = test::kSanitized ? 6 : 16;

CrowdOptions kiosk_crowd() {
    CrowdOptions options;
    options.width = 640;
    options.height = 360;
    return options;
}

// What the source and the observer of a run share.
struct CrowdRun {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::int64_t detected = 0;   // frames; the session counts them
    std::int64_t delivered = 0;  // results, after the delay of a live image
    LeakMeter meter{{0, 0.8, 0.95, std::nullopt}};
};

// A camera that waits for the detector, so that no frame depends on the pace of the machine.
class PatientCamera final : public VideoSource {
public:
    explicit PatientCamera(std::shared_ptr<CrowdRun> run) : run_(std::move(run)), crowd_(kiosk_crowd()) {}

    ReadStatus read(Frame& frame, std::stop_token stop) override {
        std::unique_lock lock(run_->mutex);
        const auto detected = [this] { return next_ <= run_->detected; };
        if (!run_->changed.wait(lock, stop, detected)) return ReadStatus::timeout;
        if (next_ == kCrowdFrames) return ReadStatus::end;
        frame =
            crowd_.frame(next_).with_timing(next_, static_cast<double>(next_) / 30, std::chrono::steady_clock::now());
        ++next_;
        return ReadStatus::frame;
    }
    bool seek(double) override { return false; }
    [[nodiscard]] SourceInfo info() const override {
        SourceInfo info;
        info.name = "camera:7";
        info.width = crowd_.options().width;
        info.height = crowd_.options().height;
        info.live = true;
        return info;
    }

private:
    std::shared_ptr<CrowdRun> run_;
    Crowd crowd_;
    std::int64_t next_ = 0;
};

class LeakObserver final : public ResultSink {
public:
    explicit LeakObserver(std::shared_ptr<CrowdRun> run) : run_(std::move(run)), crowd_(kiosk_crowd()) {}

    void write(const FrameResult& result) override {
        std::vector<TruthFace> truth;
        for (const CrowdFace& face : crowd_.truth(result.frame.info().index)) truth.push_back({face.box, face.visible});
        const std::lock_guard lock(run_->mutex);
        run_->meter.add(result.frame.width(), result.frame.height(), truth, regions_to_hide(result), result.redact);
        ++run_->delivered;
    }
    void close() override {}

private:
    std::shared_ptr<CrowdRun> run_;
    Crowd crowd_;
};

struct HiddenShare {
    double hidden = 0;  // share of the face-frames
    double extra = 0;   // share of the image that is hidden beside faces
    std::int64_t whole = 0;
};

// Runs the kiosk with these settings of its display.
HiddenShare hidden_in_kiosk(int min_size, DetectorId hides_by = DetectorId::haar, bool kiosk = true) {
    const test::ScratchDir folder;
    QSettings store(QString::fromStdString((folder.path() / "settings.ini").string()), QSettings::IniFormat);
    const auto run = std::make_shared<CrowdRun>();
    SessionSetup setup;
    setup.settings.detector.min_size = min_size;
    setup.settings.detector.scale_factor = 1.2;
    setup.settings.nms = detector_kind("haar").nms;
    setup.settings.nms.min_hits = 3;
    setup.hides_by = hides_by;
    setup.open_source = [run](const std::string&, const std::stop_token&) {
        return std::make_unique<PatientCamera>(run);
    };
    setup.make_backend = [](const DetectorParams&) { return BackendChoice{make_cpu_backend(), "the test"}; };
    setup.make_observer = [run] { return std::make_shared<LeakObserver>(run); };
    Session session(std::move(setup), store);
    StandOptions options;
    options.kiosk = kiosk;
    options.pace.stall = std::chrono::hours(1);  // a slow machine is no failed camera
    Stand stand(session, options);
    if (!kiosk) session.display()->set_blur(true);
    session.open(QStringLiteral("camera:7"));
    EXPECT_TRUE(QTest::qWaitFor(
        [&] {
            const std::lock_guard lock(run->mutex);
            run->detected = static_cast<std::int64_t>(session.status()->counters().detected);
            run->changed.notify_all();
            return run->delivered == kCrowdFrames;
        },
        300000));
    const std::lock_guard lock(run->mutex);
    const LeakResult& result = run->meter.result();
    EXPECT_GT(result.face_frames, kCrowdFrames * 30);
    const double leaks = static_cast<double>(result.leaks) / static_cast<double>(result.face_frames);
    std::cout << fmt::format(
        "min size {}: {:.1f} of {:.1f} faces per frame hidden, {:.1f} % of the image beside them\n", min_size,
        (1 - leaks) * static_cast<double>(result.face_frames) / kCrowdFrames,
        static_cast<double>(result.face_frames) / kCrowdFrames, 100 * result.mean_extra_area());
    return {1 - leaks, result.mean_extra_area(), result.whole_frames};
}

// The kiosk's own boxes are large and few (configs/kiosk.toml); what a visitor sets is worse still.
TEST(StandHiding, FacesAreHiddenWhateverIsShown) {
    const HiddenShare by_boxes = hidden_in_kiosk(48, DetectorId::haar, false);
    EXPECT_LT(by_boxes.hidden, 0.5) << "the crowd is too easy for this test";
    const HiddenShare share = hidden_in_kiosk(200);
    EXPECT_GT(share.hidden, 0.95);
    EXPECT_EQ(share.whole, 0);
    EXPECT_LT(share.extra, 0.1);
}

HiddenShare hidden_by_network(const std::filesystem::path& models) {
    const QByteArray before = qgetenv("THRONG_MODELS");
    qputenv("THRONG_MODELS", QByteArray::fromStdString(models.string()));
    const HiddenShare share = hidden_in_kiosk(48, DetectorId::cnn);
    before.isNull() ? qunsetenv("THRONG_MODELS") : qputenv("THRONG_MODELS", before);
    return share;
}

TEST(StandHiding, TheNetworkIsUsedWhereThereIsOne) {
    const test::ScratchDir models;
    const std::string bytes = test::bytes_of(test::yunet_of_faces_everywhere());
    std::ofstream(models.path() / "yunet_n_dynamic.onnx", std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    const HiddenShare everywhere = hidden_by_network(models.path());
    EXPECT_GT(everywhere.hidden, 0.99);
    EXPECT_GT(everywhere.extra, 0.15) << "another detector than the network hid the faces";
    EXPECT_EQ(everywhere.whole, 0);
    if (const auto data = test::data_dir()) {
        const HiddenShare share = hidden_by_network(*data / "models");
        EXPECT_GT(share.hidden, 0.95);
        EXPECT_EQ(share.whole, 0);
    }
}

}  // namespace
}  // namespace throng::ui
