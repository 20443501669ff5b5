// All settings of the switches give the same detections; a mask and a stride match their definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/cascade_xml.h"
#include "core/synth/crowd.h"
#include "gpu/cascade/first_stages.h"
#include "gpu/lab/cascade_steps.h"
#include "tests/gpu/cascade/compare.h"
#include "tests/gpu/cascade/definitions.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"

namespace throng::test {
namespace {

using gpu::CascadeOptions;

std::vector<ScoredBox> sorted_reference(const CascadeModel& model, const GrayImage& image,
                                        const DetectorParams& params) {
    std::vector<ScoredBox> boxes = reference_detections(model, image, params);
    sort_boxes(boxes);
    return boxes;
}

class CascadeSwitches : public GpuTest {
protected:
    std::vector<ScoredBox> detect(gpu::CascadeSteps& detector, const Frame& frame) {
        DetectionBuffer raw = gpu::make_device_buffer(1 << 16, {}, view());
        return sorted_boxes(raw_detections(detector, frame, raw));
    }
};

std::vector<CascadeOptions> all_switches(int stages) {
    std::vector<CascadeOptions> all;
    int number = 0;
    const std::vector<std::vector<int>> segments = {{}, {1}, {2, 4}, {1, 2, 3, stages - 1}, {stages}};
    for (const auto& list : segments) {
        for (const gpu::Scales scales : {gpu::Scales::sequential, gpu::Scales::streams, gpu::Scales::together}) {
            for (int bits = 0; bits < 8; ++bits) {
                CascadeOptions options;
                options.segment_count = 1;
                options.segments = list;
                options.scales = scales;
                options.features = (bits & 1) != 0 ? gpu::Features::geometry : gpu::Features::offsets;
                options.tail = (bits & 2) != 0;
                options.first_useful_scale = (bits & 4) != 0;
                options.graph = (bits % 3) != 0;
                options.tiles = (number++ % 3) != 0;
                all.push_back(options);
            }
        }
    }
    return all;
}

// The more stages the first kernel evaluates, the more shared memory it needs, beside what it always has.
TEST_F(CascadeSwitches, AnyNumberOfFirstStages) {
    if (IsSkipped() || HasFatalFailure()) return;
    TH_NEED(file, cascade_file("haarcascade_frontalface_alt2.xml"), "haarcascade_frontalface_alt2.xml");
    DetectorParams params;
    params.kind = DetectorId::haar;
    params.min_size = 24;
    CrowdOptions crowd;
    crowd.width = 1920;
    crowd.height = 1080;
    const Frame frame = Crowd(crowd).frame(0);
    gpu::CascadeSteps detector(view(), device, read_cascade(file), params);
    const std::vector<ScoredBox> expected = detect(detector, frame);
    EXPECT_GT(expected.size(), 100U);
    for (int stages = 1; stages <= 12; ++stages) {
        CascadeOptions options;
        options.segments = {stages};
        detector.set_options(options);
        EXPECT_EQ(difference(expected, detect(detector, frame)), "") << stages;
    }
}

TEST_F(CascadeSwitches, SwitchesKeepTheDetections) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(51));
    std::size_t found = 0;
    for (int turn = 0; turn < 6; ++turn) {
        const CascadeKind kind = turn % 2 == 0 ? CascadeKind::haar : CascadeKind::lbp;
        const int nodes = 1 + turn / 2;  // 1, 2, 3
        CascadeModel model = random_cascade(random, kind, 20 + turn, 24, nodes, turn == 2);
        if (nodes == 2) keep_trees_of(model, 2);  // a separate layout
        // A leaf so small that the sums of its stage depend on their order.
        const bool exact = turn != 3 && turn != 4;
        if (!exact) model.leaves.front() = 1e-30F;
        ASSERT_EQ(gpu::leaf_unit(model).has_value(), exact);
        DetectorParams params;
        params.kind = kind == CascadeKind::haar ? DetectorId::haar : DetectorId::lbp;
        params.min_size = 31;
        params.scale_factor = 1.17;
        const GrayImage image = random_image(random, 190 + 7 * turn, 140);
        const std::vector<ScoredBox> expected = sorted_reference(model, image, params);
        found += expected.size();
        gpu::CascadeSteps detector(view(), device, model, params);
        const Frame frame = frame_of(image);
        int number = 0;
        for (const CascadeOptions& options : all_switches(static_cast<int>(model.stages.size()))) {
            detector.set_options(options);
            const std::string what = "turn " + std::to_string(turn) + " options " + std::to_string(number++);
            for (int again = 0; again < 2; ++again) {
                ASSERT_EQ(difference(expected, detect(detector, frame)), "") << what << " again " << again;
            }
        }
    }
    EXPECT_GT(found, 100U);
}

