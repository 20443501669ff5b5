// Decodes images on several threads, ahead of the thread that reads them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/video/image_file.h"

namespace throng {

struct DecodedImage {
    LoadedImage image;
    double ms = 0;  // time of reading and decoding
};

// A first-in, first-out queue of image files that become images. push, pop, clear and start must be called from one
// thread. The destructor waits for the images being decoded.
class ImageAhead {
public:
    // max_bytes: images that are decoded or being decoded take at most about this much memory until they are popped.
    // The first one may exceed it.
    explicit ImageAhead(ImageSizes sizes = ImageSizes::whole, std::uint64_t max_bytes = std::uint64_t{1} << 30)
        : sizes_(sizes), max_bytes_(max_bytes) {}
    ~ImageAhead();
    ImageAhead(const ImageAhead&) = delete;
    ImageAhead& operator=(const ImageAhead&) = delete;

    // Starts the threads. Without them, pop decodes.
    void start(int threads);

    // The number of images to keep in the queue, so that no thread waits for the reader; at least 1.
    [[nodiscard]] std::size_t depth() const noexcept { return 1 + 2 * threads_.size(); }
    [[nodiscard]] std::size_t size() const;

    void push(std::string path);

    // Blocks until the first image is decoded and removes it. Throws the Error of load_image, and removes the image
    // then as well. Returns none, and removes nothing, after a stop request. The queue must not be empty.
    [[nodiscard]] std::optional<DecodedImage> pop(const std::stop_token& stop);

    // Removes all images. Does not wait for those being decoded.
    void clear();

private:
    struct Task {
        std::string path;
        bool started = false;
        bool done = false;
        bool removed = false;
        std::uint64_t bytes = 0;  // counted in bytes_
        DecodedImage result;
        std::exception_ptr failure;
    };

    void run_thread(const std::stop_token& stop);
    void decode(Task& task, const std::stop_token& stop);
    [[nodiscard]] bool reserve(Task& task, std::uint64_t bytes, const std::stop_token& stop);
    void remove_first();

    const ImageSizes sizes_;
    const std::uint64_t max_bytes_;
    mutable std::mutex mutex_;  // guards the members below, except result and failure of a task that is not done
    std::condition_variable_any changed_;
    std::deque<std::shared_ptr<Task>> tasks_;
    std::uint64_t bytes_ = 0;
    std::vector<std::jthread> threads_;  // last member: joined before what the threads use is destroyed
};

}  // namespace throng
