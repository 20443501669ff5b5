#include "app/options/archive_segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <system_error>
#include <utility>

#include "app/options/interrupt.h"
#include "app/options/report.h"
#include "core/archive/segments.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/sha256.h"
#include "core/base/sleep.h"
#include "core/video/formats.h"
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
          settings_hash_(sha256_of_text(options.settings)),
          records_(options.output, settings_hash_, options.version),
          results_(options.output) {}

    int run() {
        check_archive(list_, options_);
        divide();
        if (options_.resume) finished_ = finished_inputs(videos_, options_, InterruptGuard::token());
        const ArchiveProgress parts = process_parts();
        if (is_over(parts)) return archive_status(parts);
        ArchiveProgress whole;
        if (encodes() && !videos_.empty()) {
            // First what needs no other shard.
            const auto undivided = [](const WorkItem& item) { return item.split == nullptr; };
            if (std::any_of(list_.begin(), list_.end(), undivided)) whole = process_files(true, false);
            if (is_over(whole)) return archive_status(whole);
            encode_parts();
        }
        ArchiveProgress totals = process_files(!encodes() || videos_.empty(), true);
        totals.failed += whole.failed;
        totals.incomplete += whole.incomplete;
        if (waiting_ > 0 && !InterruptGuard::requested()) {
            spdlog::warn(
                "{} waiting for parts; the last shard joins them. If one died, run all shards once more with --resume",
                waiting_ == 1 ? "1 video is" : fmt::format("{} videos are", waiting_));
        }
        return archive_status(totals);
    }

