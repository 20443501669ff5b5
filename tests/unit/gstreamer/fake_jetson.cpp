#include "tests/unit/gstreamer/fake_jetson.h"

#include <gst/base/gstbasetransform.h>
#include <gst/base/gstpushsrc.h>
#include <gst/video/video.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace throng::test {
namespace {

constexpr int kMapCuda = GST_MAP_FLAG_LAST << 1;

// ---- memory

struct FakeMemory {
    GstMemory base;
    NvSurface surface;
    NvImage image;
    bool cuda;
    std::vector<std::uint8_t>* pixels;
    std::vector<std::uint8_t>* host_pixels;  // of CUDA's memory: what a map without its flag copies
    bool host_is_newer;
    int width, height;
};

gpointer map_memory(GstMemory* memory, GstMapInfo* info, gsize) {
    auto* fake = reinterpret_cast<FakeMemory*>(memory);
    if (!fake->cuda) return &fake->surface;
    int flags = 0;  // this flag is none of the enumeration's values
    std::memcpy(&flags, &info->flags, sizeof(flags));
    const bool writes = (flags & GST_MAP_WRITE) != 0;
    if ((flags & kMapCuda) != 0) {
        if (std::exchange(fake->host_is_newer, false)) {
            FakeJetson::get().call("copy to device", fake->pixels->data());
            *fake->pixels = *fake->host_pixels;
        }
        if (writes) fake->host_pixels->clear();
        return fake->pixels->data();
    }
    if (fake->host_pixels->empty()) {
        FakeJetson::get().call("copy to host", fake->pixels->data());
        *fake->host_pixels = *fake->pixels;
    }
    if (writes) fake->host_is_newer = true;
    return fake->host_pixels->data();
}
void unmap_memory(GstMemory*, GstMapInfo*) {}

GstMemory* make_memory(GstAllocator* allocator, bool cuda, int width, int height) {
    auto* fake = g_new0(FakeMemory, 1);
    const std::size_t bytes =
        static_cast<std::size_t>(kFakePitch) * static_cast<std::size_t>(height + (height + 1) / 2);
    fake->cuda = cuda;
    fake->width = width;
    fake->height = height;
    fake->pixels = new std::vector<std::uint8_t>(bytes);
    fake->host_pixels = new std::vector<std::uint8_t>();
    NvPlanes& planes = fake->image.planes;
    planes.count = 2;
    for (int p = 0; p < 2; ++p) {
        planes.width[p] = static_cast<std::uint32_t>(p == 0 ? width : (width + 1) / 2);
        planes.height[p] = static_cast<std::uint32_t>(p == 0 ? height : (height + 1) / 2);
        planes.pitch[p] = kFakePitch;
        planes.bytes_per_pixel[p] = static_cast<std::uint32_t>(p + 1);
    }
    planes.offset[1] = static_cast<std::uint32_t>(kFakePitch * height);
    fake->image.size = static_cast<std::uint32_t>(bytes);
    fake->image.data = fake->pixels->data();
    fake->surface.capacity = fake->surface.count = FakeJetson::get().surfaces_are_known ? 1 : 0;
    fake->surface.images = &fake->image;
    gst_memory_init(&fake->base, GstMemoryFlags{}, allocator, nullptr, cuda ? bytes : sizeof(NvSurface), 0, 0,
                    cuda ? bytes : sizeof(NvSurface));
    return &fake->base;
}

void free_memory(GstAllocator*, GstMemory* memory) {
    auto* fake = reinterpret_cast<FakeMemory*>(memory);
    FakeJetson::get().call("free", fake->cuda ? static_cast<void*>(fake->pixels->data()) : &fake->surface);
    delete fake->pixels;
    delete fake->host_pixels;
    g_free(fake);
}

GstMemory* copy_memory(GstMemory* memory, gssize, gssize) {
    auto* fake = reinterpret_cast<FakeMemory*>(memory);
    if (!FakeJetson::get().call("copy on device", fake->pixels->data())) return nullptr;
    GstMemory* copy = make_memory(memory->allocator, true, fake->width, fake->height);
    *reinterpret_cast<FakeMemory*>(copy)->pixels = *fake->pixels;
    return copy;
}

void init_allocator(GTypeInstance* instance, gpointer) {
    auto* allocator = reinterpret_cast<GstAllocator*>(instance);
    allocator->mem_type = "throng-fake";
    allocator->mem_map_full = map_memory;
    allocator->mem_unmap_full = unmap_memory;
    allocator->mem_copy = copy_memory;
    GST_OBJECT_FLAG_SET(allocator, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}
void init_allocator_class(gpointer type_class, gpointer) {
    static_cast<GstAllocatorClass*>(type_class)->free = free_memory;
}

template <class Instance, class Class>
GType register_type(GType parent, const char* name, GClassInitFunc init_class, GInstanceInitFunc init) {
    GTypeInfo info{};
    info.class_size = sizeof(Class);
    info.class_init = init_class;
    info.instance_size = sizeof(Instance);
    info.instance_init = init;
    return g_type_register_static(parent, name, &info, GTypeFlags{});
}

GstAllocator* allocator() {
    static const GType type = register_type<GstAllocator, GstAllocatorClass>(GST_TYPE_ALLOCATOR, "FakeAllocator",
                                                                             init_allocator_class, init_allocator);
    static auto* made = static_cast<GstAllocator*>(g_object_new(type, nullptr));
    return made;
}

void add_template(GstElementClass* element, const char* name, GstPadDirection direction, const char* caps_text) {
    GstCaps* caps = gst_caps_from_string(caps_text);
    gst_element_class_add_pad_template(element, gst_pad_template_new(name, direction, GST_PAD_ALWAYS, caps));
    gst_caps_unref(caps);
}

void set_nothing(GObject*, guint, const GValue*, GParamSpec*) {}

void fill(GstMemory* memory, int number) {
    auto* fake = reinterpret_cast<FakeMemory*>(memory);
    std::fill(fake->pixels->begin(), fake->pixels->end(), static_cast<std::uint8_t>(number % 200));
    if (!fake->cuda) return;
    for (int y = fake->height / 4; y < fake->height * 3 / 4; ++y) {
        std::uint8_t* row = fake->pixels->data() + y * kFakePitch;
        for (int x = fake->width / 4 + y % 2; x < fake->width * 3 / 4; x += 2) row[x] = 255;
    }
}

// ---- sources

struct Source {
    GstPushSrc parent;
    int sent;
};

GstBuffer* timed(GstBuffer* buffer, int number) {
    GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(number) * 10 * GST_MSECOND;
    return buffer;
}

GstFlowReturn create_camera_frame(GstPushSrc* base, GstBuffer** buffer) {
    auto* source = reinterpret_cast<Source*>(base);
    FakeJetson& board = FakeJetson::get();
    if (source->sent == 0 && board.num_busy > 0) {
        --board.num_busy;
        return GST_FLOW_EOS;
    }
    if (source->sent == board.frames) return GST_FLOW_EOS;
    *buffer = timed(gst_buffer_new_allocate(nullptr, 1, nullptr), source->sent++);
    return GST_FLOW_OK;
}

GstFlowReturn create_cuda_frame(GstPushSrc* base, GstBuffer** buffer) {
    auto* source = reinterpret_cast<Source*>(base);
    if (source->sent == FakeJetson::get().frames) return GST_FLOW_EOS;
    constexpr int kWidth = 320, kHeight = 240;
    GstMemory* memory = make_memory(allocator(), true, kWidth, kHeight);
    fill(memory, source->sent);
    *buffer = gst_buffer_new();
    gst_buffer_append_memory(*buffer, memory);
    gsize offsets[GST_VIDEO_MAX_PLANES] = {0, kFakePitch * kHeight};
    gint strides[GST_VIDEO_MAX_PLANES] = {kFakePitch, kFakePitch};
    const guint surrounding = FakeJetson::get().cuda_is_cropped ? 16 : 0;
    gst_buffer_add_video_meta_full(*buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_NV12, kWidth + surrounding,
                                   kHeight, 2, offsets, strides);
    if (FakeJetson::get().cuda_is_damaged) GST_BUFFER_FLAG_SET(*buffer, GST_BUFFER_FLAG_CORRUPTED);
    timed(*buffer, source->sent++);
    return GST_FLOW_OK;
}

void init_camera(GTypeInstance* instance, gpointer) {
    gst_base_src_set_live(GST_BASE_SRC(instance), TRUE);
    gst_base_src_set_format(GST_BASE_SRC(instance), GST_FORMAT_TIME);
}
void init_cuda_source(GTypeInstance* instance, gpointer) {
    gst_base_src_set_live(GST_BASE_SRC(instance), FakeJetson::get().cuda_is_live);
    gst_base_src_set_format(GST_BASE_SRC(instance), GST_FORMAT_TIME);
}

void init_camera_class(gpointer type_class, gpointer) {
    G_OBJECT_CLASS(type_class)->set_property = set_nothing;
    g_object_class_install_property(G_OBJECT_CLASS(type_class), 1,
                                    g_param_spec_int("sensor-id", "", "", 0, 63, 0, G_PARAM_WRITABLE));
    add_template(GST_ELEMENT_CLASS(type_class), "src", GST_PAD_SRC,
                 "video/x-raw(memory:NVMM),format=NV12,width=[1,4096],height=[1,4096],framerate=[1/1,120/1]");
    gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(type_class), "Camera", "Source", "-", "-");
    GST_PUSH_SRC_CLASS(type_class)->create = create_camera_frame;
}
void init_cuda_source_class(gpointer type_class, gpointer) {
    add_template(GST_ELEMENT_CLASS(type_class), "src", GST_PAD_SRC,
                 "video/x-raw(memory:CUDAMemory),format=NV12,width=320,height=240,framerate=25/1");
    gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(type_class), "CUDA", "Source", "-", "-");
    GST_PUSH_SRC_CLASS(type_class)->create = create_cuda_frame;
}

