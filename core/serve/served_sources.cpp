#include "core/serve/served_sources.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/secrets.h"
#include "core/base/text_encoding.h"
#include "core/detect/detector_kinds.h"
#include "core/sinks/annotator.h"
#include "core/sinks/json_sink.h"
#include "core/video/jpeg.h"

namespace throng {
namespace {

constexpr int kImageQuality = 80;
constexpr std::chrono::seconds kSilentSource{10};

double rounded_to(double value, double steps) {
    return std::round(value * steps) / steps;
}

// Returns what is found of faces, or of people if no faces are looked for.
const FrameResult& faces_of(const FrameResult& result) {
    return result.faces ? *result.faces : result;
}

}  // namespace

std::string image_channel(int source_number) {
    return "images/" + std::to_string(source_number);
}

// Encodes the newest result on a thread of its own, once for all clients.
class ServedSources::ImageEncoder {
public:
    ImageEncoder(HttpServer& server, const AnnotatedOptions& options, int source_number)
        : server_(server),
          channel_(image_channel(source_number)),
          annotator_(options),
          thread_([this](const std::stop_token& stop) { run(stop); }) {}

    void push(const FrameResult& result) { newest_.push(result); }

private:
    void run(const std::stop_token& stop) {
        FrameResult result;
        while (newest_.pop(result, stop) == PopStatus::value) {
            try {
                const Frame image = annotator_.draw(result);
                // The mat shares the memory, which encoding does not change.
                const cv::Mat pixels(image.height(), image.width(), CV_8UC3,
                                     const_cast<std::uint8_t*>(image.plane(0).data),
                                     static_cast<std::size_t>(image.plane(0).pitch));
                const std::vector<std::uint8_t> jpeg = encode_jpeg(pixels, kImageQuality);
                if (jpeg.empty()) throw Error(ErrorKind::input, "too large for a JPEG image", result.source);
                auto part = std::make_shared<std::string>(
                    "Content-Type: image/jpeg\r\nContent-Length: " + std::to_string(jpeg.size()) + "\r\n\r\n");
                part->append(jpeg.begin(), jpeg.end());
                // Browsers show an image when the next boundary has come.
                *part += "\r\n--frame\r\n";
                server_.publish_newest(channel_, std::move(part));
            } catch (...) {
                if (!std::exchange(warned_, true)) logger().warn("no image: {}", current_error().what());
            }
            result = {};  // returns the frame
        }
    }

    HttpServer& server_;
    const std::string channel_;
    Annotator annotator_;
    bool warned_ = false;
    LatestValue<FrameResult> newest_;
    std::jthread thread_;  // last: it uses the others
};

class ServedSources::Sink final : public ResultSink {
public:
    Sink(ServedSources& sources, int source_number, std::shared_ptr<Source> source)
        : sources_(sources), number_(source_number), source_(std::move(source)) {}

