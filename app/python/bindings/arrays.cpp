#include "app/python/bindings/arrays.h"

#include <cstring>
#include <stdexcept>
#include <utility>

#include "app/python/bindings/dlpack.h"

namespace throng::python {
namespace {

// A module that the caller has imported; none otherwise.
py::object imported(const char* name) {
    PyObject* modules = PyImport_GetModuleDict();
    return py::reinterpret_borrow<py::object>(PyDict_GetItemString(modules, name));
}

// The name of an attribute, made once: looking it up by its text would make a new string each time.
PyObject* name(const char* text) {
    return PyUnicode_InternFromString(text);
}
py::object get(PyObject* object, PyObject* name) {
    PyObject* value = PyObject_GetAttr(object, name);
    if (value == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(value);
}
py::object call(PyObject* object, PyObject* name) {
    PyObject* value = PyObject_CallMethodNoArgs(object, name);
    if (value == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(value);
}

// Attributes of torch that every call needs, looked up once. Never freed: the interpreter may have ended by then.
struct Torch {
    py::object module, tensor, float32, float16, float64, int32, int64, boolean, uint8, strided, empty, raw_stream,
        captures;
    const DlExchange* exchange;  // null: torch is older
    PyObject* device = name("device");
    PyObject* type = name("type");
    PyObject* index = name("index");
    PyObject* is_cuda = name("is_cuda");
    PyObject* is_cpu = name("is_cpu");
    PyObject* get_device = name("get_device");
    PyObject* dtype = name("dtype");
    PyObject* layout = name("layout");
    PyObject* shape = name("shape");
    PyObject* is_contiguous = name("is_contiguous");
    PyObject* contiguous = name("contiguous");
    PyObject* stride = name("stride");
    PyObject* data_ptr = name("data_ptr");
    PyObject* resize = name("resize_");
    PyObject* is_neg = name("is_neg");
    // For empty: (dtype=, device=) and (dtype=).
    PyObject* dtype_and_device = PyTuple_Pack(2, dtype, device);
    PyObject* only_dtype = PyTuple_Pack(1, dtype);
};

const DlExchange* exchange_of(const py::object& type) {
    const py::object capsule = py::getattr(type, "__dlpack_c_exchange_api__", py::none());
    if (!PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api")) return nullptr;
    const auto* table = static_cast<const DlExchange*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
    return table->version.major == 1 && table->tensor_from_object != nullptr ? table : nullptr;
}

const Torch* torch() {
    static Torch* found = nullptr;
    if (found != nullptr) return found;
    const py::object module = imported("torch");
    if (!module || !py::hasattr(module, "Tensor")) return nullptr;
    found = new Torch{module,
                      module.attr("Tensor"),
                      module.attr("float32"),
                      module.attr("float16"),
                      module.attr("float64"),
                      module.attr("int32"),
                      module.attr("int64"),
                      module.attr("bool"),
                      module.attr("uint8"),
                      module.attr("strided"),
                      module.attr("empty"),
                      py::getattr(module.attr("_C"), "_cuda_getCurrentRawStream", py::none()),
                      py::getattr(module.attr("_C"), "_cuda_isCurrentStreamCapturing", py::none()),
                      exchange_of(module.attr("Tensor"))};
    return found;
}

py::object empty_tensor(const Torch& torch, std::int64_t size, const py::object& dtype, const py::object& device) {
    const py::int_ number(size);
    PyObject* arguments[] = {nullptr, number.ptr(), dtype.ptr(), device.ptr()};
    PyObject* made = PyObject_Vectorcall(torch.empty.ptr(), arguments + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                         device ? torch.dtype_and_device : torch.only_dtype);
    if (made == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(made);
}

Element element_of(const Torch& torch, const py::object& dtype) {
    if (dtype.is(torch.float32)) return Element::float32;
    if (dtype.is(torch.int64)) return Element::int64;
    if (dtype.is(torch.float64)) return Element::float64;
    if (dtype.is(torch.float16)) return Element::float16;
    if (dtype.is(torch.int32)) return Element::int32;
    if (dtype.is(torch.boolean) || dtype.is(torch.uint8)) return Element::boolean;
    return Element::other;
}

py::object torch_dtype(const Torch& torch, Element element) {
    switch (element) {
        case Element::float32: return torch.float32;
        case Element::float16: return torch.float16;
        case Element::float64: return torch.float64;
        case Element::int32: return torch.int32;
        case Element::boolean: return torch.boolean;
        default: return torch.int64;
    }
}

const char* numpy_dtype(Element element) {
    switch (element) {
        case Element::float32: return "float32";
        case Element::float16: return "float16";
        case Element::float64: return "float64";
        case Element::int32: return "int32";
        case Element::boolean: return "bool";
        default: return "int64";
    }
}

Element element_of(char kind, std::size_t bytes) {
    if (kind == 'f')
        return bytes == 4   ? Element::float32
               : bytes == 8 ? Element::float64
               : bytes == 2 ? Element::float16
                            : Element::other;
    if (kind == 'i') return bytes == 4 ? Element::int32 : bytes == 8 ? Element::int64 : Element::other;
    if ((kind == 'b' || kind == 'u') && bytes == 1) return Element::boolean;
    return Element::other;
}

// The struct module's formats of native numbers.
Element element_of_format(const char* format, std::size_t bytes) {
    if (format == nullptr) return Element::boolean;                    // bytes
    if (*format == '@' || *format == '=' || *format == '<') ++format;  // little-endian machines only
    if (*format == '\0' || format[1] != '\0') return Element::other;
    switch (*format) {
        case 'e':
        case 'f':
        case 'd': return element_of('f', bytes);
        case 'i':
        case 'l':
        case 'q': return element_of('i', bytes);
        case '?':
        case 'B': return element_of('b', bytes);
        default: return Element::other;
    }
}

Library library_of(const py::object& object) {
    const auto module = py::reinterpret_steal<py::object>(
        PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())), "__module__"));
    if (!module) {
        PyErr_Clear();
        return Library::other;
    }
    if (!py::isinstance<py::str>(module)) return Library::other;
    const auto name = module.cast<std::string>();
    const std::string root = name.substr(0, name.find('.'));
    if (root == "numpy") return Library::numpy;
    if (root == "cupy") return Library::cupy;
    return Library::other;
}

}  // namespace

void fail(const std::string& name, const std::string& problem) {
    throw ArgumentError(name + ": " + problem);
}

void set_error(const ArgumentError& problem) {
    const py::object type = py::module_::import("throng._nms").attr("Error");
    const py::object error = type(problem.what());
    error.attr("status") = problem.status();
    PyErr_SetObject(type.ptr(), error.ptr());
}

std::string keyword(std::string_view name, const std::string& value) {
    return std::string(name) + (value.empty() ? "" : "='" + value + "'");
}

std::size_t bytes_of(Element element) {
    switch (element) {
        case Element::float64:
        case Element::int64: return 8;
        case Element::float16: return 2;
        case Element::boolean: return 1;
        default: return 4;
    }
}

ArrayView::ArrayView(py::object array, const char* argument) : object_(std::move(array)), name_(argument) {
    if (from_torch() || from_buffer() || from_cuda_array_interface() || from_dlpack()) return;
    fail(name_, "is not an array: it has neither the buffer protocol nor __cuda_array_interface__ nor __dlpack__");
}

ArrayView::~ArrayView() {
    if (has_buffer_) PyBuffer_Release(&buffer_);
}

bool ArrayView::is_other_cuda(const py::object& array) {
    const Torch* module = torch();
    if (module != nullptr && py::isinstance(array, module->tensor)) return false;
    return PyObject_CheckBuffer(array.ptr()) == 0 && ArrayView(array, "boxes").is_cuda();
}

bool ArrayView::from_torch() {
    const Torch* module = torch();
    if (module == nullptr) return false;
    PyObject* tensor = object_.ptr();
    const bool plain = Py_TYPE(tensor) == reinterpret_cast<PyTypeObject*>(module->tensor.ptr());
    if (!plain && !py::isinstance(object_, module->tensor)) return false;
    library_ = Library::torch;
    if (plain && module->exchange != nullptr) {  // one call instead of ten
        DlTensor view{};
        if (module->exchange->tensor_from_object(tensor, &view) == 0) {
            take(view);
            resolve_negative();
            return true;
        }
        PyErr_Clear();  // what follows has the messages
    }
    if (get(tensor, module->is_cuda).ptr() == Py_True) {
        device_ = call(tensor, module->get_device).cast<int>();
    } else {
        const py::object device = get(tensor, module->device);
        const auto kind = get(device.ptr(), module->type).cast<std::string>();
        if (kind != "cpu") fail(name_, "is on device " + kind + ", which is neither cpu nor cuda");
    }
    element_ = element_of(*module, get(tensor, module->dtype));
    const py::object shape = get(tensor, module->shape);
    const py::ssize_t dimensions = PyTuple_GET_SIZE(shape.ptr());
    shape_.reserve(static_cast<std::size_t>(dimensions));
    for (py::ssize_t k = 0; k < dimensions; ++k) shape_.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(shape.ptr(), k)));
    const py::object layout = get(tensor, module->layout);
    if (!layout.is(module->strided)) {
        fail(name_, "has the layout " + py::str(layout).cast<std::string>() + "; call to_dense() first");
    }
    if (call(tensor, module->is_contiguous).ptr() != Py_True) {
        const auto bytes = static_cast<std::int64_t>(bytes_of(element_));
        for (const py::handle stride : call(tensor, module->stride)) {
            strides_.push_back(stride.cast<std::int64_t>() * bytes);
        }
    }
    data_ = data_of_tensor(object_);
    resolve_negative();
    return true;
}

