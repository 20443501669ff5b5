#include "app/gstreamer/frames.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/detect/detector_kinds.h"
#include "core/video/gst_cuda.h"

#ifdef TH_WITH_GST_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

namespace throng::gst_plugin {
namespace {

constexpr const char* kMetadata = "throng";

std::string object_of(const FrameResult& result) {
    return std::string(result.detector != nullptr ? result.detector->object : "object");
}

// Returns the id of the track of a detection; -1: none.
std::int64_t track_of(const FrameResult& result, std::size_t detection) {
    const auto found = std::find_if(result.tracks.begin(), result.tracks.end(), [detection](const Track& track) {
        return track.detection >= 0 && static_cast<std::size_t>(track.detection) == detection;
    });
    return found != result.tracks.end() ? found->id : -1;
}

void add_number(GValue& list, double number) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, G_TYPE_DOUBLE);
    g_value_set_double(&value, number);
    gst_value_array_append_and_take_value(&list, &value);
}

// scale_x, scale_y: from pixels to the unit of the structure.
GstStructure* structure_of(const FrameResult& result, std::size_t at, const char* name, double scale_x,
                           double scale_y) {
    const Detection& found = result.kept.detections[at];
    const auto scaled = [](double scale, float pixels) { return scale * static_cast<double>(pixels); };
    GstStructure* structure = gst_structure_new(
        name, "x", G_TYPE_DOUBLE, scaled(scale_x, found.box.x), "y", G_TYPE_DOUBLE, scaled(scale_y, found.box.y),
        "width", G_TYPE_DOUBLE, scaled(scale_x, found.box.w), "height", G_TYPE_DOUBLE, scaled(scale_y, found.box.h),
        "score", G_TYPE_DOUBLE, static_cast<double>(found.score), "confidence", G_TYPE_DOUBLE,
        static_cast<double>(found.confidence), "hits", G_TYPE_INT, static_cast<gint>(found.hits), nullptr);
    if (const std::int64_t track = track_of(result, at); track >= 0) {
        gst_structure_set(structure, "track", G_TYPE_INT64, static_cast<gint64>(track), nullptr);
    }
    if (at < result.kept.landmarks.size()) {
        GValue points = G_VALUE_INIT;
        g_value_init(&points, GST_TYPE_ARRAY);
        for (int i = 0; i < 10; ++i) {
            add_number(points, scaled(i % 2 == 0 ? scale_x : scale_y, result.kept.landmarks[at].xy[i]));
        }
        gst_structure_take_value(structure, "landmarks", &points);
    }
    return structure;
}

// Returns the list of objects in a structure; null: there is none.
const GValue* objects_in(const GstStructure* structure) {
    const GValue* objects = gst_structure_get_value(structure, "objects");
    return objects != nullptr && GST_VALUE_HOLDS_LIST(objects) ? objects : nullptr;
}

// Appends to the list `objects`.
void add_objects(GstStructure* to, const FrameResult& result, double scale_x, double scale_y) {
    GValue objects = G_VALUE_INIT;
    g_value_init(&objects, GST_TYPE_LIST);
    if (const GValue* earlier = objects_in(to)) g_value_copy(earlier, &objects);
    for_each_class(result, [&](const FrameResult& of_class) {
        const std::string object = object_of(of_class);
        for (std::size_t i = 0; i < of_class.kept.detections.size(); ++i) {
            GValue value = G_VALUE_INIT;
            g_value_init(&value, GST_TYPE_STRUCTURE);
            g_value_take_boxed(&value, structure_of(of_class, i, object.c_str(), scale_x, scale_y));
            gst_value_list_append_and_take_value(&objects, &value);
        }
    });
    gst_structure_take_value(to, "objects", &objects);
}

// Shares of the size are the same in a scaled frame, and in a copy.
gboolean transform_metadata(GstBuffer* to, GstCustomMeta* metadata, GstBuffer*, GQuark type, gpointer data, gpointer) {
    const bool whole = GST_META_TRANSFORM_IS_COPY(type) && !static_cast<GstMetaTransformCopy*>(data)->region;
    if (!whole && !GST_VIDEO_META_TRANSFORM_IS_SCALE(type)) return FALSE;
    GstStructure* copy = gst_custom_meta_get_structure(gst_buffer_add_custom_meta(to, kMetadata));
    gst_structure_set_value(copy, "objects",
                            gst_structure_get_value(gst_custom_meta_get_structure(metadata), "objects"));
    return TRUE;
}

struct IntegerBox {
    int x, y, width, height;
};

// Returns the pixels that the box touches, in the frame.
IntegerBox pixels_of(const Box& box, int width, int height) {
    const auto edge = [](float value, int end) {
        return static_cast<int>(std::clamp(value, 0.0F, static_cast<float>(end)));
    };
    const int left = edge(std::floor(box.x), width), top = edge(std::floor(box.y), height);
    return {left, top, edge(std::ceil(box.x + box.w), width) - left, edge(std::ceil(box.y + box.h), height) - top};
}

