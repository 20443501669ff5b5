// throng crowd OUT: draws a crowd as an image or a video, with its ground truth.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/options/add_value.h"
#include "app/options/command.h"
#include "app/options/interrupt.h"
#include "app/options/progress.h"
#include "app/options/run_files.h"
#include "app/options/values.h"
#include "core/annotations/labels.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/output_file.h"
#include "core/synth/crowd.h"
#include "core/video/formats.h"
#include "core/video/image_writer.h"
#include "core/video/video_writer.h"

namespace throng {
namespace {

constexpr std::int64_t kVideoFrames = 300;

struct CrowdArguments {
    std::string out;
    std::string truth;
    std::string size;
    CrowdOptions crowd;
};

// Writes the ground truth as JSON lines, one per frame. Writes nothing if the path is empty.
class TruthFile {
public:
    TruthFile(const std::string& path, std::string source) : source_(std::move(source)) {
        if (!path.empty()) file_.emplace(path);
    }

    void write(const Crowd& crowd, std::int64_t n) {
        if (!file_) return;
        TruthLabels labels{source_, n, {}};
        for (const CrowdFace& face : crowd.truth(n))
            labels.entries.push_back({face.box, face.visible, face.ignore, face.person});
        file_->write(truth_line(labels, crowd.options().width, crowd.options().height), InterruptGuard::token());
    }

    void close() {
        if (file_) file_->close();
    }

private:
    std::string source_;
    std::optional<OutputFile> file_;
};

int write_image(const CrowdArguments& arguments, const CommonOptions& common) {
    if (arguments.crowd.frames > 1) {
        throw Error(ErrorKind::usage, "an image holds only one frame",
                    "--frames " + std::to_string(arguments.crowd.frames), "write OUT.mp4 for a video");
    }
    Progress progress(common, std::filesystem::path(arguments.out).filename().string(), std::nullopt);
    progress.update(0, "drawing the crowd");
    const Crowd crowd(arguments.crowd);
    write_image(arguments.out, crowd.frame(0));
    progress.finish();
    TruthFile truth(arguments.truth, arguments.out);
    truth.write(crowd, 0);
    truth.close();
    return 0;
}

int write_video(const CrowdArguments& arguments, const CommonOptions& common) {
    const InterruptGuard interrupts;
    const std::int64_t frames = arguments.crowd.frames > 0 ? arguments.crowd.frames : kVideoFrames;
    const Crowd crowd(arguments.crowd);
    VideoWriterOptions options;
    options.fps = arguments.crowd.fps;
    options.stop = InterruptGuard::token();
    VideoWriter video(arguments.out, options);
    TruthFile truth(arguments.truth, arguments.out);
    {
        Progress progress(common, std::filesystem::path(arguments.out).filename().string(),
                          static_cast<std::uint64_t>(frames));
        for (std::int64_t n = 0; n < frames && !InterruptGuard::requested(); ++n) {
            video.write(crowd.frame(n));
            truth.write(crowd, n);
            progress.update(static_cast<std::uint64_t>(n + 1));
        }
    }
    video.close();
    truth.close();
    if (const std::string notice = video.notice(); !notice.empty()) logger().warn("{}: {}", arguments.out, notice);
    return InterruptGuard::requested() ? exit_status(ErrorKind::interrupted) : 0;
}

int run(CrowdArguments arguments, const CommonOptions& common, bool faces_given, bool size_given) {
    if (size_given) {
        parse_crowd_size(arguments.size, arguments.crowd);
    } else if (arguments.crowd.uncover >= 0 && !faces_given) {
        // The experiment of D. Oro et al. on a group photograph.
        arguments.crowd.faces = 147;
        arguments.crowd.width = 4646;
        arguments.crowd.height = 1800;
    }
    check_options(arguments.crowd);
    RunFiles files(common);
    files.add_output("OUT", arguments.out);
    files.add_output("--truth", arguments.truth);
    return format_of_name(arguments.out).kind == NameKind::image ? write_image(arguments, common)
                                                                 : write_video(arguments, common);
}

}  // namespace

void add_crowd_command(CLI::App& program, CommandContext& context) {
    CLI::App* command = program.add_subcommand("crowd", "Draw a crowd with known faces, as an image or a video");
    auto arguments = std::make_shared<CrowdArguments>();
    CrowdOptions& crowd = arguments->crowd;
    command->add_option("OUT", arguments->out, "Output file: png, jpg or another image format, or mp4 or mkv")
        ->required()
        ->type_name("");
    CLI::Option* faces = command->add_option("--faces", crowd.faces, "Number of people, 0 to 5000")
                             ->check(whole_range(0, 5000))
                             ->type_name("N")
                             ->capture_default_str();
    CLI::Option* size = add_value(*command, "Options", "--size", arguments->size, "WxH",
                                  "Size of the image in pixels; default: 1920x1080");
    command->add_option("--frames", crowd.frames, "Number of frames of a video; default: 300")
        ->check(whole_range(std::int64_t{0}, std::int64_t{1'000'000'000}))
        ->type_name("N");
    add_value(*command, "Options", "--fps", crowd.fps, "F", "Frames per second",
              finite_range(kMinCrowdFps, kMaxCrowdFps));
    add_value(*command, "Options", "--seed", crowd.seed, "S", "Random seed of the people",
              whole_range(std::uint64_t{0}));
    command
        ->add_option_function<std::string>(
            "--motion",
            [arguments](const std::string& word) {
                arguments->crowd.motion = word == "walk" ? CrowdMotion::walk : CrowdMotion::stand;
            },
            "stand: rows that drift; walk: people cover each other, leave, and come back as others")
        ->check(one_of({"stand", "walk"}))
        ->type_name("")
        ->default_str("stand");
    add_value(*command, "Options", "--truth", arguments->truth, "OUT.jsonl",
              "Write the faces of every frame as JSON lines; - for standard output");
    command
        ->add_option("--uncover", crowd.uncover,
                     "Show the first I faces only; the others are black. Default size without --faces and --size: 147 "
                     "faces, 4646x1800")
        ->type_name("I")
        ->check(whole_range(0, 5000));
    command->footer(
        "Examples:\n"
        "  throng crowd hall.png --faces 40 --truth hall.jsonl\n"
        "  throng crowd crowd.mp4 --frames 600 --seed 7 --truth crowd.jsonl\n"
        "  throng crowd group.png --uncover 20");
    command->callback([&context, arguments, faces, size] {
        context.run = [&context, arguments, faces, size] {
            return run(*arguments, context.common, faces->count() > 0, size->count() > 0);
        };
    });
}

}  // namespace throng
