// Runs `throng anonymize` after its options are parsed: finds the faces of each file, then reads it again, hides them and
// writes the output.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/anonymize_files.h"
#include "app/commands/anonymize_report.h"
#include "app/options/backend.h"
#include "app/options/command.h"
#include "app/options/detector_options.h"
#include "app/options/encoder_options.h"
#include "app/options/progress.h"
#include "app/options/run_files.h"
#include "core/base/error.h"
#include "core/frame/frame_pool.h"
#include "core/pipeline/frame_processor.h"
#include "core/redact/hiding.h"

namespace throng {

struct AnonymizeArguments {
    std::vector<std::string> inputs;
    std::string out;
    std::string report;  // without extension; empty: chosen from `out`
    std::string style = "blur";
    std::optional<float> margin;  // none: chosen by the detector
    std::string only;
    std::vector<std::string> keep;  // "ID@REPORT.json"
    std::string encoder = "auto";
    int quality = 20;
    std::string audio = "drop";
    std::string decoder = "auto";
    DetectorOptions detector;
    const CLI::Option* detector_option = nullptr;
};

class AnonymizeRun {
public:
    // Throws Error(usage) for contradictory options, for outputs that are inputs, and for reports that do not fit.
    AnonymizeRun(AnonymizeArguments arguments, const CommonOptions& common);

    // Returns the exit status. A file that fails is reported, and the others continue.
    int run();

private:
    void choose_detector();
    void prepare_report();
    void read_keep_list();
    void process(const AnonymizeFile& file);
    void process_image(const AnonymizeFile& file, ReportedFile& reported);
    void process_video(const AnonymizeFile& file, ReportedFile& reported);
    void find_faces(const std::string& path, FaceRecorder& recorder);
    void create_folder_of(const std::string& output);
    [[nodiscard]] std::shared_ptr<const FrameResult> detect(const Frame& frame);
    [[nodiscard]] std::vector<std::int64_t> kept_tracks(const FaceRecorder& recorder, const ReportedFile& reported);
    void write_video(const AnonymizeFile& file, FaceRecorder& recorder, ReportedFile& reported);
    void show_progress(std::uint64_t done, const std::string& note);
    void report(const Error& error);
    void write_report();
    void print_summary() const;

    AnonymizeArguments arguments_;
    const CommonOptions& common_;
    RunFiles run_files_;
    AnonymizeFiles files_;
    std::string report_base_;
    std::vector<TimeSpan> only_;
    std::vector<KeptTrack> keep_;
    HidingParams hiding_;
    PipelineSettings settings_;
    EncoderChoice encoder_;
    BackendChoice backend_;
    std::unique_ptr<FrameProcessor> images_;  // detector for still images; made for the first one
    FramePool pool_;
    TrackIds ids_;
    AnonymizeReport report_;
    std::optional<Progress> progress_;
    bool output_failed_ = false;  // the next output would fail, too
    int status_ = 0;              // exit status of the first failure; 0: none
};

}  // namespace throng
