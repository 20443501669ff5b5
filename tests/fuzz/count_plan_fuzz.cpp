// Any bytes as a plan of lines and zones are read, and are the same after they were written, or rejected with an
// Error(usage).
#include <cstdint>

#include "core/base/error.h"
#include "core/count/count_plan.h"
#include "tests/fuzz/input.h"

TH_FUZZ(count_plan) {
    using namespace throng;
    CountPlan plan;
    try {
        plan = parse_count_plan(fuzz::text_of(data, size), "fuzz.toml");
    } catch (const Error& error) {
        fuzz::require(error.kind() == ErrorKind::usage);
        return 0;
    }
    fuzz::require(parse_count_plan(format_count_plan(plan), "again.toml") == plan);
    return 0;
}
