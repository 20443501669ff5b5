#include "core/model/onnx_tensor.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/error.h"
#include "core/model/onnx.pb.h"

namespace throng {
namespace {

static_assert(std::endian::native == std::endian::little, "ONNX keeps raw data little-endian");

using Type = onnx::TensorProto;

[[noreturn]] void fail(const std::string& problem, const std::string& where, const std::string& advice = {}) {
    throw Error(ErrorKind::input, problem, where, advice);
}

std::size_t count_elements(const onnx::TensorProto& proto, const std::string& where) {
    if (proto.dims_size() > kMaxDimensions) fail("has more dimensions than any weight", where);
    std::uint64_t count = 1;
    for (const std::int64_t dim : proto.dims()) {
        if (dim < 0) fail("has a negative dimension", where);
        // Both factors are at most 2^26 here; a larger product is rejected.
        if (static_cast<std::uint64_t>(dim) > kMaxConstant) fail("is larger than any weight of a detector", where);
        count *= static_cast<std::uint64_t>(dim);
        if (count > kMaxConstant) fail("is larger than any weight of a detector", where);
    }
    return static_cast<std::size_t>(count);
}

float half_to_float(std::uint16_t bits) {
    const int exponent = (bits >> 10) & 0x1F;
    const int mantissa = bits & 0x3FF;
    float value = 0.0F;
    if (exponent == 0x1F) {
        value = mantissa != 0 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
    } else if (exponent == 0) {
        value = std::ldexp(static_cast<float>(mantissa), -24);
    } else {
        value = std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
    }
    return (bits & 0x8000) != 0 ? -value : value;
}

// Converts the bytes of raw_data, read as numbers of type Raw, with `convert`.
template <class Raw, class Out, class Convert>
void take_raw(const std::string& raw, std::size_t count, std::vector<Out>& out, const std::string& where,
              Convert convert) {
    if (raw.size() != count * sizeof(Raw)) {
        fail("contains " + std::to_string(raw.size()) + " bytes, but its shape requires " +
                 std::to_string(count * sizeof(Raw)),
             where);
    }
    out.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        Raw value;
        std::memcpy(&value, raw.data() + i * sizeof(Raw), sizeof(Raw));
        out[i] = convert(value);
    }
}

template <class Field, class Out, class Convert>
void take_field(const Field& field, std::size_t count, std::vector<Out>& out, const std::string& where,
                Convert convert) {
    if (static_cast<std::size_t>(field.size()) != count) {
        fail("contains " + std::to_string(field.size()) + " numbers, but its shape requires " + std::to_string(count),
             where);
    }
    out.reserve(count);
    for (const auto value : field) out.push_back(convert(value));
}

}  // namespace

OnnxTensor read_tensor(const onnx::TensorProto& proto, const std::string& where) {
    if (proto.data_location() == onnx::TensorProto::EXTERNAL || proto.external_data_size() > 0) {
        fail("is stored in another file (external data), which is not supported", where,
             "save the model in a single file");
    }
    OnnxTensor tensor;
    const std::size_t count = count_elements(proto, where);
    tensor.shape.assign(proto.dims().begin(), proto.dims().end());
    const bool raw = proto.has_raw_data();
    const auto as_float = [](auto value) { return static_cast<float>(value); };
    const auto as_integer = [](auto value) { return static_cast<std::int64_t>(value); };
    const auto from_half = [](auto value) { return half_to_float(static_cast<std::uint16_t>(value)); };
    switch (proto.data_type()) {
        case Type::FLOAT:
            raw ? take_raw<float>(proto.raw_data(), count, tensor.floats, where, as_float)
                : take_field(proto.float_data(), count, tensor.floats, where, as_float);
            return tensor;
        case Type::DOUBLE:
            raw ? take_raw<double>(proto.raw_data(), count, tensor.floats, where, as_float)
                : take_field(proto.double_data(), count, tensor.floats, where, as_float);
            return tensor;
        case Type::FLOAT16:
            raw ? take_raw<std::uint16_t>(proto.raw_data(), count, tensor.floats, where, from_half)
                : take_field(proto.int32_data(), count, tensor.floats, where, from_half);
            return tensor;
        default: break;
    }
    tensor.is_integer = true;
    switch (proto.data_type()) {
        case Type::INT64:
            raw ? take_raw<std::int64_t>(proto.raw_data(), count, tensor.integers, where, as_integer)
                : take_field(proto.int64_data(), count, tensor.integers, where, as_integer);
            return tensor;
        case Type::INT32:
            raw ? take_raw<std::int32_t>(proto.raw_data(), count, tensor.integers, where, as_integer)
                : take_field(proto.int32_data(), count, tensor.integers, where, as_integer);
            return tensor;
        case Type::BOOL:
        case Type::UINT8:
            raw ? take_raw<std::uint8_t>(proto.raw_data(), count, tensor.integers, where, as_integer)
                : take_field(proto.int32_data(), count, tensor.integers, where, as_integer);
            return tensor;
        case Type::INT8:
            raw ? take_raw<std::int8_t>(proto.raw_data(), count, tensor.integers, where, as_integer)
                : take_field(proto.int32_data(), count, tensor.integers, where, as_integer);
            return tensor;
        default: break;
    }
    fail("has an unsupported type (ONNX data type " + std::to_string(proto.data_type()) + ")", where);
}

}  // namespace throng
