#include "gpu/frame/frame_intake.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/base/log.h"
#include "gpu/frame/convert.h"

namespace throng::gpu {
namespace {

constexpr int kRowAlignment = 128;          // bytes
constexpr std::size_t kChunk = 512U << 10;  // bytes copied to page-locked memory before their upload starts

int aligned(int bytes) {
    return (bytes + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
}

std::size_t plane_bytes(const PlaneView& plane) {
    return static_cast<std::size_t>(aligned(plane.width)) * static_cast<std::size_t>(plane.height);
}

}  // namespace

FrameIntake::FrameIntake(StreamView stream, bool in_place) : stream_(stream), in_place_(in_place) {}

PlaneView FrameIntake::import_plane(Slot& slot, const Frame& frame, int plane, std::size_t offset) {
    const PlaneView& from = frame.plane(plane);
    PlaneView out = from;
    out.pitch = aligned(from.width);
    const auto pitch = static_cast<std::size_t>(out.pitch);
    const auto from_pitch = static_cast<std::size_t>(from.pitch);
    const auto width = static_cast<std::size_t>(from.width);
    if (frame.info().memory == MemoryKind::pinned && !in_place_) {
        out.data = slot.uploaded.data() + offset;
        check_cuda(cudaMemcpy2DAsync(slot.uploaded.data() + offset, pitch, from.data, from_pitch, width,
                                     static_cast<std::size_t>(from.height), cudaMemcpyHostToDevice, copies_.view()),
                   "uploading a frame");
        return out;
    }
    std::uint8_t* staging = slot.staging.data() + offset;
    const int rows_per_chunk = std::max(1, static_cast<int>(kChunk / pitch));
    for (int first = 0; first < from.height; first += rows_per_chunk) {
        const int rows = std::min(rows_per_chunk, from.height - first);
        for (int y = first; y < first + rows; ++y) {
            std::memcpy(staging + static_cast<std::size_t>(y) * pitch, from.data + from.pitch * y, width);
        }
        if (in_place_) continue;
        const std::size_t at = static_cast<std::size_t>(first) * pitch;
        check_cuda(cudaMemcpyAsync(slot.uploaded.data() + offset + at, staging + at,
                                   static_cast<std::size_t>(rows) * pitch, cudaMemcpyHostToDevice, copies_.view()),
                   "uploading a frame");
    }
    if (!in_place_) {
        out.data = slot.uploaded.data() + offset;
        return out;
    }
    void* mapped = nullptr;
    check_cuda(cudaHostGetDevicePointer(&mapped, slot.staging.data(), 0), "cudaHostGetDevicePointer");
    out.data = static_cast<const std::uint8_t*>(mapped) + offset;
    return out;
}

void FrameIntake::begin_batch() {
    Batch& batch = batches_[(current_ + 1) % kBatches];
    batch.read.synchronize();  // returns at once unless kBatches batches are in flight
    release_read();
    current_ = (current_ + 1) % kBatches;
    batch.taken = 0;
    batch.after_decoder = false;
}

void FrameIntake::end_batch() noexcept {
    try {
        batches_[current_].read.record(stream_);
    } catch (const Error& error) {  // the device is lost, and the next call says so
        logger().debug("{}", error.what());
    }
}

void FrameIntake::release_read() {
    for (Batch& batch : batches_) {
        if (!batch.frames.empty() && batch.read.done()) batch.frames.clear();
    }
}

FrameIntake::Slot& FrameIntake::next_slot() {
    Batch& batch = batches_[current_];
    if (batch.taken == batch.slots.size()) batch.slots.emplace_back();
    return batch.slots[batch.taken++];
}

DeviceImage FrameIntake::import_frame(Slot& slot, const Frame& frame, bool chroma, StageRecorder& recorder) {
    Batch& batch = batches_[current_];
    batch.frames.push_back(frame);
    const FrameInfo& info = frame.info();
    const int count = chroma ? plane_count(info.format) : 1;
    PlaneView planes[Frame::kMaxPlanes];
    if (info.memory == MemoryKind::device) {
        for (int p = 0; p < count; ++p) planes[p] = frame.plane(p);
        // FFmpeg's decoder finishes a frame on the device's default stream; this stream does not wait for it
        // implicitly. All frames of a batch are decoded before the first one is taken.
        if (!batch.after_decoder) {
            batch.after_decoder = true;
            batch.decoded.record(cudaStreamLegacy);
            batch.decoded.make_wait(stream_);
        }
    } else {
        const ScopedStage stage(recorder, stage::kUpload);
        std::size_t bytes = 0;
        for (int p = 0; p < count; ++p) bytes += plane_bytes(frame.plane(p));
        const bool staged = info.memory == MemoryKind::host || in_place_;
        if (staged && slot.staging.size() < bytes) slot.staging = PinnedBuffer<std::uint8_t>(bytes);
        if (!in_place_ && slot.uploaded.size() < bytes) slot.uploaded = DeviceBuffer<std::uint8_t>(bytes);
        std::size_t offset = 0;
        for (int p = 0; p < count; ++p) {
            planes[p] = import_plane(slot, frame, p, offset);
            offset += plane_bytes(frame.plane(p));
        }
        if (staged) batch.frames.pop_back();  // copied: release the frame to its owner
        if (!in_place_) {
            slot.upload.record(copies_.view());
            slot.upload.make_wait(stream_);
        }
    }
    return device_image(info, planes, count);
}

DeviceImage FrameIntake::take_colors(const Frame& frame, StageRecorder& recorder) {
    return import_frame(next_slot(), frame, true, recorder);
}

DeviceImage FrameIntake::take(const Frame& frame, bool chroma, StageRecorder& recorder) {
    Slot& slot = next_slot();
    DeviceImage image = import_frame(slot, frame, chroma, recorder);
    if (image.bgr == nullptr) return image;
    const ScopedStage stage(recorder, stage::kGray);
    const int pitch = aligned(image.width);
    const std::size_t bytes = static_cast<std::size_t>(pitch) * static_cast<std::size_t>(image.height);
    if (slot.gray.size() < bytes) slot.gray = DeviceBuffer<std::uint8_t>(bytes);
    enqueue_gray(image.bgr, image.bgr_pitch, image.width, image.height, slot.gray.data(), pitch, stream_);
    DeviceImage gray;
    gray.width = image.width;
    gray.height = image.height;
    gray.luma = slot.gray.data();
    gray.luma_pitch = pitch;
    return gray;
}

}  // namespace throng::gpu
