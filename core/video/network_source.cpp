#include "core/video/network_source.h"

#include <utility>

#include "core/base/secrets.h"
#include "core/video/live_source.h"
#include "core/video/media_file_source.h"
#include "core/video/media_reader.h"
#include "core/video/url.h"

namespace throng {

std::unique_ptr<VideoSource> open_network(const std::string& url, const SourceOptions& options,
                                          const std::stop_token& stop) {
    MediaRequest request;
    request.url = url;
    request.shown = mask_credentials(url);
    request.source = options;
    request.live = true;
    const std::string scheme = url_scheme(url);
    if (scheme == "rtsp" || scheme == "rtsps") {
        request.options = {{"rtsp_transport", "tcp"}, {"allowed_media_types", "video"}};
    }
    request.may_end = scheme == "http" || scheme == "https" || scheme == "ftp" || scheme == "sftp";
    if (request.may_end) request.bytes = ByteReader::connection;
    auto reader = std::make_unique<MediaReader>(request, stop);
    request.live = reader->input().live();
    request.may_end = false;
    if (request.live) return make_live_source(request, std::move(reader));
    return make_media_file_source(request, std::move(reader), stop);
}

}  // namespace throng
