// The cascade on a row of candidate windows, SIMD over neighbouring windows; the instruction set is chosen at run time.
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

// Working memory of one worker; grows to the widest row and stays.
struct CascadeScratch {
    std::vector<float> norms;          // of a row, one a window
    std::vector<double> margins;       // of stage 0
    std::vector<std::uint64_t> fell;   // a bit a window: in stage 0
    std::vector<std::uint64_t> alive;  // a bit a window: passed stage 0, then visited too
    std::int64_t visited = 0;          // windows looked at since the counter was last cleared
};

// Windows have their corners at sums[0], sums[1], ... of the program's layout; at least kRowSlack entries follow the
// last window's in every row. Appends the accepted ones, from left to right.
inline constexpr int kRowSlack = 64;
void evaluate_row(const CascadeProgram& program, const std::uint32_t* sums, int row, int columns,
                  CascadeScratch& scratch, std::vector<AcceptedWindow>& accepted);

// "AVX3", "AVX2", "NEON"...: what evaluate_row runs on.
[[nodiscard]] const char* simd_name();

}  // namespace throng
