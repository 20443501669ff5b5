// Any bytes as a report of anonymize are read or rejected with an Error.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "app/commands/anonymize_report.h"
#include "core/base/error.h"
#include "tests/fuzz/input.h"

TH_FUZZ(report) {
    using namespace throng;
    static const fuzz::MemoryFile file;
    const std::string& path = file.put(fuzz::text_of(data, size));
    try {
        const nlohmann::ordered_json settings = {{"margin", 0.25}};
        for (const DecidedTrack& track : read_decided_tracks({"1@" + path}, {"2@" + path}, settings)) {
            fuzz::require(!track.samples.empty());
        }
    } catch (const Error& error) {
        fuzz::require(error.kind() == ErrorKind::input || error.kind() == ErrorKind::usage);
    }
    return 0;
}
