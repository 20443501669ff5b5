#include "app/options/archive_segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "app/options/interrupt.h"
#include "app/options/report.h"
#include "core/archive/segments.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/sha256.h"
#include "core/video/source_files.h"
#include "core/video/video_division.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

class SegmentedRun {
public:
    SegmentedRun(std::vector<WorkItem> list, const ArchiveOptions& options, const ArchiveArguments& arguments,
                 const ArchiveWork& work, const CommonOptions& common)
        : list_(std::move(list)),
          options_(options),
          arguments_(arguments),
          work_(work),
          common_(common),
          settings_hash_(sha256_of_text(options.settings)) {}

    int run() {
        check_archive(list_, options_);
        divide();
        if (options_.resume) finished_ = finished_inputs(videos_, options_);
        const ArchiveProgress parts = process_parts();
        const bool failed_fast = options_.fail_fast && parts.failed > 0;
        if (InterruptGuard::requested() || failed_fast) return archive_status(parts);
        const int status = archive_status(process_files());
        if (waiting_ > 0 && !InterruptGuard::requested()) {
            spdlog::warn("{} waiting for parts: when all shards have ended, run one of them once more with --resume",
                         waiting_ == 1 ? "1 video is" : fmt::format("{} videos are", waiting_));
        }
        return status;
    }

private:
    // Finds out into how many parts each file can be divided.
    void divide() {
        std::size_t parts = 0;
        for (WorkItem& item : list_) {
            if (!item.problem.empty()) continue;
            const VideoDivision division = divide_video(item.path, arguments_.segment, InterruptGuard::token());
            if (division.parts < 2) {
                const bool may_surprise = has_video_extension(item.path) && !division.is_short;
                spdlog::log(may_surprise ? spdlog::level::info : spdlog::level::debug, "{} is not divided: {}",
                            item.path, division.why_whole);
                continue;
            }
            item.split = std::make_shared<SplitVideo>(
                SplitVideo{item.name, arguments_.segment, division.parts, parts_folder(fs::absolute(options_.output))});
            parts += static_cast<std::size_t>(division.parts);
            videos_.push_back(item);
        }
        spdlog::info("{} of {} files divided into {} parts", videos_.size(), list_.size(), parts);
    }

    ArchiveProgress process_parts() {
        std::vector<WorkItem> parts;
        for (const WorkItem& video : videos_) {
            std::vector<WorkItem> of_video = parts_of(video);
            parts.insert(parts.end(), std::make_move_iterator(of_video.begin()),
                         std::make_move_iterator(of_video.end()));
        }
        if (parts.empty()) return {};
        ArchiveOptions options = options_;
        options.output = parts_folder(options_.output);
        options.outputs_of = [](const WorkItem& part) {
            return std::vector<std::string>{part.split->output_of(part.part)};
        };
        options.make_worker = work_.make_part_worker;
        // The division among shards must not depend on what is finished.
        options.select = [this](const std::vector<WorkItem>& list, Shard shard) {
            std::vector<WorkItem> selected = select_shard(list, shard);
            std::erase_if(selected, [this](const WorkItem& part) { return finished_.contains(part.split->name); });
            return selected;
        };
        options.workers = work_.workers(items_per_shard(parts.size(), options.shard));
        return run_archive_stage(parts, options, arguments_, common_, "part");
    }

    ArchiveProgress process_files() {
        const PartRecords records(options_.output, settings_hash_, options_.version);
        std::vector<JoinLock> locks;
        std::vector<WorkItem> joined;
        for (const WorkItem& video : videos_) {
            if (!finished_.contains(video.name)) {
                const std::string missing = records.missing(*video.split);
                if (!missing.empty()) {
                    spdlog::warn("{} waits for {}", video.path, missing);
                    ++waiting_;
                    continue;
                }
                JoinLock lock(*video.split);
                if (!lock.owns()) continue;
                locks.push_back(std::move(lock));
            }
            joined.push_back(video);
        }
        ArchiveOptions options = options_;
        options.resume = true;  // another shard may have joined a video before the lock was taken
        options.select = [&](const std::vector<WorkItem>& list, Shard shard) {
            std::vector<WorkItem> whole;
            std::copy_if(list.begin(), list.end(), std::back_inserter(whole),
                         [](const WorkItem& item) { return item.split == nullptr; });
            std::vector<WorkItem> selected = select_shard(whole, shard);
            selected.insert(selected.end(), joined.begin(), joined.end());
            return selected;
        };
        options.make_worker = [&](int worker) -> ProcessInput {
            return [process = work_.make_worker(worker), &records](const WorkItem& item, const auto& outputs,
                                                                   const auto& add_frames, const auto& stop) {
                if (!item.split) return process(item, outputs, add_frames, stop);
                records.check(*item.split, item.sha256);
                const std::string incomplete = records.incomplete(*item.split, item.sha256);
                if (incomplete.empty()) return process(item, outputs, add_frames, stop);
                // The frames of damaged data depend on where decoding began.
                spdlog::info("{}: {}; processing the whole file again", item.path, incomplete);
                WorkItem whole = item;
                whole.split.reset();
                return process(whole, outputs, add_frames, stop);
            };
        };
        options.workers = work_.workers(items_per_shard(list_.size() - videos_.size(), options.shard) + joined.size());
        const ArchiveProgress totals = run_archive_stage(list_, options, arguments_, common_, "file");
        remove_parts(joined);
        return totals;
    }

    // Removes the parts of the videos that have a result.
    void remove_parts(const std::vector<WorkItem>& joined) const {
        std::set<std::string> results;
        read_manifests(options_.output, [&](const fs::path&, ManifestEntry&& entry) {
            const bool failed = entry.status == InputStatus::failed;
            if (entry.settings != settings_hash_ || entry.version != options_.version) return;
            failed ? static_cast<void>(results.erase(entry.input)) : static_cast<void>(results.insert(entry.input));
        });
        for (const WorkItem& video : joined) {
            std::error_code ignored;
            if (results.contains(video.name)) fs::remove_all(video.split->folder / video.split->subfolder(), ignored);
        }
    }

    std::vector<WorkItem> list_;
    const ArchiveOptions& options_;
    const ArchiveArguments& arguments_;
    const ArchiveWork& work_;
    const CommonOptions& common_;
    const std::string settings_hash_;
    std::vector<WorkItem> videos_;    // those that are divided
    std::set<std::string> finished_;  // names of videos that have a result
    std::size_t waiting_ = 0;
};

}  // namespace

int run_segmented(std::vector<WorkItem> list, const ArchiveOptions& options, const ArchiveArguments& arguments,
                  const ArchiveWork& work, const CommonOptions& common) {
    return SegmentedRun(std::move(list), options, arguments, work, common).run();
}

}  // namespace throng
