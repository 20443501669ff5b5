// Everything known about one frame after detection: the frame and its boxes belong together.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/detect/detection.h"
#include "core/detect/stage.h"
#include "core/frame/frame.h"

namespace throng {

struct FrameResult {
    Frame frame;
    std::string source;     // the file shown
    int source_number = 1;  // of several sources on the command line, from 1: tells two of the same name apart
    DetectionSet kept;      // after NMS, in the order of the rule
    DetectionSet raw;       // before NMS; detections are filled only when PipelineSettings::keep_raw, counts always
    std::uint32_t raw_count = 0;  // raw detections found, overflow included
    std::uint32_t overflow = 0;   // of these, how many found no room and are lost
    StageTimes timings;           // of this frame on the CPU; on a GPU of the newest frame measured
    double latency_ms = 0;        // from capture to boxes on the host
};

// Receives every result in order, on the detect thread. Thrown errors end the pipeline and appear in its status.
class ResultSink {
public:
    ResultSink() = default;
    ResultSink(const ResultSink&) = delete;
    ResultSink& operator=(const ResultSink&) = delete;
    virtual ~ResultSink() = default;

    virtual void write(const FrameResult& result) = 0;
    // Flushes and closes the file so that it is valid; called once, also after a stop or an error.
    virtual void close() = 0;
};

}  // namespace throng