// ---- nvvidconv

struct Converter {
    GstBaseTransform parent;
    std::vector<GstMemory*>* pool;  // the memory of this element's output
    GstVideoInfo output;
    bool to_nvmm;
    int sent;
};

GstCaps* convert_caps(GstBaseTransform*, GstPadDirection direction, GstCaps* caps, GstCaps* filter) {
    GstCaps* nvmm = gst_caps_copy(caps);
    for (guint i = 0; i < gst_caps_get_size(nvmm); ++i) {
        gst_caps_set_features(nvmm, i, gst_caps_features_new("memory:NVMM", nullptr));
    }
    GstCaps* result = gst_caps_new_empty();
    if (direction == GST_PAD_SRC || FakeJetson::get().converts_to_nvmm) gst_caps_append(result, gst_caps_copy(nvmm));
    if (direction == GST_PAD_SINK) {
        for (guint i = 0; i < gst_caps_get_size(nvmm); ++i) gst_caps_set_features(nvmm, i, nullptr);
        gst_caps_append(result, gst_caps_copy(nvmm));
    }
    gst_caps_unref(nvmm);
    if (filter == nullptr) return result;
    GstCaps* both = gst_caps_intersect_full(filter, result, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref(result);
    return both;
}

gboolean set_converter_caps(GstBaseTransform* base, GstCaps*, GstCaps* output) {
    auto* converter = reinterpret_cast<Converter*>(base);
    converter->to_nvmm = gst_caps_features_contains(gst_caps_get_features(output, 0), "memory:NVMM") != FALSE;
    return gst_video_info_from_caps(&converter->output, output);
}

// A memory returns to the pool by a reference of its own: it is free when nobody else has one.
GstFlowReturn make_output(GstBaseTransform* base, GstBuffer* input, GstBuffer** output) {
    auto* converter = reinterpret_cast<Converter*>(base);
    const GstVideoInfo& info = converter->output;
    if (!converter->to_nvmm) {
        *output = gst_buffer_new_allocate(nullptr, info.size, nullptr);
        gst_buffer_memset(*output, 0, static_cast<guint8>(converter->sent++ % 200), info.size);
    } else {
        GstMemory* free = nullptr;
        for (;;) {
            for (GstMemory* memory : *converter->pool) {
                if (GST_MINI_OBJECT_REFCOUNT_VALUE(memory) == 1) free = memory;
            }
            if (free == nullptr && converter->pool->size() < kFakePool) {
                free = make_memory(allocator(), false, info.width, info.height);
                converter->pool->push_back(free);
            }
            if (free != nullptr) break;
            if (GST_PAD_IS_FLUSHING(base->srcpad)) return GST_FLOW_FLUSHING;
            g_usleep(1000);
        }
        std::rotate(converter->pool->begin(), std::find(converter->pool->begin(), converter->pool->end(), free) + 1,
                    converter->pool->end());
        fill(free, converter->sent++);
        *output = gst_buffer_new();
        gst_buffer_append_memory(*output, gst_memory_ref(free));
    }
    gst_buffer_copy_into(*output, input, GST_BUFFER_COPY_TIMESTAMPS, 0, static_cast<gsize>(-1));
    return GST_FLOW_OK;
}

GstFlowReturn transform_nothing(GstBaseTransform*, GstBuffer*, GstBuffer*) {
    return GST_FLOW_OK;
}

gboolean stop_converter(GstBaseTransform* base) {
    auto* converter = reinterpret_cast<Converter*>(base);
    for (GstMemory* memory : *converter->pool) gst_memory_unref(memory);
    converter->pool->clear();
    return TRUE;
}

void init_converter(GTypeInstance* instance, gpointer) {
    reinterpret_cast<Converter*>(instance)->pool = new std::vector<GstMemory*>();
}
void finalize_converter(GObject* object) {
    delete reinterpret_cast<Converter*>(object)->pool;
    G_OBJECT_CLASS(g_type_class_peek_parent(G_OBJECT_GET_CLASS(object)))->finalize(object);
}

void init_converter_class(gpointer type_class, gpointer) {
    auto* object = G_OBJECT_CLASS(type_class);
    object->set_property = set_nothing;
    object->finalize = finalize_converter;
    g_object_class_install_property(object, 1, g_param_spec_boolean("bl-output", "", "", TRUE, G_PARAM_WRITABLE));
    g_object_class_install_property(object, 2,
                                    g_param_spec_uint("output-buffers", "", "", 1, 100, 4, G_PARAM_WRITABLE));
    add_template(GST_ELEMENT_CLASS(type_class), "sink", GST_PAD_SINK, "video/x-raw(memory:NVMM),format=NV12");
    add_template(GST_ELEMENT_CLASS(type_class), "src", GST_PAD_SRC,
                 "video/x-raw(memory:NVMM),format=NV12;video/x-raw,format=NV12");
    gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(type_class), "Converter", "Filter", "-", "-");
    auto* base = GST_BASE_TRANSFORM_CLASS(type_class);
    base->transform_caps = convert_caps;
    base->set_caps = set_converter_caps;
    base->prepare_output_buffer = make_output;
    base->transform = transform_nothing;
    base->stop = stop_converter;
}

}  // namespace

void register_fake_jetson() {
    static const bool once = [] {
        gst_init(nullptr, nullptr);
        gst_element_register(
            nullptr, "nvarguscamerasrc", GST_RANK_NONE,
            register_type<Source, GstPushSrcClass>(GST_TYPE_PUSH_SRC, "FakeCamera", init_camera_class, init_camera));
        gst_element_register(nullptr, "fakecudasrc", GST_RANK_NONE,
                             register_type<Source, GstPushSrcClass>(GST_TYPE_PUSH_SRC, "FakeCudaSource",
                                                                    init_cuda_source_class, init_cuda_source));
        return gst_element_register(
            nullptr, "nvvidconv", GST_RANK_NONE,
            register_type<Converter, GstBaseTransformClass>(GST_TYPE_BASE_TRANSFORM, "FakeConverter",
                                                            init_converter_class, init_converter));
    }();
    static_cast<void>(once);
}

}  // namespace throng::test
