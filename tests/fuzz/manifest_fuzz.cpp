// Any bytes as a line of a manifest are read, and are the same after they were written, or rejected with an Error(input).
#include <cstdint>
#include <string>

#include "core/archive/manifest.h"
#include "core/base/error.h"
#include "tests/fuzz/input.h"

TH_FUZZ(manifest) {
    using namespace throng;
    ManifestEntry entry;
    try {
        entry = parse_manifest_line(fuzz::text_of(data, size));
    } catch (const Error& error) {
        fuzz::require(error.kind() == ErrorKind::input);
        return 0;
    }
    std::string line = manifest_line(entry);
    line.pop_back();
    fuzz::require(manifest_line(parse_manifest_line(line)) == line + "\n");
    return 0;
}