// The values of a tensor may be the negative ones of its memory, as in the imaginary part of a conjugate.
void ArrayView::resolve_negative() {
    if (call(object_.ptr(), torch()->is_neg).ptr() != Py_True) return;
    object_ = object_.attr("resolve_neg")();
    shape_.clear();
    strides_.clear();
    from_torch();
    read_only_ = true;  // a copy: nobody would see what is written
}

bool ArrayView::from_buffer() {
    if (PyObject_CheckBuffer(object_.ptr()) == 0) return false;
    if (PyObject_GetBuffer(object_.ptr(), &buffer_, PyBUF_RECORDS_RO) != 0) {
        const py::error_already_set raised;
        fail(name_, "cannot be read: " + py::str(raised.value()).cast<std::string>());
    }
    has_buffer_ = true;
    library_ = library_of(object_);
    data_ = buffer_.buf;
    read_only_ = buffer_.readonly != 0;
    element_ = element_of_format(buffer_.format, static_cast<std::size_t>(buffer_.itemsize));
    shape_.assign(buffer_.shape, buffer_.shape + buffer_.ndim);
    if (buffer_.strides != nullptr) strides_.assign(buffer_.strides, buffer_.strides + buffer_.ndim);
    return true;
}

bool ArrayView::from_cuda_array_interface() {
    const auto interface =
        py::reinterpret_steal<py::object>(PyObject_GetAttrString(object_.ptr(), "__cuda_array_interface__"));
    if (!interface) {
        PyErr_Clear();
        return false;
    }
    library_ = library_of(object_);
    try {
        const auto fields = interface.cast<py::dict>();
        const auto type = fields["typestr"].cast<std::string>();
        if (type.size() >= 3 && type[0] != '>') element_ = element_of(type[1], std::stoul(type.substr(2)));
        for (const py::handle size : fields["shape"]) shape_.push_back(size.cast<std::int64_t>());
        if (fields.contains("strides") && !fields["strides"].is_none()) {
            for (const py::handle stride : fields["strides"]) strides_.push_back(stride.cast<std::int64_t>());
        }
        const auto data = fields["data"].cast<py::tuple>();
        data_ = reinterpret_cast<void*>(data[0].cast<std::uintptr_t>());
        read_only_ = data[1].cast<bool>();
        if (fields.contains("stream") && !fields["stream"].is_none()) stream_ = fields["stream"].cast<std::uintptr_t>();
    } catch (const std::exception&) {  // of Python, too
        fail(name_, "has a malformed __cuda_array_interface__");
    }
    device_ = 0;
    if (py::hasattr(object_, "device")) {
        const py::object device = object_.attr("device");
        if (py::hasattr(device, "id")) device_ = device.attr("id").cast<int>();
    }
    return true;
}

