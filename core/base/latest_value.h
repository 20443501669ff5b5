// The newest value that one thread passes to another.
#pragma once

#include "core/base/bounded_queue.h"

namespace throng {

// Holds at most one value. The functions are those of BoundedQueue; only push differs. Thread-safe.
template <typename T>
class LatestValue : private BoundedQueue<T> {
public:
    LatestValue() : BoundedQueue<T>(1) {}

    // Never blocks: replaces a value that was not popped and counts it in dropped().
    void push(T value) { BoundedQueue<T>::replace(std::move(value)); }

    using BoundedQueue<T>::clear;
    using BoundedQueue<T>::close;
    using BoundedQueue<T>::dropped;
    using BoundedQueue<T>::empty;
    using BoundedQueue<T>::pop;
    using BoundedQueue<T>::try_pop;
};

}  // namespace throng