// Removes metadata that describes the memory of a copied buffer, or holds it with its pixels. same_layout: a bool.
gboolean remove_of_memory(GstBuffer*, GstMeta** meta, gpointer same_layout) {
    const GType api = (*meta)->info->api;
    if (api == GST_VIDEO_META_API_TYPE && *static_cast<const bool*>(same_layout)) return TRUE;
    const bool tagged = gst_meta_api_type_has_tag(api, g_quark_from_static_string(GST_META_TAG_MEMORY_STR)) ||
                        gst_meta_api_type_has_tag(api, g_quark_from_static_string("memory-reference"));
    // GStreamer before 1.20.4 does not tag parents. What was cropped is not in the copy.
    if (tagged || api == GST_PARENT_BUFFER_META_API_TYPE || api == GST_VIDEO_CROP_META_API_TYPE) *meta = nullptr;
    return TRUE;
}

struct Layout {
    GstVideoFormat gst;
    PixelFormat format;
    int step;
    bool red_first;
};
constexpr Layout kLayouts[] = {
    {GST_VIDEO_FORMAT_NV12, PixelFormat::nv12, 1, false},   {GST_VIDEO_FORMAT_I420, PixelFormat::yuv420p, 1, false},
    {GST_VIDEO_FORMAT_GRAY8, PixelFormat::gray8, 1, false}, {GST_VIDEO_FORMAT_BGR, PixelFormat::bgr24, 3, false},
    {GST_VIDEO_FORMAT_RGB, PixelFormat::bgr24, 3, true},    {GST_VIDEO_FORMAT_BGRx, PixelFormat::bgr24, 4, false},
    {GST_VIDEO_FORMAT_RGBx, PixelFormat::bgr24, 4, true}};

ColorMatrix matrix_of(GstVideoColorMatrix matrix) {
    switch (matrix) {
        case GST_VIDEO_COLOR_MATRIX_BT709: return ColorMatrix::bt709;
        case GST_VIDEO_COLOR_MATRIX_BT2020: return ColorMatrix::bt2020;
        default: return ColorMatrix::bt601;
    }
}

}  // namespace

MappedFrame::MappedFrame(const GstVideoInfo& info, GstBuffer* buffer, int access)
    : mapped_(gst_video_frame_map(&frame_, &info, buffer, static_cast<GstMapFlags>(access))),
      in_cuda_((access & kMapCuda) != 0) {
    if (!mapped_) return;
    fills_buffer_ = frame_.info.width == info.width && frame_.info.height == info.height;
    // The metadata of a buffer may say that more lies around the frame, and where the frame is in it.
    const GstVideoCropMeta* crop = gst_buffer_get_video_crop_meta(buffer);
    const auto width = static_cast<guint>(info.width), height = static_cast<guint>(info.height);
    if (crop != nullptr && static_cast<guint64>(crop->x) + width <= static_cast<guint>(frame_.info.width) &&
        static_cast<guint64>(crop->y) + height <= static_cast<guint>(frame_.info.height)) {
        for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES(&frame_); ++plane) {
            // A plane holds the component of its number in each format of kFrameCaps.
            const auto x = crop->x >> GST_VIDEO_FORMAT_INFO_W_SUB(info.finfo, plane);
            const auto y = crop->y >> GST_VIDEO_FORMAT_INFO_H_SUB(info.finfo, plane);
            frame_.data[plane] = static_cast<guint8*>(frame_.data[plane]) +
                                 static_cast<std::ptrdiff_t>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame_, plane) +
                                 static_cast<std::ptrdiff_t>(x) * GST_VIDEO_FORMAT_INFO_PSTRIDE(info.finfo, plane);
        }
    }
    frame_.info.width = info.width;
    frame_.info.height = info.height;
}

api::ImageView MappedFrame::view() const {
    const GstVideoInfo& info = frame_.info;
    const Layout* layout = std::find_if(std::begin(kLayouts), std::end(kLayouts), [&info](const Layout& each) {
        return each.gst == GST_VIDEO_INFO_FORMAT(&info);
    });
    api::ImageView view;
    view.format = layout->format;  // caps negotiation allows no other one
    if (in_cuda_) view.memory = MemoryKind::device;
    view.step = layout->step;
    view.red_first = layout->red_first;
    view.width = info.width;
    view.height = info.height;
    view.range = info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255 ? ColorRange::full : ColorRange::limited;
    view.matrix = matrix_of(info.colorimetry.matrix);
    for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES(&frame_); ++plane) {
        view.planes[plane] = frame_.data[plane];
        view.pitch[plane] = info.stride[plane];
    }
    return view;
}

void register_metadata() {
    static const char* tags[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR, nullptr};
    static const GstMetaInfo* info = gst_meta_register_custom(kMetadata, tags, transform_metadata, nullptr, nullptr);
    static_cast<void>(info);
}

