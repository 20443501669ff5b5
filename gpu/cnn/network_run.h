// The steps of a network for one input size: its maps in device memory and the launches on them.
#pragma once

#include <vector>

#include "core/model/network.h"
#include "gpu/cnn/heads.h"
#include "gpu/cnn/preprocess.h"
#include "gpu/cnn/steps.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {

class NetworkRun {
public:
    // images: the largest number per batch. native: all inputs are frames at native resolution (is_native), which the
    // stem reads itself if the network has one. Allocates the maps; maps that are never in use at the same time share
    // memory. Both references must outlive this object. Throws Error(unavailable) if there is not enough memory.
    NetworkRun(const Network& network, const Steps& steps, Precision precision, const DeviceInfo& device, int width,
               int height, int images, bool native, StreamView stream);

    // Returns the map of the network's input, kInputChannels per pixel; without data if the stem reads frames.
    [[nodiscard]] const Map& input() const { return maps_[static_cast<std::size_t>(network_->input.tensor)]; }

    // Enqueue the work on frames with `images` images in all: from the frames to the input, or to the stem's output, all
    // further layers up to the maps that the boxes are decoded from, and the boxes. overlap: kernels start while the
    // previous ones finish, from the first on: it must follow a kernel of a chain (gpu/runtime/launch.cuh).
    void enqueue_input(PreprocessTask frames, int images, StreamView stream) const;
    void enqueue_layers(int images, StreamView stream, bool overlap) const;
    void enqueue_boxes(const BoxSink& sink, int images, StreamView stream, bool overlap) const;

    // Returns the number of launches of enqueue_layers.
    [[nodiscard]] int launches() const { return static_cast<int>(steps_->groups.size()) - first_group_; }
    // Enqueues one of these launches on all images, for measurements; returns its steps.
    const StepGroup& enqueue_launch(int l, StreamView stream) const;
    [[nodiscard]] std::size_t memory() const { return memory_.bytes(); }
    // Returns a tensor's map. Its memory may be reused by a later map, unless the boxes are decoded from it.
    [[nodiscard]] const Map& map(int tensor) const { return maps_[static_cast<std::size_t>(tensor)]; }

private:
    [[nodiscard]] bool begins_with_stem() const;
    [[nodiscard]] StepTask task_of(const Step& step) const;
    [[nodiscard]] Map map_or_none(int tensor) const { return tensor >= 0 ? map(tensor) : Map{}; }
    void lay_out_maps(int width, int height, StreamView stream);
    void launch(const StepGroup& group, int images, StreamView stream, bool overlap) const;

    const Network* network_;
    const Steps* steps_;
    Precision precision_;
    DeviceInfo device_;
    int images_;
    std::vector<Map> maps_;  // one per tensor
    int first_group_ = 0;    // of enqueue_layers: 1 if the stem reads frames
    DeviceBuffer<std::byte> memory_;
};

}  // namespace throng::gpu
