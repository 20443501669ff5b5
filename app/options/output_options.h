// Output options of a detection run, and the sinks that implement them.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/cli_fwd.h"
#include "app/options/http_options.h"
#include "app/options/run_files.h"
#include "app/options/shared_sink.h"
#include "core/pipeline/frame_result.h"
#include "core/sinks/annotated_sinks.h"
#include "core/video/source.h"

namespace throng {

struct OutputOptions {
    std::string json;            // --json OUT.jsonl, "-" for standard output
    std::string video;           // --video OUT.mp4
    std::string images;          // --images DIR
    std::string summary;         // --summary OUT.json, "-" for standard output
    bool copy_audio = false;     // --audio: of the source, in the video
    std::string count;           // --count FILE.toml: lines and zones
    bool in_window = false;      // a window shows the counts, and plays the source at its pace
    std::string events;          // --events OUT.jsonl, "-" for standard output
    std::string per_minute;      // --per-minute OUT.csv, "-" for standard output
    std::string occupancy;       // --occupancy OUT.png|csv
    std::string mqtt;            // --mqtt URL: counts and events to a broker
    std::string mqtt_password;   // --mqtt-password FILE
    std::string push;            // --push URL: video to a media server
    bool show_faces = false;     // --show-faces: in what --http and --push send
    std::string trace;           // --trace FILE, "-" for standard output
    bool raw = false;            // --raw: also raw boxes, in JSON lines, video and images
    bool track = false;          // --track: ids over time, in JSON lines, video and images
    bool screen_colors = false;  // recordings of the window: boxes in its colors
    bool blur = false;           // --blur: faces made unrecognizable in videos and images
    HttpOptions http;

    // Returns the options that send or write results of detection, of those that were given: "json".
    [[nodiscard]] std::vector<std::string_view> given() const;
    // Returns whether a file has tracks or what is counted by them.
    [[nodiscard]] bool write_tracks() const {
        return track || !events.empty() || !per_minute.empty() || !occupancy.empty();
    }
    // Returns whether an output needs PipelineSettings::tracking.
    [[nodiscard]] bool need_tracks() const { return track || writes_counts() || !occupancy.empty(); }
    // Returns whether an output needs CountPlan.
    [[nodiscard]] bool writes_counts() const {
        return !events.empty() || !per_minute.empty() || !mqtt.empty() || http.requested();
    }
    // Returns whether an output needs PipelineSettings::hiding: a file with --blur, and a server without --show-faces.
    [[nodiscard]] bool hides_files() const { return blur && !(video.empty() && images.empty()); }
    [[nodiscard]] bool hides_faces() const {
        return hides_files() || ((!push.empty() || http.requested()) && !show_faces);
    }
    // Returns whether an output shows the tracks of a frame before those after it are known. All outputs then do.
    [[nodiscard]] bool shows_tracks_at_once() const {
        return json == "-" || events == "-" || per_minute == "-" || !mqtt.empty() || http.requested() ||
               (track && !(video.empty() && images.empty() && push.empty()));
    }
};

void add_output_options(CLI::App& command, OutputOptions& options);

// Returns how the images of --http and --push are annotated: with hidden faces unless --show-faces is given.
[[nodiscard]] AnnotatedOptions server_images(const OutputOptions& options);

// Throws Error(usage) for options that have no effect without others.
void check_outputs(const OutputOptions& options);

// Adds the outputs of a run over `sources` sources to its files. The inputs must have been added before. Throws as
// RunFiles::add_output.
void add_outputs(RunFiles& files, const OutputOptions& options, std::size_t sources);

// The outputs of a run over one or several sources. JSON lines and images of all sources go to one file and one folder.
// Every source has its own video: OUT.mp4, or with several sources OUT-1.mp4, OUT-2.mp4 and so on. Concurrent pipelines
// are serialized. No file is created or truncated before the first result.
class OutputFiles {
public:
    OutputFiles() = default;
    // Overwrites existing files, except images that `files` (may be null) protects. service: also gets all results; null
    // without --http. Throws Error(input) when an output cannot be created.
    OutputFiles(const OutputOptions& options, std::size_t sources, std::shared_ptr<const RunFiles> files,
                std::shared_ptr<Service> service);

    // Returns the sinks of source `number`, counted from 0. Its pipeline closes the sinks that no other source uses.
    // Unless the source is live or an output shows tracks at once, tracks are linked with what comes after them.
    // Throws Error(usage) if audio is to be copied from a source that is no media file.
    [[nodiscard]] std::vector<std::shared_ptr<ResultSink>> sinks_for(std::size_t number, const SourceInfo& source);

    // Returns whether an output reads pixels, so that device frames must be copied to the host.
    [[nodiscard]] bool want_pixels() const noexcept {
        return !options_.video.empty() || !options_.images.empty() || !options_.push.empty();
    }

    // Closes the outputs that all sources share. Throws Error(input) on failure.
    void close();
    // Returns whether an output failed; starting further sources is then pointless. Thread-safe.
    [[nodiscard]] bool failed() const noexcept { return failed_ && *failed_; }

private:
    OutputOptions options_;
    AnnotatedOptions annotated_;
    std::size_t sources_ = 0;
    std::shared_ptr<std::atomic<bool>> failed_;
    struct Shared {
        std::shared_ptr<SharedSink::Shared> sink;
        bool writes_tracks = false;
    };
    std::shared_ptr<Service> service_;
    std::vector<Shared> shared_;  // the sinks that all pipelines share
};

// Returns the sinks of a run over one source. number: from 0, under which it is served.
[[nodiscard]] std::vector<std::shared_ptr<ResultSink>> make_sinks(const OutputOptions& options,
                                                                  const SourceInfo& source,
                                                                  std::shared_ptr<const RunFiles> files,
                                                                  std::shared_ptr<Service> service,
                                                                  std::size_t number = 0);

}  // namespace throng
