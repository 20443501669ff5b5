#include "core/video/media_source.h"

#include <utility>

#include "core/base/log.h"
#include "core/base/secrets.h"
#include "core/video/live_source.h"
#include "core/video/media_file_source.h"
#include "core/video/media_reader.h"
#include "core/video/url.h"

namespace throng {

std::unique_ptr<VideoSource> open_media(MediaRequest request, const std::stop_token& stop) {
    auto reader = std::make_unique<MediaReader>(request, stop);
    if (const std::string unused = reader->input().unused_videos(); !unused.empty()) {
        logger().warn("{}: {}", request.shown, unused);
    }
    request.live = reader->input().live();
    request.may_end = false;
    if (request.live) {
        return make_live_source(request, std::move(reader), [](const auto& again, const auto& token) {
            return std::make_unique<MediaReader>(again, token);
        });
    }
    return std::make_unique<MediaFileSource>(request, std::move(reader), stop);
}

std::unique_ptr<VideoSource> open_network(std::string_view url, const SourceOptions& options,
                                          const std::stop_token& stop) {
    MediaRequest request;
    request.url = url;
    request.shown = mask_credentials(request.url);
    request.source = options;
    request.live = true;
    const std::string scheme = url_scheme(url);
    if (scheme == "rtsp" || scheme == "rtsps") {
        request.options = {{"rtsp_transport", "tcp"}, {"allowed_media_types", "video"}};
    }
    request.may_end = scheme == "http" || scheme == "https" || scheme == "ftp" || scheme == "sftp";
    if (request.may_end) request.bytes = ByteReader::connection;
    return open_media(std::move(request), stop);
}

}  // namespace throng
