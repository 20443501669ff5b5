// Any texts in the files of a board are read: what identifies it, its clocks and its sensors. One file per line:
// PATH=TEXT, or PATH>PATH for a link; a text ends with its line, and \ in it is a NUL.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "core/clocks/board.h"
#include "core/clocks/board_clock.h"
#include "core/clocks/cpu_clock.h"
#include "core/clocks/memory_clock.h"
#include "core/clocks/tegra124_clock.h"
#include "core/clocks/telemetry.h"
#include "tests/fuzz/input.h"
#include "tests/support/fake_board.h"

namespace {

using namespace throng;

std::shared_ptr<test::FakeFiles> files_of(std::string_view text) {
    auto files = std::make_shared<test::FakeFiles>();
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const std::size_t end = line.find_first_of("=>");
        if (end == std::string_view::npos) continue;
        std::string value(line.substr(end + 1));
        std::replace(value.begin(), value.end(), '\\', '\0');
        if (line[end] == '=') {
            files->set(std::string(line.substr(0, end)), value);
        } else {
            files->link(std::string(line.substr(0, end)), value);
        }
    }
    return files;
}

void use_clock(BoardClock& clock) {
    static_cast<void>(clock.location());
    static_cast<void>(clock.read());
    const SavedClock saved = clock.save();
    const std::vector<Hertz> steps = clock.steps();
    fuzz::require(std::is_sorted(steps.begin(), steps.end()));
    if (!steps.empty()) static_cast<void>(clock.set_range(steps.front(), steps.front()));
    static_cast<void>(clock.set_automatic());
    static_cast<void>(clock.restore(saved));
}

}  // namespace

TH_FUZZ(board) {
    const std::shared_ptr<test::FakeFiles> files = files_of(fuzz::text_of(data, size));
    const Board board = identify_board(*files);
    fuzz::require(board.soc.empty() || board.soc.starts_with("tegra"));
    TelemetryReader telemetry(files, nullptr);
    for (int i = 0; i < 2; ++i) {
        const TelemetrySample sample = telemetry.read();
        fuzz::require(!sample.gpu_load || (*sample.gpu_load >= 0 && *sample.gpu_load <= 1));
        fuzz::require(!sample.cpu_load || (*sample.cpu_load >= 0 && *sample.cpu_load <= 1));
    }
    use_clock(*find_gpu_clock(files, nullptr));
    use_clock(*find_memory_clock(files));
    CpuClock cpu(files);
    static_cast<void>(cpu.read());
    const SavedClock saved = cpu.save();
    if (const std::vector<Hertz> steps = cpu.steps(); !steps.empty()) {
        static_cast<void>(cpu.set_range(steps.front(), steps.back()));
    }
    static_cast<void>(cpu.restore(saved));
    static_cast<void>(tegra124_cpu_cluster(*files));
    return 0;
}
