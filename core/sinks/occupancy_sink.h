// Writes where people were, and for how long: as CSV, or as an image in colors of heat.
#pragma once

#include <map>
#include <stop_token>
#include <string>

#include "core/count/occupancy.h"
#include "core/frame/frame.h"
#include "core/pipeline/frame_result.h"

namespace throng {

// For one source or several, whose results may be interleaved; an image shows one. The results need
// PipelineSettings::tracking. The file is written by close() and replaced as a whole.
//
// CSV: source, source_number, x, y, width, height (of the cell, in pixels of the newest frame), seconds (person-seconds);
// cells where nobody was are left out.
class OccupancySink final : public ResultSink {
public:
    // An extension that write_image knows makes an image, any other CSV.
    explicit OccupancySink(std::string path, std::stop_token stop = {});

    void write(const FrameResult& result) override;
    void close() override;  // throws Error(input) if the file cannot be written

private:
    struct Source {
        std::string name;
        OccupancyGrid grid;
    };

    [[nodiscard]] std::string csv() const;

    std::string path_;
    std::stop_token stop_;
    std::map<int, Source> sources_;  // by number
};

// Returns the map as an image of the size of the frames: black where nobody was; from violet over red to yellow, at the
// cell with most person-seconds. Pixels of the frames are not in it.
[[nodiscard]] Frame draw_occupancy(const OccupancyGrid& grid);

}  // namespace throng
