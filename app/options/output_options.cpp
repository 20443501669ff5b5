#include "app/options/output_options.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "app/options/command_line.h"
#include "app/options/interrupt.h"
#include "core/base/error.h"
#include "core/base/extension.h"
#include "core/pipeline/async_sink.h"
#include "core/publish/mqtt_counts.h"
#include "core/sinks/count_sink.h"
#include "core/sinks/json_sink.h"
#include "core/sinks/occupancy_sink.h"
#include "core/sinks/relink_sink.h"
#include "core/sinks/trace_sink.h"
#include "core/video/image_writer.h"
#include "core/video/muxer.h"
#include "core/video/source_files.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

// Forwards to a sink and sets `failed` when it throws.
class OutputSink final : public ResultSink {
public:
    OutputSink(std::shared_ptr<ResultSink> inner, std::shared_ptr<std::atomic<bool>> failed)
        : inner_(std::move(inner)), failed_(std::move(failed)) {}

    void write(const FrameResult& result) override {
        guard([&] { inner_->write(result); });
    }
    void close() override {
        guard([&] { inner_->close(); });
    }

private:
    template <typename Call>
    void guard(Call call) {
        try {
            call();
        } catch (...) {
            *failed_ = true;
            throw;
        }
    }

    std::shared_ptr<ResultSink> inner_;
    std::shared_ptr<std::atomic<bool>> failed_;
};

// Returns the path of an output that each source has.
std::string path_of_source(const std::string& path, std::size_t number, std::size_t sources) {
    if (sources <= 1) return path;
    const fs::path given(path);
    return (given.parent_path() / (given.stem().string() + "-" + std::to_string(number) + given.extension().string()))
        .string();
}

// Whether the occupancy of all sources is one table.
bool is_table(const std::string& occupancy) {
    return lower_extension(occupancy) == ".csv";
}

// Returns the address with "-2" at the end of its path.
std::string push_url(std::string url, std::size_t number, std::size_t sources) {
    if (sources > 1) url.insert(std::min(url.find_first_of("?#"), url.size()), "-" + std::to_string(number));
    return url;
}

// Returns the file whose audio belongs to the frames of a source.
std::string audio_file(const SourceInfo& source) {
    const SourceFiles files = files_of_source(source.name);
    std::error_code ignored;
    if (!source.live && files.files.size() == 1 && fs::is_regular_file(files.files.front(), ignored)) {
        return files.files.front();
    }
    throw Error(ErrorKind::usage, "audio can be copied from media files only", source.name,
                {"use %1", Setting{"audio", "drop"}});
}

enum class OutputUse : std::uint8_t {
    file,     // one, which results are written to
    results,  // otherwise written or sent
    input,    // read
};

struct OutputRow {
    std::string_view name;
    std::string OutputOptions::*field;
    OutputUse use;
    const char* type;
    const char* help;
};

constexpr OutputRow kOutputRows[] = {
    {"json", &OutputOptions::json, OutputUse::file, "OUT.jsonl",
     "Write detections as JSON lines; - for standard output"},
    {"video", &OutputOptions::video, OutputUse::results, "OUT.mp4", "Write an annotated H.264 video"},
    {"images", &OutputOptions::images, OutputUse::results, "DIR",
     "Write annotated images into a folder, in which none is replaced"},
    {"summary", &OutputOptions::summary, OutputUse::file, "OUT.json",
     "Write totals, timings and sources as JSON; - for standard output"},
    {"count", &OutputOptions::count, OutputUse::input, "FILE.toml",
     "Lines and zones in which people are counted, for the next three and the window. With --out: write "
     "NAME.events.jsonl and NAME.per-minute.csv beside each result"},
    {"events", &OutputOptions::events, OutputUse::file, "OUT.jsonl",
     "Write who appears, leaves, crosses a line or visits a zone as JSON lines; - for standard output"},
    {"per_minute", &OutputOptions::per_minute, OutputUse::file, "OUT.csv",
     "Write the number of people, crossings and visits per minute as CSV; - for standard output"},
    {"occupancy", &OutputOptions::occupancy, OutputUse::results, "OUT.png|csv",
     "Write where people were and for how long: as an image of each source, or as a table of person-seconds"},
    {"mqtt", &OutputOptions::mqtt, OutputUse::results, "URL",
     "Send the counts of --count and its events to the broker mqtt[s]://[USER[:PASSWORD]@]HOST[:PORT][/PREFIX], with "
     "descriptions for Home Assistant"},
    {"mqtt_password", &OutputOptions::mqtt_password, OutputUse::input, "FILE",
     "File that begins with the password for --mqtt; in a command line, other users could see it"},
    {"push", &OutputOptions::push, OutputUse::results, "URL",
     "Send an H.264 video with hidden faces to the media server rtsp[s]://HOST/PATH or rtmp[s]://HOST/PATH; of several "
     "sources, to PATH-1, PATH-2 and so on"},
    {"trace", &OutputOptions::trace, OutputUse::file, "OUT.json",
     "Write frames, stages, threads and queues as a trace that ui.perfetto.dev and chrome://tracing open; - for "
     "standard output"},
};

}  // namespace

