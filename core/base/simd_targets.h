// Include before Highway: the instruction sets that the kernels are compiled for.
#pragma once

#if defined(__x86_64__)
// The kernels need SSSE3 at least, which every 64-bit processor since 2011 has. Highway's own fallback below it is
// switched off for older versions of GCC, and a second way of writing the kernels is not worth having.
#define HWY_BASELINE_TARGETS HWY_SSSE3
#elif defined(__aarch64__)
// NEON alone, which every one has: SVE's vectors have no size at compile time, and could be in no struct.
#define HWY_COMPILE_ONLY_STATIC
#endif
