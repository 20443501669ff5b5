#include "app/lab/measure/pipeline_measurement.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "app/cuda_module/load.h"
#include "core/base/error.h"
#include "core/frame/host_copies.h"
#include "core/pipeline/pipeline.h"

namespace throng {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kWarmUpFrames = 50;          // frames of each stream
constexpr std::size_t kHeldFrames = 6;               // decoded frames that the detection-only part uses
constexpr std::int64_t kMaxWindow = 4096;            // frames that the stage statistics cover
constexpr std::int64_t kMaxHeldLatencies = 1 << 20;  // for which memory is reserved at the start
constexpr auto kSampleInterval = std::chrono::milliseconds(1);

// Returns the same frames repeatedly, with new timing, as if they had just been decoded.
class ReplaySource final : public VideoSource {
public:
    ReplaySource(std::vector<Frame> frames, SourceInfo info) : frames_(std::move(frames)), info_(std::move(info)) {}

    ReadStatus read(Frame& frame, std::stop_token stop) override {
        if (stop.stop_requested()) return ReadStatus::timeout;
        const Frame& next = frames_[static_cast<std::size_t>(index_) % frames_.size()];
        frame = next.with_timing(index_, static_cast<double>(index_) / 30, Clock::now());
        ++index_;
        return ReadStatus::frame;
    }
    [[nodiscard]] SourceInfo info() const override { return info_; }

private:
    std::vector<Frame> frames_;
    SourceInfo info_;
    std::int64_t index_ = 0;
};

// Counts the frames of one stream and, between warm-up and end, records their latencies, boxes and stage times.
class Tally final : public ResultSink {
public:
    // Reserves the memory for the latencies, so that the measurement itself does not appear as memory growth.
    explicit Tally(std::int64_t frames) {
        latencies_.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(frames, 0, kMaxHeldLatencies)));
        latencies_.clear();
    }

    void write(const FrameResult& result) override {
        frames_.fetch_add(1, std::memory_order_relaxed);
        if (!recording_.load(std::memory_order_relaxed)) return;
        const std::lock_guard lock(mutex_);
        latencies_.push_back(result.latency_ms);
        kept_ += result.kept.detections.size();
        for (const StageTime& time : result.timings) {
            if (time.name != stage::kDecode && time.name != stage::kTotal) device_ms_ += time.ms;
        }
    }
    void close() override {}

    void count() { frames_.fetch_add(1, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t frames() const { return frames_.load(std::memory_order_relaxed); }
    void record(bool on) { recording_.store(on, std::memory_order_relaxed); }

    void add_to(Samples& latencies, double& device_ms, double& kept) const {
        const std::lock_guard lock(mutex_);
        latencies.add(Samples(latencies_));
        device_ms += device_ms_;
        kept += static_cast<double>(kept_);
    }

private:
    std::atomic<std::uint64_t> frames_ = 0;
    std::atomic<bool> recording_ = false;
    mutable std::mutex mutex_;
    std::vector<double> latencies_;
    std::uint64_t kept_ = 0;
    double device_ms_ = 0;
};

// Running streams of one part.
class Load {
public:
    Load() = default;
    Load(const Load&) = delete;
    Load& operator=(const Load&) = delete;
    virtual ~Load() = default;
    // Returns whether a stream has ended. Throws the error of a stream that failed.
    [[nodiscard]] virtual bool over() = 0;
    [[nodiscard]] virtual std::optional<DeviceMemory> device_memory() const { return std::nullopt; }
    // Returns the stages of the first stream.
    [[nodiscard]] virtual std::vector<StageSummary> stages() const { return {}; }
};

using Tallies = std::vector<std::shared_ptr<Tally>>;  // one per stream

// Decodes on one thread per stream and drops the frames.
class DecodeLoad final : public Load {
public:
    DecodeLoad(const PipelineBench& bench, const Tallies& tallies) {
        for (const auto& tally : tallies) {
            auto source = open_source(bench.source, bench.source_options);
            source->set_loop(true);
            sources_.push_back(std::move(source));
            tallies_.push_back(tally.get());
        }
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            threads_.emplace_back([this, i](const std::stop_token& stop) { work(*sources_[i], *tallies_[i], stop); });
        }
    }

    bool over() override {
        const std::lock_guard lock(mutex_);
        if (failure_) throw Error(*failure_);
        return over_;
    }

private:
    void work(VideoSource& source, Tally& tally, const std::stop_token& stop) {
        std::optional<Error> failure;
        try {
            while (!stop.stop_requested()) {
                Frame frame;
                const ReadStatus status = source.read(frame, stop);
                if (status == ReadStatus::end && !source.seek(0)) break;
                if (frame) tally.count();
            }
        } catch (...) {
            failure = current_error();
        }
        const std::lock_guard lock(mutex_);
        over_ = true;
        if (failure && !failure_) failure_ = std::move(failure);
    }

    std::vector<std::unique_ptr<VideoSource>> sources_;
    std::vector<Tally*> tallies_;
    std::mutex mutex_;
    bool over_ = false;
    std::optional<Error> failure_;
    std::vector<std::jthread> threads_;  // last: they end before the members that they use
};

