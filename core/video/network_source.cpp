#include "core/video/network_source.h"

#include <utility>

#include "core/base/secrets.h"
#include "core/video/live_source.h"
#include "core/video/media_file_source.h"
#include "core/video/url.h"

namespace throng {

std::unique_ptr<VideoSource> open_network(const std::string& url, const SourceOptions& options) {
    MediaRequest request;
    request.url = url;
    request.shown = mask_credentials(url);
    request.source = options;
    const std::string scheme = url_scheme(url);
    if (scheme == "rtsp" || scheme == "rtsps") {
        request.options = {{"rtsp_transport", "tcp"}, {"allowed_media_types", "video"}};
    }
    const bool may_have_end = scheme == "http" || scheme == "https" || scheme == "ftp" || scheme == "sftp";
    if (may_have_end) {
        auto reader = std::make_unique<MediaReader>(request, std::stop_token{});
        if (reader->duration()) return make_media_file_source(request, std::move(reader));
    }
    request.live = true;
    return open_live(request);
}

}  // namespace throng
