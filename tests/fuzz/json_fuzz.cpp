// Any bytes, as a file of truth, detections, tracks or regions, are read or rejected with an Error(input). Truth that was
// read is the same after it was written and read again.
#include <cstdint>
#include <string>
#include <vector>

#include "core/annotations/labels.h"
#include "core/base/error.h"
#include "tests/fuzz/input.h"

namespace {

using namespace throng;

template <class Read>
void read_or_reject(const Read& read) {
    try {
        read();
    } catch (const Error& error) {
        fuzz::require(error.kind() == ErrorKind::input);
    }
}

void check_truth(const std::vector<TruthLabels>& all) {
    static const fuzz::MemoryFile written;
    std::string lines;
    for (const TruthLabels& labels : all) lines += truth_line(labels, labels.width, labels.height);
    const std::vector<TruthLabels> again = read_truth(written.put(lines));
    fuzz::require(again.size() == all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        fuzz::require(again[i].entries.size() == all[i].entries.size());
        for (std::size_t k = 0; k < all[i].entries.size(); ++k) {
            const TruthFace& a = all[i].entries[k];
            const TruthFace& b = again[i].entries[k];
            // Not their bits: -0 is written as an integer, which has no sign.
            fuzz::require(a.box.x == b.box.x && a.box.y == b.box.y && a.box.w == b.box.w && a.box.h == b.box.h);
            fuzz::require(a.ignore == b.ignore && a.id == b.id);
        }
    }
}

}  // namespace

TH_FUZZ(json) {
    static const fuzz::MemoryFile file;
    const std::string& path = file.put(fuzz::text_of(data, size));
    std::vector<TruthLabels> truth;
    read_or_reject([&] { truth = read_truth(path); });
    if (!truth.empty()) check_truth(truth);
    read_or_reject([&] { static_cast<void>(read_detection_lines(path, LineObjects::both)); });
    read_or_reject([&] { static_cast<void>(read_track_lines(path, LineObjects::both)); });
    read_or_reject([&] {
        for (const RegionLabels& labels : read_region_lines(path)) static_cast<void>(regions_of(labels));
    });
    return 0;
}
