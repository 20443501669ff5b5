#include "app/gstreamer/element.h"

#include <gst/video/gstvideofilter.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "app/gstreamer/frames.h"
#include "app/gstreamer/properties.h"
#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/pipeline/hiding_queue.h"
#include "core/video/gst_cuda.h"

namespace throng::gst_plugin {
namespace {

struct ElementKind {
    const char* name;
    const char* type;
    const char* title;
    const char* description;
    bool hides;
};
constexpr ElementKind kElementKinds[] = {
    {"throngdetect", "GstThrongDetect", "Detects faces", "Finds faces or people, and adds regions of interest", false},
    {"thronghide", "GstThrongHide", "Hides faces",
     "Makes faces or people unrecognizable; hides uncertain frames entirely", true}};

constexpr GstClockTime kUnknownStep = GST_SECOND / 25;  // between frames without a rate

struct FoundFrame {
    std::shared_ptr<const FrameResult> result;
    BufferPtr buffer;
    bool searched;
};

// Between READY and PAUSED, on the streaming thread.
struct Search {
    explicit Search(ElementOptions given) : options(std::move(given)), detector(options.detection, options.settings) {
        if (options.settings.hiding) queue.emplace(*options.settings.hiding);
    }

    // Moves the frames whose results are decided.
    void decide(const std::vector<std::shared_ptr<const FrameResult>>& results) {
        for (const auto& result : results) {
            if (waiting.empty() || waiting.front().result != result)
                throw Error(ErrorKind::internal, "frames are mixed up");
            ready.push_back(std::move(waiting.front()));
            waiting.pop_front();
        }
    }
    void forget() {
        if (queue) queue.emplace(*options.settings.hiding);
        waiting.clear();
        ready.clear();
    }

