#include "core/pipeline/frame_processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/stopwatch.h"

namespace throng {
namespace {

// What a detection needs to be reported.
struct OperatingPoint {
    float confidence;
    std::int32_t hits;
    std::optional<float> score;
};

// Moves the detections that are not reported from `kept` to the candidates.
void take_candidates(FrameResult& result, const OperatingPoint& least) {
    DetectionSet& kept = result.kept;
    std::vector<Detection>& candidates = result.candidates;
    std::vector<Detection> unconfident;
    const bool landmarks = kept.landmarks.size() == kept.detections.size();
    const bool density = kept.density.size() == kept.detections.size();
    const auto features = static_cast<std::ptrdiff_t>(kept.feature_size);
    std::size_t next = 0;
    for (std::size_t i = 0; i < kept.detections.size(); ++i) {
        const Detection& detection = kept.detections[i];
        const bool rejected = detection.hits < least.hits || (least.score && detection.score < *least.score);
        if (rejected || detection.confidence < least.confidence) {
            (rejected ? candidates : unconfident).push_back(detection);
            continue;
        }
        if (next != i) {
            kept.detections[next] = detection;
            if (landmarks) kept.landmarks[next] = kept.landmarks[i];
            if (density) kept.density[next] = kept.density[i];
            const auto begin = kept.features.begin();
            std::copy_n(begin + static_cast<std::ptrdiff_t>(i) * features, features,
                        begin + static_cast<std::ptrdiff_t>(next) * features);
        }
        ++next;
    }
    kept.detections.resize(next);
    if (landmarks) kept.landmarks.resize(next);
    if (density) kept.density.resize(next);
    kept.features.resize(next * static_cast<std::size_t>(features));
    result.num_unconfident = unconfident.size();
    candidates.insert(candidates.begin(), unconfident.begin(), unconfident.end());
    kept.total -= static_cast<std::uint32_t>(candidates.size());
}

// Adds the switches in `from` that the detector has, too, unless `to` chooses them itself. Returns true for a change.
bool share_switches(const DetectorParams& from, const Detector& detector, DetectorParams& to) {
    bool changes = false;
    for (const DetectorSwitch& each : detector.switches()) {
        const auto chosen = from.switches.find(each.id);
        if (chosen == from.switches.end()) continue;
        if (std::find(each.choices.begin(), each.choices.end(), chosen->second) == each.choices.end()) continue;
        changes = to.switches.emplace(each.id, chosen->second).second || changes;
    }
    return changes;
}

}  // namespace

FrameProcessor::FrameProcessor(std::shared_ptr<Backend> backend, const PipelineSettings& settings)
    : backend_(std::move(backend)),
      settings_(settings),
      capacity_(settings.capacity),
      recorder_(backend_->make_recorder()),
      to_measure_(static_cast<std::size_t>(std::max(backend_->frames_in_flight(), 1))),
      slots_(to_measure_) {
    apply(settings);
    for (Slot& slot : slots_) fit(slot);
}

void FrameProcessor::check_switches(const Detector& detector, const DetectorParams& params, const Backend& backend) {
    const std::vector<DetectorSwitch> switches = detector.switches();
    for (const auto& [id, choice] : params.switches) {
        const auto has_id = [&id = id](const DetectorSwitch& each) { return each.id == id; };
        if (std::any_of(switches.begin(), switches.end(), has_id)) continue;
        throw Error(ErrorKind::usage,
                    {"the %1 detector of the %2 backend has no such switch",
                     std::string(detector_kind(params.kind).name), backend.name()},
                    Setting{"switch", id + "=" + choice});
    }
}

void FrameProcessor::apply(const PipelineSettings& settings) {
    std::vector<DetectionParams> wanted{{settings.detector, settings.nms, settings.min_confidence}};
    if (const std::optional<DetectionParams> faces = face_params(settings)) wanted.push_back(*faces);
    const auto has_model = [&](std::size_t i) {
        if (i >= finders_.size()) return false;
        const DetectorParams& now = finders_[i].params.detector;
        return now.kind == wanted[i].detector.kind && now.model == wanted[i].detector.model;
    };
    // All that may throw comes before anything changes: what is made first, then what is configured.
    std::vector<Finder> finders(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        DetectorParams& params = wanted[i].detector;
        std::unique_ptr<Nms> nms = i < finders_.size() ? nullptr : backend_->make_nms();
        std::unique_ptr<Detector> made = has_model(i) ? nullptr : backend_->make_detector(params);
        const Detector& detector = made ? *made : *finders_[i].detector;
        if (i > 0 && share_switches(wanted.front().detector, detector, params) && made) made->configure(params);
        check_switches(detector, params, *backend_);
        finders[i] = {&detector_kind(params.kind), wanted[i], std::move(made), std::move(nms), {}};
    }
    configure(wanted, finders);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!finders[i].detector) finders[i].detector = std::move(finders_[i].detector);
        if (!finders[i].nms) finders[i].nms = std::move(finders_[i].nms);
    }
    finders_ = std::move(finders);
    if (settings.capacity != settings_.capacity) capacity_ = settings.capacity;
    settings_ = settings;
    to_measure_ = slots_.size();
    for (Finder& finder : finders_) set_up_candidates(finder);
}

