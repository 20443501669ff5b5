#include "core/video/image_ahead.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace throng {

ImageAhead::~ImageAhead() {
    clear();  // before the threads are joined: none starts another image
    for (std::jthread& thread : threads_) thread.request_stop();
}

void ImageAhead::start(int threads) {
    for (int i = 0; i < threads; ++i) {
        threads_.emplace_back([this](const std::stop_token& stop) { run_thread(stop); });
    }
}

std::size_t ImageAhead::size() const {
    const std::lock_guard lock(mutex_);
    return tasks_.size();
}

void ImageAhead::push(std::string path) {
    auto task = std::make_shared<Task>();
    task->path = std::move(path);
    {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
    }
    changed_.notify_all();
}

void ImageAhead::decode(Task& task, const std::stop_token& stop) {
    const auto start = std::chrono::steady_clock::now();
    std::chrono::duration<double, std::milli> waited{0};
    try {
        const ImageFile file = read_image_file(task.path, sizes_);
        const auto wait_start = std::chrono::steady_clock::now();
        if (!reserve(task, decoded_bytes(file), stop)) return;
        waited = std::chrono::steady_clock::now() - wait_start;
        task.result.image = decode_image(file, stop);  // its frame may outlive the run that `stop` ends
    } catch (...) {
        if (stop.stop_requested()) {  // the next call of pop decodes it
            const std::lock_guard lock(mutex_);
            bytes_ -= std::exchange(task.bytes, 0);
            return;
        }
        task.failure = std::current_exception();
    }
    task.result.ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start - waited).count();
    const std::lock_guard lock(mutex_);
    task.done = true;
    if (task.removed) bytes_ -= task.bytes;
}

std::optional<DecodedImage> ImageAhead::pop(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const std::shared_ptr<Task> task = tasks_.front();
    if (threads_.empty()) {
        lock.unlock();
        decode(*task, stop);
        lock.lock();
    }
    if (!changed_.wait(lock, stop, [&] { return task->done; })) return std::nullopt;
    remove_first();
    lock.unlock();
    changed_.notify_all();
    // Leaves nothing of the exception to the thread that decoded, which may destroy the task last.
    if (std::exception_ptr failure = std::exchange(task->failure, nullptr)) std::rethrow_exception(std::move(failure));
    return std::move(task->result);
}

void ImageAhead::clear() {
    std::deque<std::shared_ptr<Task>> removed;  // destroyed outside the lock
    {
        const std::lock_guard lock(mutex_);
        removed = tasks_;
        while (!tasks_.empty()) remove_first();
    }
    changed_.notify_all();
}

// The memory of a task in progress is returned when it is done.
void ImageAhead::remove_first() {
    Task& task = *tasks_.front();
    task.removed = true;
    if (task.done) bytes_ -= task.bytes;
    tasks_.pop_front();
}

void ImageAhead::run_thread(const std::stop_token& stop) {
    const auto next = [this] {
        return std::find_if(tasks_.begin(), tasks_.end(), [](const auto& task) { return !task->started; });
    };
    for (;;) {
        std::shared_ptr<Task> task;
        {
            std::unique_lock lock(mutex_);
            if (!changed_.wait(lock, stop, [&] { return next() != tasks_.end(); })) return;
            task = *next();
            task->started = true;
        }
        decode(*task, stop);
        changed_.notify_all();
    }
}

// Blocks while the memory is in use, except for the first image of the queue: it must be decoded before others leave.
// Returns false if the image is no longer needed.
bool ImageAhead::reserve(Task& task, std::uint64_t bytes, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const bool ready = changed_.wait(lock, stop, [&] {
        return task.removed || bytes_ + bytes <= max_bytes_ || (!tasks_.empty() && tasks_.front().get() == &task);
    });
    if (!ready || task.removed) return false;
    task.bytes = bytes;
    bytes_ += bytes;
    return true;
}

}  // namespace throng
