#include "core/archive/archive_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "core/archive/committer.h"
#include "core/archive/own_files.h"
#include "core/archive/work_queue.h"
#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/log.h"
#include "core/base/output_file.h"
#include "core/base/sha256.h"
#include "core/base/stopwatch.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr Stage kAllStages[] = {Stage::part, Stage::file, Stage::encoded_part};
constexpr auto kProgressInterval = std::chrono::milliseconds(200);

// Returns the files that the input consists of.
InputFiles files_of(const WorkItem& item, const ArchiveOptions& options) {
    return InputFiles(options.files_of ? options.files_of(item) : std::vector<std::string>{item.path});
}

// Returns the options with an absolute output folder, without a slash at its end.
ArchiveOptions with_normal_output(ArchiveOptions options) {
    if (options.output.empty()) throw Error(ErrorKind::usage, "must not be empty", Setting{"out"}, "name a folder");
    const fs::path output = fs::absolute(options.output).lexically_normal();
    options.output = output.has_filename() ? output : output.parent_path();
    return options;
}

// No output of the shard may be an input of any shard or a file that no record names, and none that of two inputs.
// A new output folder costs one look per output of the shard; files of the whole list are looked at only if outputs
// exist.
void check_outputs(const std::vector<WorkItem>& list, const std::vector<WorkItem>& of_shard,
                   const ArchiveOptions& options, OwnFiles& own) {
    std::set<std::string> names;
    for (const WorkItem& item : list) {
        if (*fs::path(item.name).begin() == kRecordFolder) {
            throw Error(ErrorKind::usage, "has the name of the folder of records", item.path, "rename the input");
        }
        for (const std::string& output : options.outputs_of(item)) {
            if (names.insert(output).second) continue;
            throw Error(ErrorKind::usage, "is the output of two inputs, one of them " + item.path,
                        (options.output / output).string(), "process one of them in a run of its own");
        }
    }
    std::map<std::pair<dev_t, ino_t>, std::string> existing;
    std::vector<std::string> taken;
    std::set<fs::path> folders;
    for (const WorkItem& item : of_shard) {
        for (const std::string& output : options.outputs_of(item)) {
            fs::path folder = (options.output / output).parent_path();
            for (; folder != options.output && folders.insert(folder).second; folder = folder.parent_path()) {
                std::error_code ignored;
                if (!fs::exists(folder, ignored) || fs::is_directory(folder, ignored)) continue;
                throw Error(ErrorKind::usage, "is not a folder, but outputs belong below it", folder.string(),
                            {"move it away, or name another folder for %1", Setting{"out"}});
            }
            if (own.is_free(output)) continue;
            taken.push_back(output);
            const std::string path = (options.output / output).string();
            if (const auto state = state_of(path)) existing[{state->device, state->inode}] = path;
        }
    }
    const auto check = [&](const std::string& path) {
        const auto state = state_of(path);
        const auto found = state ? existing.find({state->device, state->inode}) : existing.end();
        if (found == existing.end()) return;
        throw Error(ErrorKind::usage, "would overwrite the input", found->second,
                    {"name another folder for %1", Setting{"out"}});
    };
    if (!existing.empty()) {
        for (const WorkItem& item : list) check(item.path);
        // Other shards open their inputs themselves.
        for (const WorkItem& item : of_shard) {
            const InputFiles files = files_of(item, options);
            for (const std::string& path : files.paths()) check(path);
        }
    }
    for (const std::string& output : taken) {
        if (own.has_record_of(output)) continue;
        throw Error(ErrorKind::usage, "would be replaced, and is not a result of an earlier run",
                    (options.output / output).string(),
                    {"move it away, or name another folder for %1", Setting{"out"}});
    }
}

void check_records(const Manifest& manifest, const ArchiveOptions& options) {
    if (options.resume || manifest.empty()) return;
    throw Error(
        ErrorKind::usage, fmt::format("already has results of shard {}/{}", options.shard.index, options.shard.count),
        Setting{"out", options.output.string()}, {"use %1 to continue, or name another folder", Setting{"resume"}});
}

