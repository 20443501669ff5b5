#include "core/archive/work_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/sha256.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

// Other processes record what they have done without telling anybody.
constexpr auto kBetweenLooks = std::chrono::milliseconds(300);

// The largest first.
std::deque<WorkItem> ordered(const std::vector<WorkItem>& items) {
    std::deque<WorkItem> order(items.begin(), items.end());
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.size > b.size; });
    return order;
}

std::string claim_name(const WorkItem& item) {
    return item.part > 0 ? item.name : item.split->subfolder();
}

}  // namespace

WorkQueue::WorkQueue(const ArchiveOptions& options, const std::vector<WorkItem>& list)
    : options_(options),
      settings_hash_(sha256_of_text(options.settings)),
      folder_(parts_folder(options.output)),
      result_reader_(options.output) {
    std::vector<WorkItem> undivided;
    for (const WorkItem& item : list) {
        if (!item.split) {
            undivided.push_back(item);
            continue;
        }
        videos_.push_back(item);
        states_[item.name].item = item;
        std::vector<WorkItem> parts = parts_of(item);
        std::move(parts.begin(), parts.end(), std::back_inserter(all_parts_));
    }
    files_ = select_shard(undivided, options.shard);
    parts_ = select_shard(all_parts_, options.shard);
    for (const WorkItem& part : parts_) ++states_[part.split->name].own_parts;
    ready_[Stage::file] = ordered(files_);
    ready_[Stage::part] = ordered(parts_);
    const auto limit = [this](Stage stage, const StageWork& work, std::size_t items) {
        limits_[stage] = items > 0 ? std::max(1, work.workers(items)) : 0;
    };
    limit(Stage::part, options.parts, parts_.size());
    limit(Stage::file, options.files, files_.size() + videos_.size());
    limit(Stage::encoded_part, options.encoded_parts, encodes() ? all_parts_.size() : 0);
    if (videos_.empty()) return;
    shards_ = shards_of(all_parts_, options.shard.count);
    claims_.emplace(folder_);
    records_.emplace(options.output, settings_hash_, options.version);
    update_results(false);
}

std::optional<Task> WorkQueue::next(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        if (std::optional<Task> task = take()) return task;
        const auto none_ready = [this](Stage stage) { return ready_[stage].empty(); };
        if (videos_.empty() && none_ready(Stage::file)) return std::nullopt;
        if (none_ready(Stage::part) && none_ready(Stage::file) && none_ready(Stage::encoded_part)) {
            const auto now = std::chrono::steady_clock::now();
            if (!looked_ || now - *looked_ >= kBetweenLooks) {
                looked_ = now;
                look_for_work();
                continue;
            }
            if (held_ == 0 && !waits_) return std::nullopt;
        }
        changed_.wait_for(lock, stop, kBetweenLooks, [this] { return !looked_; });
    }
    return std::nullopt;
}

// Returns nothing if nothing is ready, or as much is in progress as may be.
std::optional<Task> WorkQueue::take() {
    for (const Stage stage : {Stage::part, Stage::file, Stage::encoded_part}) {
        std::deque<WorkItem>& ready = ready_[stage];
        while (!ready.empty() && running_[stage] < limits_[stage]) {
            WorkItem item = std::move(ready.front());
            ready.pop_front();
            WorkClaims::Claim claim;
            if (item.split && (stage != Stage::part)) {
                claim = claims_->claim(claim_name(item));
                if (!claim || !is_wanted(item)) continue;
            }
            ++running_[stage];
            ++held_;
            Video* const video = stage == Stage::part ? &states_.at(item.split->name) : nullptr;
            Task task{stage, std::move(item), {}, {}};
            const auto change = [this, video](auto& count, int parts) {
                const std::lock_guard guard(mutex_);
                --count;
                if (video != nullptr) video->own_parts -= parts;
                looked_.reset();
                changed_.notify_all();
            };
            task.running = {this, [change, this, stage](void*) { change(running_[stage], 0); }};
            task.held = {this, [change, this, claim = std::move(claim)](void*) mutable {
                             claim.reset();
                             change(held_, 1);
                         }};
            return task;
        }
    }
    return std::nullopt;
}

// Returns false if another process has done the work since it was found.
bool WorkQueue::is_wanted(const WorkItem& item) {
    records_->update();
    update_results(true);
    const auto result = results_.find(item.split->name);
    if (result != results_.end() && result->second.is_new) return false;  // its parts are removed, or will be
    return item.part == 0 || !records_->has(*item.split, item.part, item.sha256);
}

// Reads the results of videos that were recorded since the last call.
void WorkQueue::update_results(bool is_new) {
    result_reader_.read([&](const fs::path&, ManifestEntry&& entry) {
        if (entry.settings != settings_hash_ || entry.version != options_.version) return;
        if (entry.status == InputStatus::failed || !states_.contains(entry.input)) return;
        results_[entry.input] = {std::move(entry.sha256), entry.size, is_new};
    });
}

void WorkQueue::look_for_work() {
    waits_ = false;
    if (videos_.empty()) return;
    // In this order: the parts of a video are removed after its result is recorded.
    records_->update();
    update_results(true);
    for (auto& [name, video] : states_) {
        if (!video.over && video.own_parts == 0) look_at(video);
    }
}

