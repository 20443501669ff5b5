// Any bytes are either a table of detections, which round-trips, or an Error(input).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "core/base/error.h"
#include "core/detect/detection_csv.h"
#include "tests/fuzz/input.h"

TH_FUZZ(csv) {
    std::istringstream stream(std::string(data, data + size));
    try {
        const throng::DetectionTable table = throng::read_detections(stream, "fuzz.csv");
        std::ostringstream out;
        throng::write_detections(out, table.detections, table);
    } catch (const throng::Error& error) {
        if (error.kind() != throng::ErrorKind::input) std::abort();
    }
    return 0;
}