// The results of earlier runs: the newest record of an input in each manifest.
class EarlierResults {
public:
    struct Result {
        std::string sha256;
        bool is_current = false;  // same settings and version
        bool incomplete = false;
        std::vector<OutputRecord> outputs;
    };

    // hashes: of results of videos, which each of their parts asks for.
    explicit EarlierResults(fs::path output, FileHashes& hashes) : output_(std::move(output)), hashes_(hashes) {}

    void read(const std::vector<WorkItem>& items, const std::string& settings, const std::string& version) {
        std::set<std::string_view> names;
        for (const WorkItem& item : items) names.insert(item.name);
        read_manifests(output_, [&](const fs::path& manifest, ManifestEntry&& entry) {
            if (!names.contains(entry.input)) return;
            if (entry.status == InputStatus::failed) {
                results_[entry.input].erase(manifest);
                return;
            }
            results_[entry.input][manifest] = {std::move(entry.sha256),
                                               entry.settings == settings && entry.version == version,
                                               entry.status == InputStatus::incomplete, std::move(entry.outputs)};
        });
    }

    // Returns true if there is a result of the input, of any content and settings.
    [[nodiscard]] bool has(const std::string& name) const {
        const auto found = results_.find(name);
        return found != results_.end() && !found->second.empty();
    }

    // Returns null if there is no result of this content with the same settings whose outputs have these names and are
    // unchanged. Reads the outputs: those of other settings may have the same size.
    [[nodiscard]] const Result* find(const WorkItem& item, const std::string& sha256,
                                     const std::vector<std::string>& names, const std::stop_token& stop) const {
        const auto found = results_.find(item.name);
        if (found == results_.end()) return nullptr;
        for (const auto& [manifest, result] : found->second) {
            if (!result.is_current || result.sha256 != sha256) continue;
            if (!std::ranges::equal(result.outputs, names, {}, &OutputRecord::name)) continue;
            const bool unchanged = std::all_of(result.outputs.begin(), result.outputs.end(), [&](const auto& output) {
                return is_as_recorded(output_ / output.name, output, item.split ? &hashes_ : nullptr, stop);
            });
            if (unchanged) return &result;
        }
        return nullptr;
    }

private:
    const fs::path output_;
    FileHashes& hashes_;
    std::map<std::string, std::map<fs::path, Result>> results_;  // by name and manifest
};

// An output folder, and what this process writes there.
struct Ledger {
    // Throws as run_archive does for a run that cannot begin.
    Ledger(const fs::path& output, const std::vector<WorkItem>& list, const std::vector<WorkItem>& of_shard,
           const ArchiveOptions& options, FileHashes& hashes)
        : own(output), earlier(output, hashes) {
        check_outputs(list, of_shard, options, own);
        check_output_folder(output.string());
        manifest.emplace(output, options.shard);
        check_records(*manifest, options);
        write_list(output, list, options.left_out);
        write_settings(output, sha256_of_text(options.settings), options.settings);
        committer.emplace(output, *manifest, own);
    }

    OwnFiles own;
    EarlierResults earlier;
    std::optional<Manifest> manifest;
    std::optional<Committer> committer;  // after manifest
};

// Returns the options for the folder of parts.
ArchiveOptions part_options(ArchiveOptions options) {
    options.output = parts_folder(options.output);
    options.left_out.clear();
    options.outputs_of = [](const WorkItem& part) {
        return std::vector<std::string>{part.split->output_of(part.part)};
    };
    return options;
}

class ArchiveRun {
public:
    ArchiveRun(std::vector<WorkItem> list, const ArchiveOptions& options, const std::stop_token& stop)
        : options_(with_normal_output(options)),
          part_options_(part_options(options_)),
          settings_hash_(sha256_of_text(options.settings)),
          stop_callback_(stop, [this] { stop_.request_stop(); }) {
        const std::vector<WorkItem> of_shard = select_shard(list, options.shard);
        results_.emplace(options_.output, list, of_shard, options_, hashes_);
        if (options.segment > 0) divide_list(list, options_, stop_.get_token());
        queue_.emplace(options_, list);
        std::vector<WorkItem> files = queue_->files();
        begin(Stage::file, files);
        files.insert(files.end(), queue_->videos().begin(), queue_->videos().end());
        // Another shard may have joined a video.
        if (options.resume || options.segment > 0) results_->earlier.read(files, settings_hash_, options.version);
        if (queue_->videos().empty()) return;
        parts_.emplace(part_options_.output, queue_->all_parts(), queue_->parts(), part_options_, hashes_);
        if (options.resume) parts_->earlier.read(queue_->parts(), settings_hash_, options.version);
        begin(Stage::part, queue_->parts());
    }

