#include "core/cpu/cpu_recorder.h"

#include <algorithm>

#include "core/detect/stage_times.h"

namespace throng {

void CpuRecorder::begin(std::string_view name) {
    open_.emplace_back(name, Clock::now());
}

void CpuRecorder::end(std::string_view name) {
    const auto now = Clock::now();
    const auto entry = std::find_if(open_.rbegin(), open_.rend(), [name](const auto& e) { return e.first == name; });
    if (entry == open_.rend()) return;
    add(name, std::chrono::duration<double, std::milli>(now - entry->second).count());
    open_.erase(std::next(entry).base());
}

void CpuRecorder::add(std::string_view name, double ms) {
    add_time(current_, name, ms);
}

const StageTimes& CpuRecorder::end_frame() {
    open_.clear();
    finished_.swap(current_);
    current_.clear();
    return finished_;
}

}  // namespace throng
