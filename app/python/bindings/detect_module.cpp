// Module throng._detect: detectors and the frames of sources, by libthrong. throng/_detection.py wraps it.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/api/handle.h"
#include "app/api/throng.h"
#include "app/python/bindings/arrays.h"
#include "app/python/bindings/signals.h"
#include "core/base/forks.h"
#include "core/base/message.h"
#include "core/base/value_text.h"
#include "core/detect/backend_kind.h"
#include "core/detect/detection_params.h"
#include "core/model/model_fetch.h"

namespace throng::python {
namespace {

void check(throng_status status, const char* text) {
    if (status == THRONG_OK) return;
    throw ArgumentError(status == THRONG_ERROR_BUSY ? "another thread is using this object" : text, status);
}

// The logger "throng" of Python's logging; severity: throng_severity.
void write_log(std::int32_t severity, const std::string& text) {
    py::module_::import("logging").attr("getLogger")("throng").attr("log")(10 * (severity + 1), "%s", text);
}

// Lines of the library's log. Threads without the interpreter's lock bring them; the next call with it delivers them to
// Python's logging, so that no thread waits for the interpreter.
class LogLines {
public:
    static LogLines& get() {
        static auto* const lines = new LogLines;
        return *lines;
    }

    static void add(std::int32_t severity, const char* text, void*) {
        LogLines& own = get();
        const std::lock_guard lock(own.mutex_);
        if (own.lines_.size() < kMost) own.lines_.emplace_back(severity, text);
    }

    static void deliver() {
        std::vector<std::pair<std::int32_t, std::string>> lines;
        {
            LogLines& own = get();
            const std::lock_guard lock(own.mutex_);
            lines.swap(own.lines_);
        }
        for (const auto& [severity, text] : lines) write_log(severity, text);
    }

private:
    static constexpr std::size_t kMost = 1000;  // until the next call

    std::mutex mutex_;
    std::vector<std::pair<std::int32_t, std::string>> lines_;
};

struct DestroyHandle {
    void operator()(throng_detector* detector) const { throng_detector_destroy(detector); }
    void operator()(throng_stream* stream) const { throng_stream_destroy(stream); }
    void operator()(throng_stop* stop) const { throng_stop_destroy(stop); }
};

// settings: "NAME=VALUE" texts.
class Options {
public:
    Options(const std::string& backend, int device, const std::vector<std::string>& settings,
            const throng_options& others = throng_options_default())
        : settings_(settings), options_(others) {
        for (const std::string& text : settings_) texts_.push_back(text.c_str());
        texts_.push_back(nullptr);
        options_.settings = texts_.data();
        options_.device = device;
        const std::optional<BackendKind> kind = choice_of(kBackendNames, backend);
        if (!kind) fail("backend", choice_problem(words_of(kBackendNames), backend).text());
        options_.backend = static_cast<std::int32_t>(*kind);
    }
    [[nodiscard]] const throng_options* get() const { return &options_; }

private:
    std::vector<std::string> settings_;
    std::vector<const char*> texts_;
    throng_options options_;
};

py::bytearray bytes_of_detections(const void* detections, std::int64_t count) {
    return {static_cast<const char*>(detections), static_cast<std::size_t>(count) * sizeof(throng_detection)};
}

void set_plane(throng_image& image, int number, ArrayView& array) {
    if (array.element() != Element::boolean) fail(array.name(), "must be uint8");
    const std::size_t last = array.shape().size() - 1;
    bool rows_are_contiguous = array.stride(last) == 1 && array.stride(0) >= array.shape()[1];
    if (last == 2) rows_are_contiguous = rows_are_contiguous && array.stride(1) == array.shape()[2];
    if (!rows_are_contiguous) fail(array.name(), "must have contiguous rows; copy it first");
    image.planes[number] = array.data();
    image.pitch[number] = array.stride(0);
}

// Returns (people, unique, [(name, is_zone, occupancy, in, out, dwell)], [(kind, in, again, facing, track, seconds, dwell,
// name)]), or None.
py::object counts_of(const throng_counts* counts) {
    if (counts == nullptr) return py::none();
    py::list shapes;
    for (std::int64_t k = 0; k < counts->num_shapes; ++k) {
        const throng_shape shape = throng_counts_shape(counts, k);
        shapes.append(
            py::make_tuple(shape.name, shape.is_zone != 0, shape.occupancy, shape.in, shape.out, shape.dwell));
    }
    py::list events;
    for (std::int64_t k = 0; k < counts->num_events; ++k) {
        const throng_event event = throng_counts_event(counts, k);
        events.append(py::make_tuple(event.kind, event.in != 0, event.again != 0, event.facing != 0, event.track,
                                     event.seconds, event.dwell, event.name));
    }
    return py::make_tuple(counts->people, counts->unique, shapes, events);
}

class Detector {
public:
    explicit Detector(const Options& options) {
        throng_detector* made = nullptr;
        throng_status status = THRONG_OK;
        std::string text;
        {
            const py::gil_scoped_release unlocked;
            status = throng_detector_create(&made, THRONG_ABI, options.get());
            if (status != THRONG_OK) text = throng_detector_error(nullptr);
        }
        LogLines::deliver();
        check(status, text.c_str());
        detector_.reset(made);
    }