    ElementOptions options;
    api::ImageDetector detector;
    std::optional<HidingQueue> queue;
    std::deque<FoundFrame> waiting;  // with hiding: not decided yet
    std::deque<FoundFrame> ready;
    std::int64_t next_index = 0;
    double search_ns = 0;  // of the last frame; less after each one that was not searched, so that one is tried again
    bool failing = false;  // the last search failed
    bool in_cuda = false;  // frames are in CUDA's memory, by their caps
    bool broken = false;   // a frame could not be read or hidden: none follows
};

// The members of an instance: GObject makes and frees its memory.
struct State {
    std::mutex mutex;  // of texts
    PropertyTexts texts;
    std::optional<Search> search;
    // By the last answer of what comes before.
    std::atomic<bool> live{false};
    std::atomic<GstClockTime> upstream_latency{0};
    // For that query, on any thread.
    std::atomic<GstClockTime> own_latency{0};
};

struct Element {
    GstVideoFilter parent;
    State* state;
};
struct ElementClass {
    GstVideoFilterClass parent;
    const ElementKind* kind;
};

GstVideoFilterClass* parent_class = nullptr;

GstBaseTransformClass* base_class() {
    return GST_BASE_TRANSFORM_CLASS(parent_class);
}
Element* element_of(void* object) {
    return static_cast<Element*>(object);
}
const ElementKind& kind_of(void* object) {
    return *reinterpret_cast<ElementClass*>(G_OBJECT_GET_CLASS(object))->kind;
}

// Posts an error or a warning.
void post(Element* element, GstMessageType type, const Error& error) {
    GQuark domain = GST_STREAM_ERROR;
    gint code = GST_STREAM_ERROR_FAILED;
    if (error.kind() == ErrorKind::usage) {
        domain = GST_LIBRARY_ERROR;
        code = GST_LIBRARY_ERROR_SETTINGS;
    } else if (error.kind() == ErrorKind::unavailable) {
        domain = GST_RESOURCE_ERROR;
        code = GST_RESOURCE_ERROR_NOT_FOUND;
    }
    gst_element_message_full(GST_ELEMENT(element), type, domain, code, g_strdup(error.what()), nullptr, __FILE__,
                             "post", __LINE__);
}

// Runs work(); an exception becomes an error message and `failed`.
template <class Result, class Work>
Result guarded(Element* element, Result failed, const Work& work) noexcept {
    try {
        return work();
    } catch (...) {
        if (auto& search = element->state->search) {
            search->forget();  // no frame is passed on with what was decided about another one
            search->broken = true;
        }
        post(element, GST_MESSAGE_ERROR, current_error());
        return failed;
    }
}

const GstVideoInfo& info_of(Element* element) {
    return element->parent.in_info;
}
const GstSegment& segment_of(Element* element) {
    return element->parent.element.segment;
}

GstClockTime step_of(const GstVideoInfo& info) {
    return info.fps_n > 0 && info.fps_d > 0
               ? gst_util_uint64_scale_int(GST_SECOND, static_cast<gint>(info.fps_d), static_cast<gint>(info.fps_n))
               : kUnknownStep;
}

// Returns true if the objects of a frame that is searched now would be known too late.
bool is_late(Element* element, const Search& search, GstClockTime time) {
    const State& state = *element->state;
    if (search.options.deadline.count() == 0 || !state.live) return false;
    if (segment_of(element).format != GST_FORMAT_TIME) return false;  // the frame is due at no time
    const GstClockTime running = gst_segment_to_running_time(&segment_of(element), GST_FORMAT_TIME, time);
    if (!GST_CLOCK_TIME_IS_VALID(running)) return false;
    GstClock* clock = gst_element_get_clock(GST_ELEMENT(element));
    if (clock == nullptr) return false;
    const GstClockTime now = gst_clock_get_time(clock);
    gst_object_unref(clock);
    const auto due = static_cast<double>(gst_element_get_base_time(GST_ELEMENT(element)) + running) +
                     static_cast<double>(state.upstream_latency.load());
    return static_cast<double>(now) + search.search_ns - due > static_cast<double>(search.options.deadline.count());
}

// Returns the result of a frame that was not searched: nothing is known about it.
std::shared_ptr<FrameResult> unknown(const api::ImageView& view) {
    FrameInfo info;
    info.width = view.width;
    info.height = view.height;
    info.format = view.format;
    info.index = view.index;
    info.pts = view.pts;
    info.captured = std::chrono::steady_clock::now();
    info.damaged = true;
    auto result = std::make_shared<FrameResult>();
    result->frame = Frame(info, {}, nullptr);
    return result;
}

// Returns what is in a frame; null: it is late, or the detector failed and frames are hidden.
std::shared_ptr<FrameResult> find(Element* element, Search& search, const api::ImageView& view, bool late) {
    if (late) {
        search.search_ns /= 2;
        return nullptr;
    }
    const auto start = std::chrono::steady_clock::now();
    try {
        // Frames that wait are in memory once: as the copies that will be hidden.
        auto result = std::make_shared<FrameResult>(without_pixels(*search.detector.detect(view)));
        search.search_ns = 1e6 * milliseconds_since(start);
        search.failing = false;
        return result;
    } catch (...) {
        if (!search.queue) throw;
        if (!search.failing) post(element, GST_MESSAGE_WARNING, current_error());
        search.failing = true;
        return nullptr;
    }
}

// Maps a buffer; of CUDA's memory in place if the detector can use it, otherwise as a copy on the host.
void map(Search& search, const GstVideoInfo& info, GstBuffer* buffer, int access, std::optional<MappedFrame>& mapped) {
    if (search.in_cuda) {
        mapped.emplace(info, buffer, access | kMapCuda);
        if (*mapped && search.detector.can_read(mapped->view().planes[0])) {
            return wait_for_cuda_memory(gst_buffer_peek_memory(buffer, 0));
        }
    }
    mapped.emplace(info, buffer, access);
}

// Searches a frame, which is then waiting or ready.
void take(Element* element, BufferPtr buffer) {
    Search& search = element->state->search.value();
    const GstVideoInfo& info = info_of(element);
    std::optional<MappedFrame> mapped;
    const GstClockTime time = GST_BUFFER_PTS(buffer.get());
    const std::int64_t index = search.next_index++;
    api::ImageView view;
    const auto find_mapped = [&] {
        map(search, info, buffer.get(), GST_MAP_READ, mapped);
        if (!*mapped) throw Error(ErrorKind::input, "the frame cannot be read");
        view = mapped->view();
        view.index = index;
        view.pts =
            static_cast<double>(GST_CLOCK_TIME_IS_VALID(time) ? time : static_cast<guint64>(index) * step_of(info)) *
            1e-9;
        view.damaged = GST_BUFFER_FLAG_IS_SET(buffer.get(), GST_BUFFER_FLAG_CORRUPTED);
        return find(element, search, view, is_late(element, search, time));
    };
    std::shared_ptr<FrameResult> result;
    try {
        result = find_mapped();
    } catch (const Error&) {
        if (view.memory != MemoryKind::device || search.detector.backend() != BackendKind::cpu) throw;
        result = find_mapped();  // the GPU failed: the CPU, which continues, reads a copy
    }
    const bool searched = result != nullptr;
    if (!result) result = unknown(view);
    if (!search.queue) {
        search.ready.push_back({std::move(result), std::move(buffer), searched});
        return;
    }
    if (search.in_cuda && !mapped->fills_buffer()) {
        throw Error(ErrorKind::input, "cropped frames cannot be hidden in CUDA's memory", "",
                    "put cudadownload in front");
    }
    BufferPtr copy = search.in_cuda ? copy_in_cuda(buffer.get()) : copy_of(info, *mapped->get());
    if (!copy) throw Error(ErrorKind::internal, "a frame cannot be copied: there may not be enough memory");
    search.waiting.push_back({result, std::move(copy), searched});
    search.decide(search.queue->push(std::move(result)));
}

void hide(Search& search, const GstVideoInfo& info, const FoundFrame& found) {
    const RedactRegions regions = regions_to_hide(*found.result);
    if (regions.boxes.empty() && !regions.whole) return;
    std::optional<MappedFrame> mapped;
    map(search, info, found.buffer.get(), GST_MAP_READWRITE, mapped);
    if (!*mapped) throw Error(ErrorKind::internal, "the frame cannot be hidden");
    search.detector.hide(mapped->view(), regions, found.result->redact);
}

// Finishes the next frame that is ready: hides what must be hidden, and adds what was found. Null: there is none.
BufferPtr next(Element* element) {
    Search& search = element->state->search.value();
    if (search.ready.empty()) return nullptr;
    FoundFrame found = std::move(search.ready.front());
    search.ready.pop_front();
    if (search.queue) hide(search, info_of(element), found);
    // Copies only the description of a buffer that others hold, too.
    BufferPtr buffer(gst_buffer_make_writable(found.buffer.release()));
    add_regions(buffer.get(), *found.result);
    if (search.options.messages) {
        GstStructure* message = message_of(buffer.get(), segment_of(element), *found.result, found.searched);
        gst_element_post_message(GST_ELEMENT(element), gst_message_new_element(GST_OBJECT(element), message));
    }
    return buffer;
}

// Passes on all frames that wait, with what is known.
void drain(Element* element) {
    State& state = *element->state;
    if (!state.search || !state.search->queue) return;
    guarded(element, GST_FLOW_ERROR, [&] {
        state.search->decide(state.search->queue->flush());
        while (BufferPtr buffer = next(element)) {
            const GstFlowReturn status = gst_pad_push(element->parent.element.srcpad, buffer.release());
            if (status == GST_FLOW_OK) continue;
            state.search->forget();  // the format of the others may not be that of what follows
            return status;
        }
        return GST_FLOW_OK;
    });
}

// ---- virtual functions

gboolean start(GstBaseTransform* base) {
    Element* element = element_of(base);
    return guarded(element, gboolean{FALSE}, [&] {
        State& state = *element->state;
        PropertyTexts texts;
        {
            const std::lock_guard lock(state.mutex);
            texts = state.texts;
        }
        state.search.emplace(element_options(texts, kind_of(element).hides));
        state.live = false;
        return gboolean{TRUE};
    });
}

gboolean stop(GstBaseTransform* base) {
    element_of(base)->state->search.reset();
    return TRUE;
}

// Asks what comes before for its latency, and keeps it. Returns false if it does not know.
bool ask_latency(Element* element, GstQuery* query) {
    if (!gst_pad_peer_query(element->parent.element.sinkpad, query)) return false;
    gboolean live = FALSE;
    GstClockTime least = 0;
    gst_query_parse_latency(query, &live, &least, nullptr);
    element->state->live = live != FALSE;
    element->state->upstream_latency = least;
    return true;
}

gboolean set_info(GstVideoFilter* filter, GstCaps* caps, GstVideoInfo* info, GstCaps*, GstVideoInfo*) {
    Element* element = element_of(filter);
    Search& search = element->state->search.value();
    search.in_cuda = gst_caps_features_contains(gst_caps_get_features(caps, 0), kCudaMemory) != FALSE;
    const ElementOptions& options = search.options;
    auto latency = static_cast<GstClockTime>(options.deadline.count());
    if (options.settings.hiding) {
        latency += static_cast<GstClockTime>(options.settings.hiding->plan.delay) * step_of(*info);
    }
    if (element->state->own_latency.exchange(latency) != latency) {
        gst_element_post_message(GST_ELEMENT(element), gst_message_new_latency(GST_OBJECT(element)));
    }
    // The first frames may come before the pipeline asks.
    GstQuery* query = gst_query_new_latency();
    ask_latency(element, query);
    gst_query_unref(query);
    return TRUE;
}

gboolean sink_event(GstBaseTransform* base, GstEvent* event) {
    Element* element = element_of(base);
    std::optional<Search>& search = element->state->search;
    switch (GST_EVENT_TYPE(event)) {
        // What follows does not belong to the frames that wait.
        case GST_EVENT_STREAM_START:
        case GST_EVENT_CAPS:
        case GST_EVENT_SEGMENT:
        case GST_EVENT_SEGMENT_DONE:
        case GST_EVENT_EOS:
            drain(element);
            if (!search || !search->broken || GST_EVENT_TYPE(event) == GST_EVENT_EOS) break;
            gst_event_unref(event);
            return FALSE;
        // It must not overtake the frames that wait, and what they show is better known with those after it.
        case GST_EVENT_GAP:
            if (!search || search->waiting.empty()) break;
            gst_event_unref(event);
            return TRUE;
        case GST_EVENT_FLUSH_STOP:
            if (search) search->forget();
            break;
        default: break;
    }
    return base_class()->sink_event(base, event);
}

gboolean query(GstBaseTransform* base, GstPadDirection direction, GstQuery* query) {
    if (direction != GST_PAD_SRC || GST_QUERY_TYPE(query) != GST_QUERY_LATENCY) {
        return base_class()->query(base, direction, query);
    }
    Element* element = element_of(base);
    if (!ask_latency(element, query)) return FALSE;
    gboolean live = FALSE;
    GstClockTime least = 0, most = 0;
    gst_query_parse_latency(query, &live, &least, &most);
    const GstClockTime own = element->state->own_latency;
    gst_query_set_latency(query, live, least + own, GST_CLOCK_TIME_IS_VALID(most) ? most + own : most);
    return TRUE;
}

// Buffers that are passed on, or copied by their own allocator, must be as what follows wants them.
gboolean propose_allocation(GstBaseTransform* base, GstQuery* asked, GstQuery* query) {
    const auto& search = element_of(base)->state->search;
    const bool in_cuda = search && search->in_cuda;
    const bool copies = kind_of(base).hides && !in_cuda;
    const gboolean answered = base_class()->propose_allocation(base, copies ? asked : nullptr, query);
    guint crop = 0;
    if (kind_of(base).hides && in_cuda && gst_query_find_allocation_meta(query, GST_VIDEO_CROP_META_API_TYPE, &crop)) {
        gst_query_remove_nth_allocation_meta(query, crop);  // such frames cannot be hidden: see take
    }
    return answered;
}

GstFlowReturn generate_output(GstBaseTransform* base, GstBuffer** output) {
    Element* element = element_of(base);
    *output = nullptr;
    BufferPtr input(std::exchange(base->queued_buf, nullptr));
    if (element->state->search && element->state->search->broken) return GST_FLOW_ERROR;
    return guarded(element, GST_FLOW_ERROR, [&] {
        if (input) take(element, std::move(input));
        *output = next(element).release();
        return GST_FLOW_OK;
    });
}

const SettingRow& row_of(void* object, guint number) {
    return *property_rows(kind_of(object).hides).at(number - 1);
}

void set_property(GObject* object, guint number, const GValue* value, GParamSpec*) {
    State& state = *element_of(object)->state;
    const char* text = g_value_get_string(value);
    const std::lock_guard lock(state.mutex);
    state.texts[std::string(row_of(object, number).name)] = text != nullptr ? text : "";
}

void get_property(GObject* object, guint number, GValue* value, GParamSpec*) {
    State& state = *element_of(object)->state;
    const SettingRow& row = row_of(object, number);
    const std::lock_guard lock(state.mutex);
    const auto found = state.texts.find(row.name);
    g_value_set_string(value, (found != state.texts.end() ? found->second : default_of_property(row)).c_str());
}

void finalize(GObject* object) {
    delete std::exchange(element_of(object)->state, nullptr);
    G_OBJECT_CLASS(parent_class)->finalize(object);
}

void init(GTypeInstance* instance, gpointer) {
    auto* element = reinterpret_cast<Element*>(instance);
    element->state = new State;
    auto* base = GST_BASE_TRANSFORM(element);
    gst_base_transform_set_in_place(base, TRUE);
    gst_base_transform_set_gap_aware(base, TRUE);     // a frame that is said to be empty is searched, too
    gst_base_transform_set_qos_enabled(base, FALSE);  // no frame is dropped
}

// "Minimum side in pixels (PX)", with what the value may be.
std::string blurb_of(const SettingRow& row) {
    std::string text(row.help);
    if (row.name == "detector") text = "Detector";
    std::string values;
    for (const std::string& choice : row.choices) values += (values.empty() ? "" : ", ") + choice;
    if (!values.empty()) text += " (" + values + ")";
    return text;
}

void add_properties(GObjectClass* object_class, bool hides) {
    guint number = 0;
    for (const SettingRow* row : property_rows(hides)) {
        const std::string name(row->name);
        const std::string value = default_of_property(*row);
        g_object_class_install_property(
            object_class, ++number,
            g_param_spec_string(name.c_str(), name.c_str(), blurb_of(*row).c_str(),
                                value.empty() ? nullptr : value.c_str(),
                                static_cast<GParamFlags>(G_PARAM_READWRITE | GST_PARAM_MUTABLE_READY)));
    }
}

void class_init(gpointer type_class, gpointer data) {
    auto* own = static_cast<ElementClass*>(type_class);
    own->kind = static_cast<const ElementKind*>(data);
    parent_class = static_cast<GstVideoFilterClass*>(g_type_class_peek_parent(type_class));
    auto* object_class = G_OBJECT_CLASS(type_class);
    object_class->set_property = set_property;
    object_class->get_property = get_property;
    object_class->finalize = finalize;
    add_properties(object_class, own->kind->hides);
    auto* element_class = GST_ELEMENT_CLASS(type_class);
    gst_element_class_set_static_metadata(element_class, own->kind->title, "Filter/Analyzer/Video",
                                          own->kind->description, "Throng developers");
    GstCaps* caps = gst_caps_from_string(kFrameCaps);
    gst_caps_append(caps, gst_caps_from_string(kDeviceCaps));
    for (const auto& [name, direction] : {std::pair{"sink", GST_PAD_SINK}, std::pair{"src", GST_PAD_SRC}}) {
        gst_element_class_add_pad_template(element_class, gst_pad_template_new(name, direction, GST_PAD_ALWAYS, caps));
    }
    gst_caps_unref(caps);
    auto* base = GST_BASE_TRANSFORM_CLASS(type_class);
    base->start = start;
    base->stop = stop;
    base->sink_event = sink_event;
    base->query = query;
    base->propose_allocation = propose_allocation;
    base->generate_output = generate_output;
    own->parent.set_info = set_info;
}

}  // namespace

gboolean register_elements(GstPlugin* plugin) {
    register_metadata();
    for (const ElementKind& kind : kElementKinds) {
        GTypeInfo info{};
        info.class_size = sizeof(ElementClass);
        info.class_init = class_init;
        info.class_data = &kind;
        info.instance_size = sizeof(Element);
        info.instance_init = init;
        const GType type = g_type_register_static(GST_TYPE_VIDEO_FILTER, kind.type, &info, GTypeFlags{});
        if (!gst_element_register(plugin, kind.name, GST_RANK_NONE, type)) return FALSE;
    }
    return TRUE;
}

}  // namespace throng::gst_plugin
