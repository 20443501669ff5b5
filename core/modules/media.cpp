// throng-media.so. See core/video/media_module.h.
#include "core/video/av.h"
#include "core/video/convert.h"
#include "core/video/media_module.h"
#include "module_version.h"

namespace throng {
namespace {

BgrCopy make_bgr_copy() {
    return [converter = std::make_shared<PixelConverter>()](const Frame& frame, FramePool& pool) {
        return converter->bgr_copy(frame, pool);
    };
}

}  // namespace
}  // namespace throng

// NOLINTNEXTLINE(readability-identifier-naming): the name of the symbol
extern "C" __attribute__((visibility("default"))) const throng::MediaModule throng_media_module;
const throng::MediaModule throng_media_module{
    .version = TH_MODULE_VERSION,
    .set_spelling = throng::set_spelling,
    .use_logger = throng::use_logger,
    .share_process = throng::share_process,
    .open_source = throng::open_source,
    .make_bgr_copy = throng::make_bgr_copy,
    .log_line = throng::av::log_line,
};
