// TH_HD marks the small functions that CPU loops and CUDA kernels both call.
#pragma once

#ifdef __CUDACC__
#define TH_HD __host__ __device__ __forceinline__
#else
#define TH_HD inline
#endif
