#include "core/archive/committer.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxWaiting = 256;  // inputs
// A batch is as large as what came during the previous one, but batches do not follow each other more closely.
constexpr auto kBetweenBatches = std::chrono::milliseconds(200);

// Starts to write the file to disk without waiting.
void start_sync(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    static_cast<void>(::sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE));
    ::close(file);
}

}  // namespace

Committer::Committer(fs::path output, Manifest& manifest, OwnFiles& own)
    : output_(std::move(output)),
      manifest_(manifest),
      own_(own),
      thread_(kMaxWaiting, kMaxWaiting, kBetweenBatches, [this](std::vector<FinishedInput>& batch) { write(batch); }) {}

Committer::~Committer() {
    try {
        close();
    } catch (const std::exception&) {
        // push or close of the owner reports it.
    }
}

void Committer::push(FinishedInput input) {
    thread_.push(std::move(input));
}

void Committer::close() {
    thread_.finish();
    manifest_.forget_intents();
}

void Committer::write(const std::vector<FinishedInput>& batch) {
    // The file system writes several files with one commit of its journal.
    for (const FinishedInput& input : batch) {
        for (const std::string& temporary : input.temporaries) start_sync(temporary);
    }
    for (const FinishedInput& input : batch) {
        for (const std::string& temporary : input.temporaries) sync_path(temporary);
    }
    std::vector<OutputRecord> intended;
    for (const FinishedInput& input : batch) {
        intended.insert(intended.end(), input.entry.outputs.begin(), input.entry.outputs.end());
    }
    manifest_.intend(intended);
    std::set<fs::path> folders;
    std::string lines;
    for (const FinishedInput& input : batch) {
        for (std::size_t i = 0; i < input.temporaries.size(); ++i) {
            const std::string& name = input.entry.outputs[i].name;
            // New folders and their parents are flushed, too.
            for (fs::path folder = (output_ / name).parent_path(); folder != output_; folder = folder.parent_path()) {
                if (!folders.insert(folder).second) break;
            }
            folders.insert(output_);
            own_.place(input.temporaries[i], name);
        }
        for (const std::string& stale : input.stale) remove(stale);
        lines += manifest_line(input.entry);
    }
    for (const fs::path& folder : folders) sync_path(folder);
    manifest_.append(lines);
}

void Committer::remove(const std::string& stale) {
    if (own_.is_free(stale)) return;
    const fs::path path = output_ / stale;
    std::error_code failure;
    const bool is_ours = own_.owns(stale);
    if (is_ours) fs::remove(path, failure);
    if (failure) logger().warn("{}: cannot be removed: {}", path.string(), failure.message());
    if (!is_ours) logger().warn("{}: is kept: it is not as this program wrote it", path.string());
}

}  // namespace throng
