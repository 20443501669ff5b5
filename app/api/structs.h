// Structs that begin with their size: callers and libraries with headers of different versions understand each other.
// The rules are in throng_types.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "app/api/handle.h"
#include "core/base/error.h"

namespace throng::api {

// No struct will be larger: a greater size is that of a struct that nobody initialized.
inline constexpr std::size_t kMaxStructSize = 4096;

// Writes the defaults into the `size` bytes that the caller has. Bytes that this library does not know become 0.
template <class Struct>
void init_struct(Struct* to, std::size_t size, const Struct& defaults) noexcept {
    static_assert(std::is_trivially_copyable_v<Struct> && offsetof(Struct, size) == 0);
    if (to == nullptr || size < sizeof to->size) return;
    void* const bytes = to;
    std::memset(bytes, 0, size);
    std::memcpy(bytes, &defaults, std::min(size, sizeof defaults));
    const auto stored = static_cast<std::uint32_t>(size);
    std::memcpy(bytes, &stored, sizeof stored);
}

// Copies a caller's struct. Fields that an older header lacks keep the values of `defaults`. Throws Error(usage) for
// null, for a size that no header has, and for a value in a byte that this library does not know. name: of the argument.
template <class Struct>
[[nodiscard]] Struct read_struct(const Struct* given, Struct defaults, const std::string& name) {
    require(given != nullptr, name, "is NULL");
    const std::size_t size = given->size;
    if (size < sizeof(std::uint64_t) || size % alignof(Struct) != 0 || size > kMaxStructSize) {
        throw Error(ErrorKind::usage, {"is %1, as in no header", size}, name + ".size",
                    "start from the _default() function of the struct");
    }
    const auto* bytes = reinterpret_cast<const unsigned char*>(given);
    for (std::size_t k = sizeof(Struct); k < size; ++k) {
        if (bytes[k] == 0) continue;
        throw Error(ErrorKind::usage, {"has a value in byte %1, which this library does not know", k}, name,
                    "install the library of the header, or leave its new fields at their defaults");
    }
    std::memcpy(static_cast<void*>(&defaults), given, std::min(size, sizeof defaults));
    return defaults;
}

}  // namespace throng::api