    // Waits for a call of another thread.
    [[nodiscard]] std::unique_ptr<Detector> clone() const {
        throng_detector* made = nullptr;
        throng_status status = THRONG_OK;
        {
            const py::gil_scoped_release unlocked;
            status = throng_detector_clone(&made, detector_.get());
        }
        LogLines::deliver();
        check(status, throng_detector_error(detector_.get()));
        return std::unique_ptr<Detector>(new Detector(made));
    }

    // image: [height, width] gray, or [height, width, 3 or 4] with blue or red first. chroma: [height / 2, width] of NV12, or None.
    py::bytearray detect(const py::object& image, const py::object& chroma, bool red_first) {
        ArrayView plane(image, "image");
        const auto& shape = plane.shape();
        const bool color = shape.size() == 3 && (shape[2] == 3 || shape[2] == 4);
        if (shape.size() != 2 && !color) {
            fail("image", "must have the shape [height, width] or [height, width, 3 or 4], not " + plane.shape_text());
        }
        throng_image view = throng_image_default();
        if (color) {
            view.format =
                shape[2] == 4 ? (red_first ? THRONG_RGBA32 : THRONG_BGRA32) : (red_first ? THRONG_RGB24 : THRONG_BGR24);
        } else {
            view.format = chroma.is_none() ? THRONG_GRAY8 : THRONG_NV12;
        }
        view.height = size_of(shape[0]);
        view.width = size_of(shape[1]);
        view.memory = plane.is_cuda() ? THRONG_DEVICE : THRONG_HOST;
        set_plane(view, 0, plane);
        std::unique_ptr<ArrayView> second;
        if (!chroma.is_none()) {
            second = std::make_unique<ArrayView>(chroma, "chroma");
            if (color || second->shape().size() != 2 || second->shape()[0] != (shape[0] + 1) / 2 ||
                second->shape()[1] != 2 * ((shape[1] + 1) / 2)) {
                fail("chroma",
                     "must have the shape [ceil(height / 2), 2 * ceil(width / 2)], not " + second->shape_text());
            }
            if (second->device() != plane.device()) fail("chroma", "is not on the device of image");
            set_plane(view, 1, *second);
        }
        std::vector<throng_detection> found(1024);
        std::int64_t count = 0;
        for (;;) {
            throng_status status = THRONG_OK;
            {
                const py::gil_scoped_release unlocked;
                status = throng_detect(detector_.get(), &view, found.data(), sizeof found[0],
                                       static_cast<std::int64_t>(found.size()), &count);
            }
            LogLines::deliver();
            check(status, throng_detector_error(detector_.get()));
            if (count <= static_cast<std::int64_t>(found.size())) break;
            found.resize(static_cast<std::size_t>(count));
        }
        return bytes_of_detections(found.data(), count);
    }

    [[nodiscard]] std::string backend() const { return throng_detector_backend(detector_.get()); }

private:
    explicit Detector(throng_detector* made) : detector_(made) {}

    static std::int32_t size_of(std::int64_t size) {
        return size > (1 << 28) ? (1 << 28) + 1 : static_cast<std::int32_t>(size);  // the library rejects it
    }