bool ArrayView::from_dlpack() {
    if (!py::hasattr(object_, "__dlpack__")) return false;
    capsule_ = object_.attr("__dlpack__")();
    if (!PyCapsule_IsValid(capsule_.ptr(), "dltensor")) fail(name_, "has a __dlpack__ that returns no dltensor");
    auto* managed = static_cast<DlManagedTensor*>(PyCapsule_GetPointer(capsule_.ptr(), "dltensor"));
    // The capsule frees the tensor, because its name remains "dltensor".
    take(managed->tensor);
    return true;
}

void ArrayView::take(const DlTensor& tensor) {
    if (tensor.device.type == kDlCuda || tensor.device.type == kDlCudaManaged) {
        device_ = tensor.device.id;
    } else if (tensor.device.type != kDlCpu && tensor.device.type != kDlCudaHost) {
        fail(name_, "is on a device that is neither a CPU nor CUDA");
    }
    const char kinds[] = {'i', 'u', 'f'};
    if (tensor.dtype.lanes == 1 && tensor.dtype.code < 3) {
        element_ = element_of(kinds[tensor.dtype.code], tensor.dtype.bits / 8U);
    } else if (tensor.dtype.lanes == 1 && tensor.dtype.code == kDlBool) {
        element_ = Element::boolean;
    }
    data_ = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
    shape_.assign(tensor.shape, tensor.shape + tensor.ndim);
    if (tensor.strides != nullptr) {
        for (int k = 0; k < tensor.ndim; ++k) strides_.push_back(tensor.strides[k] * (tensor.dtype.bits / 8));
    }
}

