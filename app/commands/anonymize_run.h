// Runs `throng anonymize` after its options are parsed: on one file, or on an archive.
#pragma once

#include <stop_token>
#include <string>

#include "app/commands/anonymize_setup.h"
#include "app/commands/anonymize_worker.h"
#include "app/options/command.h"
#include "app/options/run_files.h"
#include "core/archive/merge.h"

namespace throng {

// The report of each output of an archive has the name of the output and this.
inline constexpr std::string_view kReportExtension = ".report.json";

class AnonymizeRun {
public:
    // Throws Error(usage) for contradictory options, for outputs that are inputs, and for reports that do not fit.
    AnonymizeRun(AnonymizeArguments arguments, const CommonOptions& common);

    // Returns the exit status. In an archive, a file that fails is reported, and the others continue.
    int run();

    // Writes the one file and its report while a window shows it, and returns the name of the report (JSON). Prints
    // nothing. If the file fails, throws its error; output and report are then those of before.
    std::string write_again(const AnonymizeWorker::OnProgress& on_progress, const std::stop_token& stop);

private:
    int run_file();
    int run_folder();
    // Hides the faces of the one input. Throws as AnonymizeWorker::process does, and unless the input is a regular file.
    ReportedFile hide_input(AnonymizeWorker& worker, const AnonymizeWorker::OnProgress& on_progress,
                            const std::stop_token& stop) const;
    void write_report(ReportedFile reported);
    // Throws Error(usage) if the report of a folder would replace one of its inputs.
    void check_report(const std::vector<WorkItem>& list) const;
    void check_decided_tracks(const std::vector<std::string>& inputs, const std::stop_token& stop) const;

    AnonymizeArguments arguments_;
    const CommonOptions& common_;
    bool folder_;              // --out names a folder
    std::string report_base_;  // empty: no report of the whole run
    RunFiles run_files_;
    AnonymizeSetup setup_;
    EncoderOnDemand encoder_;
};

// Joins the reports of all files of an archive of anonymize as BASE.json and BASE.html. Failed inputs are listed with
// their errors. Throws Error(input).
void write_joined_report(const std::string& base, const ArchiveMerge& merge, bool interrupted);

}  // namespace throng