    std::unique_ptr<throng_detector, DestroyHandle> detector_;
};

class Stream {
public:
    // A thread opens the source, so that Ctrl-C and other signals of Python end a wait for a sender or a device.
    // pixels, hide: numbers of throng_pixels and throng_hide_style. count: throng_options.count.
    Stream(const std::string& source, const std::string& backend, int device, const std::vector<std::string>& settings,
           int pixels, bool track, int hide, const std::optional<std::string>& count)
        : stop_(throng_stop_create()) {
        if (!stop_) throw std::bad_alloc();
        throng_options others = throng_options_default();
        others.stop = stop_.get();
        others.pixels = pixels;
        others.track = track ? 1 : 0;
        others.hide = hide;
        others.count = count ? count->c_str() : nullptr;
        const Options options(backend, device, settings, others);
        throng_stream* made = nullptr;
        std::string text;
        throng_status status = THRONG_OK;
        const auto open = [&] {
            status = throng_stream_open(&made, THRONG_ABI, source.c_str(), options.get());
            if (status != THRONG_OK) text = throng_stream_error(nullptr);
        };
        const bool completed = run_with_signals(open, [this] { throng_stop_request(stop_.get()); });
        stream_.reset(made);
        if (!completed) throw py::error_already_set();
        LogLines::deliver();
        check(status, text.c_str());
    }

    // Returns (index, seconds, detections, height, width, channels, pixels or None, num_raw, overflow, damaged, counts), or
    // None at the end.
    py::object next(bool with_image) {
        std::unique_lock lock(in_use_, std::try_to_lock);
        if (closing_) return py::none();
        if (!lock.owns_lock()) throw ArgumentError("another thread is using this object", THRONG_ERROR_BUSY);
        const throng_frame* frame = nullptr;
        std::int32_t ended = 0;
        while (frame == nullptr && ended == 0) {
            if (closing_) return py::none();
            throng_status status = THRONG_OK;
            {
                const py::gil_scoped_release unlocked;
                status = throng_stream_next(stream_.get(), 100, &frame, &ended);
            }
            LogLines::deliver();
            if (status == THRONG_ERROR_STOPPED) return py::none();
            check(status, throng_stream_error(stream_.get()));
            lock.unlock();  // a handler of a signal may close this object
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();  // Ctrl-C
            if (!lock.try_lock() || closing_) return py::none();
        }
        if (frame == nullptr) return py::none();
        const throng_image& image = *frame->image;
        const int channels = image.format == THRONG_BGR24 || image.format == THRONG_RGB24 ? 3 : 1;
        py::object pixels = py::none();
        if (with_image && image.memory == THRONG_HOST) {
            const auto row_bytes = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(channels);
            py::bytearray copy(nullptr, 0);
            if (PyByteArray_Resize(copy.ptr(), static_cast<py::ssize_t>(row_bytes) * image.height) != 0) {
                throw py::error_already_set();
            }
            char* to = PyByteArray_AsString(copy.ptr());
            const auto* from = static_cast<const char*>(image.planes[0]);
            for (int row = 0; row < image.height; ++row) {
                std::memcpy(to + static_cast<std::size_t>(row) * row_bytes, from + row * image.pitch[0], row_bytes);
            }
            pixels = copy;
        }
        return py::make_tuple(frame->index, frame->seconds,
                              bytes_of_detections(frame->detections, frame->num_detections), image.height, image.width,
                              channels, pixels, frame->num_raw, frame->overflow, frame->damaged != 0,
                              counts_of(frame->counts));
    }

    // As throng_stream_counts; after close(), as before it.
    py::object counts() {
        const std::unique_lock lock(in_use_, std::try_to_lock);
        if (!lock.owns_lock()) throw ArgumentError("another thread is using this object", THRONG_ERROR_BUSY);
        return stream_ ? counts_of(throng_stream_counts(stream_.get())) : last_counts_;
    }

    // Any thread. next() returns None from now on, also in a thread that waits.
    void stop() { throng_stop_request(stop_.get()); }