std::string ArrayView::shape_text() const {
    std::string text = "[";
    for (std::size_t k = 0; k < shape_.size(); ++k) text += (k > 0 ? ", " : "") + std::to_string(shape_[k]);
    return text + "]";
}

std::int64_t ArrayView::stride(std::size_t axis) const {
    if (!strides_.empty()) return strides_[axis];
    auto stride = static_cast<std::int64_t>(bytes_of(element_));
    for (std::size_t k = axis + 1; k < shape_.size(); ++k) stride *= shape_[k];
    return stride;
}

bool ArrayView::is_contiguous() const {
    if (strides_.empty()) return true;
    auto expected = static_cast<std::int64_t>(bytes_of(element_));
    for (std::size_t k = shape_.size(); k-- > 0;) {
        if (shape_[k] == 0) return true;
        if (shape_[k] != 1 && strides_[k] != expected) return false;
        expected *= shape_[k];
    }
    return true;
}

void* ArrayView::contiguous() {
    if (is_contiguous()) return data_;
    if (is_cuda() && library_ == Library::torch) {
        object_ = call(object_.ptr(), torch()->contiguous);
        strides_.clear();
        return data_ = data_of_tensor(object_);
    }
    if (is_cuda()) fail(name_, "is not contiguous");
    // One or two dimensions: boxes, scores, ids.
    const std::size_t bytes = bytes_of(element_);
    const std::int64_t rows = shape_[0];
    const std::int64_t columns = shape_.size() > 1 ? shape_[1] : 1;
    const std::int64_t column_stride = shape_.size() > 1 ? strides_[1] : 0;
    copy_.resize(static_cast<std::size_t>(rows * columns) * bytes);
    std::byte* to = copy_.data();
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::byte* from = static_cast<const std::byte*>(data_) + row * strides_[0];
        for (std::int64_t column = 0; column < columns; ++column, to += bytes) {
            std::memcpy(to, from + column * column_stride, bytes);
        }
    }
    return copy_.data();
}

void* ArrayView::writable() const {
    if (read_only_) fail(name_, "is read-only");
    if (!is_contiguous()) fail(name_, "is not contiguous");
    return data_;
}

py::object new_array(const ArrayView& like, std::int64_t size, Element element) {
    if (like.library() == Library::torch) {
        const Torch& module = *torch();
        py::object device;
        if (like.is_cuda()) device = get(like.object().ptr(), module.device);
        return empty_tensor(module, size, torch_dtype(module, element), device);
    }
    if (like.library() == Library::numpy || like.library() == Library::cupy) {
        const char* name = like.library() == Library::numpy ? "numpy" : "cupy";
        return py::module_::import(name).attr("empty")(size, numpy_dtype(element));
    }
    if (like.is_cuda()) fail(like.name(), "belongs to a library whose arrays cannot be created here");
    const char* format = element == Element::boolean ? "?"
                         : element == Element::int64 ? "q"
                         : element == Element::int32 ? "i"
                                                     : "f";
    const py::object bytes = py::reinterpret_steal<py::object>(PyByteArray_FromStringAndSize(
        nullptr, static_cast<py::ssize_t>(size) * static_cast<py::ssize_t>(bytes_of(element))));
    return py::memoryview(bytes).attr("cast")(format);
}

void* data_of_tensor(const py::object& tensor) {
    const py::object address = call(tensor.ptr(), torch()->data_ptr);
    return PyLong_AsVoidPtr(address.ptr());
}

void shorten_tensor(const py::object& tensor, std::int64_t size) {
    const py::int_ number(size);
    PyObject* arguments[] = {tensor.ptr(), number.ptr()};
    const auto same = py::reinterpret_steal<py::object>(
        PyObject_VectorcallMethod(torch()->resize, arguments, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
    if (!same) throw py::error_already_set();
}

bool torch_captures() {
    const py::object& captures = torch()->captures;
    return !captures.is_none() && captures().ptr() == Py_True;
}

py::object new_pinned_number() {
    const Torch& module = *torch();
    return module.empty(1, py::arg("dtype") = module.int64, py::arg("pin_memory") = true);
}

std::uintptr_t torch_stream(int device) {
    const Torch& module = *torch();
    void* stream = nullptr;
    if (module.exchange != nullptr && module.exchange->current_stream(kDlCuda, device, &stream) == 0) {
        return reinterpret_cast<std::uintptr_t>(stream);
    }
    PyErr_Clear();
    if (!module.raw_stream.is_none()) return module.raw_stream(device).cast<std::uintptr_t>();
    return module.module.attr("cuda").attr("current_stream")(device).attr("cuda_stream").cast<std::uintptr_t>();
}

void synchronize_torch(int device) {
    torch()->module.attr("cuda").attr("current_stream")(device).attr("synchronize")();
}

}  // namespace throng::python