private:
    [[nodiscard]] bool encodes() const { return static_cast<bool>(work_.make_encode_worker); }
    [[nodiscard]] bool is_over(const ArchiveProgress& stage) const {
        return InterruptGuard::requested() || (options_.fail_fast && stage.failed > 0);
    }

    // Finds out into how many parts each file can be divided.
    // The shards begin at different places of the list, and take over what others have found out.
    void divide() {
        std::vector<SharedDivisions::Division> divisions(list_.size());
        {
            const fs::path folder = parts_folder(options_.output);
            SharedDivisions shared(folder, options_.shard, arguments_.segment, options_.version);
            const std::size_t share = items_per_shard(list_.size(), options_.shard);
            const std::size_t first = share * static_cast<std::size_t>(options_.shard.index - 1);
            for (std::size_t i = 0; i < list_.size(); ++i) {
                const std::size_t at = (first + i) % list_.size();
                const WorkItem& item = list_[at];
                if (!item.problem.empty()) continue;
                if (const auto known = shared.find(item)) {
                    divisions[at] = *known;
                    continue;
                }
                const VideoDivision found = divide_video(item.path, arguments_.segment, InterruptGuard::token());
                divisions[at] = {found.parts, found.why_whole, found.is_short};
                shared.add(item, divisions[at]);
            }
        }
        std::size_t parts = 0;
        for (std::size_t i = 0; i < list_.size(); ++i) {
            WorkItem& item = list_[i];
            const SharedDivisions::Division& division = divisions[i];
            if (!item.problem.empty()) continue;
            if (division.parts < 2) {
                const bool may_surprise = format_of_name(item.path).kind == NameKind::video && !division.is_short;
                spdlog::log(may_surprise ? spdlog::level::info : spdlog::level::debug, "{} is not divided: {}",
                            item.path, division.why_whole);
                continue;
            }
            item.split = std::make_shared<SplitVideo>(
                SplitVideo{item.name, arguments_.segment, division.parts, parts_folder(fs::absolute(options_.output))});
            parts += static_cast<std::size_t>(division.parts);
            videos_.push_back(item);
        }
        if (!videos_.empty()) locks_.emplace(parts_folder(options_.output));
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
        shards_ = shards_of(parts, options_.shard.count);
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

    // Returns the hash of a video; empty if it cannot be read, which its processing reports.
    [[nodiscard]] std::string hash_of(const WorkItem& video) const {
        try {
            return content_hash(video, options_, InterruptGuard::token());
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::interrupted) throw;
            return {};
        }
    }

    // Returns true if the parts of a video are worth a plan: they are complete, and planning has not failed.
    [[nodiscard]] bool can_encode(const SplitVideo& video, const std::string& sha256) const {
        return records_.incomplete(video, sha256).empty() && records_.plan_failure(video, sha256).empty();
    }

    // Returns true if all these parts are in the hands of shards that are at work.
    [[nodiscard]] bool will_come(const SplitVideo& video, const std::vector<int>& parts) const {
        return std::all_of(parts.begin(), parts.end(), [&](int part) {
            const int shard = shards_.at(video.name_of(part));
            return shard != options_.shard.index &&
                   is_at_work(parts_folder(options_.output), {shard, options_.shard.count});
        });
    }

    // Plans, hides and encodes until nothing is left that this process can do. Whoever is there takes the next part:
    // shards that find the detections of a video incomplete wait for those that are at work on them.
    void encode_parts() {
        constexpr double kPoll = 0.3;  // seconds
        while (!InterruptGuard::requested()) {
            records_.update();
            std::vector<WorkItem> plans;
            std::vector<WorkItem> parts;      // of all videos that have a plan
            std::set<std::string> unclaimed;  // names of those that nobody works on
            bool waits = false;
            for (const WorkItem& video : videos_) {
                if (finished_.contains(video.name)) continue;
                if (const std::vector<int> missing = records_.missing_parts(*video.split); !missing.empty()) {
                    waits = waits || will_come(*video.split, missing);
                    continue;
                }
                const std::string sha256 = hash_of(video);
                if (!can_encode(*video.split, sha256)) continue;
                const std::optional<WorkItem> encoded = with_plan(video, sha256);
                if (!encoded) {
                    if (locks_->lock_video(*video.split) == nullptr) {
                        waits = true;
                        continue;
                    }
                    plans.push_back(video);
                    plans.back().name = video.split->plan_name();
                    continue;
                }
                for (const int part : records_.missing_parts(*encoded->split, sha256)) {
                    if (locks_->lock_part(*encoded->split, part)) unclaimed.insert(encoded->split->name_of(part));
                }
                std::vector<WorkItem> of_video = parts_of(*encoded);
                std::move(of_video.begin(), of_video.end(), std::back_inserter(parts));
            }
            if (!plans.empty()) {
                plan(plans);
            } else if (!unclaimed.empty()) {
                encode(parts, unclaimed);
            } else if (!waits) {
                return;
            } else {
                sleep_for(std::chrono::duration<double>(kPoll), InterruptGuard::token());
            }
        }
    }

    // Returns the video with its encoded parts, if it has a plan.
    [[nodiscard]] std::optional<WorkItem> with_plan(const WorkItem& video, const std::string& sha256) const {
        SplitVideo split = *video.split;
        split.plan = records_.plan_of(split, sha256);
        if (split.plan.empty()) return std::nullopt;
        WorkItem item = video;
        item.split = std::make_shared<SplitVideo>(std::move(split));
        return item;
    }

    // Returns the options for work on parts that any shard may do.
    [[nodiscard]] ArchiveOptions shared_options() const {
        ArchiveOptions options = options_;
        options.output = parts_folder(options_.output);
        options.resume = true;  // others may have done it
        options.fail_fast = false;
        options.select = [](const std::vector<WorkItem>& list, Shard) { return list; };
        return options;
    }

    static InputResult done_elsewhere() {
        InputResult result;
        result.elsewhere = true;
        return result;
    }

    void plan(const std::vector<WorkItem>& videos) {
        std::shared_mutex mutex;  // guards records_
        ArchiveOptions options = shared_options();
        options.outputs_of = [](const WorkItem& video) { return video.split->plan_outputs(); };
        options.workers = work_.workers(videos.size());
        options.make_worker = [&](int worker) -> ProcessInput {
            return [&, process = work_.make_plan_worker(worker)](const WorkItem& item, const auto& outputs,
                                                                 const auto& add_frames, const auto& stop) {
                const PartLocks::Lock claim = locks_->lock_video(*item.split);
                if (!claim) return done_elsewhere();
                {
                    const std::lock_guard lock(mutex);
                    records_.update();
                }
                {
                    const std::shared_lock lock(mutex);
                    if (!records_.plan_of(*item.split, item.sha256).empty()) return done_elsewhere();
                    records_.check(*item.split, item.sha256, stop);
                }
                InputResult result = process(item, outputs, add_frames, stop);
                result.claim = claim;
                return result;
            };
        };
        run_archive_stage(videos, options, arguments_, common_, "plan");
    }

    void encode(const std::vector<WorkItem>& parts, const std::set<std::string>& unclaimed) {
        std::mutex mutex;  // guards records_
        const auto is_recorded = [&](const WorkItem& part) {
            const std::lock_guard lock(mutex);
            records_.update();
            return records_.has(*part.split, part.part, part.sha256);
        };
        ArchiveOptions options = shared_options();
        options.outputs_of = [](const WorkItem& part) {
            return std::vector<std::string>{part.split->output_of(part.part)};
        };
        options.select = [&](const std::vector<WorkItem>& list, Shard) {
            std::vector<WorkItem> selected;
            std::copy_if(list.begin(), list.end(), std::back_inserter(selected),
                         [&](const WorkItem& part) { return unclaimed.contains(part.name); });
            return selected;
        };
        options.workers = work_.workers(unclaimed.size());
        options.make_worker = [&](int worker) -> ProcessInput {
            return [&, process = work_.make_encode_worker(worker)](const WorkItem& item, const auto& outputs,
                                                                   const auto& add_frames, const auto& stop) {
                const PartLocks::Lock claim = locks_->lock_part(*item.split, item.part);
                std::error_code failure;
                // In this order: the parts of a joined video are removed with its plan at once.
                if (!claim || is_recorded(item) || !fs::exists(item.split->folder / item.split->plan_name(), failure)) {
                    return done_elsewhere();
                }
                InputResult result = process(item, outputs, add_frames, stop);
                result.claim = claim;
                return result;
            };
        };
        run_archive_stage(parts, options, arguments_, common_, "encoded part");
    }

    // whole: files that are not divided; joined: videos whose parts are there.
    ArchiveProgress process_files(bool whole, bool joined) {
        const std::vector<WorkItem> videos = joined ? videos_to_join() : std::vector<WorkItem>();
        std::mutex mutex;  // guards results_ and joined_
        ArchiveOptions options = options_;
        options.resume = true;  // another shard may have joined a video
        options.select = [&](const std::vector<WorkItem>& list, Shard shard) {
            std::vector<WorkItem> undivided;
            std::copy_if(list.begin(), list.end(), std::back_inserter(undivided),
                         [&](const WorkItem& item) { return whole && item.split == nullptr; });
            std::vector<WorkItem> selected = select_shard(undivided, shard);
            selected.insert(selected.end(), videos.begin(), videos.end());
            return selected;
        };
        options.make_worker = [&](int worker) -> ProcessInput {
            return [&, process = work_.make_worker(worker)](const WorkItem& item, const auto& outputs,
                                                            const auto& add_frames, const auto& stop) {
                if (!item.split) return process(item, outputs, add_frames, stop);
                const PartLocks::Lock claim = locks_->lock_video(*item.split);
                if (!claim) return done_elsewhere();
                {
                    const std::lock_guard lock(mutex);
                    update_joined();
                    if (const auto found = joined_.find(item.name);
                        found != joined_.end() && found->second == item.sha256) {
                        return done_elsewhere();
                    }
                }
                WorkItem video = item;
                const std::string why_whole = find_parts(video, stop);
                if (!why_whole.empty()) {
                    spdlog::info("{}: {}; processing the whole file again", item.path, why_whole);
                    video.split.reset();
                }
                InputResult result = process(video, outputs, add_frames, stop);
                result.claim = claim;
                return result;
            };
        };
        const std::size_t undivided = whole ? items_per_shard(list_.size() - videos_.size(), options.shard) : 0;
        options.workers = work_.workers(undivided + videos.size());
        const ArchiveProgress totals = run_archive_stage(list_, options, arguments_, common_, "file");
        remove_parts(videos);
        return totals;
    }

    // Returns the videos whose parts are all there, and those that are finished.
    std::vector<WorkItem> videos_to_join() {
        joined_.clear();
        update_joined();
        joined_.clear();  // what follows was joined by others, or is in finished_
        records_.update();
        std::map<std::string, std::string> missing;  // by name
        for (const WorkItem& video : videos_) missing[video.name] = records_.missing(*video.split);
        // After the look at the parts: another shard may have joined a video and then removed them.
        finished_ = finished_inputs(videos_, options_, InterruptGuard::token());
        std::vector<WorkItem> videos;
        for (const WorkItem& video : videos_) {
            if (finished_.contains(video.name)) {
                videos.push_back(video);
            } else if (!missing[video.name].empty()) {
                spdlog::warn("{} waits for {}", video.path, missing[video.name]);
                ++waiting_;
            } else if (is_encoded_elsewhere(video)) {
                spdlog::info("{} is encoded and joined by another shard", video.path);
            } else {
                videos.push_back(video);
            }
        }
        return videos;
    }

    // Adds the videos that this and other shards have joined since the last call.
    void update_joined() {
        results_.read([this](const fs::path&, ManifestEntry&& entry) {
            if (entry.settings != settings_hash_ || entry.version != options_.version) return;
            if (entry.status == InputStatus::failed) return;
            joined_[entry.input] = std::move(entry.sha256);
        });
    }

    [[nodiscard]] bool is_encoded_elsewhere(const WorkItem& video) const {
        const std::string sha256 = encodes() ? hash_of(video) : std::string();
        if (!encodes() || !can_encode(*video.split, sha256)) return false;
        const std::optional<WorkItem> encoded = with_plan(video, sha256);
        return !encoded || !records_.missing_parts(*encoded->split, sha256).empty();
    }

    // Sets item.split to the parts that are joined. Returns why the video must be processed as a whole; normally empty:
    // the frames of damaged data depend on where decoding began. Throws as PartRecords::check.
    std::string find_parts(WorkItem& item, const std::stop_token& stop) const {
        records_.check(*item.split, item.sha256, stop);
        std::string why_whole = records_.incomplete(*item.split, item.sha256);
        if (!why_whole.empty() || !encodes()) return why_whole;
        const std::optional<WorkItem> encoded = with_plan(item, item.sha256);
        if (!encoded) {
            why_whole = records_.plan_failure(*item.split, item.sha256);
            return why_whole.empty() ? "its plan is missing" : why_whole;
        }
        why_whole = records_.incomplete(*encoded->split, item.sha256);
        if (!why_whole.empty()) return why_whole;
        records_.check(*encoded->split, item.sha256, stop);
        item = *encoded;
        return {};
    }

    // Removes the parts of the videos that have a result: nobody joins them any more.
    void remove_parts(const std::vector<WorkItem>& videos) const {
        if (videos.empty() || InterruptGuard::requested()) return;  // a resumed run does it
        const std::set<std::string> finished = finished_inputs(videos, options_, InterruptGuard::token());
        OwnFiles own(parts_folder(options_.output));
        for (const WorkItem& video : videos) {
            if (finished.contains(video.name)) discard_parts(*video.split, options_.shard, own);
        }
    }

    std::map<std::string, int> shards_;  // by name of the part
    std::vector<WorkItem> list_;
    const ArchiveOptions& options_;
    const ArchiveArguments& arguments_;
    const ArchiveWork& work_;
    const CommonOptions& common_;
    const std::string settings_hash_;
    PartRecords records_;
    ManifestReader results_;                     // of the output folder
    std::map<std::string, std::string> joined_;  // SHA-256 of inputs that got a result since videos_to_join, by name
    std::optional<PartLocks> locks_;             // if there are videos_
    std::vector<WorkItem> videos_;               // those that are divided
    std::set<std::string> finished_;             // names of videos that have a result
    std::size_t waiting_ = 0;
};

}  // namespace

int run_segmented(std::vector<WorkItem> list, const ArchiveOptions& options, const ArchiveArguments& arguments,
                  const ArchiveWork& work, const CommonOptions& common) {
    return SegmentedRun(std::move(list), options, arguments, work, common).run();
}

}  // namespace throng
