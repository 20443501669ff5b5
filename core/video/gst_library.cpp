#ifdef TH_WITH_GSTREAMER
#include "core/video/gst_library.h"

#include <mutex>

#include "core/base/error.h"

namespace throng {

const GstLibrary& gst() {
    static const auto& loaded = *new GstLibrary();
    static std::once_flag once;
    std::call_once(once, [] {
        if (!loaded.gst_init_check(nullptr, nullptr, nullptr)) {
            throw Error(ErrorKind::unavailable, "GStreamer cannot be initialized", {}, "test it with gst-inspect-1.0");
        }
    });
    return loaded;
}

}  // namespace throng
#endif
