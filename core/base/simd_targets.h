// Sets the instruction sets that the SIMD kernels are compiled for. Include before Highway.
#pragma once

#if defined(__x86_64__)
// The kernels need at least SSSE3, which every 64-bit x86 processor since 2011 has. Highway disables its own fallback
// below SSSE3 for older versions of GCC, and a second implementation of the kernels is not worth its cost.
#define HWY_BASELINE_TARGETS HWY_SSSE3
#elif defined(__aarch64__)
// NEON only, which every 64-bit ARM processor has: SVE vectors have no size at compile time and cannot be members of a
// struct.
#define HWY_COMPILE_ONLY_STATIC
#endif
