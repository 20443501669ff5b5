// Hides the faces of a video in parts: plans over the detections of all parts, hides and encodes each part, joins the
// encoded parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/anonymize_hiding.h"
#include "app/commands/anonymize_report.h"
#include "app/commands/anonymize_setup.h"
#include "core/archive/archive_run.h"
#include "core/frame/frame_pool.h"

namespace throng {

// Plans what is hidden in a video, by the detections of all its parts.
struct VideoPlanOfParts {
    std::string id;  // of what is hidden: the same in all processes, unless their processors compute otherwise
    std::vector<PlannedFrame> frames;
    std::vector<ReportedTrack> tracks;
};

// The plans of the videos that are in progress, computed once in this process. Thread-safe.
class VideoPlans {
public:
    // setup: must outlive it.
    explicit VideoPlans(const AnonymizeSetup& setup) : setup_(setup) {}

    // Tracks the faces over the detections of all parts of item.split. Waits for a thread that computes the same plan.
    // Throws PartsDoNotJoin if the video must be processed as a whole, Error(input) for a file that is damaged or cannot
    // be read, and Error(interrupted) after a stop request.
    [[nodiscard]] std::shared_ptr<const VideoPlanOfParts> of(const WorkItem& item, const std::stop_token& stop);

private:
    [[nodiscard]] VideoPlanOfParts make(const WorkItem& item, const std::stop_token& stop) const;

    const AnonymizeSetup& setup_;
    std::mutex mutex_;  // guards the members below, also while a plan is computed
    std::deque<std::pair<std::string, std::shared_ptr<const VideoPlanOfParts>>>
        plans_;  // by their parts and content; the newest
};

// Hides and encodes a part (item.part) by the plan of its video. The bytes do not depend on the number of cores. Throws as
// VideoPlans::of.
[[nodiscard]] InputResult encode_part(const WorkItem& item, const std::string& output, const AnonymizeSetup& setup,
                                      EncoderOnDemand& encoder, VideoPlans& plans, FramePool& pool,
                                      const std::function<void(std::uint64_t)>& add_frames,
                                      const std::stop_token& stop);

// Adds what the record of an encoded part says to the report of its video, whose tracks are known. Throws
// nlohmann::json::exception for a damaged record.
void add_part(const nlohmann::ordered_json& part, ReportedFile& reported, std::set<std::size_t>& used_spans);

// Joins the encoded parts (item.split) and the audio of the input. Throws PartsDoNotJoin, Error(input) for a file that is
// damaged or cannot be written, and Error(interrupted) after a stop request.
[[nodiscard]] ReportedFile join_parts(const WorkItem& item, const std::string& output, const AnonymizeSetup& setup,
                                      EncoderOnDemand& encoder, VideoPlans& plans, const std::stop_token& stop);

}  // namespace throng
