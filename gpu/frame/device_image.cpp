#include "gpu/frame/device_image.h"

namespace throng::gpu {

DeviceImage device_image(const FrameInfo& info, const PlaneView (&planes)[Frame::kMaxPlanes], int count) {
    DeviceImage image;
    image.width = info.width;
    image.height = info.height;
    const bool bgr = info.format == PixelFormat::bgr24;
    (bgr ? image.bgr : image.luma) = planes[0].data;
    (bgr ? image.bgr_pitch : image.luma_pitch) = static_cast<int>(planes[0].pitch);
    if (count > 1) {
        image.cb = planes[1].data;
        image.cr = count == 2 ? planes[1].data + 1 : planes[2].data;
        image.chroma_pitch = static_cast<int>(planes[1].pitch);
        image.chroma_step = count == 2 ? 2 : 1;
    }
    return image;
}

}  // namespace throng::gpu