// Returns a feature as in trained cascades: a rectangle, of which one or two parts count more.
HaarFeature trained_feature(std::mt19937_64& random, int width, int height, bool tilted) {
    const auto pick = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
    const int parts = pick(2, 3);
    const int w = pick(1, (tilted ? width / 2 : width) / parts);
    const int h = pick(1, (tilted ? std::min(width / 2, height - parts * w) : height) / 2) * 2;
    const int x = tilted ? pick(h, width - parts * w) : pick(0, width - parts * w);
    const int y = pick(0, height - h - (tilted ? parts * w : 0));
    const auto rect = [](int left, int top, int across, int down) {
        return CascadeRect{static_cast<std::int16_t>(left), static_cast<std::int16_t>(top),
                           static_cast<std::int16_t>(across), static_cast<std::int16_t>(down)};
    };
    const int down = tilted ? 1 : 0;  // the way to the next part leads down, too
    HaarFeature f{{rect(x, y, parts * w, h), rect(x + w, y + down * w, w, h), {}},
                  {-1.0F, static_cast<float>(parts), 0.0F},
                  tilted ? 1 : 0};
    if (parts == 2 && !tilted && pick(0, 1) == 0) {  // a board of two by two
        f.rect[1] = rect(x, y, w, h / 2);
        f.rect[2] = rect(x + w, y + h / 2, w, h / 2);
        f.weight[2] = 2.0F;
    }
    return f;
}

TEST_F(CascadeSwitches, TrainedFeaturesInPairsKeepTheDetections) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(54));
    std::size_t found = 0;
    int stages = 0;
    for (int turn = 0; turn < 12; ++turn) {
        const int nodes = 1 + turn % 2;
        CascadeModel model = random_cascade(random, CascadeKind::haar, 20, 20 + turn / 2, nodes, turn % 3 == 2);
        keep_trees_of(model, nodes);
        for (HaarFeature& f : model.haar) {
            f = trained_feature(random, model.window_width, model.window_height, f.tilted != 0);
        }
        stages += gpu::FirstStages::max_stages(model);
        DetectorParams params;
        params.min_size = 24;
        params.scale_factor = 1.3;
        const GrayImage image = random_image(random, 180 + 7 * turn, 140);
        const std::vector<ScoredBox> expected = sorted_reference(model, image, params);
        found += expected.size();
        gpu::CascadeSteps detector(view(), device, model, params);
        ASSERT_EQ(difference(expected, detect(detector, frame_of(image))), "") << "turn " << turn;
    }
    EXPECT_GT(found, 100U);
    EXPECT_GT(stages, 12);  // of at most 3 in each turn
}

// Half the windows, a region of interest, and both kinds of chroma. A window outside does not count as a rejection in
// stage 0.
TEST_F(CascadeSwitches, MasksMatchTheDefinition) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(52));
    DetectorParams params;
    params.scale_factor = 1.2;
    const GrayImage image = random_image(random, 301, 203);
    CascadeModel model;
    do {
        model = random_cascade(random, CascadeKind::haar, 20, 20, 2, false);
    } while (reference_detections(model, image, params).size() < 500);
    const int across = (image.width + 1) / 2;
    const int down = (image.height + 1) / 2;
    std::vector<std::uint8_t> chroma(static_cast<std::size_t>(2 * across * down));
    for (std::size_t i = 0; i < chroma.size(); ++i)
        chroma[i] = static_cast<std::uint8_t>(i % 2 == 0 ? 100 + random() % 50 : 150 + random() % 30);

    for (int turn = 0; turn < 4; ++turn) {
        CascadeOptions options;
        options.mask.skin = turn != 1;
        if (turn != 0) {
            options.mask.roi_x = 61;
            options.mask.roi_y = 40;
            options.mask.roi_width = 121;
            options.mask.roi_height = 95;
        }
        options.mask.min_share = turn == 0 ? 0.3F : 0.2F;
        const bool planar = turn == 3;
        const auto sample = [&](int x, int y) {
            const int column = 2 * x - options.mask.roi_x;
            const int row = 2 * y - options.mask.roi_y;
            const bool in_roi = turn == 0 || (column >= 0 && row >= 0 && column < options.mask.roi_width &&
                                              row < options.mask.roi_height);
            const std::size_t at = static_cast<std::size_t>(2 * (y * across + x));
            const int cb = chroma[at];
            const int cr = chroma[at + 1];
            return in_roi && (!options.mask.skin || (cb >= 77 && cb <= 127 && cr >= 133 && cr <= 173));
        };
        const auto is_candidate = [&](const Box& box) {
            const int right = std::min(static_cast<int>(box.x + box.w) / 2, across);
            const int bottom = std::min(static_cast<int>(box.y + box.h) / 2, down);
            const int left = static_cast<int>(box.x) / 2;
            const int top = static_cast<int>(box.y) / 2;
            int set = 0;
            for (int y = top; y < bottom; ++y) {
                for (int x = left; x < right; ++x) set += sample(x, y) ? 1 : 0;
            }
            return static_cast<float>(set) >=
                   options.mask.min_share * static_cast<float>((right - left) * (bottom - top));
        };
        std::vector<ScoredBox> expected = masked_detections(model, image, params, is_candidate);
        sort_boxes(expected);
        EXPECT_GT(expected.size(), 5U);
        const Frame frame = with_chroma(image, chroma, planar);
        for (const gpu::Scales scales : {gpu::Scales::sequential, gpu::Scales::streams, gpu::Scales::together}) {
            options.scales = scales;
            gpu::CascadeSteps detector(view(), device, model, params, options);
            for (int again = 0; again < 2; ++again) {
                EXPECT_EQ(difference(expected, detect(detector, frame)), "") << "turn " << turn;
            }
        }
    }
}