void FrameProcessor::configure(const std::vector<DetectionParams>& wanted, const std::vector<Finder>& made) {
    std::size_t i = 0;
    try {
        for (; i < wanted.size(); ++i) {
            if (made[i].detector) continue;
            const Finder& now = finders_[i];
            // With a threshold, that of the detector is lower.
            if (wanted[i].detector != now.params.detector || now.threshold) now.detector->configure(wanted[i].detector);
        }
    } catch (...) {
        while (i-- > 0) {
            if (made[i].detector) continue;
            finders_[i].detector->configure(finders_[i].params.detector);
            set_up_candidates(finders_[i]);
        }
        throw;
    }
}

// Lets the detector report candidates.
void FrameProcessor::set_up_candidates(Finder& finder) const {
    float fraction = settings_.tracking ? settings_.tracking->candidate_fraction : 1;
    if (settings_.hiding) fraction = std::min(fraction, settings_.hiding->threshold_fraction);
    if (uses_candidates(finder) && fraction < 1) finder.threshold = finder.detector->score_threshold();
    if (!finder.threshold) return;
    DetectorParams lower = finder.params.detector;
    lower.score_threshold = *finder.threshold - (1 - fraction) * std::abs(*finder.threshold);
    finder.detector->configure(lower);
}

void FrameProcessor::fit(Slot& slot) {
    slot.buffers.resize(finders_.size());
    for (std::size_t i = 0; i < finders_.size(); ++i) fit(slot.buffers[i], *finders_[i].detector);
}

// Allocates buffers of the current capacity with the optional fields that the detector fills. Keeps the existing
// buffers of the slot if memory is insufficient for larger ones.
void FrameProcessor::fit(Buffers& buffers, const Detector& detector) {
    if (!buffers.readback) buffers.readback = backend_->make_readback();
    const OptionalFields optional_fields = detector.optional_fields();
    const DetectionSpan& span = buffers.raw.span();
    const OptionalFields carried{span.density != nullptr, span.feature_size, span.landmarks != nullptr};
    const bool usable = span.count != nullptr && carried == optional_fields;
    if (usable && buffers.raw.capacity() == capacity_) return;
    const auto keep_buffers = [&] {
        logger().warn("not enough memory for {} detections per frame; continuing with {}", capacity_,
                      buffers.raw.capacity());
        capacity_ = settings_.capacity_limit = buffers.raw.capacity();
    };
    try {
        // Both buffers are allocated before the old ones are freed, so that a failure leaves a working pair.
        DetectionBuffer raw = backend_->make_buffer(capacity_, optional_fields);
        DetectionBuffer kept = backend_->make_buffer(capacity_, optional_fields);
        buffers.raw = std::move(raw);
        buffers.kept = std::move(kept);
    } catch (const std::bad_alloc&) {
        if (!usable) throw;
        keep_buffers();
    } catch (const Error& error) {
        if (!usable || error.kind() != ErrorKind::unavailable) throw;
        keep_buffers();
    }
}

void FrameProcessor::grow(std::uint32_t requested) {
    const auto limit = static_cast<std::int64_t>(settings_.capacity_limit);
    // Grows to 25 % more than requested, so that a slowly growing crowd does not reallocate at every frame.
    const std::int64_t larger = std::min(limit, std::int64_t{requested} + requested / 4);
    capacity_ = std::max(capacity_, static_cast<std::int32_t>(larger));
}

void FrameProcessor::submit(DecodedFrame decoded) {
    Slot& slot = slots_[next_];
    // In flight from here on: whatever fails, take_unfinished returns the frame.
    slot.decoded = std::move(decoded);
    running_.push_back(next_);
    next_ = (next_ + 1) % slots_.size();
    fit(slot);
    // A backend with buffers in host memory also reads frames from host memory.
    const MemoryKind memory = slot.buffers.front().raw.memory();
    const bool in_strips = slot.decoded.frame.rows() != nullptr;
    if (in_strips && memory == MemoryKind::device) {
        throw Error(ErrorKind::unavailable, "images of more than 256 megapixels need the CPU backend");
    }
    if (memory == MemoryKind::host && !in_strips) slot.decoded.frame = slot.decoded.frame.on_host();
    slot.trace.decoded = slot.decoded.decoded;
    slot.trace.decode_ms = slot.decoded.decode_ms;
    slot.trace.queued = slot.decoded.queued;
    slot.trace.in_flight = static_cast<std::uint32_t>(running_.size());
    slot.trace.on_device = memory == MemoryKind::device;
    run(slot);
}

