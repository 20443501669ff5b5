// The part of DLPack's binary interface that this module reads: the capsule "dltensor" of version 0.x, and the table of
// functions of version 1. https://dmlc.github.io/dlpack/latest/c_api.html. Written here because Debian's header has
// neither bool nor the table.
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

// Attribute of a type of arrays: a capsule "dlpack_exchange_api" with these functions of its library (torch 2.10). They
// return 0, or -1 with a Python exception.
struct DlExchange {
    struct {
        std::uint32_t major, minor;
    } version;
    const DlExchange* previous;
    void* new_managed;
    void* managed_from_object;
    void* object_from_managed;
    // The tensor is valid until control returns to Python. May be null.
    int (*tensor_from_object)(void* object, DlTensor* tensor);
    int (*current_stream)(std::int32_t device_type, std::int32_t device, void** stream);
};

}  // namespace throng::python
