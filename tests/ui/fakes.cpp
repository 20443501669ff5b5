#include "tests/ui/fakes.h"
#include "core/detect/detector_kinds.h"

#include <chrono>
#include <cstring>
#include <thread>

#include "core/base/error.h"
#include "core/base/sleep.h"
#include "core/frame/frame_pool.h"

namespace throng::test {
namespace {

class FakeSource : public VideoSource {
public:
    explicit FakeSource(const FakeClip& clip) : clip_(clip) {}

    ReadStatus read(Frame& frame, std::stop_token stop) override {
        constexpr std::chrono::milliseconds kPeriod(10);  // of a camera's frames
        while (clip_.silent != nullptr && *clip_.silent && sleep_for(kPeriod, stop)) {
        }
        if (clip_.live && !sleep_for(kPeriod, stop)) return ReadStatus::timeout;
        if (next_ >= clip_.frames) return ReadStatus::end;
        const int scale = next_ < clip_.grows_at ? 1 : 2;
        frame = (clip_.on_device ? device_frame(scale * clip_.width, scale * clip_.height, next_)
                                 : gray_frame(scale * clip_.width, scale * clip_.height, gray_of(next_), next_))
                    .with_timing(next_, static_cast<double>(next_) / clip_.fps, std::chrono::steady_clock::now());
        ++next_;
        return ReadStatus::frame;
    }
    bool seek(double seconds) override {
        next_ = static_cast<std::int64_t>(seconds * clip_.fps);
        return true;
    }
    [[nodiscard]] SourceInfo info() const override {
        SourceInfo info;
        info.name = "fake";
        info.details = "a test clip";
        info.width = clip_.width;
        info.height = clip_.height;
        info.fps = clip_.fps;
        info.frame_count = clip_.frames;
        info.duration = clip_.frames / clip_.fps;
        info.seekable = !clip_.live;
        info.live = clip_.live;
        return info;
    }

private:
    FakeClip clip_;
    std::int64_t next_ = 0;
};

class FakeRecorder : public StageRecorder {
public:
    void begin(std::string_view) override {}
    void end(std::string_view name) override { add(name, 1.5); }
    void add(std::string_view name, double ms) override { now_.push_back({name, ms}); }
    const StageTimes& end_frame() override {
        last_ = std::move(now_);
        now_.clear();
        return last_;
    }

private:
    StageTimes now_, last_;
};

// Has one switch. Reports twice the time while it is off.
class FakeDetector : public Detector {
public:
    FakeDetector(const FakeClip& clip, const DetectorParams& params)
        : boxes_(clip.boxes),
          detect_ms_(clip.detect_ms),
          stage_ms_(params.kind == DetectorId::cnn ? clip.cnn_ms : 1.5),
          stages_(clip.stages),
          switches_(clip.switches),
          params_(params) {}

    void enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder) override {
        if (detect_ms_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(detect_ms_));
        recorder.add(stage::kCascade, chosen() == "on" ? stage_ms_ : 2 * stage_ms_);
        for (const std::string_view name : stages_) recorder.add(name, stage_ms_);
        const Box first = box_of(frame.plane(0).data[0]);
        const DetectionSpan& span = raw.span();
        *span.count = {static_cast<std::uint32_t>(boxes_), 0};
        for (int i = 0; i < std::min(boxes_, raw.capacity()); ++i) {
            const float shift = static_cast<float>(i % 3 + 40 * (i / 3 % 20));
            span.boxes[i] = {first.x + shift, first.y + static_cast<float>(i / 60), first.w, first.h};
            span.scores[i] = 10.0F - static_cast<float>(i) / 1000;
        }
    }
    void configure(const DetectorParams& params) override { params_ = params; }
    [[nodiscard]] std::vector<DetectorSwitch> switches() const override {
        std::vector<DetectorSwitch> all{{"trick", "A trick", "Saves half the time", {"on", "off"}, chosen()}};
        all.insert(all.end(), switches_.begin(), switches_.end());
        return all;
    }

private:
    [[nodiscard]] std::string chosen() const {
        const auto found = params_.switches.find("trick");
        return found == params_.switches.end() ? "on" : found->second;
    }

    int boxes_, detect_ms_;
    double stage_ms_;
    std::vector<std::string_view> stages_;
    std::vector<DetectorSwitch> switches_;
    DetectorParams params_;
};

// Keeps every third detection, unless it has too few hits.
class FakeNms : public Nms {
public:
    void enqueue(const DetectionBuffer& raw, DetectionBuffer& kept, const NmsParams& params,
                 StageRecorder& recorder) override {
        { const ScopedStage timing(recorder, stage::kNmsMap); }
        const ScopedStage timing(recorder, stage::kNmsReduce);
        const DetectionSpan& from = raw.span();
        const DetectionSpan& to = kept.span();
        const auto count = std::min(static_cast<std::int32_t>(from.count->total), raw.capacity());
        std::uint32_t n = 0;
        for (int i = 0; i < count && static_cast<std::int32_t>(n) < kept.capacity(); i += 3) {
            if (std::min(3, count - i) < params.min_hits) continue;
            to.boxes[n] = from.boxes[i];
            to.scores[n] = from.scores[i];
            to.hits[n] = std::min(3, count - i);
            to.source[n] = i;
            ++n;
        }
        *to.count = {n, 0};
    }
};

class FakeBackend : public Backend {
public:
    explicit FakeBackend(const FakeClip& clip) : clip_(clip) {}