TEST_F(CascadeSwitches, StrideMatchesTheDefinition) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(53));
    for (const CascadeKind kind : {CascadeKind::haar, CascadeKind::lbp}) {
        DetectorParams params;
        params.kind = kind == CascadeKind::haar ? DetectorId::haar : DetectorId::lbp;
        params.scale_factor = 1.2;
        const GrayImage image = random_image(random, 201, 163);
        CascadeModel model;
        // The rule of visited windows, which a stride does not have, drops some of them.
        do {
            model = random_cascade(random, kind, 20, 20, 1, false);
        } while (strided_detections(model, image, params, 1, 2).size() <
                 reference_detections(model, image, params).size() + 100);
        for (const int stride : {2, 3}) {
            std::vector<ScoredBox> expected = strided_detections(model, image, params, stride, 2);
            sort_boxes(expected);
            EXPECT_GT(expected.size(), 100U);
            CascadeOptions options;
            options.segment_count = 1;
            options.segments = {2, 4};
            options.stride = stride;
            gpu::CascadeSteps detector(view(), device, model, params, options);
            for (int again = 0; again < 3; ++again) {
                EXPECT_EQ(difference(expected, detect(detector, frame_of(image))), "") << "stride " << stride;
            }
        }
    }
}

TEST_F(CascadeSwitches, InvalidValuesAreRejected) {
    CascadeOptions options;
    options.stride = 9;
    EXPECT_THROW(gpu::check_options(options), Error);
    options = {};
    options.segments = {3, 2};
    EXPECT_THROW(gpu::check_options(options), Error);
    options.segments = {0};
    EXPECT_THROW(gpu::check_options(options), Error);
    options.segments = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    EXPECT_THROW(gpu::check_options(options), Error);
    options = {};
    options.mask.min_share = 1.5F;
    EXPECT_THROW(gpu::check_options(options), Error);
}

// Needs no GPU. Blocks of Turing have 64 KB, those of the Ada and Ampere cards of PCs 99 KB, of data centers more.
TEST(CascadeTail, ASmallBlockLeavesItOut) {
    gpu::CascadeTables tables;
    EXPECT_FALSE(gpu::has_tail(tables, 227U << 10)) << "a model without tables";
    tables.tail_entries = 21 * 21;
    EXPECT_TRUE(gpu::has_tail(tables, 64U << 10));
    tables.tail_entries = 71 * 71;
    EXPECT_FALSE(gpu::has_tail(tables, 64U << 10));
    EXPECT_TRUE(gpu::has_tail(tables, 99U << 10));
    tables.tilted = true;
    EXPECT_FALSE(gpu::has_tail(tables, 99U << 10));
    EXPECT_TRUE(gpu::has_tail(tables, 227U << 10));
}

// Needs no GPU.
TEST(CascadeSwitchTable, EachChoiceSetsItsOption) {
    const std::map<std::string, std::string> none;
    for (const DetectorSwitch& each : gpu::describe_switches(gpu::with_choices({}, none))) {
        EXPECT_EQ(each.chosen, each.choices.front()) << each.id;
        for (const std::string& choice : each.choices) {
            for (const DetectorSwitch& now : gpu::describe_switches(gpu::with_choices({}, {{each.id, choice}}))) {
                EXPECT_EQ(now.chosen, now.id == each.id ? choice : now.choices.front()) << each.id << '=' << choice;
            }
        }
    }
    CascadeOptions options = gpu::with_choices({}, {{"scales", "streams"}, {"features", "geometry"}, {"tail", "off"}});
    EXPECT_EQ(options.scales, gpu::Scales::streams);
    EXPECT_EQ(options.features, gpu::Features::geometry);
    EXPECT_FALSE(options.tail);
    EXPECT_TRUE(options.tiles && options.first_useful_scale && options.graph);
    options = gpu::with_choices(options, {{"scales", "sequential"}, {"first-scale", "off"}, {"segments", "3,8"}});
    EXPECT_EQ(options.scales, gpu::Scales::sequential);
    EXPECT_FALSE(options.first_useful_scale || options.tail);
    EXPECT_EQ(options.segments, (std::vector<int>{3, 8}));
    options = gpu::with_choices({}, {{"mask", "roi:1,2,3x4"}, {"stride", "8"}});
    EXPECT_EQ(options.mask.roi_height, 4);
    EXPECT_EQ(options.stride, 8);
    EXPECT_EQ(gpu::describe_switches(options)[6].choices.back(), "roi:1,2,3x4");
    EXPECT_THROW(static_cast<void>(gpu::with_choices({}, {{"scale", "streams"}})), Error);
    EXPECT_THROW(static_cast<void>(gpu::with_choices({}, {{"tail", "perhaps"}})), Error);
    EXPECT_THROW(static_cast<void>(gpu::with_choices({}, {{"mask", "roi:1,2,3"}})), Error);
}

}  // namespace
}  // namespace throng::test
