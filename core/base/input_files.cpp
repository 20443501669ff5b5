#include "core/base/input_files.h"

#include <sys/stat.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/sha256.h"

namespace throng {

std::ifstream open_input(const std::string& path) {
    struct stat status {};
    std::ifstream stream(path, std::ios::binary);
    int code = stream ? 0 : errno;
    if (code == 0 && ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) code = EISDIR;
    if (code == 0) return stream;
    throw Error(ErrorKind::input, "cannot be read: " + std::generic_category().message(code), path,
                code == EISDIR ? "name a file" : "check the path");
}

std::optional<FileState> state_of(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return FileState{status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

InputFiles::InputFiles(std::vector<std::string> files) : files_(std::move(files)) {
    for (const std::string& file : files_) states_.push_back(state_of(file));
}

std::uint64_t InputFiles::size() const {
    return states_.front() ? static_cast<std::uint64_t>(states_.front()->size) : 0;
}

std::string InputFiles::sha256(const std::stop_token& stop,
                               const std::function<std::string(const std::string&)>& hash_of) const {
    const auto hash = [&](const std::string& file) { return hash_of ? hash_of(file) : sha256_of(file, stop); };
    std::string hashes = hash(files_.front());
    if (files_.size() == 1) return hashes;
    for (std::size_t i = 1; i < files_.size(); ++i) {
        try {
            hashes += "\n" + hash(files_[i]);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::interrupted) throw;
            hashes += "\nmissing";
        }
    }
    return sha256_of_text(hashes);
}

void InputFiles::check_unchanged() const {
    for (std::size_t i = 0; i < files_.size(); ++i) {
        if (state_of(files_[i]) == states_[i]) continue;
        throw Error(ErrorKind::input, "the file changed while it was read", files_[i], "process it again");
    }
}

}  // namespace throng
