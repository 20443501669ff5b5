#include "app/commands/archive_workers.h"

#include <algorithm>
#include <optional>

#include "app/cuda_module/load.h"
#include "app/options/devices.h"
#include "core/base/log.h"
#include "core/base/resources.h"
#include "core/video/image_file.h"

namespace throng {
namespace {

constexpr int kWorkersOfGpu = 8;  // at least: one decodes while others wait for the device

CommonOptions on_device(CommonOptions common, int device) {
    common.device = device;
    return common;
}

// All of --device all are used, so each is tested.
std::vector<int> tested_devices(const CommonOptions& common) {
    gpu::CudaProbe probe = probe_cuda_module();
    if (common.device == kAllDevices && common.backend != BackendKind::cpu) {
        for (gpu::DeviceInfo& device : probe.devices)
            device.unavailable_reason = cuda_unavailable_reason(device.index).text();
    }
    return devices_of(common, probe);
}

}  // namespace

ArchiveWorkers::ArchiveWorkers(const CommonOptions& common, const DetectorParams& detector,
                               const ArchiveArguments& arguments)
    : common_(common),
      detector_(detector),
      devices_(tested_devices(common)),
      first_(make_backend(on_device(common, devices_.front()), &detector)),
      memory_(memory_limit(arguments)),
      budget_(std::make_shared<MemoryBudget>(memory_)) {
    static_cast<void>(first_.backend->make_detector(detector));
    logger().info("backend {}", first_.why.text());
}

int ArchiveWorkers::choose(std::size_t inputs, int requested) const {
    const int of_gpu = std::max(cpu_cores(), kWorkersOfGpu * static_cast<int>(devices_.size()));
    const int automatic = first_.backend->kind() == BackendKind::cpu ? cpu_cores() : of_gpu;
    const int most = requested > 0 ? requested : automatic;
    return std::clamp(static_cast<int>(std::min<std::size_t>(inputs, 1 << 16)), 1, most);
}

DetectorParams ArchiveWorkers::detector_of(int workers) const {
    DetectorParams detector = detector_;
    if (detector.threads == 0) detector.threads = std::max(1, cpu_cores() / workers);
    return detector;
}

CommonOptions ArchiveWorkers::common_of(int worker) const {
    return on_device(common_, devices_[static_cast<std::size_t>(worker) % devices_.size()]);
}

std::uint64_t memory_of(const WorkItem& item) {
    constexpr std::uint64_t kBytesPerPixel = 32;
    constexpr std::uint64_t kVideo = std::uint64_t{512} << 20U;
    const std::optional<ImageHeader> header = read_image_header(item.path, ImagePart::size);
    if (!header) return kVideo;
    // Read in strips: the coefficients of a JPEG, a gray image and the blocks of HOG, or the inputs of a network.
    constexpr std::uint64_t kBytesInStrips = 10;  // per pixel
    if (num_pixels(*header) > static_cast<std::uint64_t>(strip_limits().whole_pixels)) {
        return kBytesInStrips * num_pixels(*header) + (std::uint64_t{3} << 29U);
    }
    return item.size + kBytesPerPixel * num_pixels(*header);
}

}  // namespace throng
