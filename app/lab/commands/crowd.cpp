// throng crowd OUT: draws a crowd as an image or a video, with its ground truth.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/options/command.h"
#include "app/options/command_line.h"
#include "app/options/interrupt.h"
#include "app/options/progress.h"
#include "app/options/run_files.h"
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
                    Setting{"frames", std::to_string(arguments.crowd.frames)}, "write OUT.mp4 for a video");
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
    files.add_output("truth", arguments.truth);
    return format_of_name(arguments.out).kind == NameKind::image ? write_image(arguments, common)
                                                                 : write_video(arguments, common);
}

}  // namespace

void add_crowd_command(CLI::App& program, CommandContext& context) {
    CLI::App& command = add_command(program, "crowd", "Draw a crowd with known faces, as an image or a video");
    auto arguments = std::make_shared<CrowdArguments>();
    CrowdOptions& crowd = arguments->crowd;
    add_value(command, "Options", "OUT", arguments->out, "",
              "Output file: png, jpg or another image format, or mp4 or mkv")
        .required();
    const AddedOption faces =
        add_value(command, "Options", "--faces", crowd.faces, "N", "Number of people, 0 to 5000", whole_range(0, 5000));
    const AddedOption size = add_value(command, "Options", "--size", arguments->size, "WxH",
                                       "Size of the image in pixels; default: 1920x1080");
    add_value(command, "Options", "--frames", crowd.frames, "N", "Number of frames of a video; default: 300",
              whole_range(std::int64_t{0}, std::int64_t{1'000'000'000}))
        .show_default("");
    add_value(command, "Options", "--fps", crowd.fps, "F", "Frames per second",
              finite_range(kMinCrowdFps, kMaxCrowdFps));
    add_value(command, "Options", "--seed", crowd.seed, "S", "Random seed of the people",
              whole_range(std::uint64_t{0}));
    add_choice(command, "Options", "--motion", crowd.motion, kCrowdMotions,
               "stand: rows that drift; walk: people cover each other, leave, and come back as others");
    add_value(command, "Options", "--truth", arguments->truth, "OUT.jsonl",
              "Write the faces of every frame as JSON lines; - for standard output");
    add_value(command, "Options", "--uncover", crowd.uncover, "I",
              "Show the first I faces only; the others are black. Default size without --faces and --size: 147 "
              "faces, 4646x1800",
              whole_range(0, 5000))
        .show_default("");
    set_footer(command,
               "Examples:\n"
               "  throng crowd hall.png --faces 40 --truth hall.jsonl\n"
               "  throng crowd crowd.mp4 --frames 600 --seed 7 --truth crowd.jsonl\n"
               "  throng crowd group.png --uncover 20");
    set_run(command, context, [&context, arguments, faces, size] {
        return run(*arguments, context.common, faces.given(), size.given());
    });
}

}  // namespace throng
