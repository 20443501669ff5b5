#include "core/video/exact_frame.h"

#include <utility>

#include "core/video/frame_fields.h"
#include "core/video/image_file.h"
#include "core/video/media_reader.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace throng {

VideoFormat describe_format(const MediaFrame& frame, const Demuxer& input, const std::string& path) {
    AVFrame& av_frame = *frame.av_frame;
    const Orientation& orientation = frame.orientation;
    VideoFormat format;
    format.width = frame.width();
    format.height = frame.height();
    format.rotated = !orientation.is_identity();
    format.time_base = input.stream().time_base;
    format.fps = input.clock().fps();
    AVRational& aspect = format.sample_aspect_ratio;
    aspect = input.sample_aspect_ratio_of(av_frame);
    if (aspect.num <= 0 || aspect.den <= 0) aspect = {0, 1};
    if (orientation.transpose && aspect.num > 0) std::swap(aspect.num, aspect.den);
    format.range = av_frame.color_range;
    format.primaries = av_frame.color_primaries;
    format.transfer = av_frame.color_trc;
    format.matrix = av_frame.colorspace;
    format.chroma_location = orientation.is_identity() ? av_frame.chroma_location : AVCHROMA_LOC_UNSPECIFIED;
    format.interlaced = av::is_interlaced(av_frame) && !orientation.transpose;
    if (const AVPixFmtDescriptor* pixels = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(av_frame.format))) {
        format.pixel_format = pixels->name;
        format.bits = pixels->comp[0].depth;
        const bool chroma = (pixels->flags & AV_PIX_FMT_FLAG_RGB) == 0 && pixels->nb_components >= 3;
        format.subsampled = !chroma || (pixels->log2_chroma_w >= 1 && pixels->log2_chroma_h >= 1);
    }
    format.plays = find_animation_plays(path);
    format.other_videos = input.num_streams(AVMEDIA_TYPE_VIDEO) - 1;
    format.audio_tracks = input.num_streams(AVMEDIA_TYPE_AUDIO);
    format.first_frame = static_cast<double>(frame.ticks.value_or(0)) * input.clock().tick();
    return format;
}

}  // namespace throng
