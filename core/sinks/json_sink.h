// Writes detections as JSON Lines: one object per frame, in the format that the command line documents.
#pragma once

#include <stop_token>
#include <string>

#include "core/base/output_file.h"
#include "core/pipeline/frame_result.h"

namespace throng {

// Optional parts of a line.
struct JsonFields {
    bool raw = false;     // "raw_boxes"; requires PipelineSettings::keep_raw
    bool tracks = false;  // "tracks": those that are confirmed and not covered; requires PipelineSettings::tracking
    // "candidates", "kept_total", "raw_total" and "damaged": what else tracking and hiding need of a frame (part_file.h)
    bool candidates = false;
};

// Writes only complete lines: the output is valid up to an interruption or a full disk. The file is created or
// truncated when the first line is written.
class JsonSink final : public ResultSink {
public:
    // path "-" is standard output. stop ends the wait for the reader of a pipe. Throws Error(input) if the file cannot
    // be created.
    explicit JsonSink(std::string path, JsonFields fields = {}, std::stop_token stop = {});

    void write(const FrameResult& result) override;  // throws as OutputFile::write
    void close() override;                           // throws as OutputFile::close

private:
    OutputFile file_;
    JsonFields fields_;
    std::stop_token stop_;
};

// Returns the text as a JSON string, quoted. File names need not be UTF-8: they are as name_as_text returns them.
[[nodiscard]] std::string json_string(const std::string& text);

// Returns "tracks" of a line: the list of those that are confirmed and not covered.
[[nodiscard]] std::string track_list(const std::vector<Track>& tracks);

// Returns the line of one frame, without a newline. Numbers have the shortest form that parses back to the same float.
[[nodiscard]] std::string json_line(const FrameResult& result, JsonFields fields);

}  // namespace throng