void add_output_options(CLI::App& command, OutputOptions& options) {
    const auto group = "Output";
    for (const OutputRow& row : kOutputRows) {
        add_value(command, group, "--" + key_of_setting(row.name), options.*row.field, row.type, row.help);
    }
    add_flag(command, group, "--show-faces", options.show_faces,
             "Show faces in what --http and --push send; otherwise they are hidden");
    add_flag(command, group, "--raw", options.raw, "Also write raw detections, to JSON lines, video and images");
    add_flag(command, group, "--track", options.track,
             "Follow faces over time: ids in JSON lines, video, images and window");
    add_flag(command, group, "--blur", options.blur,
             "Hide faces in video and images, also where they are missed for a while");
    add_http_options(command, options.http);
}

std::vector<std::string_view> OutputOptions::given() const {
    std::vector<std::string_view> names;
    for (const OutputRow& row : kOutputRows) {
        if (row.use != OutputUse::input && !(this->*row.field).empty()) names.push_back(row.name);
    }
    if (http.requested()) names.emplace_back("http");
    return names;
}

void check_outputs(const OutputOptions& options) {
    if (options.copy_audio && options.video.empty()) {
        throw Error(ErrorKind::usage, "audio is written into a video only", Setting{"audio"},
                    {"add %1", Setting{"video", "OUT.mp4"}});
    }
    if (!options.mqtt_password.empty() && options.mqtt.empty()) {
        throw Error(ErrorKind::usage, "there is no broker", Setting{"mqtt_password"},
                    {"add %1", Setting{"mqtt", "URL"}});
    }
    if (options.show_faces && options.push.empty() && !options.http.requested()) {
        throw Error(ErrorKind::usage, "nothing is sent", Setting{"show_faces"},
                    {"add %1 or %2", Setting{"http", "PORT"}, Setting{"push", "URL"}});
    }
    check_http_options(options.http);
}

void add_outputs(RunFiles& files, const OutputOptions& options, std::size_t sources) {
    check_outputs(options);
    if (options.video == "-") {
        throw Error(ErrorKind::usage, "a video cannot be written to standard output", Setting{"video"}, "name a file");
    }
    if (!options.count.empty() && !options.writes_counts() && !options.in_window) {
        throw Error(ErrorKind::usage, "nothing writes the counts", Setting{"count"},
                    {"add %1, %2, %3 or %4", Setting{"events", "OUT.jsonl"}, Setting{"per_minute", "OUT.csv"},
                     Setting{"mqtt", "URL"}, Setting{"http", "PORT"}});
    }
    if (!options.push.empty() && muxer_of_server(options.push) == nullptr) {
        throw Error(ErrorKind::usage, "is not the address of a media server", options.push,
                    "use rtsp://, rtsps://, rtmp:// or rtmps://");
    }
    add_http_files(files, options.http);
    files.add_input("the lines and zones", options.count);
    files.add_input("the password", options.mqtt_password);
    for (const OutputRow& row : kOutputRows) {
        if (row.use == OutputUse::file) files.add_output(row.name, options.*row.field);
    }
    if (!options.occupancy.empty() && !is_table(options.occupancy)) {
        if (!can_write_image(options.occupancy)) {
            throw Error(ErrorKind::usage, "must end with .csv or the extension of an image", Setting{"occupancy"},
                        "name OUT.png or OUT.csv");
        }
        for (std::size_t number = 1; number <= sources; ++number) {
            files.add_output("occupancy", path_of_source(options.occupancy, number, sources));
        }
    } else {
        files.add_output("occupancy", options.occupancy);
    }
    files.check_folder("images", options.images);
    if (options.video.empty()) return;
    for (std::size_t number = 1; number <= sources; ++number) {
        files.add_output("video", path_of_source(options.video, number, sources));
    }
}

namespace {

// Returns how videos and images are annotated.
AnnotatedOptions annotated_options(const OutputOptions& options) {
    AnnotatedOptions annotated;
    annotated.raw = options.raw;
    annotated.blur = options.blur;
    annotated.tracks = options.track;
    annotated.screen = options.screen_colors;
    annotated.stop = InterruptGuard::token();
    return annotated;
}

}  // namespace

