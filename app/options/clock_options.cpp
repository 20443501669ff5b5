#include "app/options/clock_options.h"

#include "app/options/command_line.h"
#include "app/options/interrupt.h"
#include "core/base/error.h"
#include "core/base/log.h"

namespace throng {

void add_clock_options(CLI::App& command, ClockRunOptions& options) {
    add_value(command, "Board", "--telemetry", options.telemetry, "FILE",
              "Write clocks, loads, temperatures, power and frame times as CSV, once per second");
    add_value(command, "Board", "--clocks", options.profile, "ID",
              "Clock profile for the run (see throng clocks); clocks are restored at the end");
    add_value(command, "Board", "--profiles", options.profiles, "FILE",
              "File of clock profiles to change or add (see configs/clock-profiles.toml)");
    add_value(command, "Board", "--root", options.root, "DIR", "Prefix of every system path (for tests and dry runs)");
}

void add_clock_files(RunFiles& files, const ClockRunOptions& options) {
    files.add_input("the profiles", options.profiles);
    files.add_output("telemetry", options.telemetry);
}

ClockOptions clock_options(const ClockRunOptions& options, const CommonOptions& common) {
    ClockOptions result;
    result.root = options.root;
    result.device = common.device;
    if (!options.profiles.empty()) result.profiles = load_profiles(options.profiles);
    return result;
}

ClockRun::ClockRun(const ClockRunOptions& options, const CommonOptions& common) {
    if (!options.profile.empty()) {
        clocks_ = std::make_unique<ClockController>(clock_options(options, common));
        if (!clocks_->recovered().empty()) logger().info("{}", clocks_->recovered());
        const ApplyResult result = clocks_->apply(options.profile);
        if (!result.ok()) throw Error(ErrorKind::unavailable, result.reason, result.where, result.advice);
        if (!result.reason.empty()) logger().info("{}: {}", options.profile, result.reason.text());
    }
    telemetry_options_.root = options.root;
    telemetry_options_.csv = options.telemetry;
    telemetry_options_.device = common.device;
    telemetry_options_.stop = InterruptGuard::token();
}

void ClockRun::start_telemetry() {
    if (!telemetry_ && !telemetry_options_.csv.empty()) telemetry_ = std::make_unique<Telemetry>(telemetry_options_);
}

std::shared_ptr<ResultSink> ClockRun::sink() {
    class Sink final : public ResultSink {
    public:
        Sink(ClockRun& run, const std::unique_ptr<Telemetry>& telemetry) : run_(run), telemetry_(telemetry) {}
        void write(const FrameResult& result) override {
            run_.start_telemetry();
            telemetry_->add_frame(result.timings);
        }
        void close() override {}

    private:
        ClockRun& run_;
        const std::unique_ptr<Telemetry>& telemetry_;
    };
    return telemetry_options_.csv.empty() ? nullptr : std::make_shared<Sink>(*this, telemetry_);
}

void ClockRun::finish() {
    if (telemetry_) telemetry_->close();
}

}  // namespace throng