    ArchiveTotals run() {
        running_ = 1;
        for (const Stage stage : kAllStages) running_ = std::max(running_, queue_->workers(stage));
        std::vector<std::jthread> threads;
        for (int worker = 0, count = running_; worker < count; ++worker) {
            threads.emplace_back([this, worker] { work(worker); });
        }
        for (bool over = false; !over;) {
            std::unique_lock lock(mutex_);
            over = ended_.wait_for(lock, kProgressInterval, [this] { return running_ == 0; });
            lock.unlock();
            if (options_.on_progress) options_.on_progress(totals());
        }
        threads.clear();
        for (std::optional<Ledger>* ledger : {&parts_, &results_}) {
            try {
                if (*ledger) (*ledger)->committer->close();
            } catch (...) {
                if (!failure_) failure_ = std::current_exception();
            }
        }
        if (failure_) std::rethrow_exception(failure_);
        queue_->finish(stop_.stop_requested());
        return totals();
    }

private:
    [[nodiscard]] const StageWork& work_of(Stage stage) const {
        if (stage == Stage::file) return options_.files;
        return stage == Stage::part ? options_.parts : options_.encoded_parts;
    }

    void begin(Stage stage, const std::vector<WorkItem>& items) {
        for (const WorkItem& item : items) begin(stage, item);
    }
    void begin(Stage stage, const WorkItem& item) {
        ++progress_[stage].inputs;
        progress_[stage].bytes += item.size;
    }