AnnotatedOptions server_images(const OutputOptions& options) {
    AnnotatedOptions images = annotated_options(options);
    images.blur = !options.show_faces;
    return images;
}

OutputFiles::OutputFiles(const OutputOptions& options, std::size_t sources, std::shared_ptr<const RunFiles> files,
                         std::shared_ptr<Service> service)
    : options_(options),
      annotated_(annotated_options(options)),
      sources_(sources),
      failed_(std::make_shared<std::atomic<bool>>(false)),
      service_(std::move(service)) {
    const auto share = [this](std::shared_ptr<ResultSink> sink, bool writes_tracks = false) {
        shared_.push_back({std::make_shared<SharedSink::Shared>(std::move(sink)), writes_tracks});
    };
    if (!options.json.empty())
        share(std::make_shared<JsonSink>(options.json, JsonFields{options.raw, options.track}, annotated_.stop),
              options.track);
    if (options.writes_counts()) {
        const CountPlan plan =
            options.count.empty() ? CountPlan{1, 1, {}, {}} : load_count_plan(options.count, annotated_.stop);
        CountOutputs outputs{options.events, options.per_minute};
        if (!options.mqtt.empty()) {
            const MqttOptions mqtt{options.mqtt, options.mqtt_password, annotated_.stop};
            outputs.listeners.push_back(std::make_shared<MqttCounts>(mqtt, plan, sources));
        }
        if (service_) outputs.listeners.push_back(service_->listen(plan));
        share(std::make_shared<CountSink>(plan, outputs, annotated_.stop), true);
    }
    if (is_table(options.occupancy)) share(std::make_shared<OccupancySink>(options.occupancy, annotated_.stop), true);
    if (!options.trace.empty()) share(std::make_shared<TraceSink>(options.trace, annotated_.stop));
    if (options.images.empty()) return;
    AnnotatedOptions images = annotated_;
    if (files) images.check_output = [files](const std::string& path) { files->check_output("images", path); };
    share(make_image_sink(options.images, images));
}

std::vector<std::shared_ptr<ResultSink>> OutputFiles::sinks_for(std::size_t number, const SourceInfo& source) {
    std::vector<std::shared_ptr<ResultSink>> sinks, relinked;
    if (service_) sinks.push_back(service_->sink_for(static_cast<int>(number) + 1, source));
    for (const auto& [shared, writes_tracks] : shared_) {
        // A single pipeline closes the sinks itself.
        std::shared_ptr<ResultSink> sink = shared->sink;
        if (sources_ > 1) sink = std::make_shared<SharedSink>(shared);
        const bool relinks = writes_tracks && !source.live && !options_.shows_tracks_at_once();
        (relinks ? relinked : sinks).push_back(std::make_shared<OutputSink>(std::move(sink), failed_));
    }
    if (!options_.occupancy.empty() && !is_table(options_.occupancy)) {
        auto sink = std::make_shared<OccupancySink>(path_of_source(options_.occupancy, number + 1, sources_));
        const bool relinks = !source.live && !options_.shows_tracks_at_once();
        (relinks ? relinked : sinks).push_back(std::make_shared<OutputSink>(std::move(sink), failed_));
    }
    if (!relinked.empty()) sinks.push_back(std::make_shared<RelinkSink>(std::move(relinked)));
    if (sources_ <= 1) shared_.clear();
    if (!options_.video.empty()) {
        AnnotatedOptions annotated = annotated_;
        if (options_.copy_audio) annotated.audio = audio_file(source);
        auto video = make_video_sink(path_of_source(options_.video, number + 1, sources_), source.fps, annotated);
        // Encodes on a separate thread, so that encoding does not delay the detector.
        sinks.push_back(std::make_shared<OutputSink>(std::make_shared<AsyncSink>(std::move(video)), failed_));
    }
    if (!options_.push.empty()) {
        const bool in_time = source.live || options_.in_window;
        auto push = make_push_sink(push_url(options_.push, number + 1, sources_), {source.fps, !in_time},
                                   server_images(options_));
        // A slow server delays no other output of a source that somebody looks at now.
        sinks.push_back(std::make_shared<OutputSink>(std::make_shared<AsyncSink>(std::move(push), in_time), failed_));
    }
    return sinks;
}

std::vector<std::shared_ptr<ResultSink>> make_sinks(const OutputOptions& options, const SourceInfo& source,
                                                    std::shared_ptr<const RunFiles> files,
                                                    std::shared_ptr<Service> service, std::size_t number) {
    return OutputFiles(options, 1, std::move(files), std::move(service)).sinks_for(number, source);
}

void OutputFiles::close() {
    const auto closing = std::exchange(shared_, {});
    for (const auto& [shared, writes_tracks] : closing) shared->sink->close();
}

}  // namespace throng
