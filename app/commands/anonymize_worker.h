// Hides the faces of one file after another: finds the faces of a file, then reads it again, hides them and writes the
// output.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/commands/anonymize_report.h"
#include "app/commands/anonymize_setup.h"
#include "app/options/backend.h"
#include "app/options/command.h"
#include "core/base/atomic_file.h"
#include "core/base/input_file.h"
#include "core/frame/frame_pool.h"
#include "core/pipeline/engine.h"

namespace throng {

struct AnonymizeProgress {
    std::uint64_t found = 0;              // frames whose faces were found
    std::uint64_t hidden = 0;             // frames written
    std::optional<std::uint64_t> frames;  // in the file, if known
};

// For one thread.
class AnonymizeWorker {
public:
    using OnProgress = std::function<void(const AnonymizeProgress&)>;

    // setup, encoder: shared by all workers, and must outlive them. Throws as make_backend does.
    AnonymizeWorker(const AnonymizeSetup& setup, EncoderOnDemand& encoder, const CommonOptions& common);
    AnonymizeWorker(const AnonymizeSetup& setup, EncoderOnDemand& encoder, const CommonOptions& common,
                    BackendChoice backend);

    // still: a still image; otherwise a video or an animation. sha256: of the input, hashed after `input` was made.
    // on_progress is called at any time. The extension of `output` chooses its format; it gets its name when it is
    // complete. Returns all but the hash of the output. Throws Error(input) for a file that cannot be read or changes,
    // and with where() == output for one that cannot be written; Error(interrupted) after a stop request; Error(usage)
    // if the format of the output cannot hold the input, and NoFrameInSpans.
    ReportedFile process(const InputFiles& input, bool still, const std::string& sha256, const std::string& output,
                         const OnProgress& on_progress, const std::stop_token& stop);

    // Returns the backend, and why it was chosen.
    [[nodiscard]] BackendChoice backend() const;
    // Frees the buffers for still images.
    void free_buffers() { images_.release(); }

private:
    void process_image(const InputFiles& files, const std::string& output, ReportedFile& reported,
                       const std::stop_token& stop);
    void write_strips(const Frame& frame, const RedactRegions& regions, const std::string& input,
                      const std::string& output, const AtomicFile& file);
    std::string find_faces(const std::string& input, VideoPlan& plan, const OnProgress& on_progress,
                           const std::stop_token& stop);
    void write_video(const InputFiles& files, const std::string& output, VideoPlan& video, ReportedFile& reported,
                     const OnProgress& on_progress, const std::stop_token& stop);

    const AnonymizeSetup& setup_;
    EncoderOnDemand& encoder_;
    CommonOptions common_;
    Message why_;    // the first backend was chosen
    Engine images_;  // for still images
    FramePool pool_;
    AnonymizeProgress progress_;  // of the current file
};

}  // namespace throng
