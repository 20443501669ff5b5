// The sources of a run as clients see them: newest result, counts, rates and images.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/latest_value.h"
#include "core/base/rate_meter.h"
#include "core/count/count_plan.h"
#include "core/count/counter.h"
#include "core/pipeline/frame_result.h"
#include "core/serve/http_server.h"
#include "core/serve/metrics.h"
#include "core/sinks/annotated_sinks.h"
#include "core/sinks/count_sink.h"
#include "core/video/source.h"

namespace throng {

// Returns the channel of a source's images.
[[nodiscard]] std::string image_channel(int source_number);

// Thread-safe. Outlives its sinks.
class ServedSources {
public:
    // images: how they are annotated; faces are hidden with AnnotatedOptions::blur.
    ServedSources(HttpServer& server, AnnotatedOptions images) : server_(server), images_(std::move(images)) {}

    // Shows a source, numbered from 1, that is about to be opened: results are missing until it gives some. spec: as the
    // user gave it. Does nothing if the number is in use.
    void expect(int source_number, const std::string& spec);
    // Shows an expected source no longer, because it will not be opened. Requires that it never was.
    void forget(int source_number);
    // Shows a source that will be opened again as one that is not open; its late results are dropped. Does nothing for an
    // unknown one.
    void expect_again(int source_number);
    // Returns a sink for the results of a source, which replaces a source of the same number: results of the previous one
    // are dropped. Nothing is encoded while nobody looks at the images.
    [[nodiscard]] std::shared_ptr<ResultSink> sink_for(int source_number, const SourceInfo& info);

    // Takes what is counted in all sources.
    void set_plan(const CountPlan& plan);
    // Does nothing before the first result of the source: the totals are those of one that it replaces.
    void count(int source_number, const CountTotals& totals);

    // Returns an array with an object for each source.
    [[nodiscard]] nlohmann::ordered_json list() const;
    // Returns the line of --json for the newest result; nothing for an unknown source or before its first result.
    [[nodiscard]] std::optional<std::string> latest(int source_number) const;
    [[nodiscard]] bool contains(int source_number) const;
    void add_metrics(MetricsText& metrics) const;
    // Returns why results are missing; empty if every source has given one in the last 10 s or has ended. One that is
    // expected, or expected again, is missing.
    [[nodiscard]] std::string missing() const;

private:
    class Sink;
    class ImageEncoder;
    using Clock = std::chrono::steady_clock;

    struct Source {
        SourceInfo info;
        bool open = false;  // or was
        bool ended = false;
        std::uint64_t frames = 0;
        RateMeter rate;
        Clock::time_point last{};  // result
        Histogram latency;
        std::vector<std::pair<std::string, Histogram>> stages;
        FrameResult newest;  // without pixels
        CountTotals totals;
        std::shared_ptr<ImageEncoder> encoder;  // from the first client on
    };

    void add(int source_number, Source& source, const FrameResult& result);
    void end(Source& source);

    HttpServer& server_;
    const AnnotatedOptions images_;
    mutable std::mutex mutex_;
    CountPlan plan_;
    std::map<int, std::shared_ptr<Source>> sources_;
};

}  // namespace throng
