// Module throng._nms: suppression of arrays of any library, by libthrong_nms. Python code in throng/ wraps it.
#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/api/throng_nms.h"
#include "app/python/bindings/arrays.h"
#include "app/python/bindings/signals.h"
#include "core/base/message.h"

namespace throng::python {
namespace {

struct Destroy {
    void operator()(throng_nms* nms) const { throng_nms_destroy(nms); }
};
using Handle = std::unique_ptr<throng_nms, Destroy>;

Handle make_handle(std::int32_t memory, int device) {
    throng_nms* nms = nullptr;
    const throng_status status = throng_nms_create(&nms, THRONG_NMS_ABI, memory, device);
    if (status != THRONG_OK) throw ArgumentError(throng_nms_error(nullptr), status);
    return Handle(nms);
}

// Holds what calls with host arrays use. Calls of several threads run at once, because the interpreter's lock is released.
struct HostWork {
    Handle nms = make_handle(THRONG_HOST, 0);
    std::vector<std::int64_t> indices;
    std::vector<std::int32_t> hits;
    std::vector<float> scores;
};

// Takes what this thread keeps, and gives it back. A handler of a signal may make another call meanwhile.
class HostCall {
public:
    HostCall() : work_(kept() != nullptr ? std::move(kept()) : std::make_unique<HostWork>()) {}
    ~HostCall() { kept() = std::move(work_); }
    HostCall(const HostCall&) = delete;
    HostCall& operator=(const HostCall&) = delete;
    [[nodiscard]] HostWork& work() const noexcept { return *work_; }

private:
    static std::unique_ptr<HostWork>& kept() {
        thread_local std::unique_ptr<HostWork> work;
        return work;
    }
    std::unique_ptr<HostWork> work_;
};

// The handle of this thread for the CUDA device of an array.
throng_nms* device_handle(const ArrayView& boxes) {
    thread_local std::vector<Handle> devices;
    if (!boxes.is_cuda()) fail(boxes.name(), "must be in the memory of a CUDA device");
    const auto device = static_cast<std::size_t>(boxes.device());
    if (devices.size() <= device) devices.resize(device + 1);
    if (!devices[device]) devices[device] = make_handle(THRONG_DEVICE, boxes.device());
    return devices[device].get();
}

void check(throng_nms* nms, throng_status status) {
    if (status != THRONG_OK) throw ArgumentError(throng_nms_error(nms), status);
}

// Boxes or scores are a list, integers or bfloat16. Python code converts them and calls again.
struct NotFloating {};

bool is_list(const py::object& object) {
    return PyList_Check(object.ptr()) != 0 || PyTuple_Check(object.ptr()) != 0;
}

// Accepts the types that the library computes with. Throws Error for bytes, NotFloating for others.
void require_floating(const ArrayView& array) {
    switch (array.element()) {
        case Element::float32:
        case Element::float16:
        case Element::float64: return;
        case Element::boolean: fail(array.name(), "must not be of one byte");
        default: throw NotFloating();
    }
}

// The arrays of one call, checked.
class Call {
public:
    // Throws NotFloating, too.
    Call(const py::object& boxes, const py::object& scores, const py::object& classes, const py::object& images,
         const py::object& density, const py::object& features, bool xywh)
        : boxes_(boxes, "boxes"), scores_(scores, "scores") {
        const auto& shape = boxes_.shape();
        if (shape.size() != 2 || shape[1] != 4) fail("boxes", "must have the shape [N, 4], not " + boxes_.shape_text());
        n_ = shape[0];
        if (n_ > kMost) {  // before anything is copied
            fail("boxes", "has " + std::to_string(n_) + " rows, but 2^31 - 1 are the most");
        }
        check_vector(scores_);
        require_floating(boxes_);
        require_floating(scores_);
        const Element element = boxes_.element();
        if (scores_.element() != element) fail("scores", "must have the type of boxes");
        input_ = throng_nms_input_default();
        input_.dtype = static_cast<std::int32_t>(element);
        input_.box_format = xywh ? THRONG_XYWH : THRONG_CORNERS;
        input_.num_boxes = n_;
        input_.boxes = boxes_.contiguous();
        input_.scores = scores_.contiguous();
        input_.class_ids = ids(classes_, classes, "idxs");
        input_.image_ids = ids(images_, images, "image_ids");
        if (classes_ && images_ && classes_->element() != images_->element()) {
            fail("image_ids", "must have the type of idxs");
        }
        if (!density.is_none()) {
            density_.emplace(density, "density");
            check_vector(*density_);
            require_float32(*density_);
            input_.density = static_cast<const float*>(density_->contiguous());
        }
        if (!features.is_none()) {
            features_.emplace(features, "features");
            const auto& sizes = features_->shape();
            if (sizes.size() != 2 || sizes[0] != n_ || sizes[1] < 1 || sizes[1] > kMost) {
                fail("features",
                     "must have the shape [" + std::to_string(n_) + ", size], not " + features_->shape_text());
            }
            require_float32(*features_);
            require_device(*features_);
            input_.features = static_cast<const float*>(features_->contiguous());
            input_.feature_size = static_cast<std::int32_t>(sizes[1]);
        }
    }

