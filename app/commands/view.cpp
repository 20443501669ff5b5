// throng view: opens the window.
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/lab/race.h"
#include "app/options/backend.h"
#include "app/options/clock_options.h"
#include "app/options/command.h"
#include "app/options/command_line.h"
#include "app/options/detection_options.h"
#include "app/options/interrupt.h"
#include "app/options/output_options.h"
#include "app/options/source_options.h"
#include "app/options/window_program.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/count/count_plan.h"
#include "core/detect/detector_kinds.h"
#include "core/model/model_finder.h"
#include "core/model/onnx_reader.h"
#include "core/sinks/trace_sink.h"
#ifdef TH_WITH_UI
#include "ui/wall/wall.h"
#include "ui/window.h"
#endif

namespace throng {
namespace {

struct ViewOptions {
    std::vector<std::string> sources;
    SourceArguments input;
    DetectionOptions detection;
    OutputOptions output;
    ClockRunOptions clocks;
    bool full_screen = false;
    bool kiosk = false;
    std::string kiosk_exit = "Ctrl+Alt+Q";
    std::string scenes;
    std::string language = "auto";
    bool loop = false;
    bool labels = false;
    double speed = 1;
    double keep_rate = 12;
    std::string screenshot;
    int screenshot_after = 30;
    std::string size;
};

#ifdef TH_WITH_UI

void parse_size(const std::string& text, ui::WindowOptions& window) {
    if (text.empty()) return;
    char end = 0;
    if (std::sscanf(text.c_str(), "%dx%d%c", &window.width, &window.height, &end) != 2 || window.width < 200 ||
        window.height < 200 || window.width > 16384 || window.height > 16384) {
        throw Error(ErrorKind::usage, "not a size: " + text, Setting{"window_size"},
                    "use the form 1280x720, with 200x200 as the minimum");
    }
}

// A wall shows and serves its sources; other outputs and counts are those of one source.
void check_wall(const ViewOptions& options) {
    const std::size_t count = options.sources.size();
    if (count > static_cast<std::size_t>(ui::Wall::kMaxTiles)) {
        throw Error(ErrorKind::usage, "too many sources for the window: " + std::to_string(count), "SOURCE",
                    "show up to " + std::to_string(ui::Wall::kMaxTiles) + ", or use `throng detect` for more");
    }
    std::vector<std::string_view> used = options.output.given();
    std::erase(used, "http");
    if (!options.output.count.empty()) used.push_back("count");
    if (count > 1 && !used.empty()) {
        throw Error(ErrorKind::usage, "the window takes it for one source only", Setting{used.front()},
                    "name one source, or use `throng detect`");
    }
}

// Returns the detector kind that misses the fewest faces: the network if one is installed and can be read.
DetectorId kind_for_hiding() {
    const DetectorKind& network = detector_kind(DetectorId::cnn);
    try {
        static_cast<void>(read_onnx(find_model("", network.id())));
        return network.id();
    } catch (const Error& error) {
        const bool is_missing = error.kind() == ErrorKind::unavailable;
        logger().warn("to hide the faces of cameras, the Haar cascade finds them and misses more: {}; {}",
                      is_missing ? "no network is installed" : error.problem().text(), network.get_models);
        return DetectorId::haar;
    }
}

int run_view(const CommandContext& context, ViewOptions options) {
    check_wall(options);
    ChosenSettings& chosen = options.detection.chosen;
    if (chosen.value_or("detector", kAutoDetector) == kAutoDetector) chosen.clear("detector");
    // Outputs and screenshots do not depend on what the window has been used for.
    const bool writes = !options.output.given().empty();
    const bool reproducible = !options.screenshot.empty() || writes;
    // A network is tried while the cascade shows the source.
    const bool try_network =
        !reproducible && options.scenes.empty() && options.sources.size() <= 1 && !chosen.changes_boxes();
    const PipelineSettings settings =
        pipeline_settings(try_network ? chosen.params(DetectorId::haar) : options.detection.params());
    const auto files = std::make_shared<RunFiles>(context.common);
    for (const std::string& source : options.sources) files->add_source(source);
    files->add_model(settings.detector);
    add_clock_files(*files, options.clocks);
    files->add_input("the scenes", options.scenes);
    options.output.in_window = true;
    add_outputs(*files, options.output, 1);
    files->add_output("screenshot", options.screenshot);

    ui::WindowOptions window;
    parse_size(options.size, window);
    window.sources = options.sources;
    window.labels = options.labels;
    window.blur = options.output.blur;
    window.full_screen = options.full_screen;
    window.kiosk = options.kiosk;
    window.kiosk_exit = options.kiosk_exit;
    window.scenes = options.scenes;
    window.language = options.language;
    window.screenshot = options.screenshot;
    window.screenshot_after = options.screenshot_after;

    ui::SessionSetup& session = window.session;
    session.settings = settings;
    if (options.kiosk) session.hides_by = kind_for_hiding();
    session.detector_chosen = chosen.contains("detector") || !settings.detector.model.empty();
    window.remember = !reproducible && !options.kiosk && options.scenes.empty();
    window.remember_detector = window.remember && !chosen.changes_boxes();
    session.try_network = try_network;
    session.draw_tracks = options.output.write_tracks();
    session.count_file = options.output.count;
    // A missing file is created when the first line or zone is drawn.
    if (std::filesystem::exists(session.count_file)) session.count_plan = load_count_plan(session.count_file);
    session.sinks_hide_faces = options.output.blur || options.output.hides_faces();
    session.sinks_store_images =
        !options.output.video.empty() || !options.output.images.empty() || !options.output.push.empty();
    session.settings.tracking = tracker_params(settings.detector.kind);
    if (!options.output.need_tracks())
        session.settings.tracking->candidate_fraction = 1;  // only moves boxes between detections
    // A screenshot shows a detected frame, found with the given settings.
    session.settings.carry = options.screenshot.empty();
    session.settings.keep_rate = options.screenshot.empty() ? options.keep_rate : 0;
    session.playback.loop = options.loop;
    session.playback.speed = options.speed;
    session.playback.max_frames = options.input.frames;
    SourceOptions input = options.input.source;
    const int device = context.common.device;
    set_device(input, device, context.common.backend != BackendKind::cpu && cuda_unavailable_reason(device).empty());
    session.settings.host_pixels = true;  // the window displays the frames
    session.open_source = [input](const std::string& spec, const std::stop_token& stop) {
        return open_source(spec, input, stop);
    };
    session.list_cameras = list_cameras;
    session.make_backend = [common = context.common](const DetectorParams& detector) {
        const BackendChoice choice = make_backend(common, &detector);
        return ui::BackendChoice{choice.backend, choice.why};
    };
    session.playback.fallback = make_fallback(context.common, settings.detector);
    session.race_suppression = [common = context.common](const auto& frame, const auto& show, const auto& stop) {
        race_suppression(common, frame, show, stop);
    };
    session.race_detector = [common = context.common](const auto& frame, const auto& show, const auto& stop) {
        race_detector(common, frame, show, stop);
    };
    // One trace of all sources that the window opens.
    std::shared_ptr<SharedSink::Shared> trace;
    if (!options.output.trace.empty()) {
        trace = std::make_shared<SharedSink::Shared>(
            std::make_shared<TraceSink>(std::exchange(options.output.trace, {}), InterruptGuard::token()));
        session.make_observer = [trace] { return std::make_shared<SharedSink>(trace); };
    }
    const std::shared_ptr<Service> service = make_service(options.output.http, server_images(options.output), settings,
                                                          context.common, options.clocks.root, false);
    for (std::size_t i = 0; service && i < options.sources.size(); ++i) {
        service->expect(static_cast<int>(i) + 1, options.sources[i]);
    }
    if (service) session.expect_again = [service](int source_number) { service->expect_again(source_number); };
    const auto opened = std::make_shared<std::atomic<bool>>(false);  // a source that the outputs are of
    if (writes) {
        OutputOptions served;
        served.http = options.output.http;
        served.count = options.output.count;
        session.make_sinks = [output = options.output, served, files, opened, service](
                                 const SourceInfo& source, int source_number,
                                 bool is_first) -> std::vector<std::shared_ptr<ResultSink>> {
            *opened = true;
            if (!is_first && !service) return {};
            return make_sinks(is_first ? output : served, source, files, service,
                              static_cast<std::size_t>(source_number) - 1);
        };
    }
    session.make_recording = [tracks = session.draw_tracks](const std::string& path, const SourceInfo& source, bool raw,
                                                            bool blur) {
        OutputOptions recording;
        recording.video = path;
        recording.screen_colors = true;
        recording.track = tracks;
        recording.raw = raw;
        recording.blur = blur;
        return make_sinks(recording, source, nullptr, nullptr).front();
    };

    // The window applies clocks and samples telemetry itself, so that the user can see and change both.
    session.clocks.clocks = clock_options(options.clocks, context.common);
    session.clocks.profile = options.clocks.profile;
    session.measures = !options.clocks.telemetry.empty();
    Telemetry::Options telemetry;
    telemetry.root = options.clocks.root;
    telemetry.csv = options.clocks.telemetry;
    telemetry.device = context.common.device;
    session.clocks.telemetry = std::make_shared<Telemetry>(telemetry);

    const InterruptGuard interrupts;
    window.interrupted = InterruptGuard::requested;
    window.stop = InterruptGuard::token();
    std::string name = "throng";
    char* arguments[] = {name.data(), nullptr};
    const int status = ui::run_window(1, arguments, std::move(window));
    if (trace) trace->sink->close();
    if (InterruptGuard::requested()) return exit_status(ErrorKind::interrupted);
    if (writes && !*opened) {
        throw Error(ErrorKind::input, "no source opened before the window closed, so nothing was written",
                    options.sources.empty() ? "view" : options.sources.front(), "the window shows why a source fails");
    }
    return status;
}

#endif

}  // namespace

#ifndef TH_WITH_UI
[[gnu::weak]]  // throng-window has its own
#endif
void add_view_command(CLI::App& program, CommandContext& context) {
    auto options = std::make_shared<ViewOptions>();
    CLI::App& command = add_command(program, "view", "Open the window");
    set_footer(command, source_forms());
    add_value(command, "Options", "source", options->sources, "SOURCE",
              "Source to show, or up to 16 as a wall; default: the last source, or the demo crowd");
    add_source_options(command, options->input);
    add_settings(command, options->detection, detector_settings());
    add_settings(command, options->detection, nms_settings());
    add_output_options(command, options->output);
    add_clock_options(command, options->clocks);
    add_flag(command, "Options", "--fullscreen", options->full_screen, "Start in full screen");
    add_flag(command, "Options", "--kiosk", options->kiosk,
             "Unattended full screen that visitors cannot leave; loops the source; hides the faces that are found "
             "in cameras and streams, by the network if one is installed");
    add_value(command, "Options", "--kiosk-exit", options->kiosk_exit, "KEY",
              "Key that ends the kiosk; empty for none");
    add_value(command, "Options", "--scenes", options->scenes, "FILE|default",
              "Show the scenes of a script (TOML) while the window is idle; default: the program's own");
    add_value(command, "Options", "--language", options->language, "",
              "Language of the window and its scenes; auto: the language of the system", one_of({"auto", "de", "en"}));
    add_flag(command, "Options", "--loop", options->loop, "Loop the source");
    add_flag(command, "Options", "--labels", options->labels, "Show the score and hits of each box");
    add_value(command, "Options", "--speed", options->speed, "X", "Playback speed", finite_range(0.05, 16));
    add_value(command, "Options", "--keep-rate", options->keep_rate, "N",
              "Detections per second to maintain on a slow machine, by raising the minimum size (up to 1.5 times) "
              "and the scale factor; 0: never. An installed network becomes the default detector only if it "
              "reaches this rate",
              finite_range(0, 1000));
    add_value(command, "Options", "--window-size", options->size, "WxH", "Size of the window");
    add_value(command, "Options", "--screenshot", options->screenshot, "FILE",
              "Write a screenshot of the window (PNG), then quit");
    add_value(command, "Options", "--screenshot-after", options->screenshot_after, "N",
              "Number of results to wait for before the screenshot", whole_range(1, 1000000));
    // Keeps the options, which the parser writes into.
    set_action(command, [options, &context] {
#ifdef TH_WITH_UI
        context.run = [options, &context] { return run_view(context, *options); };
#else
        context.before_config = [options, &context] {
            become_window_program(context.common, "view", "use `throng detect SOURCE`");
        };
#endif
    });
}

}  // namespace throng
