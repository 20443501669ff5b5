// Any text as the name of a source is taken apart or rejected; any bytes as a playlist are read.
#include <cstdint>

#include "core/base/error.h"
#include "core/base/secrets.h"
#include "core/synth/crowd.h"
#include "core/video/source_files.h"
#include "core/video/url.h"
#include "tests/fuzz/input.h"

TH_FUZZ(source) {
    using namespace throng;
    const std::string_view text = fuzz::text_of(data, size);
    if (text.starts_with("#EXTM3U") || text.starts_with("ffconcat")) {
        static const fuzz::MemoryFile file;
        fuzz::require(!files_of_file(file.put(text)).empty());
        return 0;
    }
    if (const auto parts = parse_url(text)) {
        fuzz::require(!parts->host.empty() && parts->port >= 0 && parts->port <= 65535);
        fuzz::require(parts->scheme == url_scheme(text) && parts->host == url_host(text));
    }
    static_cast<void>(has_unencoded_password(text));
    static_cast<void>(file_url_path(text));
    static_cast<void>(mask_credentials(text));
    try {
        check_options(parse_crowd_options(text));
    } catch (const Error& error) {
        fuzz::require(error.kind() == ErrorKind::usage);
    }
    return 0;
}
