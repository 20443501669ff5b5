// Decides what the workers of a run do next. With parts of videos, all processes that share an output folder agree by what is on
// disk: the records of parts and of results, and claims.
//
// A divided video passes through these states; the next one follows from the records alone, whoever made them.
//
//     parts are missing      each part belongs to a shard, by the division of all parts of the list
//     encoded parts missing  whoever claims a part encodes it; without encoding, this state is left out
//     all parts there        whoever claims the video joins them; then all of them are removed
//     joined                 has a result
//
// The claims of a process that dies are free; what it recorded remains. Parts that are incomplete or failed are not encoded:
// whoever joins them processes the whole video.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/archive/archive_run.h"
#include "core/archive/segments.h"

namespace throng {

struct Task {
    Stage stage = Stage::file;
    WorkItem item;
    std::shared_ptr<void> running{};  // one of WorkQueue::workers; kept while the item is processed
    std::shared_ptr<void> held{};     // claims the item; kept until its record is on disk, or it has none
};

// Thread-safe.
class WorkQueue {
public:
    // options: outlive the queue. list: divided by divide_list, or not at all. Throws Error(input) if records cannot be
    // read, and Error(unavailable) if nothing can be claimed.
    WorkQueue(const ArchiveOptions& options, const std::vector<WorkItem>& list);

    // Return the parts and the files that are not divided of the shard, and the parts and divided videos of all shards.
    [[nodiscard]] const std::vector<WorkItem>& parts() const noexcept { return parts_; }
    [[nodiscard]] const std::vector<WorkItem>& files() const noexcept { return files_; }
    [[nodiscard]] const std::vector<WorkItem>& all_parts() const noexcept { return all_parts_; }
    [[nodiscard]] const std::vector<WorkItem>& videos() const noexcept { return videos_; }
    // Returns how many items of the stage are processed at the same time.
    [[nodiscard]] int workers(Stage stage) const { return limits_[stage]; }

    // Blocks until there is work. Returns nothing if there will be none for this process, and after a stop request.
    // Throws as the constructor.
    [[nodiscard]] std::optional<Task> next(const std::stop_token& stop);

    // Notes that a video has a result, so that its parts are not needed.
    void set_finished(const std::string& name);
    // Returns why the parts of the video cannot be joined, so that the whole file must be processed; normally empty. Sets
    // item.split to the parts that are joined. Reads them: throws Error(input) if they are not as recorded or do not
    // belong to item.sha256, and Error(interrupted) after a stop request.
    [[nodiscard]] std::string prepare_join(WorkItem& item, const std::stop_token& stop);

    // To be called when all work is over: removes the parts of videos that have a result, and reports those that wait.
    void finish(bool interrupted);

private:
    using Lock = std::unique_lock<std::mutex>;
    struct Video {
        WorkItem item;
        int own_parts = 0;      // of this shard, whose records are not on disk yet; there may be earlier ones
        bool over = false;      // nothing is left to do here
        bool finished = false;  // has a result of an earlier run, whose content was compared
    };
    struct Result {
        std::string sha256;
        std::uint64_t size = 0;
        bool is_new = false;  // since the start of this process
    };

    [[nodiscard]] bool encodes() const { return static_cast<bool>(options_.encoded_parts.make_worker); }
    // With mutex_ locked:
    [[nodiscard]] std::optional<Task> take();
    void look_for_work();
    void look_at(Video& video);
    void update_results(bool is_new);
    [[nodiscard]] bool is_wanted(const WorkItem& item);
    [[nodiscard]] bool owns(const SplitVideo& video, int part) const;
    [[nodiscard]] bool will_come(const SplitVideo& video, const std::vector<int>& parts) const;

    const ArchiveOptions& options_;
    const std::string settings_hash_;
    const std::filesystem::path folder_;  // of all parts
    std::vector<WorkItem> all_parts_;     // of all shards
    std::vector<WorkItem> parts_, files_, videos_;
    std::map<std::string, int> shards_;  // by name of the part
    PerStage<int> limits_;               // items at the same time
    std::mutex mutex_;                   // guards the members below
    std::condition_variable_any changed_;
    PerStage<std::deque<WorkItem>> ready_;
    PerStage<int> running_;
    std::size_t held_ = 0;                                         // tasks whose records may not be on disk
    std::optional<std::chrono::steady_clock::time_point> looked_;  // none: something has changed since
    bool waits_ = false;                                           // other processes are at work on what this one needs
    std::map<std::string, Video> states_;                          // of videos_, by name
    std::map<std::string, Result> results_;                        // of videos, by name
    ManifestReader result_reader_;
    std::optional<PartRecords> records_;
    std::optional<WorkClaims> claims_;
};

// Finds out into how many parts each file of the list can be divided, and sets `split`. The shards begin at different
// places of the list, and take over what others have found out. Throws Error(interrupted) after a stop request.
void divide_list(std::vector<WorkItem>& list, const ArchiveOptions& options, const std::stop_token& stop);

}  // namespace throng