// Runs one pipeline per stream, over the source itself or over a few of its frames.
class PipelineLoad final : public Load {
public:
    PipelineLoad(const PipelineBench& bench, bool decode, const Tallies& tallies) {
        if (!decode) read_frames(bench);
        PipelineOptions options;
        options.loop = true;
        options.timing_window = static_cast<std::size_t>(std::clamp<std::int64_t>(bench.frames, 1, kMaxWindow));
        options.shared_permits = std::make_shared<SharedPermits>(bench.shared_permits);
        for (const auto& tally : tallies) {
            auto source = decode ? open_source(bench.source, bench.source_options)
                                 : std::make_unique<ReplaySource>(held_, origin_->info());
            backends_.push_back(bench.make_backend());
            pipelines_.push_back(
                std::make_unique<Pipeline>(std::move(source), backends_.back(), bench.settings, options));
            pipelines_.back()->add_sink(tally);
        }
        for (auto& pipeline : pipelines_) pipeline->start();
    }

    bool over() override {
        bool any = false;
        for (auto& pipeline : pipelines_) {
            if (const auto failure = pipeline->failure()) throw Error(*failure);
            any = any || pipeline->state() == PipelineState::ended;
        }
        return any;
    }

    [[nodiscard]] std::optional<DeviceMemory> device_memory() const override {
        return backends_.front()->device_memory();
    }
    [[nodiscard]] std::vector<StageSummary> stages() const override { return pipelines_.front()->timings(); }

private:
    void read_frames(const PipelineBench& bench) {
        origin_ = open_source(bench.source, bench.source_options);
        while (held_.size() < kHeldFrames) {
            Frame frame;
            if (origin_->read(frame, {}) == ReadStatus::end) break;
            if (frame) held_.push_back(std::move(frame));
        }
        if (held_.empty()) throw Error(ErrorKind::input, "contains no frames", bench.source);
    }

    std::unique_ptr<VideoSource> origin_;  // its decoder owns the frames in held_
    std::vector<Frame> held_;
    std::vector<std::shared_ptr<Backend>> backends_;
    std::vector<std::unique_ptr<Pipeline>> pipelines_;
};

std::uint64_t cuda_host_copied_bytes() {
    const CudaModule* cuda = cuda_module();
    return cuda != nullptr ? cuda->host_copied_bytes() : 0;
}

// Resource usage of the process at one instant.
struct Usage {
    Clock::time_point at = Clock::now();
    double cpu_seconds = 0;
    std::uint64_t host_bytes = host_copied_bytes() + cuda_host_copied_bytes();
    double resident_mb = 0;
    double device_mb = 0;
    std::vector<std::uint64_t> frames;  // of each stream
};

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

Usage usage(const Load& load, const Tallies& tallies) {
    Usage now;
    for (const auto& tally : tallies) now.frames.push_back(tally->frames());
    rusage process{};
    getrusage(RUSAGE_SELF, &process);
    now.cpu_seconds = seconds(process.ru_utime) + seconds(process.ru_stime);
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages >> pages;
    now.resident_mb = static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
    if (const auto memory = load.device_memory()) now.device_mb = static_cast<double>(memory->used) / 1e6;
    return now;
}