    void work(int worker) noexcept {
        try {
            std::map<Stage, ProcessInput> functions;
            while (std::optional<Task> task = queue_->next(stop_.get_token())) {
                // The parts come first, and their detectors need memory.
                if (task->stage != Stage::part) functions.erase(Stage::part);
                ProcessInput& process = functions[task->stage];
                if (!process) process = work_of(task->stage).make_worker(worker, queue_->workers(task->stage));
                process_item(*task, process);
            }
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::interrupted) fail();
        } catch (...) {
            fail();
        }
        const std::lock_guard lock(mutex_);
        --running_;
        ended_.notify_all();
    }

    // To be called from a catch block.
    void fail() {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        stop_.request_stop();
    }

    // A divided video is hashed once for all of its parts.
    std::string hash_of(const InputFiles& input, const WorkItem& item) {
        const std::stop_token stop = stop_.get_token();
        if (!item.split) return input.sha256(stop);
        return input.sha256(stop, [&](const std::string& path) { return hashes_.of(path, stop); });
    }

    // Returns the result that makes the work on the item unnecessary; null: there is none.
    const EarlierResults::Result* find_result(Stage stage, const WorkItem& item, const std::string& sha256) {
        const std::stop_token stop = stop_.get_token();
        if (stage == Stage::part) {
            WorkItem video = item;
            video.name = item.split->name;
            if (const auto* result = results_->earlier.find(video, sha256, options_.outputs_of(video), stop)) {
                queue_->set_finished(video.name);
                return result;
            }
            return parts_->earlier.find(item, sha256, part_options_.outputs_of(item), stop);
        }
        return stage == Stage::file ? results_->earlier.find(item, sha256, options_.outputs_of(item), stop) : nullptr;
    }

    void process_item(Task& task, const ProcessInput& process) {
        const auto start = std::chrono::steady_clock::now();
        const Stage stage = task.stage;
        const WorkItem& item = task.item;
        const ArchiveOptions& options = stage == Stage::file ? options_ : part_options_;
        Ledger& ledger = stage == Stage::file ? *results_ : *parts_;
        if (stage == Stage::encoded_part || (stage == Stage::file && item.split)) {
            const std::lock_guard lock(mutex_);
            begin(stage, item);
        }
        FinishedInput finished;
        ManifestEntry& entry = finished.entry;
        entry.input = item.name;
        entry.sha256 = item.sha256;
        entry.settings = settings_hash_;
        entry.version = options_.version;
        finished.held = task.held;
        const std::vector<std::string> names = options.outputs_of(item);
        std::vector<std::string> temporaries;
        temporaries.reserve(names.size());
        const std::size_t number = next_++;
        for (const std::string& name : names) {
            temporaries.push_back(
                (ledger.manifest->temporary_folder() /
                 fmt::format("{}-{}{}", number, temporaries.size(), fs::path(name).extension().string()))
                    .string());
        }
        try {
            if (!item.problem.empty()) throw Error(ErrorKind::input, item.problem);
            const InputFiles input = files_of(item, options_);
            WorkItem current = item;
            current.sha256 = hash_of(input, item);
            entry.size = input.size();
            if (!item.sha256.empty() && current.sha256 != item.sha256) {
                throw Error(ErrorKind::input, "the file changed after its faces were found");
            }
            entry.sha256 = current.sha256;
            if (const EarlierResults::Result* earlier = find_result(stage, item, entry.sha256)) {
                const std::lock_guard lock(mutex_);
                ++progress_[stage].skipped;
                progress_[stage].incomplete += earlier->incomplete ? 1 : 0;
                finish(stage, item);
                return;
            }
            for (const std::string& name : names) {
                if (const std::string why = ledger.own.why_kept(name, stop_.get_token()); !why.empty()) {
                    throw Error(ErrorKind::input, why);
                }
            }
            if (stage == Stage::file && item.split) {
                const std::string why_whole = queue_->prepare_join(current, stop_.get_token());
                if (!why_whole.empty()) {
                    logger().info("{}: {}; processing the whole file again", item.path, why_whole);
                    current.split.reset();
                }
            }
            const auto add_frames = [&](std::uint64_t count) { frames_[stage] += count; };
            const InputResult result = process(current, temporaries, add_frames, stop_.get_token());
            if (stop_.stop_requested()) return;  // the result may be a part
            input.check_unchanged();
            entry.frames = result.frames;
            entry.faces = result.faces;
            entry.backend = result.backend;
            entry.error = result.incomplete;
            entry.status = result.incomplete.empty() ? InputStatus::done : InputStatus::incomplete;
            for (std::size_t i = 0; i < names.size(); ++i) {
                entry.outputs.push_back(
                    {names[i], fs::file_size(temporaries[i]), sha256_of(temporaries[i], stop_.get_token())});
            }
            finished.temporaries = temporaries;
        } catch (const Error& error) {
            const bool at_output =
                std::find(temporaries.begin(), temporaries.end(), error.where()) != temporaries.end();
            const bool of_disk = dynamic_cast<const DiskError*>(&error) != nullptr;
            // What else fails at an output, such as an encoder, does so for this input.
            const bool of_input = at_output ? !of_disk : error.kind() == ErrorKind::input;
            if (at_output && of_disk) {
                throw Error(error.kind(), error.problem(), "the output of " + item.path, error.advice());
            }
            if (!of_input || error.kind() == ErrorKind::interrupted) throw;
            if (stop_.stop_requested()) return;
            set_failed(finished, error.problem().text(), names);
        } catch (const std::bad_alloc&) {
            set_failed(finished, "not enough memory", names);
        } catch (const std::exception&) {  // of a library, for this input
            set_failed(finished, current_error().problem().text(), names);
        }
        if (finished.temporaries.empty()) {
            std::error_code ignored;
            for (const std::string& temporary : temporaries) fs::remove(temporary, ignored);
        }
        // The disk of the inputs may be missing today: what was made of an input is still what it was.
        const bool keeps_result = entry.sha256.empty() && ledger.earlier.has(item.name);
        if (keeps_result) entry.error += "; its earlier result is kept";
        entry.seconds = milliseconds_since(start) / 1000;
        const InputStatus status = entry.status;
        const std::uint64_t faces = entry.faces;
        if (status != InputStatus::done) logger().warn("{}: {}: {}", item.path, status_text(status), entry.error);
        if (!keeps_result) ledger.committer->push(std::move(finished));
        const std::lock_guard lock(mutex_);
        ArchiveProgress& progress = progress_[stage];
        progress.faces += faces;
        progress.incomplete += status == InputStatus::incomplete ? 1 : 0;
        progress.failed += status == InputStatus::failed ? 1 : 0;
        finish(stage, item);
        // A part that cannot be encoded is encoded with the whole video.
        const bool is_failure = status == InputStatus::failed && stage != Stage::encoded_part;
        if (is_failure && options_.fail_fast) stop_.request_stop();
    }

    static std::string_view status_text(InputStatus status) {
        return status == InputStatus::failed ? "failed" : "incomplete";
    }

    static void set_failed(FinishedInput& finished, const std::string& error, const std::vector<std::string>& names) {
        finished.entry.status = InputStatus::failed;
        finished.entry.error = error;
        finished.entry.outputs.clear();
        finished.temporaries.clear();
        // A result of other content does not remain; one of an input that cannot be read does.
        if (!finished.entry.sha256.empty()) finished.stale = names;
    }

    // With mutex_ locked.
    void finish(Stage stage, const WorkItem& item) {
        ++progress_[stage].finished;
        progress_[stage].finished_bytes += item.size;
    }

    [[nodiscard]] ArchiveTotals totals() {
        const std::lock_guard lock(mutex_);
        for (const Stage stage : kAllStages) progress_[stage].frames = frames_[stage];
        return progress_;
    }

    const ArchiveOptions options_;
    const ArchiveOptions part_options_;
    const std::string settings_hash_;
    FileHashes hashes_;      // of videos that are divided into parts, and of their results
    std::stop_source stop_;  // by the caller, a failure, or fail_fast
    std::stop_callback<std::function<void()>> stop_callback_;
    std::optional<WorkQueue> queue_;
    std::optional<Ledger> results_;
    std::optional<Ledger> parts_;  // if there are divided videos
    std::atomic<std::size_t> next_ = 0;
    PerStage<std::atomic<std::uint64_t>> frames_;
    std::mutex mutex_;  // guards the members below
    std::condition_variable ended_;
    int running_ = 0;  // workers
    ArchiveTotals progress_;
    std::exception_ptr failure_;
};

}  // namespace

