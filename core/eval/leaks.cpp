#include "core/eval/leaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/base/error.h"

namespace throng {
namespace {

constexpr double kFirstBin = 20;  // pixels
constexpr int kBins = 14;         // the last one ends at 2560 pixels

struct PixelRange {
    int begin, end;
};

// Returns the pixels whose centers lie in [from, to), within 0 to size - 1.
PixelRange pixels_in(double from, double to, int size) {
    const auto edge = [size](double value) {
        return static_cast<int>(std::clamp(std::ceil(value - 0.5), 0.0, static_cast<double>(size)));
    };
    return {edge(from), edge(to)};
}

std::size_t bin_of(double size) {
    const double octave = std::log2(std::max(size, kFirstBin) / kFirstBin);
    return std::min(static_cast<std::size_t>(2 * octave), static_cast<std::size_t>(kBins - 1));
}

// Returns the lines by frame number.
template <typename Line>
std::map<std::int64_t, const Line*> by_frame(const std::vector<Line>& all, const std::string& what) {
    std::map<std::int64_t, const Line*> frames;
    for (const Line& labels : all) {
        if (labels.source != all.front().source) {
            throw Error(ErrorKind::input, what + " have several sources", labels.source,
                        "give each video a name of its own");
        }
        if (!labels.frame) throw Error(ErrorKind::input, what + " have no frame numbers", labels.source);
        if (!frames.try_emplace(*labels.frame, &labels).second) {
            throw Error(ErrorKind::input, what + " have frame " + std::to_string(*labels.frame) + " twice",
                        labels.source);
        }
    }
    return frames;
}

// The lines of one video. Found: DetectionLabels or RegionLabels.
template <typename Found>
struct Video {
    std::vector<TruthLabels> truth;
    std::vector<Found> found;
};

// Calls use(truth, found) for each video. Videos are paired by their names without folders. what: "detections".
template <typename Found, typename Use>
void for_each_video(const std::vector<TruthLabels>& truth, const std::vector<Found>& found, const std::string& what,
                    Use use) {
    const auto is_one = [](const auto& all) {
        return std::all_of(all.begin(), all.end(), [&](const auto& labels) { return labels.source == all[0].source; });
    };
    // The names of one video may differ.
    if (is_one(truth) && is_one(found)) return use(truth, found);
    const auto name_of = [](const auto& labels) { return std::filesystem::path(labels.source).filename().string(); };
    std::map<std::string, Video<Found>> videos;
    for (const TruthLabels& labels : truth) videos[name_of(labels)].truth.push_back(labels);
    for (const Found& labels : found) videos[name_of(labels)].found.push_back(labels);
    for (const auto& [name, video] : videos) {
        if (video.truth.empty() || video.found.empty()) {
            throw Error(ErrorKind::input, video.truth.empty() ? "has no ground truth" : "has no " + what, name,
                        "both files must contain the same videos");
        }
        use(video.truth, video.found);
    }
}

// Returns the lines of the first frame and of those after it, which have a size.
template <typename Found>
std::map<std::int64_t, const Found*> sized_by_frame(const std::vector<Found>& all, const std::string& what,
                                                    const std::string& command) {
    std::map<std::int64_t, const Found*> found = by_frame(all, "the " + what);
    if (found.empty()) throw Error(ErrorKind::input, "there are no " + what);
    const Found& first = *found.begin()->second;
    if (first.width < 1 || first.height < 1) {
        throw Error(ErrorKind::input, "the " + what + " have no 'width' and 'height'", first.source,
                    "write them with " + command);
    }
    return found;
}

// Faces of another size of the video are elsewhere, or outside the frame, where they would not be counted. An odd size may
// have been rounded up by an encoder.
template <typename Found>
void check_size(const TruthLabels& truth, const Found& found) {
    const bool is_known = truth.width > 0 && truth.height > 0 && found.width > 0 && found.height > 0;
    if (!is_known || (std::abs(truth.width - found.width) <= 1 && std::abs(truth.height - found.height) <= 1)) return;
    throw Error(ErrorKind::input,
                fmt::format("frame {} has {}x{} pixels, but {}x{} in the ground truth", *truth.frame, found.width,
                            found.height, truth.width, truth.height),
                found.source, "both files must be of the same video");
}

LeakEvaluation evaluate_video(const std::vector<TruthLabels>& truth, const std::vector<DetectionLabels>& detections,
                              const LeakComparison& comparison) {
    const auto faces = by_frame(truth, "the faces");
    const auto found = sized_by_frame(detections, "detections", "throng detect --json");
    const DetectionLabels& first = *found.begin()->second;
    LeakMeter single(comparison.leaks);
    LeakMeter planned(comparison.leaks);
    const RedactOptions& redact = comparison.hiding.redact;
    Lookahead lookahead(lookahead_params(comparison.hiding));
    double seconds = 0;
    for (const auto& [number, labels] : faces) {
        std::vector<Detection> kept;
        std::vector<Detection> candidates;
        const auto at = found.find(number);
        if (at != found.end()) {
            check_size(*labels, *at->second);
            seconds = at->second->pts;
            for (const ScoredBox& box : at->second->entries) {
                const Detection detection{box.box, static_cast<float>(box.score), box.hits, -1};
                const bool shown = box.score >= comparison.shown_score && box.hits >= comparison.shown_hits;
                (shown ? kept : candidates).push_back(detection);
            }
        }
        RedactRegions regions;
        for (const Detection& detection : kept) regions.boxes.push_back(detection.box);
        single.add(first.width, first.height, labels->entries, regions, redact);
        LookaheadInput input;
        input.kept = kept;
        input.candidates = candidates;
        input.width = first.width;
        input.height = first.height;
        input.seconds = seconds;
        lookahead.push(input);
    }
    lookahead.finish();
    for (const auto& [number, labels] : faces) {
        planned.add(first.width, first.height, labels->entries, lookahead.pop()->plan.to_hide(), redact);
    }
    return {planned.result(), single.result()};
}

}  // namespace

std::optional<double> LeakResult::per_10000() const {
    if (face_frames == 0) return std::nullopt;
    return 1e4 * static_cast<double>(leaks) / static_cast<double>(face_frames);
}

double LeakResult::mean_extra_area() const {
    return frames == 0 ? 0 : extra_area / static_cast<double>(frames);
}

LeakResult& LeakResult::operator+=(const LeakResult& other) {
    frames += other.frames;
    face_frames += other.face_frames;
    leaks += other.leaks;
    whole_frames += other.whole_frames;
    extra_area += other.extra_area;
    if (bins.empty()) {
        bins = other.bins;
        return *this;
    }
    for (std::size_t i = 0; i < bins.size() && i < other.bins.size(); ++i) {
        bins[i].face_frames += other.bins[i].face_frames;
        bins[i].leaks += other.bins[i].leaks;
    }
    return *this;
}

LeakMeter::LeakMeter(const LeakOptions& options) : options_(options) {
    for (int i = 0; i < kBins; ++i) {
        result_.bins.push_back({kFirstBin * std::exp2(i / 2.0), kFirstBin * std::exp2((i + 1) / 2.0), 0, 0});
    }
}

void LeakMeter::add(int width, int height, const std::vector<TruthFace>& truth, const RedactRegions& regions,
                    const RedactOptions& redact) {
    draw_redaction_mask(width, height, regions, redact, mask_);
    allowed_.assign(mask_.size(), 0);
    for (const TruthFace& face : truth) {
        const double x = face.box.x;
        const double y = face.box.y;
        const double w = face.box.w;
        const double h = face.box.h;
        const double margin = options_.margin.value_or(redact.margin);
        const PixelRange wide = pixels_in(x - margin * w, x + w + margin * w, width);
        const PixelRange tall = pixels_in(y - margin * h, y + h + margin * h, height);
        for (int row = tall.begin; row < tall.end; ++row) {
            const std::ptrdiff_t start = static_cast<std::ptrdiff_t>(row) * width;
            std::fill(allowed_.begin() + start + wide.begin, allowed_.begin() + start + wide.end, std::uint8_t{1});
        }
        if (std::min(w, h) < options_.min_size || static_cast<double>(face.visible) < options_.min_visible) {
            continue;
        }
        const PixelRange across = pixels_in(x, x + w, width);
        const PixelRange down = pixels_in(y, y + h, height);
        std::int64_t opaque = 0;
        for (int row = down.begin; row < down.end; ++row) {
            const std::uint8_t* line = mask_.data() + static_cast<std::ptrdiff_t>(row) * width;
            opaque += std::count(line + across.begin, line + across.end, std::uint8_t{255});
        }
        const std::int64_t pixels = std::int64_t{across.end - across.begin} * std::int64_t{down.end - down.begin};
        if (pixels == 0) continue;
        LeakBin& bin = result_.bins[bin_of(std::sqrt(w * h))];
        ++bin.face_frames;
        ++result_.face_frames;
        if (static_cast<double>(opaque) >= options_.covered * static_cast<double>(pixels)) continue;
        ++bin.leaks;
        ++result_.leaks;
    }
    std::int64_t extra = 0;
    for (std::size_t i = 0; i < mask_.size(); ++i) extra += mask_[i] != 0 && allowed_[i] == 0 ? 1 : 0;
    result_.extra_area += static_cast<double>(extra) / static_cast<double>(mask_.size());
    const std::vector<RedactShape> shapes = redact_shapes(width, height, regions, redact);
    result_.whole_frames += !shapes.empty() && shapes.front().is_whole ? 1 : 0;
    ++result_.frames;
}

LeakEvaluation evaluate_leaks(const std::vector<TruthLabels>& truth, const std::vector<DetectionLabels>& detections,
                              const LeakComparison& comparison) {
    LeakEvaluation sum;
    for_each_video(truth, detections, "detections", [&](const auto& faces, const auto& found) {
        const LeakEvaluation result = evaluate_video(faces, found, comparison);
        sum.planned += result.planned;
        sum.single += result.single;
    });
    return sum;
}

LeakResult evaluate_regions(const std::vector<TruthLabels>& truth, const std::vector<RegionLabels>& regions,
                            const LeakOptions& options) {
    LeakResult sum;
    for_each_video(truth, regions, "regions", [&](const auto& faces, const auto& hidden) {
        const auto found = sized_by_frame(hidden, "regions", "throng anonymize --regions");
        LeakMeter meter(options);
        for (const auto& [number, labels] : by_frame(faces, "the faces")) {
            const auto at = found.find(number);
            if (at == found.end()) {
                throw Error(ErrorKind::input, "the regions have no frame " + std::to_string(number), labels->source,
                            "both files must be of the same video");
            }
            const RegionLabels& frame = *at->second;
            check_size(*labels, frame);
            meter.add(frame.width, frame.height, labels->entries, regions_of(frame), {RedactStyle::solid, 0});
        }
        sum += meter.result();
    });
    return sum;
}

}  // namespace throng