// Measures from the end of the warm-up of all streams until the first stream has delivered its frames. Streams do not
// end on their own: on a busy machine, one may deliver all its frames before another has warmed up.
PipelineRow observe(const PipelineBench& bench, Load& load, const Tallies& tallies) {
    const auto wait_until = [&](auto done) {
        while (!load.over() && !bench.interrupted() && !done()) {
            std::this_thread::sleep_for(kSampleInterval);
            std::uint64_t frames = 0;
            for (const auto& tally : tallies) frames += tally->frames();
            bench.progress(frames);
        }
    };
    const auto is_warm = [&] {
        return std::all_of(tallies.begin(), tallies.end(), [](const auto& t) { return t->frames() >= kWarmUpFrames; });
    };
    wait_until(is_warm);
    if (!is_warm() && !bench.interrupted()) {
        throw Error(ErrorKind::input, fmt::format("ended during the warm-up of {} frames", kWarmUpFrames),
                    bench.source);
    }
    for (const auto& tally : tallies) tally->record(true);
    const Usage begin = usage(load, tallies);
    const auto is_complete = [&] {
        for (std::size_t i = 0; i < tallies.size(); ++i) {
            if (tallies[i]->frames() >= begin.frames[i] + static_cast<std::uint64_t>(bench.frames)) return true;
        }
        return false;
    };
    const auto tenth_of_first = begin.frames.front() + static_cast<std::uint64_t>(bench.frames) / 10;
    wait_until([&] { return tallies.front()->frames() >= tenth_of_first || is_complete(); });
    const Usage tenth = usage(load, tallies);
    wait_until(is_complete);
    const Usage end = usage(load, tallies);
    for (const auto& tally : tallies) tally->record(false);

    PipelineRow row;
    row.streams = static_cast<int>(tallies.size());
    row.seconds = std::chrono::duration<double>(end.at - begin.at).count();
    std::uint64_t fewest = ~std::uint64_t{0};
    for (std::size_t i = 0; i < tallies.size(); ++i) {
        const std::uint64_t frames = end.frames[i] - begin.frames[i];
        row.frames += frames;
        fewest = std::min(fewest, frames);
    }
    if (row.seconds > 0) {
        row.fps = static_cast<double>(row.frames) / row.seconds;
        row.slowest_fps = static_cast<double>(fewest) / row.seconds;
        row.cores = (end.cpu_seconds - begin.cpu_seconds) / row.seconds / row.streams;
    }
    row.host_bytes = end.host_bytes - begin.host_bytes;
    row.resident_tenth_mb = tenth.resident_mb;
    row.resident_end_mb = end.resident_mb;
    row.device_tenth_mb = tenth.device_mb;
    row.device_end_mb = end.device_mb;

    Samples latencies;
    double kept = 0;
    for (const auto& tally : tallies) tally->add_to(latencies, row.device_ms, kept);
    if (!latencies.empty()) {
        row.latency_p50 = latencies.median();
        row.latency_p99 = latencies.p99();
        row.device_ms /= static_cast<double>(latencies.size());
        row.faces = kept / static_cast<double>(latencies.size());
    }
    return row;
}

}  // namespace

PipelineRow measure_pipeline(const PipelineBench& bench, PipelinePart part, int streams,
                             std::vector<StageSummary>& stages) {
    const bool decodes = part == PipelinePart::decode;
    Tallies tallies;
    for (int i = 0; i < streams; ++i) tallies.push_back(std::make_shared<Tally>(decodes ? 0 : bench.frames));
    std::unique_ptr<Load> load;
    if (decodes) {
        load = std::make_unique<DecodeLoad>(bench, tallies);
    } else {
        load = std::make_unique<PipelineLoad>(bench, part == PipelinePart::both, tallies);
    }
    PipelineRow row = observe(bench, *load, tallies);
    stages = load->stages();
    row.part = part;
    return row;
}

void add_pipeline_row(ResultList& results, const PipelineRow& from) {
    const bool detects = from.part != PipelinePart::decode;
    ResultRow& row = results.row();
    row.add("part", "part", std::string(name_of(kPipelineParts, from.part)))
        .add("streams", "streams", std::int64_t{from.streams});
    row.add("frames", "frames", static_cast<std::int64_t>(from.frames)).field("seconds", from.seconds);
    row.add("frames/s", "fps", from.fps, 1);
    row.cell("x decoding", value_if(from.of_decoding > 0, from.of_decoding), 3).field("of_decoding", from.of_decoding);
    row.add("slowest", "slowest_fps", from.slowest_fps, 1);
    row.cell("stages ms", value_if(detects, from.device_ms), 3).field("stages_ms", from.device_ms);
    row.cell("latency p50", value_if(detects, from.latency_p50), 3).field("latency_p50_ms", from.latency_p50);
    row.cell("p99", value_if(detects, from.latency_p99), 3).field("latency_p99_ms", from.latency_p99);
    row.field("kept_per_frame", from.faces).field("host_bytes", static_cast<std::int64_t>(from.host_bytes));
    row.cell("to host MB", static_cast<double>(from.host_bytes) / 1e6, 1);
    row.add("cores per stream", "cores_per_stream", from.cores, 2);
    row.add("host MB at 1/10", "resident_tenth_mb", from.resident_tenth_mb, 1);
    row.add("host MB at end", "resident_end_mb", from.resident_end_mb, 1);
    const auto device_mb = [&](const char* column, const char* key, double mb) {
        row.cell(column, value_if(mb > 0, mb), 1).field(key, mb);
    };
    device_mb("device MB at 1/10", "device_tenth_mb", from.device_tenth_mb);
    device_mb("device MB at end", "device_end_mb", from.device_end_mb);
}

}  // namespace throng
