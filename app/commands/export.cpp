// throng export RESULTS...: detections as annotations of other tools.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "app/options/command.h"
#include "app/options/command_line.h"
#include "app/options/interrupt.h"
#include "app/options/run_files.h"
#include "app/options/standard_output.h"
#include "core/annotations/export.h"
#include "core/archive/merge.h"
#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/log.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

struct ExportArguments {
    std::vector<std::string> results;
    AnnotationFormat format = AnnotationFormat::coco;
    std::string out;
    std::string label;
};

// Returns the files of JSON lines: a folder stands for the results of detect --out in it.
std::vector<fs::path> find_results(const std::vector<std::string>& names) {
    std::vector<fs::path> files;
    for (const std::string& name : names) {
        std::error_code unknown;
        if (fs::is_fifo(name, unknown) || name == "-") {
            throw Error(ErrorKind::input, "is a pipe, but results are read more than once", name,
                        "write them to a file");
        }
        if (!fs::is_directory(name, unknown)) {
            files.emplace_back(name);
            continue;
        }
        const ArchiveMerge archive({name});
        archive.for_each([&](const ManifestEntry& entry, const fs::path& folder) {
            for (const OutputRecord& output : entry.outputs) {
                const bool is_events = output.name.ends_with(kEventsExtension);
                if (output.name.ends_with(kLinesExtension) && !is_events) files.push_back(folder / output.name);
            }
        });
        if (files.empty()) {
            throw Error(ErrorKind::input, "has no detections", name, "name a folder that was given to detect as --out");
        }
    }
    return files;
}

int run(const ExportArguments& arguments, const CommonOptions& common) {
    const InterruptGuard interrupts;
    ExportOptions options;
    options.label = arguments.label;
    options.format = arguments.format;
    const std::vector<fs::path> results = find_results(arguments.results);
    RunFiles files(common);
    std::vector<std::string> names;
    for (const fs::path& file : results) {
        names.push_back(file.string());
        files.add_input("the result", file.string());
    }
    if (!is_folder(options.format)) files.add_output("out", arguments.out);
    const InputFiles unchanged(names);
    const ExportTotals totals = export_annotations(results, arguments.out, options, InterruptGuard::token());
    unchanged.check_unchanged();
    if (!totals.left_out.empty()) {
        logger().info("the format {} has no place for {}", name_of(kAnnotationFormats, options.format),
                      fmt::join(totals.left_out, ", "));
    }
    if (!common.quiet) {
        standard_output::print("{} {}, {} {}, {} {}: {}\n", totals.sources, totals.sources == 1 ? "source" : "sources",
                               totals.images, totals.images == 1 ? "image" : "images", totals.boxes,
                               totals.boxes == 1 ? "box" : "boxes", arguments.out);
    }
    return 0;
}

}  // namespace

void add_export_command(CLI::App& program, CommandContext& context) {
    CLI::App& command = add_command(program, "export", "Convert detections to annotations for other tools");
    auto arguments = std::make_shared<ExportArguments>();
    add_value(command, "Options", "RESULTS", arguments->results, "",
              "Files that detect --json or merge --json wrote, or folders of detect --out")
        .required();
    add_choice(command, "Options", "--format", arguments->format, kAnnotationFormats,
               "coco: one JSON file; yolo: a folder as Darknet reads it; cvat: one XML file; mot: a folder of "
               "sequences; wider: one text file; voc: a folder of XML files");
    add_value(command, "Options", "--out", arguments->out, "PATH",
              "The file, or the folder, which must be new or empty")
        .required();
    add_value(command, "Options", "--label", arguments->label, "NAME",
              "Name of the class of all boxes; default: face or person, as the detector finds them");
    set_footer(
        command,
        "Names of images are relative to the folder that holds all sources. Frame 12 of clip.mp4 is\n"
        "clip.mp4.frames/frame_000012.png; these images are made by\n"
        "  mkdir clip.mp4.frames\n"
        "  ffmpeg -i clip.mp4 -vsync 0 -start_number 0 clip.mp4.frames/frame_%06d.png\n"
        "cvat and mot get the tracks of results that have them (detect --track); the others get the detections.\n"
        "Boxes are clipped to the image. Landmarks are in coco only, as keypoints.\n"
        "Examples:\n"
        "  throng detect photos --json faces.jsonl\n"
        "  throng export faces.jsonl --format coco --out faces.json\n"
        "  throng detect clip.mp4 --track --json tracks.jsonl\n"
        "  throng export tracks.jsonl --format cvat --out tracks.xml");
    set_run(command, context, [&context, arguments] { return run(*arguments, context.common); });
}

}  // namespace throng
