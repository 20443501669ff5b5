// GStreamer, loaded when the first pipeline is opened: the functions that this program calls.
#pragma once

#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <memory>

#include "core/base/shared_library.h"

namespace throng {

// Throws Error(unavailable) if GStreamer's libraries cannot be loaded.
struct GstLibrary {
    SharedLibrary app{"libgstapp-1.0.so.0"};  // brings GStreamer and GLib
    SharedLibrary video{"libgstvideo-1.0.so.0"};

    // Each has the name of the function in GStreamer's documentation.
#define TH_GST(library, name) decltype(&::name) name = library.require<decltype(::name)>(#name)
    TH_GST(app, gst_init_check);
    TH_GST(app, gst_parse_launch);
    TH_GST(app, gst_object_unref);
    TH_GST(app, gst_mini_object_ref);
    TH_GST(app, gst_mini_object_unref);
    TH_GST(app, gst_mini_object_set_qdata);
    TH_GST(app, gst_mini_object_get_qdata);
    TH_GST(app, g_quark_from_string);
    TH_GST(app, gst_caps_from_string);
    TH_GST(app, gst_caps_get_structure);
    TH_GST(app, gst_caps_get_features);
    TH_GST(app, gst_caps_features_contains);
    TH_GST(app, gst_caps_is_empty);
    TH_GST(app, gst_structure_get_name);
    TH_GST(app, gst_element_set_state);
    TH_GST(app, gst_element_get_state);
    TH_GST(app, gst_element_get_bus);
    TH_GST(app, gst_element_get_static_pad);
    TH_GST(app, gst_pad_get_allowed_caps);
    TH_GST(app, gst_element_query_duration);
    TH_GST(app, gst_bus_timed_pop_filtered);
    TH_GST(app, gst_message_parse_error);
    TH_GST(app, gst_bin_get_type);
    TH_GST(app, gst_bin_iterate_all_by_element_factory_name);
    TH_GST(app, gst_iterator_next);
    TH_GST(app, gst_iterator_free);
    TH_GST(app, gst_sample_get_buffer);
    TH_GST(app, gst_sample_get_caps);
    TH_GST(app, gst_sample_get_segment);
    TH_GST(app, gst_segment_to_stream_time);
    TH_GST(app, gst_buffer_get_meta);
    TH_GST(app, gst_buffer_n_memory);
    TH_GST(app, gst_buffer_peek_memory);
    TH_GST(app, gst_buffer_map);
    TH_GST(app, gst_buffer_unmap);
    TH_GST(app, gst_app_sink_get_caps);
    TH_GST(app, gst_app_sink_set_caps);
    TH_GST(app, gst_app_sink_is_eos);
    TH_GST(app, gst_app_sink_try_pull_sample);
    TH_GST(app, g_type_check_instance_is_a);
    TH_GST(app, g_value_get_object);
    TH_GST(app, g_value_unset);
    TH_GST(app, gst_object_ref);
    TH_GST(app, g_error_free);
    TH_GST(app, g_free);
    TH_GST(video, gst_video_color_matrix_to_iso);
    TH_GST(video, gst_video_info_from_caps);
    TH_GST(video, gst_video_frame_map);
    TH_GST(video, gst_video_frame_unmap);
    TH_GST(video, gst_video_crop_meta_api_get_type);
#undef TH_GST
};

// Returns the library, initialized. Throws Error(unavailable) without GStreamer.
[[nodiscard]] const GstLibrary& gst();

struct GstUnref {
    template <class Object>
    void operator()(Object* object) const {
        gst().gst_mini_object_unref(GST_MINI_OBJECT_CAST(object));
    }
};
template <class Object>
using GstPtr = std::unique_ptr<Object, GstUnref>;

}  // namespace throng
