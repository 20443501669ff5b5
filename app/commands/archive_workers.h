// The workers of an archive run: how many, on which device, with how much memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/options/archive_command.h"
#include "app/options/backend.h"
#include "app/options/command.h"
#include "core/archive/memory_budget.h"
#include "core/detect/detector.h"

namespace throng {

class ArchiveWorkers {
public:
    // Makes the backend and its detector once, so that a run fails before anything is written. Throws as make_backend
    // and make_detector do.
    ArchiveWorkers(const CommonOptions& common, const DetectorParams& detector, const ArchiveArguments& arguments);

    // Returns the number of workers for so many inputs. requested: at most; 0: chosen by the backend.
    [[nodiscard]] int choose(std::size_t inputs, int requested) const;
    // Returns the detector of one of so many workers, which share the cores unless the constructor's had threads.
    [[nodiscard]] DetectorParams detector_of(int workers) const;

    // Returns the options of worker 0, 1, ...: devices take turns.
    [[nodiscard]] CommonOptions common_of(int worker) const;
    // Returns the backend of the first worker, and why it was chosen.
    [[nodiscard]] const BackendChoice& first() const noexcept { return first_; }
    [[nodiscard]] const std::shared_ptr<MemoryBudget>& budget() const noexcept { return budget_; }
    // Returns the share of one worker in the memory.
    [[nodiscard]] std::uint64_t bytes_per_worker(int workers) const noexcept {
        return memory_ / static_cast<std::uint64_t>(workers);
    }

private:
    const CommonOptions& common_;
    DetectorParams detector_;
    std::vector<int> devices_;
    BackendChoice first_;
    std::uint64_t memory_;
    std::shared_ptr<MemoryBudget> budget_;
};

// Estimates the memory for one file in progress: the decoder's frames and the detector's images of all scales.
[[nodiscard]] std::uint64_t memory_of(const WorkItem& item);

}  // namespace throng