void WorkQueue::look_at(Video& video) {
    const SplitVideo& split = *video.item.split;
    const auto join = [&] {
        video.over = true;
        ready_[Stage::file].push_back(video.item);
    };
    const auto result = results_.find(split.name);
    if (result != results_.end() && result->second.is_new) {
        video.over = true;
        return;
    }
    if (video.finished) {  // one shard counts it
        owns(split, 1) ? join() : static_cast<void>(video.over = true);
        return;
    }
    if (const std::vector<int> missing = records_->missing_parts(split); !missing.empty()) {
        const bool is_done = result != results_.end() && result->second.size == video.item.size;
        waits_ = waits_ || (encodes() && !is_done && will_come(split, missing));
        return;
    }
    const std::string content = encodes() ? records_->content_of(split) : std::string();
    if (content.empty() || !records_->incomplete(split, content).empty()) return join();
    WorkItem item = video.item;
    item.split = records_->encoded(split, content);
    item.sha256 = content;
    const std::vector<int> missing = records_->missing_parts(*item.split, content);
    if (missing.empty() || !records_->incomplete(*item.split, content).empty()) return join();
    const std::vector<WorkItem> parts = parts_of(item);
    for (const int part : missing) {
        const WorkItem& of_part = parts[static_cast<std::size_t>(part - 1)];
        if (claims_->claim(of_part.name)) {
            ready_[Stage::encoded_part].push_back(of_part);
        } else {
            waits_ = true;
        }
    }
}

bool WorkQueue::owns(const SplitVideo& video, int part) const {
    return shards_.at(video.name_of(part)) == options_.shard.index;
}

// Returns true if all these parts are in the hands of shards that are at work.
bool WorkQueue::will_come(const SplitVideo& video, const std::vector<int>& parts) const {
    return std::all_of(parts.begin(), parts.end(), [&](int part) {
        return !owns(video, part) && is_at_work(folder_, {shards_.at(video.name_of(part)), options_.shard.count});
    });
}

void WorkQueue::set_finished(const std::string& name) {
    const std::lock_guard lock(mutex_);
    states_.at(name).finished = true;
}

std::string WorkQueue::prepare_join(WorkItem& item, const std::stop_token& stop) {
    std::vector<OutputRecord> files;
    std::string why_whole;
    std::shared_ptr<const SplitVideo> split = item.split;
    {
        const std::lock_guard lock(mutex_);
        files = records_->results(*split, item.sha256);
        why_whole = records_->incomplete(*split, item.sha256);
        if (why_whole.empty() && encodes()) {
            split = records_->encoded(*split, item.sha256);
            why_whole = records_->incomplete(*split, item.sha256);
            if (why_whole.empty()) {
                const std::vector<OutputRecord> encoded = records_->results(*split, item.sha256);
                files.insert(files.end(), encoded.begin(), encoded.end());
            }
        }
    }
    std::string damaged;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const auto parts = static_cast<std::size_t>(split->parts);
        // Parts that were encoded by damaged detections are made again, too.
        const bool was_used = i >= parts && !damaged.empty();
        if (!was_used && is_as_recorded(folder_ / files[i].name, files[i], nullptr, stop)) continue;
        const SplitVideo& of_file = i < parts ? *item.split : *split;
        if (damaged.empty()) damaged = of_file.text_of(static_cast<int>(i % parts) + 1) + " has a damaged result";
        std::error_code ignored;
        fs::remove(folder_ / files[i].name, ignored);  // so that it is made again
    }
    if (!damaged.empty()) {
        throw Error(ErrorKind::input, damaged, split->name, {"process it again with %1", Setting{"resume"}});
    }
    if (why_whole.empty()) item.split = std::move(split);
    return why_whole;
}

void WorkQueue::finish(bool interrupted) {
    if (videos_.empty() || interrupted) return;  // a resumed run does it
    const std::lock_guard lock(mutex_);
    records_->update();
    update_results(true);
    OwnFiles own(folder_);
    std::size_t waiting = 0;
    for (const auto& [name, video] : states_) {
        const SplitVideo& split = *video.item.split;
        const auto result = results_.find(name);
        const bool is_done =
            result != results_.end() && (result->second.is_new || result->second.size == video.item.size);
        if (video.finished || (is_done && result->second.is_new)) {
            discard_parts(split, options_.shard, own);
        } else if (const std::string missing = records_->missing(split); !missing.empty() && !is_done) {
            logger().warn("{} waits for {}", video.item.path, missing);
            ++waiting;
        }
    }
    if (waiting == 0) return;
    logger().warn("{} waiting for segments; the last shard joins them. If one died, run all shards once more with {}",
                  waiting == 1 ? "1 video is" : fmt::format("{} videos are", waiting),
                  Message(Setting{"resume"}).text());
}

void divide_list(std::vector<WorkItem>& list, const ArchiveOptions& options, const std::stop_token& stop) {
    const fs::path folder = parts_folder(options.output);
    SharedDivisions shared(folder, options.shard, options.segment, options.version);
    const auto count = static_cast<std::size_t>(options.shard.count);
    const std::size_t first = (list.size() + count - 1) / count * static_cast<std::size_t>(options.shard.index - 1);
    std::size_t videos = 0;
    std::size_t parts = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        WorkItem& item = list[(first + i) % list.size()];
        if (!item.problem.empty()) continue;
        std::optional<Division> division = shared.find(item);
        if (!division) {
            division = options.divide(item, stop);
            shared.add(item, *division);
        }
        if (division->parts < 2) {
            logger().log(division->expected ? spdlog::level::debug : spdlog::level::info, "{} is not divided: {}",
                         item.path, division->why_whole);
            continue;
        }
        item.split = std::make_shared<SplitVideo>(SplitVideo{item.name, options.segment, division->parts, folder});
        ++videos;
        parts += static_cast<std::size_t>(division->parts);
    }
    logger().info("{} of {} files divided into {} segments", videos, list.size(), parts);
}

}  // namespace throng
