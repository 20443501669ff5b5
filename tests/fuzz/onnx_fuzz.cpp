// Any bytes are either a valid network, whose sizes can be resolved and which passes its check, or an Error(input).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/base/error.h"
#include "core/model/onnx_reader.h"
#include "tests/fuzz/input.h"

TH_FUZZ(onnx) {
    using namespace throng;
    try {
        const Network network = parse_onnx({reinterpret_cast<const char*>(data), size}, "fuzz.onnx");
        check_network(network);
        const std::int32_t side = input_multiple(network) * 2;
        static_cast<void>(resolve_sizes(network, side, side));
        static_cast<void>(multiply_adds(network, side, side));
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) std::abort();
    }
    return 0;
}
