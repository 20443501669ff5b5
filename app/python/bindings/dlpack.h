// The part of DLPack's binary interface (version 0.x, capsule "dltensor") that this module reads:
// https://dmlc.github.io/dlpack/latest/c_api.html. Written here because Debian's header has no bool type.
#pragma once

#include <cstdint>

namespace throng::python {

constexpr std::int32_t kDlCpu = 1;
constexpr std::int32_t kDlCuda = 2;
constexpr std::int32_t kDlCudaHost = 3;
constexpr std::int32_t kDlCudaManaged = 13;
constexpr std::uint8_t kDlBool = 6;  // 0, 1, 2: signed, unsigned, float

struct DlDevice {
    std::int32_t type;
    std::int32_t id;
};

struct DlDataType {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
};

struct DlTensor {
    void* data;
    DlDevice device;
    std::int32_t ndim;
    DlDataType dtype;
    std::int64_t* shape;
    std::int64_t* strides;  // in elements; null: contiguous
    std::uint64_t byte_offset;
};

struct DlManagedTensor {
    DlTensor tensor;
    void* manager_context;
    void (*deleter)(DlManagedTensor*);
};

}  // namespace throng::python
