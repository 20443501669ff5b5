// Include before Highway: on x86 the kernels need SSSE3 at least, which every 64-bit processor since 2011 has.
// Highway's own fallback below it is switched off for older versions of GCC, and a second way of writing the kernels is
// not worth having.
#pragma once

#if defined(__x86_64__)
#define HWY_BASELINE_TARGETS HWY_SSSE3
#endif
