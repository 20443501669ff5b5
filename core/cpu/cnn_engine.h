// Runs a CnnProgram on inputs of one size: threads share the rows of one stored tensor after the other.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "core/cpu/cnn_input.h"
#include "core/cpu/cnn_program.h"
#include "core/cpu/thread_pool.h"

namespace throng {

// Not thread-safe. Results do not depend on the number of threads.
class CnnEngine {
public:
    // program must outlive the engine. Throws Error(input) for a size that the network does not accept and
    // Error(unavailable) when memory is insufficient.
    CnnEngine(const CnnProgram& program, std::int32_t width, std::int32_t height);

    // Returns the three planes of width x height floats, to be filled before every run().
    [[nodiscard]] CnnPlanes input();
    [[nodiscard]] std::int32_t width() const noexcept { return width_; }
    [[nodiscard]] std::int32_t height() const noexcept { return height_; }

    void run(ThreadPool& pool);

    // A map of the head after run(); valid until the next run.
    struct HeadMap {
        MapSize size;
        const float* data = nullptr;
        std::ptrdiff_t row = 0, group = 0;
        std::int32_t first_channel = 0;

        [[nodiscard]] float operator()(std::int32_t channel, std::int32_t x, std::int32_t y) const {
            const std::int32_t c = first_channel + channel;
            return data[y * row + c / kCnnGroup * group + std::ptrdiff_t{x} * kCnnGroup + c % kCnnGroup];
        }
    };
    // tensor: of the network that the program was made from.
    [[nodiscard]] HeadMap map(std::int32_t tensor) const;

private:
    // A row is [group][column][channel of the group], with border columns of zeros on both sides.
    struct Map {
        MapSize size;
        std::ptrdiff_t start = 0;  // floats from the beginning of memory_ or, if local, of the worker's memory
        std::ptrdiff_t row = 0, group = 0;
        std::int32_t groups = 0, border = 0, channels = 0;
        std::int32_t unit = kCnnGroup;  // floats per pixel of a group
        std::int32_t rows = 0;          // row y lies at y % rows
    };
    struct Worker {
        std::vector<CnnGroup> memory;    // of the local tensors
        std::vector<std::int32_t> next;  // per local tensor: the first row that was not computed yet
    };

    struct Pass {
        std::int32_t tensor = -1;  // stored
        std::int32_t strips = 0;   // of its rows
    };

    void lay_out_maps();
    void make_strips(int workers);
    void run_passes(Worker& worker) noexcept;
    [[nodiscard]] std::ptrdiff_t start_column(const Map& map, std::int32_t column) const;
    [[nodiscard]] float* row_of(std::int32_t tensor, std::int32_t y, Worker& worker);
    // Computes the rows [first, end) of a local tensor unless they are there. first must not decrease within a strip.
    void need(std::int32_t tensor, std::int32_t first, std::int32_t end, Worker& worker);
    void compute_row(std::int32_t layer, std::int32_t y, Worker& worker);
    void compute_window(std::int32_t layer, std::int32_t y, const CnnRowOut& out, Worker& worker);
    void concatenate(std::int32_t layer, std::int32_t y, const CnnRowOut& out, Worker& worker);

    const CnnProgram& program_;
    std::int32_t width_, height_;
    std::vector<Map> maps_;                             // per tensor
    std::vector<std::vector<std::ptrdiff_t>> offsets_;  // per layer: CnnConvolution::offsets
    std::vector<CnnGroup> memory_;                      // of the stored tensors
    std::vector<CnnGroup> zeros_;                       // a row outside a map
    std::size_t worker_groups_ = 0;                     // size of Worker::memory
    std::vector<Worker> workers_;
    std::vector<Pass> passes_;
    std::atomic<std::int32_t> next_strip_ = 0;  // strips are numbered over all passes
    std::atomic<std::int32_t> strips_done_ = 0;
};

}  // namespace throng
