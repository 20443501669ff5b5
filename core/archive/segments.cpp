#include "core/archive/segments.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/sha256.h"

namespace throng {

namespace fs = std::filesystem;

namespace {

// Lists the first parts of a long list.
std::string list_text(const std::vector<std::string>& parts, int total) {
    constexpr std::size_t kMaxListed = 20;
    std::string text = fmt::format("{} of {} parts: ", parts.size(), total);
    for (std::size_t i = 0; i < std::min(parts.size(), kMaxListed); ++i) text += (i > 0 ? ", " : "") + parts[i];
    if (parts.size() > kMaxListed) text += fmt::format(" and {} more", parts.size() - kMaxListed);
    return text;
}

}  // namespace

double SplitVideo::end_of(int part) const {
    return part == parts ? std::numeric_limits<double>::infinity() : part * seconds;
}

std::string SplitVideo::subfolder() const {
    return fmt::format("{}.{}s", name, seconds);
}

std::string SplitVideo::name_of(int part) const {
    return fmt::format("{}/{:05}-of-{:05}", subfolder(), part, parts);
}

std::string SplitVideo::output_of(int part) const {
    return name_of(part) + ".part";
}

fs::path SplitVideo::file_of(int part) const {
    return folder / output_of(part);
}

std::vector<fs::path> SplitVideo::files() const {
    std::vector<fs::path> files;
    for (int part = 1; part <= parts; ++part) files.push_back(file_of(part));
    return files;
}

std::string SplitVideo::text_of(int part) const {
    return fmt::format("part {} of {}", part, parts);
}

fs::path parts_folder(const fs::path& output) {
    return output / kRecordFolder / "parts";
}

std::vector<WorkItem> parts_of(const WorkItem& video) {
    std::vector<WorkItem> items;
    for (int part = 1; part <= video.split->parts; ++part) {
        WorkItem item = video;
        item.part = part;
        item.name = video.split->name_of(part);
        item.size = video.size / static_cast<std::uint64_t>(video.split->parts);
        items.push_back(std::move(item));
    }
    return items;
}

PartRecords::PartRecords(const fs::path& output, const std::string& settings_hash, const std::string& version) {
    read_manifests(parts_folder(output), [&](const fs::path&, ManifestEntry&& entry) {
        if (entry.settings != settings_hash || entry.version != version) {
            others_[entry.input] = entry.settings != settings_hash ? "other settings" : "version " + entry.version;
            return;
        }
        entries_[entry.input].push_back(std::move(entry));
    });
}

// Returns the last result of a part for this content; null if there is none.
const ManifestEntry* PartRecords::result_of(const std::string& part, const std::string& sha256) const {
    const std::vector<ManifestEntry>& entries = entries_.at(part);
    const auto found = std::find_if(entries.rbegin(), entries.rend(), [&](const ManifestEntry& entry) {
        return entry.status != InputStatus::failed && entry.sha256 == sha256;
    });
    return found == entries.rend() ? nullptr : &*found;
}

std::string PartRecords::missing(const SplitVideo& video) const {
    std::vector<std::string> parts;
    for (int part = 1; part <= video.parts; ++part) {
        const std::string name = video.name_of(part);
        const auto found = entries_.find(name);
        std::error_code failure;
        if (found != entries_.end()) {
            const bool failed = std::all_of(found->second.begin(), found->second.end(), [](const ManifestEntry& entry) {
                return entry.status == InputStatus::failed;
            });
            if (failed || fs::exists(video.file_of(part), failure)) continue;
        }
        const auto other = others_.find(name);
        parts.push_back(fmt::format("{} ({})", part, other == others_.end() ? "missing" : other->second));
    }
    return parts.empty() ? std::string() : list_text(parts, video.parts);
}

void PartRecords::check(const SplitVideo& video, const std::string& sha256) const {
    constexpr const char* kAdvice = "process it again with --resume";
    for (int part = 1; part <= video.parts; ++part) {
        const std::string name = video.name_of(part);
        const auto reject = [&](const std::string& why) {
            throw Error(ErrorKind::input, video.text_of(part) + " " + why, video.name, kAdvice);
        };
        const ManifestEntry* entry = result_of(name, sha256);
        if (entry == nullptr) {
            const ManifestEntry& last = entries_.at(name).back();
            if (last.status == InputStatus::failed) reject("failed: " + last.error);
            reject("belongs to another content of the file, which changed between its parts");
        }
        const OutputRecord& output = entry->outputs.at(0);
        std::error_code failure;
        const std::uintmax_t size = fs::file_size(video.file_of(part), failure);
        if (failure || size != output.size || sha256_of(video.file_of(part)) != output.sha256) {
            reject("has a damaged result");
        }
    }
}

std::string PartRecords::incomplete(const SplitVideo& video, const std::string& sha256) const {
    for (int part = 1; part <= video.parts; ++part) {
        const ManifestEntry* entry = result_of(video.name_of(part), sha256);
        if (entry != nullptr && entry->status == InputStatus::incomplete) {
            return video.text_of(part) + ": " + entry->error;
        }
    }
    return {};
}

std::string missing_parts(const fs::path& output, const std::string& name) {
    std::set<std::string> done;
    std::error_code failure;
    if (!fs::is_directory(parts_folder(output), failure)) return {};
    read_manifests(parts_folder(output), [&](const fs::path&, ManifestEntry&& entry) {
        if (entry.status != InputStatus::failed) done.insert(entry.input);
    });
    std::vector<std::string> parts;
    int total = 0;
    for (const std::string& part : read_lists(parts_folder(output))) {
        const fs::path path(part);
        // The folder of the parts has the name of the video and the length of a part.
        const std::string folder = path.parent_path().string();
        if (folder.substr(0, folder.rfind('.')) != name) continue;
        ++total;
        if (!done.contains(part)) parts.push_back(path.filename().string());
    }
    if (total == 0) return {};
    return parts.empty() ? "its parts are not joined" : list_text(parts, total);
}

JoinLock::JoinLock(const SplitVideo& video) {
    const fs::path path = video.folder / video.subfolder() / "join.lock";
    std::error_code ignored;
    fs::create_directories(path.parent_path(), ignored);  // there is none if all parts failed
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0 || ::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    ::close(file_);
    file_ = -1;
}

JoinLock::~JoinLock() {
    if (file_ >= 0) ::close(file_);
}

JoinLock::JoinLock(JoinLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

}  // namespace throng
