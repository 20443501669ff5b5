// Replaces operator new, so that a test can let one allocation fail. For one file of a test program.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace throng::test {

inline std::atomic<std::int64_t> allocations_until_failure{-1};  // negative: none fails

// While it lives, the allocation with this number, counted over all threads from 0, throws std::bad_alloc.
class FailingNew {
public:
    explicit FailingNew(std::int64_t number) { allocations_until_failure = number; }
    ~FailingNew() { allocations_until_failure = -1; }
    FailingNew(const FailingNew&) = delete;
    FailingNew& operator=(const FailingNew&) = delete;

    [[nodiscard]] static bool failed() { return allocations_until_failure < 0; }
};

// Calls repeat(number) with growing numbers for FailingNew, all small ones and some of the others, until it returns false.
template <class Repeat>
void for_every_failing_allocation(const Repeat& repeat) {
    for (std::int64_t number = 0; repeat(number); number += 1 + number / 20) {
    }
}

inline void* allocate_or_fail(std::size_t bytes, std::size_t alignment) {
    if (allocations_until_failure >= 0 && allocations_until_failure-- == 0) throw std::bad_alloc();
    void* memory = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace throng::test

// All forms: a sanitizer has its own ones in place of those of the standard library, which call the others.
void* operator new(std::size_t bytes) {
    return throng::test::allocate_or_fail(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return throng::test::allocate_or_fail(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    try {
        return operator new(bytes);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void* operator new[](std::size_t bytes) {
    return operator new(bytes);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return operator new(bytes, alignment);
}
void* operator new[](std::size_t bytes, const std::nothrow_t& nothrow) noexcept {
    return operator new(bytes, nothrow);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
    std::free(memory);
}