    [[nodiscard]] BackendKind kind() const override {
        return clip_.backend == "cpu" ? BackendKind::cpu : BackendKind::cuda;
    }
    [[nodiscard]] std::string name() const override { return clip_.backend; }
    [[nodiscard]] std::string description() const override { return "fake backend"; }
    [[nodiscard]] std::unique_ptr<Detector> make_detector(const DetectorParams& params) override {
        if (params.kind == DetectorId::lbp || (params.kind == DetectorId::cnn && clip_.cnn_ms == 0)) {
            throw Error(ErrorKind::unavailable, "this detector cannot be made",
                        std::string(detector_kind(params.kind).name), "take another one");
        }
        return std::make_unique<FakeDetector>(clip_, params);
    }
    [[nodiscard]] std::unique_ptr<Nms> make_nms() override { return std::make_unique<FakeNms>(); }
    [[nodiscard]] DetectionBuffer make_buffer(std::int32_t capacity, const OptionalFields& optional_fields) override {
        DetectionBuffer buffer = make_host_buffer(capacity, optional_fields);
        if (!clip_.on_device) return buffer;
        const DetectionSpan span = buffer.span();
        return {MemoryKind::device, span, std::make_shared<DetectionBuffer>(std::move(buffer))};
    }
    [[nodiscard]] std::unique_ptr<StageRecorder> make_recorder() override { return std::make_unique<FakeRecorder>(); }
    [[nodiscard]] std::unique_ptr<GlBridge> make_gl_bridge() override {
        return clip_.make_gl_bridge ? clip_.make_gl_bridge() : nullptr;
    }

    void download(const DetectionBuffer& buffer, DetectionSet& out) override {
        const DetectionSpan& span = buffer.span();
        out = {};
        out.total = span.count->total;
        const auto count = std::min(static_cast<std::int32_t>(out.total), buffer.capacity());
        for (int i = 0; i < count; ++i) {
            out.detections.push_back({span.boxes[i], span.scores[i], span.hits != nullptr ? span.hits[i] : 1, i});
        }
    }
    void upload(const DetectionSet&, DetectionBuffer&) override {}

private:
    FakeClip clip_;
};

Frame host_copy_of(const FrameInfo& info, const void* owner) {
    const auto& host = *static_cast<const Frame*>(owner);
    return host.with_timing(info.index, info.pts, info.captured);
}

}  // namespace

std::unique_ptr<VideoSource> make_fake_source(const FakeClip& clip) {
    return std::make_unique<FakeSource>(clip);
}
std::shared_ptr<Backend> make_fake_backend(const FakeClip& clip) {
    return std::make_shared<FakeBackend>(clip);
}

Frame device_frame(int width, int height, std::int64_t index) {
    static FramePool pool;
    WritableFrame frame = pool.take(PixelFormat::nv12, width, height);
    frame.info().matrix = ColorMatrix::bt601;
    frame.info().index = index;
    constexpr std::uint8_t kRed[3] = {81, 90, 240};  // Y, Cb, Cr
    constexpr std::uint8_t kBlue[3] = {41, 240, 110};
    for (int p = 0; p < 2; ++p) {
        const PlaneView plane = frame.plane(p);
        for (int y = 0; y < plane.height; ++y) {
            const std::uint8_t* color = 2 * y < plane.height ? kRed : kBlue;
            for (int x = 0; x < plane.width; ++x) {
                frame.data(p)[plane.pitch * y + x] = color[p == 0 ? 0 : 1 + x % 2];
            }
        }
    }
    auto host = std::make_shared<Frame>(std::move(frame).finish());
    FrameInfo info = host->info();
    info.memory = MemoryKind::device;
    const PlaneView planes[Frame::kMaxPlanes] = {host->plane(0), host->plane(1)};
    return {info, planes, std::move(host), host_copy_of};
}

Frame gray_frame(int width, int height, int value, std::int64_t index) {
    static FramePool pool;
    WritableFrame frame = pool.take(PixelFormat::gray8, width, height);
    for (int y = 0; y < height; ++y) {
        std::memset(frame.data(0) + frame.plane(0).pitch * y, value, static_cast<std::size_t>(width));
    }
    frame.info().range = ColorRange::full;
    frame.info().index = index;
    return std::move(frame).finish();
}

}  // namespace throng::test
