// Runs `throng detect` after its options are parsed: processes several sources concurrently on one backend, writes the
// outputs and prints totals at the end.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "app/options/archive_command.h"
#include "app/options/backend.h"
#include "app/options/clock_options.h"
#include "app/options/command.h"
#include "app/options/detection_options.h"
#include "app/options/output_options.h"
#include "app/options/progress.h"
#include "app/options/run_files.h"
#include "app/options/run_summary.h"
#include "app/options/source_options.h"
#include "app/options/source_totals.h"
#include "core/base/error.h"
#include "core/base/service_manager.h"
#include "core/pipeline/pipeline.h"
#include "core/video/sources_ahead.h"

namespace throng {

struct DetectArguments {
    std::vector<std::string> sources;
    SourceArguments source;
    int streams = 0;  // concurrent sources; 0: chosen by the backend
    DetectionOptions detection;
    OutputOptions output;
    ClockRunOptions clocks;
    ArchiveArguments archive;
};

// Returns whether a pipeline had frames from one report to the next, but gave no results. One whose source sends nothing
// does not hang: the source connects again by itself.
[[nodiscard]] bool hangs(const PipelineCounters& before, const PipelineCounters& now, bool live);

class DetectRun {
public:
    // Throws Error(usage) for contradictory options, and Error(input) without sources.
    DetectRun(DetectArguments arguments, const CommonOptions& common);

    // Returns the exit status. A source that fails is reported, and the others continue. Throws Error when nothing can
    // be processed.
    int run();

private:
    // A source in progress.
    struct Active {
        std::size_t number;  // index of the source, from 0
        std::string label;
        BackendChoice backend;
        std::unique_ptr<Pipeline> pipeline;
        std::shared_ptr<SourceTotals> totals;
        std::optional<std::uint64_t> frames;  // total number of frames, if known
        bool live = false;
        std::string logged;         // the notice that was logged last
        PipelineCounters reported;  // at the last report to the service manager
    };

    void check_without_source() const;  // throws Error(usage) for what has no effect
    int answer_questions();
    void start_sources();
    void start_source();  // the next one
    void expect_sources(std::size_t count);
    void leave_out_rest();
    [[nodiscard]] std::unique_ptr<VideoSource> open(std::size_t number, const std::stop_token& stop) const;
    [[nodiscard]] Pipeline& make_pipeline(std::size_t number, std::unique_ptr<VideoSource> source);
    [[nodiscard]] BackendChoice acquire_backend();
    [[nodiscard]] std::size_t files_at_once() const;
    void share_threads();
    void watch();
    void report_alive();
    void finish(Active& active);
    [[nodiscard]] std::string label_of(const std::string& name, std::size_t number) const;
    void log_notice(Active& active);
    void report_incomplete(Active& active);
    void report(const Error& error);
    void write_summary(double seconds);
    void print_totals(double seconds) const;

    DetectArguments arguments_;
    const CommonOptions& common_;
    std::shared_ptr<RunFiles> files_;
    PipelineSettings settings_;
    BackendKind backend_ = BackendKind::automatic;
    std::string backend_why_;
    std::string model_name_;
    std::vector<BackendChoice> idle_backends_;  // of sources that have ended
    std::shared_ptr<Service> service_;          // null without --http
    OutputFiles outputs_;
    std::optional<ClockRun> clocks_;
    std::shared_ptr<SharedSink::Shared> clock_sink_;  // null without --telemetry
    std::shared_ptr<RunSummary> summary_ = std::make_shared<RunSummary>();
    std::shared_ptr<SharedSink::Shared> summary_sink_ = std::make_shared<SharedSink::Shared>(summary_);
    std::shared_ptr<SharedPermits> shared_permits_ = std::make_shared<SharedPermits>(kSharedPermits);  // of all sources
    std::optional<SourcesAhead> sources_;
    std::list<Active> active_;
    std::vector<std::shared_ptr<SourceTotals>> totals_;  // of all opened sources
    std::optional<Progress> progress_;
    bool can_continue_ = true;        // see leave_out_rest
    bool device_lost_ = false;        // a pipeline fell back to the CPU; changes only while nothing is being opened
    int status_ = 0;                  // exit status of the first failure; 0: none
    std::set<std::string> reported_;  // messages of the failures
    bool ready_ = false;              // as the service manager knows
    const std::chrono::milliseconds period_ = watchdog_period();
    std::chrono::steady_clock::time_point next_report_{};
};

}  // namespace throng
