#include "app/api/detect/media.h"

#include <string>

#include "core/base/error.h"
#include "core/base/shared_library.h"

namespace throng::api {
namespace {

constexpr const char* kMediaFile = "throng-media.so";

const MediaModule& load_media() {
    std::string reason = "it is not installed";
    const void* table = nullptr;
    if (const std::string path = find_module(kMediaFile); !path.empty()) {
        table = load_module(path, kMediaModuleSymbol, "media module", reason);
    }
    if (table == nullptr) {
        throw Error(ErrorKind::unavailable, {"sources need the media module: %1", reason}, kMediaFile,
                    "install the package throng-media of this version");
    }
    const auto& module = *static_cast<const MediaModule*>(table);
    module.set_spelling(spelling());
    module.use_logger(logger());
    module.share_process();
    return module;
}

}  // namespace

const MediaModule& media_module() {
    static const MediaModule& module = load_media();
    return module;
}

}  // namespace throng::api
