// Any boxes with any parameters: the engine of the CPU keeps what the definition, pair by pair, keeps, bit for bit.
#include <cstdint>
#include <cstring>

#include "core/base/error.h"
#include "core/cpu/nms.h"
#include "tests/fuzz/input.h"
#include "tests/support/nms_run.h"

namespace {

using namespace throng;

constexpr std::size_t kMaxBoxes = 200;

template <class Enum>
Enum take_enum(fuzz::Bytes& bytes, int count) {
    return static_cast<Enum>(bytes.take_in(0, count - 1));
}

// In [0, 1], and 0 and 1 themselves.
float take_fraction(fuzz::Bytes& bytes) {
    return static_cast<float>(bytes.take_byte()) / 255.0F;
}

NmsParams take_params(fuzz::Bytes& bytes) {
    NmsParams params;
    params.rule = take_enum<NmsRule>(bytes, 4);
    params.overlap = take_enum<Overlap>(bytes, 3);
    params.pair = take_enum<PairRule>(bytes, 3);
    params.pixels = take_enum<PixelConvention>(bytes, 2);
    params.ties = take_enum<Ties>(bytes, 3);
    params.compare = take_enum<Compare>(bytes, 2);
    params.merge = take_enum<Merge>(bytes, 3);
    params.theta = take_fraction(bytes);
    params.min_hits = bytes.take_in(1, 4);
    params.sigma = take_fraction(bytes) + 0.01F;
    params.score_min = take_fraction(bytes);
    params.feature_low = take_fraction(bytes);
    params.feature_high = take_fraction(bytes);
    params.feature_distance = take_fraction(bytes);
    return params;
}

// Small numbers make boxes that overlap and equal scores; others are any float.
float take_number(fuzz::Bytes& bytes, bool any) {
    return any ? bytes.take<float>() : static_cast<float>(bytes.take<std::int8_t>()) / 4;
}

test::NmsInput take_boxes(fuzz::Bytes& bytes) {
    test::NmsInput input;
    const int shape = bytes.take_byte();
    const bool any = (shape & 1) != 0;
    const bool with_density = (shape & 2) != 0;
    if ((shape & 4) != 0) input.feature_size = 2;
    while (bytes.size() > 0 && input.boxes.size() < kMaxBoxes) {
        const float x = take_number(bytes, any);
        const float y = take_number(bytes, any);
        const float w = take_number(bytes, any);
        input.boxes.push_back({x, y, w, take_number(bytes, any)});
        input.scores.push_back(take_number(bytes, any));
        if (with_density) input.density.push_back(take_fraction(bytes));
        for (int i = 0; i < input.feature_size; ++i) input.features.push_back(take_fraction(bytes));
    }
    return input;
}

bool same(const test::NmsOutput& a, const test::NmsOutput& b) {
    if (a.invalid != b.invalid || a.kept.size() != b.kept.size()) return false;
    for (std::size_t i = 0; i < a.kept.size(); ++i) {
        const Detection& p = a.kept[i];
        const Detection& q = b.kept[i];
        if (std::memcmp(&p.box, &q.box, sizeof p.box) != 0 || p.score != q.score) return false;
        if (p.hits != q.hits || p.source != q.source) return false;
    }
    return true;
}

}  // namespace

TH_FUZZ(nms) {
    static const std::unique_ptr<Nms> nms = make_cpu_nms(1);
    fuzz::Bytes bytes(data, size);
    const NmsParams params = take_params(bytes);
    const test::NmsInput input = take_boxes(bytes);
    try {
        const test::NmsOutput kept = test::run_host_nms(*nms, input, params);
        fuzz::require(same(kept, test::reference_nms(input, params)));
    } catch (const Error& error) {
        fuzz::require(error.kind() == ErrorKind::usage || error.kind() == ErrorKind::input);
    }
    return 0;
}