std::string FileHashes::of(const std::string& path, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!hashed_.wait(lock, stop, [&] { return !in_work_.contains(path); })) {
        throw Error(ErrorKind::interrupted, "stopped while reading", path);
    }
    const std::optional<FileState> state = state_of(path);
    const auto known = hashes_.find(path);
    if (state && known != hashes_.end() && known->second.first == *state) return known->second.second;
    in_work_.insert(path);
    lock.unlock();
    const auto finish = [&] {
        lock.lock();
        in_work_.erase(path);
        hashed_.notify_all();
    };
    std::string hash;
    try {
        hash = sha256_of(path, stop);
    } catch (...) {
        finish();
        throw;
    }
    finish();
    if (state) hashes_[path] = {*state, hash};
    return hash;
}

bool is_as_recorded(const fs::path& path, const OutputRecord& record, FileHashes* hashes, const std::stop_token& stop) {
    std::error_code failure;
    if (fs::file_size(path, failure) != record.size || failure) return false;
    try {
        return (hashes != nullptr ? hashes->of(path.string(), stop) : sha256_of(path, stop)) == record.sha256;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::interrupted) throw;
        return false;  // cannot be read
    }
}

const char* name_of(Stage stage) {
    constexpr PerStage<const char*> kNames{{"segment", "file", "encoded segment"}};
    return kNames[stage];
}

ArchiveTotals run_archive(const std::vector<WorkItem>& list, const ArchiveOptions& options,
                          const std::stop_token& stop) {
    return ArchiveRun(list, options, stop).run();
}

}  // namespace throng
