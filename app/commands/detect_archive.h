// throng detect --out DIR: detects in every file of a list by itself, or in its parts, on several threads.
#pragma once

#include <memory>
#include <optional>

#include "app/commands/archive_workers.h"
#include "app/options/archive_command.h"
#include "app/options/command.h"
#include "app/options/source_options.h"
#include "core/archive/memory_budget.h"
#include "core/count/count_plan.h"
#include "core/detect/backend.h"
#include "core/pipeline/engine.h"
#include "core/pipeline/pipeline_settings.h"
#include "core/sinks/json_sink.h"

namespace throng {

// Selects what is written beside the detections of a file.
struct DetectExtras {
    bool tracks = false;               // in the JSON lines
    std::optional<CountPlan> count{};  // events and counts, which need PipelineSettings::tracking
};

// Detects in one file after another with one backend. For one thread.
class DetectWorker {
public:
    // budget: shared by all workers. kept_bytes: a detector that needs more for a file is freed after it. Throws as
    // make_backend and Engine::prepare do.
    DetectWorker(const CommonOptions& common, const PipelineSettings& settings, const SourceArguments& source,
                 std::shared_ptr<MemoryBudget> budget, std::uint64_t kept_bytes, DetectExtras extras = {});

    // Makes one of the workers of a run.
    [[nodiscard]] static ProcessInput make(const ArchiveWorkers& workers, int worker, int count,
                                           PipelineSettings settings, const SourceArguments& source,
                                           const DetectExtras& extras = {});

    // Writes the lines of `throng detect --json` to outputs[0], with DetectExtras::count those of --events to outputs[1]
    // and those of --per-minute to outputs[2]; the source in them is the item's name. A ProcessInput.
    // If a GPU fails and --backend is auto, the file is continued on the CPU, and so are the next ones.
    // A part of a video (item.part > 0) is written as PartWriter does. For a split video, the parts are joined; if they
    // do not join, the video is processed as a whole.
    InputResult process(const WorkItem& item, const std::vector<std::string>& outputs,
                        const std::function<void(std::uint64_t)>& add_frames, const std::stop_token& stop);

private:
    using AddFrames = std::function<void(std::uint64_t)>;
    InputResult detect(const WorkItem& item, const std::vector<std::string>& outputs, const AddFrames& add_frames,
                       const std::stop_token& stop);
    InputResult join(const WorkItem& item, const std::vector<std::string>& outputs, const AddFrames& add_frames,
                     const std::stop_token& stop);

    CommonOptions common_;
    PipelineSettings settings_;
    SourceArguments source_;
    std::shared_ptr<MemoryBudget> budget_;
    std::uint64_t kept_bytes_;
    DetectExtras extras_;
    Engine engine_;
};

struct DetectArguments;

// Runs `throng detect` with --out. The detector's and the NMS's options must be final. Returns the exit status; throws
// Error(usage) for an option that has no meaning with --out, and as run_archive_command does.
[[nodiscard]] int run_detect_archive(const DetectArguments& arguments, const PipelineSettings& settings,
                                     const CommonOptions& common);

}  // namespace throng