BufferPtr copy_of(const GstVideoInfo& info, GstVideoFrame& from) {
    BufferPtr copy(gst_buffer_new_allocate(nullptr, info.size, nullptr));
    if (!copy) return nullptr;
    gst_buffer_memset(copy.get(), 0, 0, info.size);  // the ends of the rows, too
    {
        MappedFrame to(info, copy.get(), GST_MAP_WRITE);
        if (!to || !gst_video_frame_copy(to.get(), &from)) return nullptr;
    }
    gst_buffer_copy_into(
        copy.get(), from.buffer,
        static_cast<GstBufferCopyFlags>(GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_META), 0,
        static_cast<gsize>(-1));
    bool same_layout = false;
    gst_buffer_foreach_meta(copy.get(), remove_of_memory, &same_layout);
    return copy;
}

BufferPtr copy_in_cuda(const GstBuffer* from) {
    BufferPtr copy(gst_buffer_copy_deep(from));
    if (!copy || gst_buffer_n_memory(copy.get()) != gst_buffer_n_memory(const_cast<GstBuffer*>(from))) return nullptr;
    for (guint i = 0; i < gst_buffer_n_memory(copy.get()); ++i) {
        const GstMemory* original = gst_buffer_peek_memory(const_cast<GstBuffer*>(from), i);
        const GstMemory* memory = gst_buffer_peek_memory(copy.get(), i);
        // By default, allocators copy to system memory. Another size may be another layout.
        if (memory->allocator != original->allocator || memory->size != original->size) return nullptr;
    }
    bool same_layout = true;
    gst_buffer_foreach_meta(copy.get(), remove_of_memory, &same_layout);
    return copy;
}

void add_regions(GstBuffer* buffer, const FrameResult& result) {
    if (result.kept.detections.empty() && (!result.faces || result.faces->kept.detections.empty())) return;
    const FrameInfo& info = result.frame.info();
    // Another element may have added its own.
    GstCustomMeta* metadata = gst_buffer_get_custom_meta(buffer, kMetadata);
    if (metadata == nullptr) metadata = gst_buffer_add_custom_meta(buffer, kMetadata);
    GstStructure* exact = gst_custom_meta_get_structure(metadata);
    const GValue* earlier = objects_in(exact);
    std::size_t next_id = earlier != nullptr ? gst_value_list_get_size(earlier) : 0;
#ifdef TH_WITH_GST_ANALYTICS
    GstAnalyticsRelationMeta* relations = gst_buffer_add_analytics_relation_meta(buffer);
#endif
    for_each_class(result, [&](const FrameResult& of_class) {
        const std::string object = object_of(of_class);
        for (const Detection& found : of_class.kept.detections) {
            const IntegerBox box = pixels_of(found.box, info.width, info.height);
            gst_buffer_add_video_region_of_interest_meta(buffer, object.c_str(), static_cast<guint>(box.x),
                                                         static_cast<guint>(box.y), static_cast<guint>(box.width),
                                                         static_cast<guint>(box.height))
                ->id = static_cast<gint>(next_id++);
#ifdef TH_WITH_GST_ANALYTICS
            GstAnalyticsODMtd detection;
            gst_analytics_relation_meta_add_od_mtd(relations, g_quark_from_string(object.c_str()), box.x, box.y,
                                                   box.width, box.height, found.confidence, &detection);
#endif
        }
    });
    add_objects(exact, result, 1.0 / info.width, 1.0 / info.height);
}

GstStructure* message_of(const GstBuffer* buffer, const GstSegment& segment, const FrameResult& result, bool searched) {
    const FrameInfo& info = result.frame.info();
    const GstClockTime time = GST_BUFFER_PTS(buffer);
    GstClockTime stream_time = GST_CLOCK_TIME_NONE, running_time = GST_CLOCK_TIME_NONE;
    if (segment.format == GST_FORMAT_TIME) {
        stream_time = gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, time);
        running_time = gst_segment_to_running_time(&segment, GST_FORMAT_TIME, time);
    }
    GstStructure* message =
        gst_structure_new("throng", "frame", G_TYPE_UINT64, static_cast<guint64>(info.index), "timestamp",
                          G_TYPE_UINT64, time, "stream-time", G_TYPE_UINT64, stream_time, "running-time", G_TYPE_UINT64,
                          running_time, "width", G_TYPE_INT, info.width, "height", G_TYPE_INT, info.height, "searched",
                          G_TYPE_BOOLEAN, static_cast<gboolean>(searched), nullptr);
    if (result.detector != nullptr) {
        gst_structure_set(message, "detector", G_TYPE_STRING, std::string(result.detector->name).c_str(), nullptr);
    }
    add_objects(message, result, 1, 1);
    return message;
}

}  // namespace throng::gst_plugin
