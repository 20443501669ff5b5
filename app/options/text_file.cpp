#include "app/options/text_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "core/base/error.h"

namespace throng {

void write_text(const std::string& path, std::string_view text) {
    const auto fail = [&] {
        throw Error(ErrorKind::input, std::string("cannot write: ") + std::strerror(errno), path);
    };
    const bool to_stdout = path == "-";
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> own(nullptr, &std::fclose);
    if (!to_stdout) own.reset(std::fopen(path.c_str(), "wb"));
    std::FILE* file = to_stdout ? stdout : own.get();
    if (file == nullptr) fail();
    if (std::fwrite(text.data(), 1, text.size(), file) != text.size() || std::fflush(file) != 0) fail();
    if (own && std::fclose(own.release()) != 0) fail();
}

}  // namespace throng