    [[nodiscard]] const ArrayView& boxes() const { return boxes_; }
    [[nodiscard]] const throng_nms_input& input() const { return input_; }
    [[nodiscard]] std::int64_t size() const { return n_; }

    void require_device(const ArrayView& array) const {
        if (array.device() != boxes_.device()) fail(array.name(), "is not on the device of boxes");
    }

private:
    static constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

    void check_vector(const ArrayView& array) const {
        if (array.shape().size() != 1 || array.shape()[0] != n_) {
            fail(array.name(), "must have the shape [" + std::to_string(n_) + "] as boxes has that many rows, not " +
                                   array.shape_text());
        }
        require_device(array);
    }
    static void require_float32(const ArrayView& array) {
        if (array.element() != Element::float32) fail(array.name(), "must be float32");
    }

    const void* ids(std::optional<ArrayView>& array, const py::object& given, const char* name) {
        if (given.is_none()) return nullptr;
        array.emplace(given, name);
        check_vector(*array);
        if (array->element() != Element::int32 && array->element() != Element::int64) {
            fail(name, "must be int32 or int64");
        }
        input_.id_dtype = static_cast<std::int32_t>(array->element());
        return array->contiguous();
    }

    ArrayView boxes_;
    ArrayView scores_;
    std::optional<ArrayView> classes_, images_, density_, features_;
    std::int64_t n_ = 0;
    throng_nms_input input_{};
};

template <class Number>
py::object copy_of(const ArrayView& like, const std::vector<Number>& values, std::size_t count, Element element) {
    py::object array = new_array(like, static_cast<std::int64_t>(count), element);
    if (count == 0) return array;
    void* to = like.library() == Library::torch ? data_of_tensor(array) : ArrayView(array, "result").writable();
    std::memcpy(to, values.data(), count * sizeof(Number));
    return array;
}

// Host arrays. More boxes than kMaxUninterrupted may take seconds: the handlers of signals run meanwhile.
void run_host(throng_nms* nms, const throng_nms_params& params, const Call& call, const throng_nms_output& output) {
    constexpr std::int64_t kMaxUninterrupted = 1 << 14;
    throng_status status = THRONG_OK;
    throng_nms_params own = params;
    const auto work = [&] { status = throng_nms_run(nms, &own, &call.input(), &output, nullptr, 0, nullptr); };
    if (call.size() <= kMaxUninterrupted) {
        const py::gil_scoped_release unlocked;
        work();
    } else {
        std::atomic<std::int32_t> stop{0};
        static_assert(sizeof stop == sizeof(std::int32_t) && std::atomic<std::int32_t>::is_always_lock_free);
        own.stop = reinterpret_cast<const volatile std::int32_t*>(&stop);
        if (!run_with_signals(work, [&stop] { stop = 1; })) throw py::error_already_set();
    }
    check(nms, status);
}

// CUDA arrays.
void run_device(throng_nms* nms, const throng_nms_params& params, const Call& call, const throng_nms_output& output,
                void* workspace, std::size_t bytes, std::uintptr_t stream) {
    throng_status status = THRONG_OK;
    {
        const py::gil_scoped_release unlocked;
        status =
            throng_nms_run(nms, &params, &call.input(), &output, workspace, bytes, reinterpret_cast<void*>(stream));
    }
    check(nms, status);
}

// Host arrays: returns the indices, with the hits or the scores of the kept boxes if wanted.
py::object suppress_host(const throng_nms_params& params, const Call& call, bool with_hits, bool with_scores) {
    const HostCall host;
    auto& [nms, indices, hits, scores] = host.work();
    const auto n = static_cast<std::size_t>(call.size());
    if (indices.size() < n) indices.resize(n);
    if (with_hits && hits.size() < n) hits.resize(n);
    if (with_scores && scores.size() < n) scores.resize(n);
    std::int64_t count = 0;
    throng_nms_output output = throng_nms_output_default();
    output.capacity = call.size();
    output.indices = indices.data();
    output.hits = with_hits ? hits.data() : nullptr;
    output.scores = with_scores ? scores.data() : nullptr;
    output.count = &count;
    run_host(nms.get(), params, call, output);
    const auto kept = static_cast<std::size_t>(count);
    py::object result = copy_of(call.boxes(), indices, kept, Element::int64);
    if (with_hits) return py::make_tuple(result, copy_of(call.boxes(), hits, kept, Element::int32));
    if (with_scores) return py::make_tuple(result, copy_of(call.boxes(), scores, kept, Element::float32));
    return result;
}

std::size_t workspace_size(throng_nms* nms, const throng_nms_params& params, std::int64_t size) {
    std::size_t bytes = 0;
    check(nms, throng_nms_workspace_size(nms, &params, size, &bytes));
    return bytes;
}

// Memory that calls of one thread with one device reuse. Everything is used on one stream, so that calls do not overlap.
struct Reused {
    static constexpr std::size_t kMaxKept = std::size_t{1} << 26;  // bytes of workspace that are kept

