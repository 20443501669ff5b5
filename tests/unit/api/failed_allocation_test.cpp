// Handles after a call that failed for lack of memory: the next call gives the right results.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/api/throng.h"
#include "app/api/throng_nms.h"
#include "tests/support/failing_new.h"
#include "tests/support/nms_cases.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"

namespace throng::test {
namespace {

struct SmallImage {
    int width = 0;
    int height = 0;
    std::vector<unsigned char> gray;
};

// Part of a drawn crowd.
SmallImage small_image(int width, int height) {
    throng_options options = throng_options_default();
    options.backend = THRONG_BACKEND_CPU;
    throng_stream* stream = nullptr;
    const std::string source = "crowd:faces=3,frames=1,size=" + std::to_string(width) + "x" + std::to_string(height);
    EXPECT_EQ(throng_stream_open(&stream, THRONG_ABI, source.c_str(), &options), THRONG_OK);
    const throng_frame* frame = nullptr;
    EXPECT_EQ(throng_stream_next(stream, -1, &frame, nullptr), THRONG_OK);
    SmallImage image{width, height, {}};
    for (int y = 0; frame != nullptr && y < height; ++y) {
        const auto* row = static_cast<const unsigned char*>(frame->image->planes[0]) + y * frame->image->pitch[0];
        image.gray.insert(image.gray.end(), row, row + width);
    }
    throng_stream_destroy(stream);
    return image;
}

// Returns the detections as text.
std::string detections_in(throng_detector* detector, const SmallImage& small, throng_status& status) {
    throng_image image = throng_image_default();
    image.width = small.width;
    image.height = small.height;
    image.planes[0] = small.gray.data();
    image.pitch[0] = small.width;
    throng_detection found[400];
    std::int64_t count = 0;
    status = throng_detect(detector, &image, found, sizeof found[0], 400, &count);
    std::string text;
    for (std::int64_t k = 0; status == THRONG_OK && k < count; ++k) {
        for (const float v : {found[k].x, found[k].y, found[k].width, found[k].height, found[k].score}) {
            text += std::to_string(v) + " ";
        }
        text += std::to_string(found[k].hits) + "\n";
    }
    return text;
}

TEST(FailedAllocation, TheNextImageIsDetectedRightly) {
    TH_NEED(model, cascade_file("haarcascade_frontalface_alt2.xml"), "opencv-data");
    const SmallImage images[2] = {small_image(160, 160), small_image(144, 200)};
    throng_options options = throng_options_default();
    options.backend = THRONG_BACKEND_CPU;
    options.threads = 2;
    options.scale_factor = 1.4;
    for (const char* kind : {"haar", "lbp", "hog", "cnn", "person"}) {
        options.detector = kind;
        throng_detector* detector = nullptr;
        if (throng_detector_create(&detector, THRONG_ABI, &options) == THRONG_ERROR_UNAVAILABLE)
            continue;  // no network
        throng_status status = THRONG_OK;
        const std::string expected[2] = {detections_in(detector, images[0], status),
                                         detections_in(detector, images[1], status)};
        ASSERT_EQ(status, THRONG_OK) << throng_detector_error(detector);  // otherwise every attempt would fail
        std::size_t at = 0;  // the other size than before: the detector plans anew
        int failures = 0;
        for_every_failing_allocation([&](std::int64_t number) {
            throng_status first = THRONG_OK;
            {
                const FailingNew failing(number);
                try {
                    static_cast<void>(detections_in(detector, images[at], first));
                } catch (const std::bad_alloc&) {  // of the test itself
                    first = THRONG_ERROR_INTERNAL;
                }
            }
            failures += first == THRONG_OK ? 0 : 1;
            for (int again = 0; again < 2; ++again) {
                EXPECT_EQ(detections_in(detector, images[at], status), expected[at])
                    << kind << ", allocation " << number;
                EXPECT_EQ(status, THRONG_OK) << throng_detector_error(detector);
            }
            at = 1 - at;
            return first != THRONG_OK;
        });
        EXPECT_GT(failures, 5) << kind;
        throng_detector_destroy(detector);
    }
}

TEST(FailedAllocation, TheNextBoxesAreSuppressedRightly) {
    Random random(seed(88));
    // Small without, then larger with embeddings, and the other way round.
    const NmsInput inputs[2] = {clusters_input(random, 60, 6), random_nms_input(random, 700)};
    int failures = 0;
    for (const std::int32_t rule : {THRONG_NMS_GREEDY, THRONG_NMS_ONE_PASS, THRONG_NMS_SOFT_GAUSSIAN}) {
        for (const bool groups : {false, true}) {
            const auto kept_of = [&](throng_nms* nms, std::size_t which, throng_status& status) {
                const NmsInput& in = inputs[which];
                throng_nms_params params = throng_nms_params_default();
                params.rule = rule;
                throng_nms_input input = throng_nms_input_default();
                input.box_format = THRONG_XYWH;
                input.num_boxes = static_cast<std::int64_t>(in.boxes.size());
                input.boxes = in.boxes.data();
                input.scores = in.scores.data();
                if (which == 1 && rule == THRONG_NMS_GREEDY) {
                    params.pair = THRONG_NMS_PAIR_FEATURE;
                    input.features = in.features.data();
                    input.feature_size = in.feature_size;
                }
                std::vector<std::int64_t> classes(in.boxes.size());
                for (std::size_t k = 0; k < classes.size(); ++k) classes[k] = static_cast<std::int64_t>(k % 3);
                if (groups) input.class_ids = classes.data();
                std::vector<std::int64_t> kept(in.boxes.size());
                std::int64_t count = 0;
                throng_nms_output output = throng_nms_output_default();
                output.indices = kept.data();
                output.capacity = static_cast<std::int64_t>(kept.size());
                output.count = &count;
                status = throng_nms_run(nms, &params, &input, &output, nullptr, 0, nullptr);
                kept.resize(status == THRONG_OK ? static_cast<std::size_t>(count) : 0);
                return kept;
            };
            throng_nms* nms = nullptr;
            ASSERT_EQ(throng_nms_create(&nms, THRONG_NMS_ABI, THRONG_HOST, 0), THRONG_OK);
            throng_status status = THRONG_OK;
            const std::vector<std::int64_t> expected[2] = {kept_of(nms, 0, status), kept_of(nms, 1, status)};
            throng_nms_destroy(nms);
            for_every_failing_allocation([&](std::int64_t number) {
                EXPECT_EQ(throng_nms_create(&nms, THRONG_NMS_ABI, THRONG_HOST, 0), THRONG_OK);
                EXPECT_EQ(kept_of(nms, 0, status), expected[0]);
                throng_status first = THRONG_OK;
                {
                    const FailingNew failing(number);
                    try {
                        static_cast<void>(kept_of(nms, 1, first));
                    } catch (const std::bad_alloc&) {  // of the test itself
                        first = THRONG_ERROR_INTERNAL;
                    }
                }
                failures += first == THRONG_OK ? 0 : 1;
                for (const std::size_t which : {1U, 0U}) {
                    EXPECT_EQ(kept_of(nms, which, status), expected[which]) << "allocation " << number;
                    EXPECT_EQ(status, THRONG_OK) << throng_nms_error(nms);
                }
                throng_nms_destroy(nms);
                return first != THRONG_OK;
            });
        }
    }
    EXPECT_GT(failures, 20);
}

}  // namespace
}  // namespace throng::test
