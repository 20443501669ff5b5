#include "core/archive/segments.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/file_lock.h"
#include "core/base/first_of_list.h"
#include "core/base/log.h"
#include "core/base/sha256.h"

namespace throng {

namespace fs = std::filesystem;

namespace {

std::string list_text(const std::vector<std::string>& parts, int total) {
    constexpr std::size_t kMaxListed = 20;
    return fmt::format("{} of {} segments: {}", parts.size(), total, first_of_list(parts, kMaxListed));
}

}  // namespace

double SplitVideo::end_of(int part) const {
    return part == parts ? std::numeric_limits<double>::infinity() : part * seconds;
}

std::string SplitVideo::subfolder() const {
    return fmt::format("{}.{}s", name, seconds);
}

std::string SplitVideo::name_of(int part) const {
    return fmt::format("{}{}{}/{:05}-of-{:05}", subfolder(), detections.empty() ? "" : "/", detections, part, parts);
}

std::string SplitVideo::output_of(int part) const {
    return name_of(part) + (detections.empty() ? ".jsonl" : ".part");
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
    return fmt::format("{}segment {} of {}", detections.empty() ? "" : "encoded ", part, parts);
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

PartRecords::PartRecords(const fs::path& output, std::string settings_hash, std::string version)
    : manifests_(parts_folder(output)), settings_hash_(std::move(settings_hash)), version_(std::move(version)) {
    update();
}

void PartRecords::update() {
    manifests_.read([this](const fs::path&, ManifestEntry&& entry) {
        if (entry.settings != settings_hash_ || entry.version != version_) {
            others_[entry.input] = entry.settings != settings_hash_ ? "other settings" : "version " + entry.version;
            return;
        }
        if (entry.status != InputStatus::failed && entry.outputs.empty()) return;  // damaged: made again
        entries_[entry.input].push_back(std::move(entry));
    });
}

std::map<std::string, int> shards_of(const std::vector<WorkItem>& parts, int count) {
    std::map<std::string, int> shards;
    const std::vector<int> assigned = assign_shards(parts, count);
    for (std::size_t i = 0; i < parts.size(); ++i) shards[parts[i].name] = assigned[i];
    return shards;
}

// Returns the last result of a part for this content; null if there is none.
const ManifestEntry* PartRecords::result_of(const std::string& part, const std::string& sha256) const {
    const auto of_part = entries_.find(part);
    if (of_part == entries_.end()) return nullptr;
    const std::vector<ManifestEntry>& entries = of_part->second;
    const auto found = std::find_if(entries.rbegin(), entries.rend(), [&](const ManifestEntry& entry) {
        return entry.status != InputStatus::failed && entry.sha256 == sha256;
    });
    return found == entries.rend() ? nullptr : &*found;
}

std::vector<int> PartRecords::missing_parts(const SplitVideo& video, const std::string& sha256) const {
    std::vector<int> parts;
    for (int part = 1; part <= video.parts; ++part) {
        const auto found = entries_.find(video.name_of(part));
        bool failed = false;
        bool done = false;
        if (found == entries_.end()) {
            parts.push_back(part);
            continue;
        }
        for (const ManifestEntry& entry : found->second) {
            if (!sha256.empty() && entry.sha256 != sha256) continue;
            (entry.status == InputStatus::failed ? failed : done) = true;
        }
        std::error_code failure;
        const bool there = done ? fs::exists(video.file_of(part), failure) : failed;
        if (!there) parts.push_back(part);
    }
    return parts;
}

std::string PartRecords::missing(const SplitVideo& video) const {
    std::vector<std::string> parts;
    for (const int part : missing_parts(video)) {
        const auto other = others_.find(video.name_of(part));
        parts.push_back(fmt::format("{} ({})", part, other == others_.end() ? "missing" : other->second));
    }
    return parts.empty() ? std::string() : list_text(parts, video.parts);
}

bool PartRecords::has(const SplitVideo& video, int part, const std::string& sha256) const {
    std::error_code failure;
    return result_of(video.name_of(part), sha256) != nullptr && fs::exists(video.file_of(part), failure);
}

std::string PartRecords::content_of(const SplitVideo& video) const {
    const auto first = entries_.find(video.name_of(1));
    if (first == entries_.end()) return {};
    const std::string& sha256 = first->second.back().sha256;
    for (int part = 1; part <= video.parts; ++part) {
        if (!has(video, part, sha256)) return {};
    }
    return sha256;
}

std::vector<OutputRecord> PartRecords::results(const SplitVideo& video, const std::string& sha256) const {
    std::vector<OutputRecord> files;
    for (int part = 1; part <= video.parts; ++part) {
        const std::string name = video.name_of(part);
        if (const ManifestEntry* entry = result_of(name, sha256)) {
            files.push_back(entry->outputs.at(0));
            continue;
        }
        const ManifestEntry& last = entries_.at(name).back();
        const std::string why = last.status == InputStatus::failed
                                    ? "failed: " + last.error
                                    : "belongs to another content of the file, which changed between its segments";
        throw Error(ErrorKind::input, video.text_of(part) + " " + why, video.name,
                    {"process it again with %1", Setting{"resume"}});
    }
    return files;
}

std::shared_ptr<const SplitVideo> PartRecords::encoded(const SplitVideo& video, const std::string& sha256) const {
    constexpr std::size_t kDigits = 16;
    std::string hashes;
    for (const OutputRecord& file : results(video, sha256)) hashes += file.sha256;
    auto encoded = std::make_shared<SplitVideo>(video);
    encoded->detections = sha256_of_text(hashes).substr(0, kDigits);
    return encoded;
}

std::string PartRecords::incomplete(const SplitVideo& video, const std::string& sha256) const {
    for (int part = 1; part <= video.parts; ++part) {
        const auto found = entries_.find(video.name_of(part));
        if (found == entries_.end()) continue;
        const ManifestEntry* entry = result_of(found->first, sha256);
        const ManifestEntry& last = found->second.back();
        if (entry == nullptr && last.status == InputStatus::failed && last.sha256 == sha256) {
            return video.text_of(part) + " failed: " + last.error;
        }
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
    for (const std::string& part : read_lists(parts_folder(output)).inputs) {
        const fs::path path(part);
        // The folder of the parts has the name of the video and the length of a part.
        const std::string folder = path.parent_path().string();
        const std::size_t length = name.size() + 1;
        if (!folder.starts_with(name + ".") ||
            folder.find_first_not_of("0123456789.e+-", length) != folder.size() - 1) {
            continue;
        }
        ++total;
        if (!done.contains(part)) parts.push_back(path.filename().string());
    }
    if (total == 0) return {};
    return parts.empty() ? "its segments are not joined" : list_text(parts, total);
}

void discard_parts(const SplitVideo& video, Shard shard, OwnFiles& own) {
    std::error_code ignored;
    fs::recursive_directory_iterator it(video.folder / video.subfolder(), ignored);
    for (const fs::recursive_directory_iterator end; !ignored && it != end; it.increment(ignored)) {
        const bool is_folder = it->is_directory(ignored) && !it->is_symlink(ignored);
        if (is_folder || own.has_record_of(it->path().lexically_relative(video.folder).string())) continue;
        logger().warn("{}: is not a segment of {}, so the folder is kept", it->path().string(), video.name);
        return;
    }
    const fs::path folder = temporary_folder(video.folder, shard);
    const fs::path discarded = folder / "joined";
    fs::create_directories(folder, ignored);
    fs::remove_all(discarded, ignored);
    fs::rename(video.folder / video.subfolder(), discarded, ignored);
    fs::remove_all(discarded, ignored);
    fs::remove(folder, ignored);
}

// The locks are those of the open file, not of the process: they end with it, and exclude other open files only.
class WorkClaims::File {
public:
    explicit File(const fs::path& path) : path_(path) {
        std::error_code failure;
        fs::create_directories(path.parent_path(), failure);
        if (failure) throw Error(ErrorKind::unavailable, "cannot be created: " + failure.message(), path_.string());
        file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (file_ < 0) throw this->failure("cannot be opened");
    }
    ~File() { ::close(file_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    [[nodiscard]] bool lock(off_t place) {
        const std::lock_guard guard(mutex_);
        if (held_.contains(place)) return false;
        const FileLock lock = try_lock_byte(file_, place);
        if (lock == FileLock::unsupported) throw failure("cannot be locked");
        if (lock == FileLock::elsewhere) return false;
        held_.insert(place);
        return true;
    }
    void unlock(off_t place) {
        const std::lock_guard guard(mutex_);
        unlock_byte(file_, place);
        held_.erase(place);
    }

private:
    [[nodiscard]] Error failure(const std::string& what) const {
        return {ErrorKind::unavailable, what + ": " + std::generic_category().message(errno), path_.string()};
    }

    fs::path path_;
    int file_ = -1;
    std::mutex mutex_;  // guards held_
    std::set<off_t> held_;
};

WorkClaims::WorkClaims(const fs::path& folder) : file_(std::make_shared<File>(folder / "locks")) {}

WorkClaims::Claim WorkClaims::claim(const std::string& name) {
    constexpr std::size_t kDigits = 15;  // 60 bits: below the largest offset, and enough for no two names to meet
    const auto place = static_cast<off_t>(std::stoull(sha256_of_text(name).substr(0, kDigits), nullptr, 16));
    if (!file_->lock(place)) return nullptr;
    return {file_.get(), [file = file_, place](void*) { file->unlock(place); }};
}

namespace {

// Changes with every change of the file.
std::string state_text(const WorkItem& item) {
    std::error_code failure;
    const fs::file_time_type time = fs::last_write_time(item.path, failure);
    return fmt::format("{} {}", item.size, failure ? 0 : time.time_since_epoch().count());
}

constexpr auto kBetweenUpdates = std::chrono::seconds(1);

}  // namespace

SharedDivisions::SharedDivisions(const fs::path& folder, Shard shard, double seconds, std::string version)
    : manifest_(folder / "divisions", shard),
      reader_(folder / "divisions"),
      settings_(fmt::format("{}", seconds)),
      version_(std::move(version)) {}

SharedDivisions::~SharedDivisions() {
    try {
        flush();
    } catch (const Error&) {
        // Other shards open the files themselves.
    }
}

void SharedDivisions::flush() {
    if (!lines_.empty()) manifest_.append(std::exchange(lines_, {}));
}

void SharedDivisions::update() {
    const auto now = std::chrono::steady_clock::now();
    if (updated_ && now - *updated_ < kBetweenUpdates) return;
    updated_ = now;
    flush();
    reader_.read([this](const fs::path&, ManifestEntry&& entry) {
        if (entry.settings != settings_ || entry.version != version_ || !std::in_range<int>(entry.frames)) return;
        known_[entry.input] = {std::move(entry.sha256),
                               {static_cast<int>(entry.frames), entry.error, entry.status == InputStatus::incomplete}};
    });
}

std::optional<Division> SharedDivisions::find(const WorkItem& item) {
    update();
    const auto known = known_.find(item.name);
    if (known == known_.end() || known->second.first != state_text(item)) return std::nullopt;
    return known->second.second;
}

// A line of a manifest holds all of it: frames are parts, and what is incomplete is expected.
void SharedDivisions::add(const WorkItem& item, const Division& division) {
    ManifestEntry entry;
    entry.input = item.name;
    entry.size = item.size;
    entry.sha256 = state_text(item);
    entry.settings = settings_;
    entry.version = version_;
    entry.frames = static_cast<std::uint64_t>(division.parts);
    entry.error = division.why_whole;
    entry.status = division.expected ? InputStatus::incomplete : InputStatus::done;
    lines_ += manifest_line(entry);
}

}  // namespace throng