    // As stop(), and frees everything.
    void close() {
        closing_ = true;
        if (forks_ == fork_count()) stop();
        std::unique_lock lock(in_use_, std::defer_lock);
        if (forks_ == fork_count()) {  // the thread that holds it does not exist in a forked process
            const py::gil_scoped_release unlocked;
            lock.lock();
        }
        if (stream_ && lock.owns_lock()) last_counts_ = counts_of(throng_stream_counts(stream_.get()));
        const py::gil_scoped_release unlocked;
        stream_.reset();
    }

private:
    std::unique_ptr<throng_stop, DestroyHandle> stop_;
    std::unique_ptr<throng_stream, DestroyHandle> stream_;
    py::object last_counts_ = py::none();  // of the stream that was closed
    std::mutex in_use_;                    // locked without the interpreter's lock, or only tried
    std::atomic<bool> closing_{false};
    const std::uint32_t forks_ = fork_count();
};

// Warns of the terms, so that everybody sees them, and ends when asked to.
class FetchLog final : public ModelFetchObserver {
public:
    void show_terms(const std::string& text) override {
        const py::gil_scoped_acquire locked;
        write_log(THRONG_SEVERITY_WARNING, text);
    }
    bool update(const RecommendedModel&, std::uint64_t) override { return !stopped; }
    void finish(const RecommendedModel&, const std::filesystem::path& path, DownloadResult) override {
        installed = path.string();
    }

    std::atomic<bool> stopped{false};
    std::string installed;
};

// Returns the path of the installed model. Empty texts: the defaults.
std::string fetch_model(const std::string& name, const std::string& folder, const std::string& mirror,
                        const std::string& certificates) {
    ModelFetch what;
    if (!name.empty()) what.names.push_back(name);
    what.folder = folder;
    what.mirror = mirror;
    what.certificates = certificates;
    what.folder_name = "folder=";
    what.mirror_name = "mirror";
    FetchLog log;
    std::string text;
    throng_status status = THRONG_OK;
    const auto fetch = [&] { status = api::guarded(text, [&] { fetch_models(what, log); }); };
    if (!run_with_signals(fetch, [&log] { log.stopped = true; })) throw py::error_already_set();
    check(status, text.c_str());
    return log.installed;
}

}  // namespace

PYBIND11_MODULE(_detect, module) {
    module.doc() = "Detection by libthrong. Use the classes of the package throng.";
    set_spelling([](const Setting& setting) { return keyword(setting.name, setting.value); });
    static_assert(THRONG_SEVERITY_DEBUG == 0 && THRONG_SEVERITY_ERROR == 3, "logging.DEBUG to logging.ERROR: 10 to 40");
    throng_set_log(&LogLines::add, nullptr, THRONG_SEVERITY_INFO);
    py::register_exception_translator([](std::exception_ptr error) {
        try {
            if (error) std::rethrow_exception(error);
        } catch (const ArgumentError& problem) {
            set_error(problem);
        }
    });
    static_assert(sizeof(throng_detection) == 96, "the fields of throng/_detection.py");

    // The keywords: type, minimum, maximum and choices of each setting by its name.
    py::dict table;
    const char* const types[] = {"flag", "whole", "real", "choice", "text", "pairs"};
    for (const auto* rows : {&detector_settings(), &nms_settings()}) {
        for (const SettingRow& row : *rows) {
            const char* type = types[static_cast<int>(row.type)];
            table[py::str(std::string(row.name))] = py::make_tuple(type, row.min, row.max, row.choices);
        }
    }
    module.attr("settings") = table;

    module.def("fetch_model", &fetch_model);

    using Texts = std::vector<std::string>;
    py::class_<Detector>(module, "Detector")
        .def(py::init([](const std::string& backend, int device, const Texts& settings) {
            return std::make_unique<Detector>(Options(backend, device, settings));
        }))
        .def("detect", &Detector::detect)
        .def("clone", &Detector::clone)
        .def_property_readonly("backend", &Detector::backend);
    py::class_<Stream>(module, "Stream")
        .def(py::init([](int pixels, bool track, int hide, const std::optional<std::string>& count,
                         const std::string& source, const std::string& backend, int device, const Texts& settings) {
            return std::make_unique<Stream>(source, backend, device, settings, pixels, track, hide, count);
        }))
        .def("next", &Stream::next)
        .def("counts", &Stream::counts)
        .def("stop", &Stream::stop)
        .def("close", &Stream::close);
}

}  // namespace throng::python
