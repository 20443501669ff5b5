#include "core/cpu/cnn_engine.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/model/map_layout.h"

namespace throng {
namespace {

// Larger inputs indicate an error or an attack: tiles of the plan need a tenth of this.
constexpr std::size_t kMaxMemory = std::size_t{16} << 30;
constexpr int kMaxRows = 16;  // of a kernel; check_network limits it to 15
constexpr int kStripsPerWorker = 2;
constexpr std::int64_t kMinStrip = 256;  // pixels times groups of the output of a strip
constexpr int kSpins = 500;              // each takes about 40 to 140 cycles

}  // namespace

CnnEngine::CnnEngine(const CnnProgram& program, std::int32_t width, std::int32_t height)
    : program_(program), width_(width), height_(height), maps_(program.tensors.size()) {
    const Network& network = program.network;
    const std::vector<MapSize> sizes = resolve_sizes(network, width, height);
    for (std::size_t t = 0; t < maps_.size(); ++t) {
        Map& map = maps_[t];
        map.size = sizes[t];
        map.border = program.tensors[t].border;
        map.channels = network.tensors[t].channels;
        const bool planar = static_cast<std::int32_t>(t) == network.input.tensor;
        map.unit = planar ? 1 : kCnnGroup;
        map.groups = planar ? map.channels : (map.channels + kCnnGroup - 1) / kCnnGroup;
        map.group = std::ptrdiff_t{map.size.width + 2 * map.border} * map.unit;
        map.row = (map.group * map.groups + kCnnGroup - 1) / kCnnGroup * kCnnGroup;
        map.rows = program.tensors[t].local ? program.tensors[t].window : map.size.height;
    }
    lay_out_maps();
    offsets_.resize(network.layers.size());
    for (std::size_t l = 0; l < offsets_.size(); ++l) {
        const NetworkLayer& layer = network.layers[l];
        if (layer.kind != LayerKind::convolution || program.layers[l].depthwise) continue;
        const Map& in = maps_[as_size(layer.inputs.front())];
        for (int column = 0; column < layer.kernel; ++column) {
            for (int c = 0; c < in.channels; ++c) {
                offsets_[l].push_back(c / in.unit * in.group + c % in.unit +
                                      start_column(in, column * layer.dilation - layer.padding));
            }
        }
    }
}

void CnnEngine::lay_out_maps() {
    std::vector<MapLife> stored(maps_.size());
    std::vector<MapLife> local(maps_.size());
    std::size_t longest = 0;
    for (std::size_t t = 0; t < maps_.size(); ++t) {
        const CnnProgram::Tensor& tensor = program_.tensors[t];
        const std::size_t row = static_cast<std::size_t>(maps_[t].row) * sizeof(float);
        longest = std::max(longest, row);
        const std::int32_t first = tensor.writer < 0 ? -1 : program_.layers[as_size(tensor.writer)].pass;
        if (tensor.writer < 0 && static_cast<std::int32_t>(t) != program_.network.input.tensor) continue;  // merged
        (tensor.local ? local : stored)[t] = {row * as_size(maps_[t].rows), first, std::max(first, tensor.last_pass)};
    }
    const MapLayout stored_layout = lay_out(stored);
    const MapLayout local_layout = lay_out(local);
    for (std::size_t t = 0; t < maps_.size(); ++t) {
        const MapLayout& layout = program_.tensors[t].local ? local_layout : stored_layout;
        maps_[t].start = static_cast<std::ptrdiff_t>(layout.offsets[t] / sizeof(float));
    }
    const auto fail = [&] {
        throw Error(ErrorKind::unavailable, "the network needs too much memory for this input size",
                    std::to_string(width_) + "x" + std::to_string(height_), {"raise %1", Setting{"min_size"}});
    };
    if (stored_layout.bytes > kMaxMemory) fail();
    try {
        memory_.resize((stored_layout.bytes + sizeof(CnnGroup) - 1) / sizeof(CnnGroup));
        zeros_.resize(longest / sizeof(CnnGroup));
    } catch (const std::bad_alloc&) {
        fail();
    }
    worker_groups_ = (local_layout.bytes + sizeof(CnnGroup) - 1) / sizeof(CnnGroup);
}

std::ptrdiff_t CnnEngine::start_column(const Map& map, std::int32_t column) const {
    return std::ptrdiff_t{map.border + column} * map.unit;
}

CnnPlanes CnnEngine::input() {
    const Map& map = maps_[as_size(program_.network.input.tensor)];
    float* memory = memory_.front().channel + map.start;
    for (std::int32_t i = 0; i < map.size.height * map.groups; ++i) {
        // Other tensors share the memory.
        float* row = memory + i / map.groups * map.row + i % map.groups * map.group;
        std::fill_n(row, map.border, 0.0F);
        std::fill_n(row + map.border + map.size.width, map.border, 0.0F);
    }
    return {memory + map.border, map.row, map.group};
}

CnnEngine::HeadMap CnnEngine::map(std::int32_t tensor) const {
    const CnnHeadMap& head = program_.head_maps[as_size(tensor)];
    const Map& map = maps_[as_size(head.tensor)];
    return {map.size, memory_.front().channel + map.start + start_column(map, 0), map.row, map.group,
            head.first_channel};
}

float* CnnEngine::row_of(std::int32_t tensor, std::int32_t y, Worker& worker) {
    const Map& map = maps_[as_size(tensor)];
    float* memory = program_.tensors[as_size(tensor)].local ? worker.memory.front().channel : memory_.front().channel;
    return memory + map.start + y % map.rows * map.row;
}

void CnnEngine::run(ThreadPool& pool) {
    if (workers_.size() != as_size(pool.size())) {
        // Kept only once all of it is there: after a failure, the next call starts again.
        std::vector<Worker> workers(as_size(pool.size()));
        for (Worker& worker : workers) {
            worker.memory.resize(worker_groups_);
            worker.next.resize(maps_.size());
        }
        make_strips(pool.size());
        workers_ = std::move(workers);
    }
    next_strip_ = 0;
    strips_done_ = 0;
    pool.run(pool.size(), [&](int, int worker) { run_passes(workers_[as_size(worker)]); });
}

// Strips of all passes are numbered in one sequence. A worker takes the next one, and waits until the strips of earlier
// passes are done. It spins, because most passes are shorter than waking a thread takes.
void CnnEngine::run_passes(Worker& worker) noexcept {
    std::int32_t strip = next_strip_++;
    std::int32_t first = 0;  // strip of the pass
    for (const Pass& pass : passes_) {
        for (; strip < first + pass.strips; strip = next_strip_++) {
            for (int spins = 0; strips_done_.load(std::memory_order_acquire) < first; ++spins) {
                if (spins < kSpins) {
                    hwy::Pause();
                } else {
                    std::this_thread::yield();
                }
            }
            std::fill(worker.next.begin(), worker.next.end(), 0);
            const std::int64_t height = maps_[as_size(pass.tensor)].size.height;
            const auto end = static_cast<std::int32_t>(height * (strip - first + 1) / pass.strips);
            for (auto y = static_cast<std::int32_t>(height * (strip - first) / pass.strips); y < end; ++y) {
                compute_row(program_.tensors[as_size(pass.tensor)].writer, y, worker);
            }
            strips_done_.fetch_add(1, std::memory_order_release);
        }
        first += pass.strips;
    }
}

// Cuts each pass into strips for the number of workers. Strips repeat a few rows of their neighbors, so there are few.
void CnnEngine::make_strips(int workers) {
    passes_.clear();
    for (const std::int32_t tensor : program_.passes) {
        const MapSize size = maps_[as_size(tensor)].size;
        const std::int64_t largest =
            std::int64_t{size.width} * size.height * maps_[as_size(tensor)].groups / kMinStrip + 1;
        passes_.push_back({tensor, static_cast<std::int32_t>(std::min<std::int64_t>(
                                       {largest, size.height, std::int64_t{workers} * kStripsPerWorker}))});
    }
}

void CnnEngine::need(std::int32_t tensor, std::int32_t first, std::int32_t end, Worker& worker) {
    if (!program_.tensors[as_size(tensor)].local) return;
    std::int32_t& next = worker.next[as_size(tensor)];
    next = std::max(next, first);
    for (; next < end; ++next) compute_row(program_.tensors[as_size(tensor)].writer, next, worker);
}

void CnnEngine::compute_row(std::int32_t index, std::int32_t y, Worker& worker) {
    const NetworkLayer& layer = program_.network.layers[as_size(index)];
    const Map& map = maps_[as_size(layer.output)];
    float* const row = row_of(layer.output, y, worker);
    const CnnRowOut out{row + start_column(map, 0), map.group, map.groups, map.size.width,
                        layer.activation == Activation::relu};
    const auto input = [&](std::size_t i, std::int32_t at_y) -> const float* {
        need(layer.inputs[i], at_y, at_y + 1, worker);
        return row_of(layer.inputs[i], at_y, worker) + start_column(maps_[as_size(layer.inputs[i])], 0);
    };
    switch (layer.kind) {
        case LayerKind::convolution:
        case LayerKind::max_pool: compute_window(index, y, out, worker); break;
        case LayerKind::upsample:
            cnn_sum_row(input(0, y / layer.factor), maps_[as_size(layer.inputs[0])].group, layer.factor, nullptr, 0,
                        out);
            break;
        case LayerKind::add: {
            const float* a = input(0, y);
            cnn_sum_row(a, maps_[as_size(layer.inputs[0])].group, 1, input(1, y), maps_[as_size(layer.inputs[1])].group,
                        out);
            break;
        }
        case LayerKind::concat: concatenate(index, y, out, worker); break;
    }
    if (layer.activation == Activation::silu) cnn_silu_row(out);
    if (layer.activation == Activation::leaky) cnn_leaky_row(out, kLeakySlope);
    for (std::int32_t g = 0; g < map.groups; ++g) {
        const auto border = static_cast<std::size_t>(start_column(map, 0));
        float* group = row + g * map.group;
        std::fill_n(group, border, 0.0F);
        std::fill_n(group + map.group - border, border, 0.0F);
    }
}

void CnnEngine::compute_window(std::int32_t index, std::int32_t y, const CnnRowOut& out, Worker& worker) {
    const NetworkLayer& layer = program_.network.layers[as_size(index)];
    const CnnProgram::Layer& packed = program_.layers[as_size(index)];
    const std::int32_t tensor = layer.inputs.front();
    const Map& in = maps_[as_size(tensor)];
    const std::int32_t top = y * layer.stride - layer.padding;
    const std::int32_t bottom = top + (layer.kernel - 1) * layer.dilation + 1;
    need(tensor, std::max(top, 0), std::min(bottom, in.size.height), worker);
    const bool pools = layer.kind == LayerKind::max_pool;
    const bool dense = !pools && !packed.depthwise;
    const float* rows[kMaxRows];
    for (std::int32_t r = 0; r < layer.kernel; ++r) {
        const std::int32_t at_y = top + r * layer.dilation;
        const bool inside = at_y >= 0 && at_y < in.size.height;
        // The offsets of a dense convolution include the first column.
        const std::ptrdiff_t column = dense ? 0 : start_column(in, -layer.padding);
        rows[r] = inside ? row_of(tensor, at_y, worker) + column : (pools ? nullptr : zeros_.front().channel + column);
    }
    const CnnWindows windows{rows, layer.kernel, layer.stride, layer.dilation, in.group};
    if (pools) {
        cnn_pool_row(windows, -layer.padding, in.size.width, out);
    } else if (dense) {
        const std::vector<std::ptrdiff_t>& offsets = offsets_[as_size(index)];
        cnn_convolve_row({rows, layer.kernel, offsets.data(), static_cast<std::ptrdiff_t>(offsets.size()),
                          std::ptrdiff_t{layer.stride} * in.unit, packed.weights.data(), packed.bias.data()},
                         out);
    } else {
        cnn_depthwise_row(windows, packed.weights.data(), packed.bias.data(), out);
    }
}

void CnnEngine::concatenate(std::int32_t index, std::int32_t y, const CnnRowOut& out, Worker& worker) {
    std::int32_t to = 0;
    for (const std::int32_t tensor : program_.network.layers[as_size(index)].inputs) {
        const Map& in = maps_[as_size(tensor)];
        need(tensor, y, y + 1, worker);
        const float* row = row_of(tensor, y, worker) + start_column(in, 0);
        for (std::int32_t c = 0; c < in.channels; ++c, ++to) {
            const float* from = row + c / kCnnGroup * in.group + c % kCnnGroup;
            float* target = out.data + to / kCnnGroup * out.group + to % kCnnGroup;
            for (std::ptrdiff_t x = 0; x < std::ptrdiff_t{out.width} * kCnnGroup; x += kCnnGroup) {
                target[x] = out.relu ? std::max(from[x], 0.0F) : from[x];
            }
        }
    }
}

}  // namespace throng
