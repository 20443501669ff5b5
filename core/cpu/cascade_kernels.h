// The cascade on a row of candidate windows, SIMD over neighboring windows; the instruction set is chosen at run time.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cpu/cascade_program.h"

namespace throng {

// A window that all stages accepted.
struct AcceptedWindow {
    std::int32_t row, column;
    float score;
};

// A window that has passed the stages before some stage and waits to be packed with others.
struct WaitingWindow {
    std::int32_t at;  // entry of its corner in the block
    std::int32_t row, column;
    float norm;
    double score;  // so far
};

// Working memory of one worker; grows to the widest row and stays.
struct CascadeScratch {
    std::vector<float> norms;                         // of a row, one a window
    std::vector<std::uint64_t> fell;                  // a bit a window: in stage 0
    std::vector<std::uint64_t> alive;                 // a bit a window: passed stage 0
    std::vector<std::vector<WaitingWindow>> waiting;  // by stage
    std::vector<std::uint32_t> pack;
    std::int64_t visited = 0;  // windows looked at since the counter was last cleared
};

// At least this many entries of a block may be read after the last window's.
inline constexpr int kRowSlack = 64;

// Evaluates a row of windows with their corners at entries first, first + 1, ... of the block. Where few windows of a
// group of neighbors are left they are put aside and go on in packs. Appends accepted windows, in no order.
void evaluate_row(const CascadePrograms& programs, const std::uint32_t* block, std::int32_t first, int row, int columns,
                  CascadeScratch& scratch, std::vector<AcceptedWindow>& accepted);

// Evaluates what is still waiting. To be called before the block changes.
void finish_rows(const CascadePrograms& programs, const std::uint32_t* block, CascadeScratch& scratch,
                 std::vector<AcceptedWindow>& accepted);

// Windows side by side on this machine, for compile_cascade.
[[nodiscard]] int simd_lanes();

// "AVX3", "AVX2", "NEON"...: what evaluate_row runs on.
[[nodiscard]] const char* simd_name();

}  // namespace throng
