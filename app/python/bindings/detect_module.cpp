// Module throng._detect: detectors and the frames of sources, by libthrong. throng/_detection.py wraps it.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/api/throng.h"
#include "app/python/bindings/arrays.h"
#include "core/base/forks.h"
#include "core/base/message.h"
#include "core/base/value_text.h"
#include "core/detect/detection_params.h"

namespace throng::python {
namespace {

void check(throng_status status, const char* text) {
    if (status == THRONG_OK) return;
    throw ArgumentError(status == THRONG_ERROR_BUSY ? "another thread is using this object" : text);
}

// settings: "NAME=VALUE" texts.
class Options {
public:
    Options(const std::string& backend, int device, const std::vector<std::string>& settings) : settings_(settings) {
        for (const std::string& text : settings_) texts_.push_back(text.c_str());
        texts_.push_back(nullptr);
        options_.settings = texts_.data();
        options_.device = device;
        if (backend == "cpu") {
            options_.backend = THRONG_BACKEND_CPU;
        } else if (backend == "cuda") {
            options_.backend = THRONG_BACKEND_CUDA;
        } else if (backend != "auto") {
            fail("backend", choice_problem({"auto", "cpu", "cuda"}, backend).text());
        }
    }
    [[nodiscard]] const throng_options* get() const { return &options_; }

private:
    std::vector<std::string> settings_;
    std::vector<const char*> texts_;
    throng_options options_ = throng_options_default();
};

py::bytes bytes_of_detections(const void* detections, std::int64_t count) {
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
        check(status, text.c_str());
        detector_.reset(made);
    }

    // image: [height, width] gray, or [height, width, 3] BGR. chroma: [height / 2, width] of NV12, or None.
    py::bytes detect(const py::object& image, const py::object& chroma) {
        ArrayView plane(image, "image");
        const auto& shape = plane.shape();
        const bool color = shape.size() == 3 && shape[2] == 3;
        if (shape.size() != 2 && !color) {
            fail("image", "must have the shape [height, width] or [height, width, 3], not " + plane.shape_text());
        }
        throng_image view = throng_image_default();
        view.format = color ? THRONG_BGR24 : chroma.is_none() ? THRONG_GRAY8 : THRONG_NV12;
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
            check(status, throng_detector_error(detector_.get()));
            if (count <= static_cast<std::int64_t>(found.size())) break;
            found.resize(static_cast<std::size_t>(count));
        }
        return bytes_of_detections(found.data(), count);
    }

    [[nodiscard]] std::string backend() const { return throng_detector_backend(detector_.get()); }

private:
    static std::int32_t size_of(std::int64_t size) {
        return size > (1 << 28) ? (1 << 28) + 1 : static_cast<std::int32_t>(size);  // the library rejects it
    }

    struct Destroy {
        void operator()(throng_detector* detector) const { throng_detector_destroy(detector); }
    };
    std::unique_ptr<throng_detector, Destroy> detector_;
};

class Stream {
public:
    Stream(const std::string& source, const Options& options) {
        throng_stream* made = nullptr;
        throng_status status = THRONG_OK;
        std::string text;
        {
            const py::gil_scoped_release unlocked;
            status = throng_stream_open(&made, THRONG_ABI, source.c_str(), options.get());
            if (status != THRONG_OK) text = throng_stream_error(nullptr);
        }
        check(status, text.c_str());
        stream_.reset(made);
    }

    // Returns (index, seconds, detections, height, width, channels, pixels or None, overflow), or None at the end.
    py::object next(bool with_image) {
        std::unique_lock lock(in_use_, std::try_to_lock);
        if (closing_) return py::none();
        if (!lock.owns_lock()) throw ArgumentError("another thread is using this object");
        const throng_frame* frame = nullptr;
        std::int32_t ended = 0;
        while (frame == nullptr && ended == 0) {
            if (closing_) return py::none();
            throng_status status = THRONG_OK;
            {
                const py::gil_scoped_release unlocked;
                status = throng_stream_next(stream_.get(), 100, &frame, &ended);
            }
            check(status, throng_stream_error(stream_.get()));
            lock.unlock();  // a handler of a signal may close this object
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();  // Ctrl-C
            if (!lock.try_lock() || closing_) return py::none();
        }
        if (frame == nullptr) return py::none();
        const throng_image& image = *frame->image;
        const int channels = image.format == THRONG_BGR24 ? 3 : 1;
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
                              channels, pixels, frame->overflow);
    }

    // A thread that waits for a frame meanwhile gets the end.
    void close() {
        closing_ = true;
        const py::gil_scoped_release unlocked;
        std::unique_lock lock(in_use_, std::defer_lock);
        if (forks_ == fork_count()) lock.lock();  // the thread that holds it does not exist in a forked process
        stream_.reset();
    }

private:
    struct Destroy {
        void operator()(throng_stream* stream) const { throng_stream_destroy(stream); }
    };
    std::unique_ptr<throng_stream, Destroy> stream_;
    std::mutex in_use_;  // locked without the interpreter's lock, or only tried
    std::atomic<bool> closing_{false};
    const std::uint32_t forks_ = fork_count();
};

}  // namespace

PYBIND11_MODULE(_detect, module) {
    module.doc() = "Detection by libthrong. Use the classes of the package throng.";
    set_spelling([](const Setting& setting) { return keyword(setting.name, setting.value); });
    py::register_exception_translator([](std::exception_ptr error) {
        try {
            if (error) std::rethrow_exception(error);
        } catch (const ArgumentError& problem) {
            const py::object type = py::module_::import("throng._nms").attr("Error");
            PyErr_SetString(type.ptr(), problem.what());
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

    using Texts = std::vector<std::string>;
    py::class_<Detector>(module, "Detector")
        .def(py::init([](const std::string& backend, int device, const Texts& settings) {
            return std::make_unique<Detector>(Options(backend, device, settings));
        }))
        .def("detect", &Detector::detect)
        .def_property_readonly("backend", &Detector::backend);
    py::class_<Stream>(module, "Stream")
        .def(py::init([](const std::string& source, const std::string& backend, int device, const Texts& settings) {
            return std::make_unique<Stream>(source, Options(backend, device, settings));
        }))
        .def("next", &Stream::next)
        .def("close", &Stream::close);
}

}  // namespace throng::python