    void write(const FrameResult& result) override { sources_.add(number_, *source_, result); }
    void close() override { sources_.end(*source_); }

private:
    ServedSources& sources_;
    const int number_;
    const std::shared_ptr<Source> source_;  // no longer shown after another one has taken its number
};

void ServedSources::expect(int source_number, const std::string& spec) {
    auto source = std::make_shared<Source>();
    source->info.name = mask_credentials(spec);
    const std::lock_guard lock(mutex_);
    sources_.try_emplace(source_number, std::move(source));
}

void ServedSources::forget(int source_number) {
    const std::lock_guard lock(mutex_);
    sources_.erase(source_number);
}

void ServedSources::expect_again(int source_number) {
    auto source = std::make_shared<Source>();
    const std::lock_guard lock(mutex_);
    const auto found = sources_.find(source_number);
    if (found == sources_.end()) return;
    source->info = found->second->info;
    found->second.swap(source);
}

std::shared_ptr<ResultSink> ServedSources::sink_for(int source_number, const SourceInfo& info) {
    auto source = std::make_shared<Source>();
    source->info = info;
    source->open = true;
    source->last = Clock::now();
    const std::lock_guard lock(mutex_);
    sources_[source_number] = source;
    return std::make_shared<Sink>(*this, source_number, std::move(source));
}

void ServedSources::add(int source_number, Source& source, const FrameResult& result) {
    const bool watched = server_.num_clients(image_channel(source_number)) > 0;
    const auto now = Clock::now();
    std::shared_ptr<ImageEncoder> encoder;
    {
        const std::lock_guard lock(mutex_);
        if (sources_[source_number].get() != &source) return;  // another one has taken its number
        ++source.frames;
        source.rate.tick(now);
        source.last = now;
        source.latency.add(detection_latency_ms(result) / 1000);
        for (const StageTime& time : result.timings) {
            const auto same = [&time](const auto& stage) { return stage.first == time.name; };
            auto stage = std::find_if(source.stages.begin(), source.stages.end(), same);
            if (stage == source.stages.end()) {
                stage = source.stages.insert(source.stages.end(), {std::string(time.name), Histogram()});
            }
            stage->second.add(time.ms / 1000);
        }
        source.newest = without_pixels(result);
        if (watched && !source.encoder) {
            source.encoder = std::make_shared<ImageEncoder>(server_, images_, source_number);
        }
        if (watched) encoder = source.encoder;
    }
    if (encoder) encoder->push(result);
}

void ServedSources::end(Source& source) {
    std::shared_ptr<ImageEncoder> encoder;
    const std::lock_guard lock(mutex_);
    source.ended = true;
    encoder.swap(source.encoder);
}

void ServedSources::set_plan(const CountPlan& plan) {
    const std::lock_guard lock(mutex_);
    plan_ = plan;
}

void ServedSources::count(int source_number, const CountTotals& totals) {
    const std::lock_guard lock(mutex_);
    const auto found = sources_.find(source_number);
    if (found != sources_.end() && found->second->frames > 0) found->second->totals = totals;
}

nlohmann::ordered_json ServedSources::list() const {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    const auto now = Clock::now();
    const std::lock_guard lock(mutex_);
    for (const auto& [number, shown] : sources_) {
        const Source& source = *shown;
        const FrameResult& newest = source.newest;
        const FrameResult& faces = faces_of(newest);
        nlohmann::ordered_json entry = {{"number", number},
                                        {"name", name_as_text(source.info.name)},
                                        {"details", name_as_text(source.info.details.text())},
                                        {"live", source.info.live},
                                        {"open", source.open},
                                        {"ended", source.ended},
                                        {"frames", source.frames},
                                        {"dropped", newest.trace.dropped},
                                        {"reconnects", newest.trace.reconnects},
                                        {"fps", rounded_to(source.ended ? 0 : source.rate.rate(now), 10)},
                                        {"latency_ms", rounded_to(newest.latency_ms, 10)},
                                        {"finds", faces.detector == nullptr ? "faces" : faces.detector->finds},
                                        {"found", faces.kept.detections.size()},
                                        {"people", source.totals.people},
                                        {"unique", source.totals.unique}};
        entry["lines"] = nlohmann::ordered_json::array();
        for (std::size_t i = 0; i < std::min(plan_.lines.size(), source.totals.lines.size()); ++i) {
            const CountTotals::Line& line = source.totals.lines[i];
            entry["lines"].push_back({{"name", plan_.lines[i].name}, {"in", line.in}, {"out", line.out}});
        }
        entry["zones"] = nlohmann::ordered_json::array();
        for (std::size_t i = 0; i < std::min(plan_.zones.size(), source.totals.zones.size()); ++i) {
            const CountTotals::Zone& zone = source.totals.zones[i];
            entry["zones"].push_back(
                {{"name", plan_.zones[i].name}, {"people", zone.occupancy}, {"visits", zone.visits}});
        }
        entry["timings_ms"] = nlohmann::ordered_json::object();
        for (const StageTime& time : newest.timings) entry["timings_ms"][time.name] = rounded_to(time.ms, 1000);
        list.push_back(std::move(entry));
    }
    return list;
}

std::optional<std::string> ServedSources::latest(int source_number) const {
    const std::lock_guard lock(mutex_);
    const auto found = sources_.find(source_number);
    if (found == sources_.end() || found->second->frames == 0) return std::nullopt;
    return json_line(found->second->newest, {.tracks = true});
}

bool ServedSources::contains(int source_number) const {
    const std::lock_guard lock(mutex_);
    return sources_.contains(source_number);
}

void ServedSources::add_metrics(MetricsText& metrics) const {
    const std::lock_guard lock(mutex_);
    const auto each = [&](auto add) {
        for (const auto& [number, source] : sources_) add(std::to_string(number), *source);
    };
    const auto each_value = [&](const char* name, const char* type, const char* help, auto value) {
        metrics.begin(name, type, help);
        each([&](const std::string& number, const Source& source) {
            metrics.add({{"source", number}}, static_cast<double>(value(source)));
        });
    };
    metrics.begin("throng_source_info", "gauge", "Names of the sources; always 1.");
    each([&](const std::string& number, const Source& source) {
        metrics.add({{"source", number}, {"name", source.info.name}, {"live", source.info.live ? "true" : "false"}}, 1);
    });
    each_value("throng_source_up", "gauge", "1 if the source has given a result in the last 10 seconds.",
               [now = Clock::now()](const Source& source) {
                   return !source.ended && source.frames > 0 && now - source.last < kSilentSource ? 1 : 0;
               });
    each_value("throng_frames_total", "counter", "Frames with a result.", [](const Source& s) { return s.frames; });
    each_value("throng_frames_dropped_total", "counter", "Frames replaced by a newer one before detection.",
               [](const Source& s) { return s.newest.trace.dropped; });
    each_value("throng_source_ended", "gauge", "1 after the end of a source; no results come any more.",
               [](const Source& s) { return s.ended ? 1 : 0; });
    each_value("throng_reconnects_total", "counter", "Times that the source was opened again after an error.",
               [](const Source& s) { return s.newest.trace.reconnects; });
    metrics.begin("throng_frame_latency_seconds", "histogram", "Time from the arrival of a frame to its boxes.");
    each([&](const std::string& number, const Source& source) { metrics.add({{"source", number}}, source.latency); });
    metrics.begin("throng_stage_seconds", "histogram", "Time of each stage of a frame.");
    each([&](const std::string& number, const Source& source) {
        for (const auto& [stage, times] : source.stages) metrics.add({{"source", number}, {"stage", stage}}, times);
    });
    each_value("throng_faces", "gauge", "Faces in the newest frame; people if no faces are looked for.",
               [](const Source& s) { return faces_of(s.newest).kept.detections.size(); });
    each_value("throng_people", "gauge", "Tracked people in the newest frame.",
               [](const Source& s) { return s.totals.people; });
    each_value("throng_people_seen_total", "counter", "People that were tracked so far.",
               [](const Source& s) { return s.totals.unique; });
    metrics.begin("throng_people_in_zone", "gauge", "People in a zone of --count.");
    each([&](const std::string& number, const Source& source) {
        for (std::size_t i = 0; i < plan_.zones.size(); ++i) {
            const int people = i < source.totals.zones.size() ? source.totals.zones[i].occupancy : 0;
            metrics.add({{"source", number}, {"zone", plan_.zones[i].name}}, people);
        }
    });
    metrics.begin("throng_line_crossings_total", "counter", "Crossings of a line of --count.");
    each([&](const std::string& number, const Source& source) {
        for (std::size_t i = 0; i < plan_.lines.size(); ++i) {
            const CountTotals::Line line =
                i < source.totals.lines.size() ? source.totals.lines[i] : CountTotals::Line();
            for (const auto& [direction, count] : {std::pair{"in", line.in}, std::pair{"out", line.out}}) {
                metrics.add({{"source", number}, {"line", plan_.lines[i].name}, {"direction", direction}},
                            static_cast<double>(count));
            }
        }
    });
}

std::string ServedSources::missing() const {
    const auto now = Clock::now();
    const std::lock_guard lock(mutex_);
    for (const auto& [number, source] : sources_) {
        const std::string name = "source " + std::to_string(number);
        if (source->ended) continue;
        if (!source->open) return name + " is not open";
        if (source->frames == 0) return name + " has given no result yet";
        if (now - source->last > kSilentSource) return name + " has given no result for 10 seconds";
    }
    return {};
}

}  // namespace throng
