// Any bytes are either a valid cascade, whose evaluation reads only inside a window, or an Error(input).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/cascade_xml.h"
#include "tests/fuzz/input.h"

TH_FUZZ(cascade_xml) {
    using namespace throng;
    try {
        const CascadeModel model = parse_cascade({reinterpret_cast<const char*>(data), size}, "fuzz.xml");
        check_model(model);
        // One window on sums of exactly its size, so that a sanitizer detects every access outside.
        const std::ptrdiff_t pitch = model.window_width + 1;
        std::vector<std::uint32_t> sums(static_cast<std::size_t>(pitch * (model.window_height + 1)));
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<std::uint32_t>(i * i);
        static_cast<void>(evaluate_window(model.view(), {sums.data(), sums.data(), sums.data(), pitch}));
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) std::abort();
    }
    return 0;
}
