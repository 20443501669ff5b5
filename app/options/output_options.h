// Options for what a detection run writes, and the sinks that they mean.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/options/cli_fwd.h"
#include "app/options/run_files.h"
#include "app/options/shared_sink.h"
#include "core/pipeline/frame_result.h"
#include "core/video/annotated_sinks.h"
#include "core/video/source.h"

namespace throng {

struct OutputOptions {
    std::string json;     // --json OUT.jsonl, "-" for standard output
    std::string video;    // --video OUT.mp4
    std::string images;   // --images DIR
    std::string summary;  // --summary OUT.json, "-" for standard output
    bool raw = false;     // --raw: raw boxes too, in JSON lines and images
    bool blur = false;    // --blur: faces made unrecognizable in videos and images
};

void add_output_options(CLI::App& command, OutputOptions& options);

// Adds what a run over so many sources writes to its files, whose inputs are known by then. Throws as
// RunFiles::add_output.
void add_outputs(RunFiles& files, const OutputOptions& options, std::size_t sources);

// The outputs of a run over one or several sources. JSON lines and images of all sources go to one file and folder;
// every source has a video of its own: OUT.mp4, with several sources OUT-1.mp4, OUT-2.mp4 and so on. Pipelines may run
// at the same time: they write in turns. Nothing is created or emptied before the first result.
class OutputFiles {
public:
    OutputFiles() = default;
    // Existing files are overwritten, apart from images that `files` (may be null) protects. Throws Error(input) for
    // what cannot be created.
    OutputFiles(const OutputOptions& options, std::size_t sources, std::shared_ptr<const RunFiles> files);

    // The sinks for source `number` of `sources`, counted from 0; its pipeline closes what belongs to it alone.
    [[nodiscard]] std::vector<std::shared_ptr<ResultSink>> sinks_for(std::size_t number, const SourceInfo& source);

    // Whether an output looks at pixels, so that frames of a device have to come to the host.
    [[nodiscard]] bool want_pixels() const noexcept { return !options_.video.empty() || !options_.images.empty(); }

    // Closes what all sources share; throws Error(input) when that fails.
    void close();
    // Whether an output failed: then there is no point in going on with the next source. From any thread.
    [[nodiscard]] bool failed() const noexcept { return failed_ && *failed_; }

private:
    OutputOptions options_;
    AnnotatedOptions annotated_;
    std::size_t sources_ = 0;
    std::shared_ptr<std::atomic<bool>> failed_;
    std::vector<std::shared_ptr<SharedSink::Shared>> shared_;  // of all pipelines
};

// The sinks of a run over one source.
[[nodiscard]] std::vector<std::shared_ptr<ResultSink>> make_sinks(const OutputOptions& options,
                                                                  const SourceInfo& source,
                                                                  std::shared_ptr<const RunFiles> files);

}  // namespace throng
