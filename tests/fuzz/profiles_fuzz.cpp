// Any bytes as a file of clock profiles are read or rejected with an Error(usage). A target selects steps of the board.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/error.h"
#include "core/clocks/profile.h"
#include "tests/fuzz/input.h"

TH_FUZZ(profiles) {
    using namespace throng;
    const std::vector<Hertz> steps = {72000000, 306000000, 612000000, 1300500000};
    try {
        for (const ClockProfile& profile : parse_profiles(fuzz::text_of(data, size), "fuzz.toml")) {
            if (const auto range = resolve(profile.gpu, steps)) {
                fuzz::require(std::find(steps.begin(), steps.end(), range->first) != steps.end() &&
                              std::find(steps.begin(), steps.end(), range->second) != steps.end());
            }
        }
    } catch (const Error& error) {
        fuzz::require(error.kind() == ErrorKind::usage);
    }
    return 0;
}
