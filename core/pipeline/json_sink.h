// Detections as JSON lines: one object a frame, as the command line promises it.
#pragma once

#include <stop_token>
#include <string>

#include "core/base/output_file.h"
#include "core/pipeline/frame_result.h"

namespace throng {

// Writes every line whole: what was written before an interruption or a full disk is valid. The file is created, or
// emptied, with the first line.
class JsonSink final : public ResultSink {
public:
    // path "-" is standard output. raw adds "raw_boxes", for which PipelineSettings::keep_raw must be set. stop ends
    // the waiting for the reader of a pipe. Throws Error(input) when the file cannot be created.
    explicit JsonSink(std::string path, bool raw = false, std::stop_token stop = {});

    void write(const FrameResult& result) override;  // throws as OutputFile::write
    void close() override;                           // throws as OutputFile::close

private:
    OutputFile file_;
    bool raw_;
    std::stop_token stop_;
};

// The line of one frame, without a newline. Numbers are the shortest that read back as the same float.
[[nodiscard]] std::string json_line(const FrameResult& result, bool raw);

}  // namespace throng
