// throng anonymize IN... --out DIR|FILE: the same videos and images with hidden faces.
#include <fmt/format.h>

#include <memory>

#include "app/commands/anonymize_review.h"
#include "app/commands/anonymize_run.h"
#include "app/options/command.h"
#include "app/options/setting_value.h"
#include "core/base/error.h"
#include "core/video/source.h"

namespace throng {

void add_anonymize_command(CLI::App& program, CommandContext& context) {
    CLI::App& command = add_command(
        program, "anonymize", "Hide faces in videos and images; writes the same files with hidden faces, and a report",
        "anonymise");
    auto arguments = std::make_shared<AnonymizeArguments>();
    add_value(command, "Options", "IN", arguments->inputs, "",
              "Video and image files, and folders of them, which are read with all folders below them");
    const auto output = "Output";
    add_value(command, output, "--out", arguments->archive.out, "DIR|FILE",
              "Folder for the outputs, which keep their names and get a report each; or a file, if there is one "
              "input file; with --review, the output of the report by default");
    add_value(command, output, "--report", arguments->report, "BASE",
              "Write the report as BASE.html and BASE.json; default: DIR/anonymize-report, none for a "
              "shard, or the name of FILE with .report: hidden.report for hidden.mp4; hidden.mp4.report "
              "if that is taken");
    add_value(command, output, "--regions", arguments->regions, "OUT.jsonl",
              "Write what is hidden in each frame as JSON lines, for throng eval --leaks; one input file only");
    add_choice(command, output, "--audio", arguments->copy_audio, kAudioNames,
               "Audio of videos: copy all tracks, or drop them");
    std::vector<std::string> encoders = encoder_names();
    encoders.insert(encoders.begin(), "auto");
    add_value(command, output, "--encoder", arguments->encoder, "",
              "H.264 encoder of videos; auto: the first in hardware that encodes five frames, otherwise libx264",
              one_of(encoders));
    add_value(command, output, "--quality", arguments->quality, "Q",
              "Quality of videos, from 0 (best) to 51 (smallest files): the rate factor of libx264",
              whole_range(0, 51));
    const auto hiding = "Hiding";
    add_choice(
        command, hiding, "--what", arguments->what, kHiddenNames,
        "What to hide: faces; people, also from behind, found by --detector person or hog; both, by two networks: "
        "faces also where no person is found");
    for (const HidingSetting& setting : hiding_settings()) {
        const std::string value = setting.value(hiding_params(DetectorId::cnn));
        const std::string of_cascades = setting.value(hiding_params(DetectorId::haar));
        const auto set = [arguments, &setting](const std::string& text) { arguments->hiding[&setting] = text; };
        add_setter(command, hiding, "--" + key_of_setting(setting.row.name), set, std::string(setting.row.unit),
                   std::string(setting.row.help), value_of_row(setting.row))
            .show_default(value == of_cascades ? value : value + "; haar, lbp " + of_cascades);
    }
    add_value(command, hiding, "--only", arguments->only, "SPANS",
              "Hide faces of videos in these time spans only, such as 12.5-20,1:00-1:30,2:00-; all other "
              "frames stay as they are");
    add_value(command, hiding, "--keep", arguments->keep, "ID@REPORT.json",
              "Leave this track of an earlier report visible; the file, the settings and the version must be "
              "those of the report")
        .repeatable();
    add_value(command, hiding, "--hide", arguments->hide, "ID@REPORT.json",
              "Record in the new report that a person confirmed this hidden track of an earlier report, as "
              "--keep does for visible ones")
        .repeatable();
    add_value(command, hiding, "--review", arguments->review, "REPORT.json",
              "Show the uncertain tracks of a report in a window, with the settings of the report; each is "
              "hidden or left visible there, and the file is written again");
    add_choice(command, "Source", "--decoder", arguments->decoder, kDecoderNames,
               "Video decoder for finding the faces");
    add_archive_options(command, arguments->archive);
    add_value(command, "Archive", "--streams", arguments->streams, "N",
              "Number of files in progress at the same time; 0: chosen by the backend", whole_range(0, 256));
    add_settings(command, arguments->detection, detector_settings());
    set_footer(command,
               "Examples:\n"
               "  throng anonymize interview.mp4 --out hidden.mp4 --audio copy\n"
               "  throng anonymize photos/ clips/ --out hidden/ --style mosaic\n"
               "  throng anonymize stage.mp4 --out hidden.mp4 --what both\n"
               "  throng anonymize archive/ --out hidden/ --shard 1/8 --resume\n"
               "  throng anonymize --review hidden.report.json\n"
               "  throng anonymize interview.mp4 --out hidden.mp4 --keep 3@hidden.report.json");
    set_run(command, context, [&context, arguments] {
        // The configuration file may set --review and --out, too.
        if (!arguments->review.empty()) return run_anonymize_review(*arguments, context.common);
        if (arguments->archive.out.empty()) {
            throw Error(ErrorKind::usage, "is required", Setting{"out"}, "see throng anonymize --help");
        }
        return AnonymizeRun(*arguments, context.common).run();
    });
}

}  // namespace throng
