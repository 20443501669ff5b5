// Evaluates a cascade on a row of candidate windows with SIMD over neighboring windows. The instruction set is chosen
// at run time.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cpu/cascade_program.h"

namespace throng {

// A window accepted by all stages.
struct AcceptedWindow {
    std::int32_t row, column;
    float score;
};

// A window that passed the first stages and waits to be packed with others.
struct WaitingWindow {
    std::int32_t at;  // entry of its corner in the block
    std::int32_t row, column;
    float norm;
    double score;  // sum so far
};

// Working memory of one worker. Grows to the widest row and is kept.
struct CascadeScratch {
    std::vector<float> norms;                         // per window of a row
    std::vector<std::uint64_t> fell;                  // bit per window: rejected by stage 0
    std::vector<std::uint64_t> alive;                 // bit per window: passed stage 0
    std::vector<std::vector<WaitingWindow>> waiting;  // per stage
    std::vector<std::uint32_t> pack;
    std::int64_t visited = 0;  // windows evaluated since the counter was last cleared
};

// At least this many entries of a block must be readable after the last window's entry.
inline constexpr int kRowSlack = 64;

// Evaluates a row of windows with their corners at entries first, first + 1, ... of the block. When few windows of a
// group of neighbors are left, they are set aside and continue in packs. Appends accepted windows in no particular
// order.
void evaluate_row(const CascadePrograms& programs, const std::uint32_t* block, std::int32_t first, int row, int columns,
                  CascadeScratch& scratch, std::vector<AcceptedWindow>& accepted);

// Evaluates the windows that still wait. Must be called before the block changes.
void finish_rows(const CascadePrograms& programs, const std::uint32_t* block, CascadeScratch& scratch,
                 std::vector<AcceptedWindow>& accepted);

// Returns the number of windows per vector on this machine, for compile_cascade.
[[nodiscard]] int simd_lanes();

// Returns the instruction set that evaluate_row uses: "AVX3", "AVX2", "NEON", ...
[[nodiscard]] const char* simd_name();

}  // namespace throng
