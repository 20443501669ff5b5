// Hides the faces of a video in parts: plans over the detections of all parts, hides and encodes each part, joins the
// encoded parts.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/commands/anonymize_report.h"
#include "app/commands/anonymize_setup.h"
#include "core/archive/archive_run.h"
#include "core/frame/frame_pool.h"

namespace throng {

// Tracks the faces over the detections of all parts (item.split), and writes what is hidden in each part, and the tracks.
// outputs: as SplitVideo::plan_outputs. Fails with a PartsDoNotJoin if the video must be processed as a whole.
[[nodiscard]] InputResult plan_parts(const WorkItem& item, const std::vector<std::string>& outputs,
                                     const AnonymizeSetup& setup, const std::stop_token& stop);

// Hides and encodes a part (item.part) by its plan. The bytes do not depend on the number of cores.
[[nodiscard]] InputResult encode_part(const WorkItem& item, const std::string& output, const AnonymizeSetup& setup,
                                      EncoderOnDemand& encoder, FramePool& pool,
                                      const std::function<void(std::uint64_t)>& add_frames,
                                      const std::stop_token& stop);

// Joins the encoded parts (item.split) and the audio of the input. Throws PartsDoNotJoin, Error(input) for a file that is
// damaged or cannot be written, and Error(interrupted) after a stop request.
[[nodiscard]] ReportedFile join_parts(const WorkItem& item, const std::string& output, const AnonymizeSetup& setup,
                                      EncoderOnDemand& encoder, const std::stop_token& stop);

}  // namespace throng
