// Reads and writes detections as comma-separated values.
//
// Input: x1,y1,x2,y2,score[,density[,f0,f1,…]] with continuous edges in pixels. The first line may be a header with
// these column names, in this order; all rows have the same number of values. Non-finite values and boxes without
// extent are accepted: NMS drops and counts them. Density must be in [0, 1] and features must be finite. Output:
// index,x1,y1,x2,y2,score,hits, where index is the data row of the input, from 0.
#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "core/detect/detection.h"

namespace throng {

// Rows at full precision, so that kept detections are written with all digits.
struct DetectionTable {
    struct Row {
        std::array<double, 4> corners;  // x1, y1, x2, y2
        double score;
    };
    std::vector<Row> rows;
    DetectionSet detections;  // one per row; density and features if there are such columns
};

// name: of the stream, for messages. Throws Error(input) with line, column and value, also for an empty stream and for
// more rows than an std::int32_t can count.
[[nodiscard]] DetectionTable read_detections(std::istream& stream, const std::string& name);

// Writes the header and one line per detection. A box or score that NMS did not change is written with the values of
// its row in `table`. All values round-trip. The caller checks the stream's state.
void write_detections(std::ostream& stream, const DetectionSet& kept, const DetectionTable& table);

}  // namespace throng