StageRecorder& FrameProcessor::recorder_for(const Slot& slot) {
    if (!slot.trace.on_device) return *recorder_;
    ++since_measured_;
    if (to_measure_ > 0) {
        --to_measure_;
    } else if (slot.trace.submit_begin - measured_ < kMeasuringInterval || since_measured_ < kMeasuringFrames) {
        return unmeasured_;
    }
    measured_ = slot.trace.submit_begin;
    since_measured_ = 0;
    return *recorder_;
}

void FrameProcessor::run(Slot& slot) {
    slot.trace.submit_begin = Clock::now();
    StageRecorder& recorder = recorder_for(slot);
    for (std::size_t i = 0; i < finders_.size(); ++i) {
        const Finder& finder = finders_[i];
        Buffers& buffers = slot.buffers[i];
        NmsParams nms = finder.params.nms;
        if (uses_candidates(finder)) nms.min_hits = 1;
        const bool first = i == 0;  // it copies the frame
        backend_->enqueue_frame(
            {*finder.detector,
             *finder.nms,
             *buffers.readback,
             slot.decoded.frame,
             buffers.raw,
             buffers.kept,
             nms,
             {settings_.keep_raw, first && settings_.host_pixels, first && settings_.hiding.has_value()}},
            recorder);
    }
    slot.times.clear();
    slot.times.push_back({stage::kDecode, slot.decoded.decode_ms});
    const StageTimes& measured = recorder_->end_frame();
    slot.times.insert(slot.times.end(), measured.begin(), measured.end());
    slot.trace.submit_end = Clock::now();
}

bool FrameProcessor::read_back(Slot& slot, std::size_t finder, FrameResult& result) {
    Buffers& buffers = slot.buffers[finder];
    buffers.readback->finish(result.raw, result.kept, result.frame);
    const auto capacity = static_cast<std::uint32_t>(buffers.raw.capacity());
    result.raw_count = result.raw.total;
    result.overflow = result.raw_count > capacity ? result.raw_count - capacity : 0;
    if (result.overflow > 0) grow(result.raw_count);
    return !finders_[finder].detector->reserve(result.raw.candidates);
}

// Sets the confidence of the detections and leaves those that are reported in `kept`.
void FrameProcessor::report(const Finder& finder, FrameResult& result) const {
    result.detector = finder.kind;
    for (Detection& each : result.kept.detections) each.confidence = confidence_of(*finder.kind, each.score, each.hits);
    take_candidates(result, {finder.params.min_confidence, finder.params.nms.min_hits, finder.threshold});
    if (settings_.tracking || settings_.hiding) return;
    result.candidates.clear();
    result.num_unconfident = 0;
}

FrameProcessor::Outcome FrameProcessor::collect(bool lossless, Lookahead* tracks) {
    Slot& slot = slots_[running_.front()];
    auto result = std::make_shared<FrameResult>();
    result->source = slot.decoded.source;
    result->source_number = slot.decoded.source_number;
    if (finders_.size() > 1) result->faces = std::make_shared<FrameResult>(*result);
    bool overflowed = false;
    for (;;) {
        slot.trace.collect_begin = Clock::now();
        result->frame = slot.decoded.frame;
        bool complete = read_back(slot, 0, *result);
        bool overflows = result->overflow > 0;
        if (result->faces) {
            result->faces->frame = result->frame;
            complete = read_back(slot, 1, *result->faces) && complete;
            overflows = overflows || result->faces->overflow > 0;
        }
        overflowed = overflowed || overflows;
        if (complete) {
            if (!overflows || !lossless) break;
            const std::int32_t capacity = slot.buffers.front().raw.capacity();
            fit(slot);
            if (slot.buffers.front().raw.capacity() <= capacity) break;
        } else {
            fit(slot);  // or it could overflow again
        }
        run(slot);
    }
    running_.pop_front();
    result->timings = std::move(slot.times);
    report(finders_[0], *result);
    if (result->faces) report(finders_[1], *result->faces);
    if (tracks != nullptr) {
        const Clock::time_point start = Clock::now();
        tracks->push(lookahead_input(*result));
        Lookahead::Decision decision = tracks->pop().value();
        result->tracks = std::move(decision.tracks);
        if (result->faces) result->faces->tracks = std::move(decision.face_tracks);
        result->timings.push_back({stage::kTrack, milliseconds_since(start)});
    }
    using Milliseconds = std::chrono::duration<double, std::milli>;
    slot.trace.collect_end = Clock::now();
    result->timings.push_back({stage::kTotal, Milliseconds(slot.trace.collect_end - slot.trace.submit_begin).count()});
    result->latency_ms = Milliseconds(slot.trace.collect_end - slot.decoded.frame.info().captured).count();
    result->trace = slot.trace;
    slot.decoded = {};  // returns the frame to the decoder as early as possible
    return {std::move(result), overflowed};
}

std::vector<DecodedFrame> FrameProcessor::take_unfinished() {
    std::vector<DecodedFrame> frames;
    for (const std::size_t index : running_) frames.push_back(std::move(slots_[index].decoded));
    running_.clear();
    return frames;
}

}  // namespace throng
