// core/video as a module, throng-media.so, for the C library and the Python module: FFmpeg and image readers bring 120
// shared libraries, which a program that looks at its own images does not need. The program itself is linked with
// core/video.
#pragma once

#include <cstdarg>
#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>

#include "core/base/log.h"
#include "core/base/message.h"
#include "core/frame/frame_pool.h"
#include "core/video/source.h"

namespace throng {

// PixelConverter::bgr_copy of a converter of its own. Not thread-safe.
using BgrCopy = std::function<WritableFrame(const Frame& frame, FramePool& pool)>;

// Table of the module. Its functions throw as those that they call.
struct MediaModule {
    const char* version;
    // Of the module's own copy of core/, which messages, log lines and global settings of FFmpeg depend on.
    void (*set_spelling)(Spell spell);
    void (*use_logger)(spdlog::logger& other);
    void (*share_process)() noexcept;

    std::unique_ptr<VideoSource> (*open_source)(std::string_view spec, const SourceOptions& options,
                                                std::stop_token stop);
    BgrCopy (*make_bgr_copy)();
    void (*log_line)(void* object, int level, const char* format, std::va_list arguments);  // av::log_line
};

// Name of the module's only exported symbol.
inline constexpr const char* kMediaModuleSymbol = "throng_media_module";

}  // namespace throng
