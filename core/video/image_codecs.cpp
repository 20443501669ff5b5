#include "core/video/image_codecs.h"

#include "core/base/error.h"
#include "core/base/shared_library.h"

namespace throng {
namespace {

constexpr const char* kImageModule = "throng-images.so";

const ImageCodecs& load_codecs() {
    std::string reason = "it is not installed";
    const void* table = nullptr;
    if (const std::string path = find_module(kImageModule); !path.empty()) {
        table = load_module(path, kImageCodecsSymbol, "module of image formats", reason);
    }
    if (table != nullptr) return *static_cast<const ImageCodecs*>(table);
    throw Error(ErrorKind::unavailable, {"this image format needs a module: %1", reason}, kImageModule,
                "install the package throng-media of this version");
}

}  // namespace

const ImageCodecs& image_codecs() {
    static const ImageCodecs& codecs = load_codecs();
    return codecs;
}

}  // namespace throng
