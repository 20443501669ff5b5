#include "core/archive/own_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>  // PATH_MAX
#include <stdio.h>   // renameat2
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "core/base/error.h"
#include "core/base/output_file.h"
#include "core/base/sha256.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

// Renames without replacing a file that appears at the same moment, where the file system can.
bool rename_to_free(const fs::path& from, const fs::path& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
    if (errno != EINVAL && errno != ENOSYS) return false;
    return ::rename(from.c_str(), to.c_str()) == 0;
}

// Returns true if the file system takes no such name. Asking for the file does not tell as long as its folder is missing.
bool is_too_long(const fs::path& output, const fs::path& name) {
    const long most = ::pathconf(output.c_str(), _PC_NAME_MAX);
    if ((output / name).native().size() >= PATH_MAX) return true;
    return most > 0 && std::any_of(name.begin(), name.end(), [most](const fs::path& part) {
               return part.native().size() > static_cast<std::size_t>(most);
           });
}

}  // namespace

bool OwnFiles::is_free(const std::string& name) const {
    std::error_code failure;
    const fs::file_type type = fs::symlink_status(output_ / name, failure).type();
    return type == fs::file_type::not_found || failure == std::errc::filename_too_long;
}

// With mutex_ locked. Intents first: an intent is removed after its file is recorded.
void OwnFiles::update() {
    const auto add = [this](OutputRecord&& file) {
        std::vector<Version>& versions = versions_[std::move(file.name)];
        Version version{file.size, std::move(file.sha256)};
        if (std::find(versions.begin(), versions.end(), version) == versions.end()) {
            versions.push_back(std::move(version));
        }
    };
    for (OutputRecord& file : read_intents(output_)) add(std::move(file));
    manifests_.read([&](const fs::path&, ManifestEntry&& entry) {
        for (OutputRecord& file : entry.outputs) add(std::move(file));
    });
}

bool OwnFiles::has_record_of(const std::string& name, std::optional<std::uint64_t> size) {
    const auto is_known = [&] {
        const auto found = versions_.find(name);
        return found != versions_.end() &&
               std::any_of(found->second.begin(), found->second.end(),
                           [&](const Version& version) { return !size || version.first == *size; });
    };
    const std::lock_guard lock(mutex_);
    if (is_known()) return true;
    update();
    return is_known();
}

bool OwnFiles::owns(const std::string& name, const std::stop_token& stop) {
    const fs::path path = output_ / name;
    std::error_code failure;
    if (!fs::is_regular_file(fs::symlink_status(path, failure)) || !has_record_of(name)) return false;
    Version version;
    try {
        version = {fs::file_size(path, failure), sha256_of(path, stop)};
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::interrupted) throw;  // others: cannot be read
        return false;
    }
    const auto is_known = [&] {
        const std::vector<Version>& versions = versions_.at(name);
        return std::find(versions.begin(), versions.end(), version) != versions.end();
    };
    const std::lock_guard lock(mutex_);
    if (is_known()) return true;
    update();
    return is_known();
}

std::string OwnFiles::why_kept(const std::string& name, const std::stop_token& stop) {
    if (is_too_long(output_, name)) {
        return fmt::format("the name of its output is too long: {}; rename the input", (output_ / name).string());
    }
    if (is_free(name) || owns(name, stop)) return {};
    return fmt::format(
        "{} is not replaced: {}; move it away, or name another folder for {}", (output_ / name).string(),
        has_record_of(name) ? "it was changed after it was written" : "it is not a result of an earlier run",
        Message(Setting{"out"}).text());
}

void OwnFiles::place(const fs::path& file, const std::string& name) {
    const fs::path target = output_ / name;
    std::error_code failure;
    fs::create_directories(target.parent_path(), failure);
    if (failure) throw system_error("cannot create the folder", target.parent_path().string(), failure.value());
    const bool is_new = is_free(name);
    if (const std::string why = is_new ? "" : why_kept(name); !why.empty()) throw Error(ErrorKind::input, why);
    const bool renamed = is_new ? rename_to_free(file, target) : ::rename(file.c_str(), target.c_str()) == 0;
    if (!renamed) throw system_error("cannot write the output", target.string(), errno);
}

void place_beside_results(const fs::path& output, const std::vector<std::pair<fs::path, std::string>>& files) {
    OwnFiles own(output);
    std::vector<OutputRecord> records;
    for (const auto& [file, name] : files) {
        if (const std::string why = own.why_kept(name); !why.empty()) throw Error(ErrorKind::input, why);
        sync_path(file);
        records.push_back({name, fs::file_size(file), sha256_of(file)});
        // What is replaced remains ours until it is.
        if (!own.is_free(name)) records.push_back({name, fs::file_size(output / name), sha256_of(output / name)});
    }
    write_intents(output, "report", records);
    for (const auto& [file, name] : files) own.place(file, name);
    sync_path(output);
}

}  // namespace throng
