// Any bytes as a list of inputs are read or rejected with an Error(input). Entries are not empty and have no NUL.
#include <cstdint>
#include <string>

#include "core/archive/work_list.h"
#include "core/base/error.h"
#include "core/base/text_encoding.h"
#include "tests/fuzz/input.h"

TH_FUZZ(list) {
    using namespace throng;
    static const fuzz::MemoryFile file;
    const std::string& path = file.put(fuzz::text_of(data, size));
    try {
        for (const std::string& entry : read_list(path)) {
            fuzz::require(!entry.empty() && entry.find('\0') == std::string::npos);
            fuzz::require(is_utf8(name_as_text(entry)));
            static_cast<void>(name_by_path(entry, entry));
        }
    } catch (const Error& error) {
        fuzz::require(error.kind() == ErrorKind::input);
    }
    try {
        static_cast<void>(parse_shard(std::string(fuzz::text_of(data, size))));
    } catch (const Error& error) {
        fuzz::require(error.kind() == ErrorKind::usage);
    }
    return 0;
}