    std::uintptr_t stream = 0;
    py::object workspace;
    void* memory = nullptr;
    std::size_t bytes = 0;
    py::object indices;  // for the next call, made while the device works for this one
    std::int64_t size = -1;
    py::object count;  // in page-locked memory
    volatile std::int64_t* number = nullptr;

    throng_nms_params measured{};  // the call that needs measured_bytes
    std::int64_t measured_size = -1;
    std::size_t measured_bytes = 0;

    // Makes sure of enough workspace for a call, by the library of `like`.
    void require(throng_nms* nms, const throng_nms_params& params, std::int64_t num_boxes, std::uintptr_t on_stream,
                 const ArrayView& like) {
        if (measured_size != num_boxes || std::memcmp(&measured, &params, sizeof params) != 0) {
            measured_bytes = workspace_size(nms, params, num_boxes);
            measured = params;
            measured_size = num_boxes;
        }
        const std::size_t needed = measured_bytes;
        if (stream != on_stream) {
            size = -1;
            indices = py::none();
        }
        if (bytes >= needed && stream == on_stream) return;
        bytes = 0;
        stream = on_stream;
        workspace = new_array(like, static_cast<std::int64_t>(needed), Element::boolean);
        memory = data_of_tensor(workspace);
        bytes = needed;
    }
    void release_large() {
        if (bytes <= kMaxKept) return;
        workspace = py::none();
        bytes = 0;
    }
};

// Kept by the interpreter for each thread, because a thread_local object would be destroyed without its lock.
Reused& reused(int device) {
    static const py::object* const locals = new py::object(py::module_::import("threading").attr("local")());
    static auto* const names = new std::vector<py::object>;  // of the attributes
    while (names->size() <= static_cast<std::size_t>(device)) {
        const std::string name = "cuda" + std::to_string(names->size());
        names->push_back(py::reinterpret_steal<py::object>(PyUnicode_InternFromString(name.c_str())));
    }
    const py::object name = (*names)[static_cast<std::size_t>(device)];
    if (PyObject* found = PyObject_GetAttr(locals->ptr(), name.ptr())) {
        const auto capsule = py::reinterpret_steal<py::object>(found);  // `locals` owns it, too
        return *static_cast<Reused*>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
    }
    PyErr_Clear();
    auto* made = new Reused;
    const py::capsule capsule(made, [](void* pointer) { delete static_cast<Reused*>(pointer); });
    py::setattr(*locals, name, capsule);
    made->count = new_pinned_number();
    made->number = static_cast<std::int64_t*>(data_of_tensor(made->count));
    return *made;
}

// Waits until the device has written the number. Polling takes a few microseconds less than torch's synchronization,
// which is asked after a while, because it reports errors of the device.
void wait_for(volatile std::int64_t* number, int device) {
    using Clock = std::chrono::steady_clock;
    {
        const py::gil_scoped_release unlocked;
        const Clock::time_point end = Clock::now() + std::chrono::milliseconds(20);
        while (*number < 0) {
            for (int k = 0; k < 64 && *number < 0; ++k) {
#if defined(__x86_64__)
                __builtin_ia32_pause();
#endif
            }
            if (Clock::now() > end) break;
        }
        std::atomic_thread_fence(std::memory_order_acquire);
    }
    if (*number < 0) synchronize_torch(device);
}

// CUDA tensors of torch: as suppress_host, by torch's allocator and current stream. Waits for the number of kept boxes.
py::object suppress_torch(const throng_nms_params& params, const Call& call, bool with_hits, bool with_scores) {
    const int device = call.boxes().device();
    throng_nms* nms = device_handle(call.boxes());
    const std::uintptr_t stream = torch_stream(device);
    Reused& own = reused(device);
    own.require(nms, params, call.size(), stream, call.boxes());
    py::object indices;
    if (own.size == call.size()) {
        indices = std::move(own.indices);
        own.size = -1;
    } else {
        indices = new_array(call.boxes(), call.size(), Element::int64);
    }
    py::object others;
    if (with_hits) others = new_array(call.boxes(), call.size(), Element::int32);
    if (with_scores) others = new_array(call.boxes(), call.size(), Element::float32);
    throng_nms_output output = throng_nms_output_default();
    output.capacity = call.size();
    output.indices = data_of_tensor(indices);
    if (with_hits) output.hits = static_cast<std::int32_t*>(data_of_tensor(others));
    if (with_scores) output.scores = static_cast<float*>(data_of_tensor(others));
    *own.number = -1;
    output.count = const_cast<std::int64_t*>(own.number);
    run_device(nms, params, call, output, own.memory, own.bytes, stream);
    own.indices = new_array(call.boxes(), call.size(), Element::int64);
    own.size = call.size();
    wait_for(own.number, device);
    const std::int64_t count = *own.number;
    own.release_large();
    shorten_tensor(indices, count);
    if (!with_hits && !with_scores) return indices;
    shorten_tensor(others, count);
    return py::make_tuple(indices, others);
}

// An array of n elements that the caller provides for results.
void* result_of(std::optional<ArrayView>& view, const py::object& given, const char* name, const Call& call,
                std::int64_t size, Element element) {
    if (given.is_none()) return nullptr;
    view.emplace(given, name);
    if (view->element() != element)
        fail(name, element == Element::boolean ? "must be bool or uint8"
                   : element == Element::int64 ? "must be int64"
                   : element == Element::int32 ? "must be int32"
                                               : "must be float32");
    if (view->shape().size() != 1 || view->shape()[0] != size) {
        fail(name, "must have the shape [" + std::to_string(size) + "], not " + view->shape_text());
    }
    call.require_device(*view);
    return view->writable();
}

// Called with (params, boxes, scores, idxs, image_ids, density, features, xywh, with_hits, with_scores), without
// pybind11's dispatch, which takes a microsecond. Returns indices, (indices, hits) or (indices, scores); None for CUDA
// arrays of other libraries than torch, and for NotFloating.
py::object suppress(PyObject* const* arguments, Py_ssize_t count) {
    if (count != 10) throw py::type_error("suppress takes 10 arguments");
    const auto object = [arguments](int k) { return py::reinterpret_borrow<py::object>(arguments[k]); };
    const auto is_true = [arguments](int k) { return arguments[k] == Py_True; };
    const auto& params = py::handle(arguments[0]).cast<const throng_nms_params&>();
    const py::object boxes = object(1);
    if (is_list(boxes) || is_list(object(2)) || ArrayView::is_other_cuda(boxes)) return py::none();
    try {
        const Call call(boxes, object(2), object(3), object(4), object(5), object(6), is_true(7));
        if (!call.boxes().is_cuda()) return suppress_host(params, call, is_true(8), is_true(9));
        return suppress_torch(params, call, is_true(8), is_true(9));
    } catch (const NotFloating&) {
        return py::none();
    }
}

}  // namespace

PYBIND11_MODULE(_nms, module) {
    module.doc() = "Suppression of arrays by libthrong_nms. Use the functions of the package throng.";
    set_spelling([](const Setting& setting) {
        return keyword(setting.name == "theta" ? "iou_threshold" : setting.name, setting.value);
    });
    const py::tuple bases = py::make_tuple(py::handle(PyExc_RuntimeError), py::handle(PyExc_ValueError));
    const py::exception<ArgumentError> error(module, "Error", bases);
    error.attr("status") = static_cast<int>(THRONG_ERROR_USAGE);  // of the class; an instance has its own
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const ArgumentError& problem) {
            set_error(problem);
        }
    });

    py::class_<throng_nms_params>(module, "Params")
        .def(py::init([](bool torchvision) {
                 return torchvision ? throng_nms_params_torchvision() : throng_nms_params_default();
             }),
             py::arg("torchvision"))
        .def_readwrite("rule", &throng_nms_params::rule)
        .def_readwrite("overlap", &throng_nms_params::overlap)
        .def_readwrite("pair", &throng_nms_params::pair)
        .def_readwrite("ties", &throng_nms_params::ties)
        .def_readwrite("compare", &throng_nms_params::compare)
        .def_readwrite("pixels", &throng_nms_params::pixels)
        .def_readwrite("min_hits", &throng_nms_params::min_hits)
        .def_readwrite("max_output", &throng_nms_params::max_output)
        .def_readwrite("score_threshold", &throng_nms_params::score_threshold)
        .def_readwrite("theta", &throng_nms_params::theta)
        .def_readwrite("sigma", &throng_nms_params::sigma)
        .def_readwrite("score_min", &throng_nms_params::score_min)
        .def_readwrite("feature_low", &throng_nms_params::feature_low)
        .def_readwrite("feature_high", &throng_nms_params::feature_high)
        .def_readwrite("feature_distance", &throng_nms_params::feature_distance);

    static PyMethodDef suppress_method = {
        "suppress",
        reinterpret_cast<PyCFunction>(
            reinterpret_cast<void (*)()>(+[](PyObject*, PyObject* const* arguments, Py_ssize_t count) -> PyObject* {
                try {
                    return suppress(arguments, count).release().ptr();
                } catch (py::error_already_set& raised) {
                    raised.restore();
                } catch (const py::builtin_exception& raised) {
                    raised.set_error();
                } catch (const ArgumentError& wrong) {
                    set_error(wrong);
                } catch (const std::bad_alloc&) {
                    PyErr_NoMemory();
                } catch (const std::exception& other) {
                    PyErr_SetString(PyExc_RuntimeError, other.what());
                }
                return nullptr;
            })),
        METH_FASTCALL, nullptr};
    module.attr("suppress") = py::reinterpret_steal<py::object>(PyCFunction_New(&suppress_method, nullptr));

    // Returns (mask, count), new ones where they are None. Does not wait for CUDA. Returns None as `suppress` does.
    module.def(
        "suppress_mask",
        [](const throng_nms_params& params, const py::object& boxes, const py::object& scores, const py::object& idxs,
           const py::object& density, const py::object& features, bool xywh, const py::object& mask,
           const py::object& count) -> py::object {
            if (is_list(boxes) || is_list(scores) || ArrayView::is_other_cuda(boxes)) return py::none();
            std::optional<Call> checked;
            try {
                checked.emplace(boxes, scores, idxs, py::none(), density, features, xywh);
            } catch (const NotFloating&) {
                return py::none();
            }
            const Call& call = *checked;
            const bool cuda = call.boxes().is_cuda();
            const py::object out_mask = mask.is_none() ? new_array(call.boxes(), call.size(), Element::boolean) : mask;
            const py::object out_count = count.is_none() ? new_array(call.boxes(), 1, Element::int64) : count;
            throng_nms_output output = throng_nms_output_default();
            std::optional<ArrayView> views[2];
            output.mask =
                static_cast<std::uint8_t*>(result_of(views[0], out_mask, "mask", call, call.size(), Element::boolean));
            output.count = result_of(views[1], out_count, "count", call, 1, Element::int64);
            if (cuda) {
                throng_nms* nms = device_handle(call.boxes());
                const int device = call.boxes().device();
                const std::uintptr_t stream = torch_stream(device);
                Reused temporary;  // a graph must own its workspace
                Reused& own = torch_captures() ? temporary : reused(device);
                own.require(nms, params, call.size(), stream, call.boxes());
                run_device(nms, params, call, output, own.memory, own.bytes, stream);
                own.release_large();
            } else {
                const HostCall host;
                run_host(host.work().nms.get(), params, call, output);
            }
            return py::make_tuple(out_mask, out_count);
        });

    // Writes results into arrays of the caller, on the device of boxes: no synchronization on CUDA. For CUDA arrays of
    // other libraries than torch.
    module.def("suppress_into", [](const throng_nms_params& params, const py::object& boxes, const py::object& scores,
                                   const py::object& idxs, const py::object& image_ids, const py::object& density,
                                   const py::object& features, bool xywh, const py::object& indices,
                                   const py::object& hits, const py::object& out_scores, const py::object& mask,
                                   const py::object& count, const py::object& workspace, std::uintptr_t stream) {
        const Call call(boxes, scores, idxs, image_ids, density, features, xywh);
        throng_nms_output output = throng_nms_output_default();
        output.capacity = call.size();
        std::optional<ArrayView> views[6];
        output.indices = result_of(views[0], indices, "indices", call, call.size(), Element::int64);
        output.hits = static_cast<std::int32_t*>(result_of(views[1], hits, "hits", call, call.size(), Element::int32));
        output.scores =
            static_cast<float*>(result_of(views[2], out_scores, "out_scores", call, call.size(), Element::float32));
        output.mask =
            static_cast<std::uint8_t*>(result_of(views[3], mask, "mask", call, call.size(), Element::boolean));
        output.count = result_of(views[4], count, "count", call, 1, Element::int64);
        void* memory = nullptr;
        std::size_t bytes = 0;
        if (!workspace.is_none()) {
            views[5].emplace(workspace, "workspace");
            memory = views[5]->writable();
            bytes = bytes_of(views[5]->element()) * static_cast<std::size_t>(views[5]->shape().at(0));
        }
        run_device(device_handle(call.boxes()), params, call, output, memory, bytes, stream);
    });

    // Returns the bytes of workspace for suppress_into on the device of boxes.
    module.def("workspace_size", [](const throng_nms_params& params, const py::object& boxes) {
        const ArrayView view(boxes, "boxes");
        return workspace_size(device_handle(view), params, view.shape().empty() ? 0 : view.shape()[0]);
    });

    // Returns a new array of the library and the device of `like`. kind: "int64", "int32", "float32" or "bool".
    module.def("new_array", [](const py::object& like, std::int64_t size, const std::string& kind) {
        const Element element = kind == "int64"     ? Element::int64
                                : kind == "int32"   ? Element::int32
                                : kind == "float32" ? Element::float32
                                                    : Element::boolean;
        return new_array(ArrayView(like, "boxes"), size, element);
    });
    // Returns the number of the CUDA device of an array, -1 for the CPU.
    module.def("device_of", [](const py::object& array) { return ArrayView(array, "boxes").device(); });
    module.attr("__version__") = throng_nms_version();
}

}  // namespace throng::python
