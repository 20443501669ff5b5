// Arrays of other libraries: where their elements are, and new ones of the same library for results. Uses the interfaces
// of torch.Tensor, the buffer protocol (NumPy), __cuda_array_interface__ (CuPy, Numba) and DLPack. No library is linked.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/api/throng_nms.h"

namespace throng::python {

namespace py = pybind11;

struct DlTensor;

// Types of elements. boolean stands for 1-byte values.
enum class Element : std::int32_t {
    float32 = THRONG_FLOAT32,
    float16 = THRONG_FLOAT16,
    float64 = THRONG_FLOAT64,
    int32 = THRONG_INT32,
    int64 = THRONG_INT64,
    boolean,
    other,
};

[[nodiscard]] std::size_t bytes_of(Element element);

// The library that made an array.
enum class Library : std::uint8_t { torch, numpy, cupy, other };

// A view of an array; keeps the array alive. Not copyable: it may own a buffer export or a DLPack tensor.
class ArrayView {
public:
    // Returns true for CUDA arrays of other libraries than torch, without a look at anything else.
    [[nodiscard]] static bool is_other_cuda(const py::object& array);

    // name: of the argument, for messages. Throws throng.Error for an object that is no array, or whose memory can be
    // accessed neither by the CPU nor by CUDA.
    ArrayView(py::object array, const char* name);
    ~ArrayView();
    ArrayView(const ArrayView&) = delete;
    ArrayView& operator=(const ArrayView&) = delete;

    [[nodiscard]] const char* name() const { return name_; }
    [[nodiscard]] Element element() const { return element_; }
    [[nodiscard]] Library library() const { return library_; }
    [[nodiscard]] bool is_cuda() const { return device_ >= 0; }
    [[nodiscard]] int device() const { return device_; }  // -1: the CPU
    [[nodiscard]] const std::vector<std::int64_t>& shape() const { return shape_; }
    [[nodiscard]] std::string shape_text() const;
    [[nodiscard]] const py::object& object() const { return object_; }
    [[nodiscard]] std::uintptr_t stream() const { return stream_; }  // of __cuda_array_interface__; 0: none

    [[nodiscard]] const void* data() const { return data_; }
    // Returns the bytes between two elements of an axis.
    [[nodiscard]] std::int64_t stride(std::size_t axis) const;

    // Returns the first element. Elements of a CPU array that is not contiguous are copied, a CUDA array of torch by torch;
    // another CUDA array that is not contiguous is an error.
    [[nodiscard]] void* contiguous();
    // Returns the first element of an array that is written. Throws if it is read-only or not contiguous.
    [[nodiscard]] void* writable() const;

private:
    bool from_torch();
    void resolve_negative();
    bool from_buffer();
    bool from_cuda_array_interface();
    bool from_dlpack();
    void take(const DlTensor& tensor);
    [[nodiscard]] bool is_contiguous() const;

    py::object object_;
    const char* name_;
    void* data_ = nullptr;
    Element element_ = Element::other;
    Library library_ = Library::other;
    int device_ = -1;
    std::uintptr_t stream_ = 0;
    bool read_only_ = false;
    std::vector<std::int64_t> shape_;
    std::vector<std::int64_t> strides_;  // in bytes; empty: contiguous
    std::vector<std::byte> copy_;
    Py_buffer buffer_{};
    bool has_buffer_ = false;
    py::object capsule_;
};

// Becomes throng.Error.
class ArgumentError : public std::runtime_error {
public:
    explicit ArgumentError(const std::string& text, int status = 2) : std::runtime_error(text), status_(status) {}
    [[nodiscard]] int status() const noexcept { return status_; }  // throng_status

private:
    int status_;
};

// Sets Python's error: an instance of throng.Error with its status.
void set_error(const ArgumentError& problem);

// Throws throng.Error with the text "name: problem".
[[noreturn]] void fail(const std::string& name, const std::string& problem);

// Spells a setting of a message as a keyword argument.
[[nodiscard]] std::string keyword(std::string_view name, const std::string& value);

// Returns a new one-dimensional array of the library and the device of `like`, not initialized. Libraries other than
// torch, NumPy and CuPy get a memoryview.
[[nodiscard]] py::object new_array(const ArrayView& like, std::int64_t size, Element element);

// Returns the address of the elements of a torch tensor.
[[nodiscard]] void* data_of_tensor(const py::object& tensor);
// Shortens a torch tensor of one dimension without a copy.
void shorten_tensor(const py::object& tensor, std::int64_t size);
// Returns true if work on torch's current stream of the current device is being captured in a graph.
[[nodiscard]] bool torch_captures();
// Returns an int64 tensor of one element in page-locked host memory, which the device can write.
[[nodiscard]] py::object new_pinned_number();
// Returns torch's current stream (a cudaStream_t) of a device.
[[nodiscard]] std::uintptr_t torch_stream(int device);
// Waits for torch's current stream of a device. Raises what torch raises.
void synchronize_torch(int device);

}  // namespace throng::python
