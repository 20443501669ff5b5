// Detections as JSON lines: one object a frame, as the command line promises it.
#pragma once

#include <string>

#include "core/pipeline/frame_result.h"

namespace throng {

// Writes every line whole: what was written before an interruption or a full disk is valid.
class JsonSink final : public ResultSink {
public:
    // path "-" is standard output. Overwrites an existing file. raw adds "raw_boxes", for which
    // PipelineSettings::keep_raw must be set. Throws Error(input) when the file cannot be created.
    explicit JsonSink(std::string path, bool raw = false);
    ~JsonSink() override;

    void write(const FrameResult& result) override;  // throws Error(input) when it cannot be written
    void close() override;                           // the same

private:
    std::string path_;
    std::string line_;
    int file_ = -1;
    bool raw_;
};

// The line of one frame, without a newline. Numbers are the shortest that read back as the same float.
[[nodiscard]] std::string json_line(const FrameResult& result, bool raw);

}  // namespace throng
