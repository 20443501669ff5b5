// Detections from and to comma-separated values.
//
// In: x1,y1,x2,y2,score[,density[,f0,f1,…]] with continuous edges in pixels. The first line may name the columns, in
// this order; all rows have the same number of values. Values that are not finite and boxes without extent are read as
// they are: suppression drops and counts them. Density must lie in [0, 1] and features be finite. Out:
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

// Rows as they were written, so that what is kept can be written to the last digit.
struct DetectionTable {
    struct Row {
        std::array<double, 4> corners;  // x1, y1, x2, y2
        double score;
    };
    std::vector<Row> rows;
    DetectionSet detections;  // one a row: density and features where there are such columns
};

// name: what messages call the stream. Throws Error(input) naming line, column and value, also for a stream without a
// single line and for more rows than std::int32_t counts.
[[nodiscard]] DetectionTable read_detections(std::istream& stream, const std::string& name);

// The header and one line a detection. A box or score that suppression left alone is written with the values of its row
// in `table`; all values read back to the same number. The caller checks the stream.
void write_detections(std::ostream& stream, const DetectionSet& kept, const DetectionTable& table);

}  // namespace throng
