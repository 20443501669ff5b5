// libthrong through its C interface: images with every format and pitch, sources, and bad input.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/api/throng.h"
#include "tests/support/forked.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_data.h"

namespace throng::test {
namespace {

constexpr const char* kCrowd = "crowd:faces=6,size=480x360,frames=3,seed=5";
constexpr const char* kEndless = "crowd:faces=2,size=320x240";

bool same(const throng_detection& a, const throng_detection& b) {
    return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height && a.score == b.score &&
           a.hits == b.hits;
}

bool same(const std::vector<throng_detection>& a, const std::vector<throng_detection>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (!same(a[k], b[k])) return false;
    }
    return true;
}

throng_options cpu_options() {
    throng_options options = throng_options_default();
    options.backend = THRONG_BACKEND_CPU;
    return options;
}

class DetectionLibrary : public ::testing::Test {
protected:
    void SetUp() override {
        TH_NEED(model, cascade_file("haarcascade_frontalface_alt2.xml"), "opencv-data");
        const throng_options options = cpu_options();
        ASSERT_EQ(throng_detector_create(&detector_, THRONG_ABI, &options), THRONG_OK)
            << throng_detector_error(nullptr);
        // The gray image and the faces of the first frame of a drawn crowd.
        throng_stream* stream = nullptr;
        ASSERT_EQ(throng_stream_open(&stream, THRONG_ABI, kCrowd, &options), THRONG_OK) << throng_stream_error(nullptr);
        const throng_frame* frame = nullptr;
        ASSERT_EQ(throng_stream_next(stream, -1, &frame, nullptr), THRONG_OK) << throng_stream_error(stream);
        ASSERT_NE(frame, nullptr);
        ASSERT_NE(frame->image->format, THRONG_BGR24);
        width_ = frame->image->width;
        height_ = frame->image->height;
        for (int row = 0; row < height_; ++row) {
            const auto* from =
                static_cast<const unsigned char*>(frame->image->planes[0]) + row * frame->image->pitch[0];
            gray_.insert(gray_.end(), from, from + width_);
        }
        EXPECT_EQ(frame->size_of_detection, sizeof(throng_detection));
        for (std::int64_t k = 0; k < frame->num_detections; ++k) expected_.push_back(throng_frame_detection(frame, k));
        throng_stream_destroy(stream);
        ASSERT_GE(expected_.size(), 3U);
    }
    void TearDown() override { throng_detector_destroy(detector_); }

    throng_image image_of(std::int32_t format, const void* plane, std::int64_t pitch) const {
        throng_image image = throng_image_default();
        image.format = format;
        image.width = width_;
        image.height = height_;
        image.planes[0] = plane;
        image.pitch[0] = pitch;
        return image;
    }

    std::vector<throng_detection> detect(const throng_image& image) { return detect(image, detector_); }
    static std::vector<throng_detection> detect(const throng_image& image, throng_detector* detector) {
        std::vector<throng_detection> found(1000);
        std::int64_t count = -1;
        EXPECT_EQ(throng_detect(detector, &image, found.data(), sizeof found[0], 1000, &count), THRONG_OK)
            << throng_detector_error(detector);
        found.resize(count >= 0 ? static_cast<std::size_t>(count) : 0);
        return found;
    }

    throng_detector* detector_ = nullptr;
    int pipe_[2] = {-1, -1};
    int width_ = 0;
    int height_ = 0;
    std::vector<unsigned char> gray_;
    std::vector<throng_detection> expected_;
};

TEST_F(DetectionLibrary, EveryFormatAndPitchGivesTheFacesOfTheSource) {
    EXPECT_TRUE(same(detect(image_of(THRONG_GRAY8, gray_.data(), width_)), expected_));

    const std::int64_t pitch = width_ + 37;
    std::vector<unsigned char> rows(static_cast<std::size_t>(pitch * height_), 255);
    for (int row = 0; row < height_; ++row) {
        std::memcpy(rows.data() + row * pitch, gray_.data() + std::ptrdiff_t{row} * width_,
                    static_cast<std::size_t>(width_));
    }
    EXPECT_TRUE(same(detect(image_of(THRONG_GRAY8, rows.data(), pitch)), expected_));

    const std::vector<unsigned char> chroma(gray_.size(), 128);
    throng_image nv12 = image_of(THRONG_NV12, rows.data(), pitch);
    nv12.planes[1] = chroma.data();
    nv12.pitch[1] = width_;
    EXPECT_TRUE(same(detect(nv12), expected_));

    std::vector<unsigned char> bgr;  // equal colors: the gray value is the same
    for (const unsigned char value : gray_) bgr.insert(bgr.end(), {value, value, value});
    EXPECT_TRUE(same(detect(image_of(THRONG_BGR24, bgr.data(), std::int64_t{3} * width_)), expected_));
}

TEST_F(DetectionLibrary, StoresTheFirstOfMoreThanTheCapacity) {
    const throng_image image = image_of(THRONG_GRAY8, gray_.data(), width_);
    throng_detection found[2] = {};
    std::int64_t count = 0;
    ASSERT_EQ(throng_detect(detector_, &image, found, sizeof found[0], 1, &count), THRONG_OK);
    EXPECT_EQ(count, static_cast<std::int64_t>(expected_.size()));
    EXPECT_TRUE(same(found[0], expected_[0]));
    EXPECT_EQ(found[1].width, 0);
    ASSERT_EQ(throng_detect(detector_, &image, nullptr, sizeof(throng_detection), 0, &count), THRONG_OK);
}

// Elements of a shorter and of a longer struct: nothing is written between the fields that both sides know.
TEST_F(DetectionLibrary, FillsElementsOfOtherHeaders) {
    const throng_image image = image_of(THRONG_GRAY8, gray_.data(), width_);
    for (const std::size_t size : {sizeof(throng_detection) - 16, sizeof(throng_detection) + 24}) {
        const std::size_t room = expected_.size() - 1;
        std::vector<unsigned char> bytes((room + 1) * size, 0xAB);
        std::int64_t count = 0;
        ASSERT_EQ(throng_detect(detector_, &image, reinterpret_cast<throng_detection*>(bytes.data()), size,
                                static_cast<std::int64_t>(room), &count),
                  THRONG_OK);
        for (std::size_t k = 0; k < room; ++k) {
            throng_detection found{};
            std::memcpy(&found, bytes.data() + k * size, std::min(size, sizeof found));
            EXPECT_TRUE(same(found, expected_[k])) << k;
            for (std::size_t at = sizeof found; at < size; ++at) EXPECT_EQ(bytes[k * size + at], 0) << k;
        }
        for (std::size_t at = room * size; at < bytes.size(); ++at) ASSERT_EQ(bytes[at], 0xAB) << "beyond the array";
    }
}

TEST_F(DetectionLibrary, SaysWhatItDoesNotKnowOfADetection) {
    for (const throng_detection& face : expected_) {
        EXPECT_EQ(face.class_id, THRONG_CLASS_FACE);
        EXPECT_GT(face.confidence, 0);
        EXPECT_LE(face.confidence, 1);
        EXPECT_EQ(face.partner, 0);
        EXPECT_EQ(face.track, -1);
        EXPECT_EQ(face.person, -1);
    }
}

TEST_F(DetectionLibrary, NamesTheFieldOfABadImage) {
    const throng_image good = image_of(THRONG_GRAY8, gray_.data(), width_);
    const auto rejects = [&](const char* name, const auto& change) {
        throng_image image = good;
        change(image);
        std::int64_t count = 0;
        EXPECT_EQ(throng_detect(detector_, &image, nullptr, sizeof(throng_detection), 0, &count), THRONG_ERROR_USAGE)
            << name;
        EXPECT_NE(std::string(throng_detector_error(detector_)).find(name), std::string::npos)
            << name << ": " << throng_detector_error(detector_);
    };
    rejects("image", [](throng_image& image) { image.width = 0; });
    rejects("image", [](throng_image& image) { image.height = -5; });
    rejects("image", [](throng_image& image) { image.width = image.height = 1 << 20; });
    rejects("image.format", [](throng_image& image) { image.format = 7; });
    rejects("image.planes[0]", [](throng_image& image) { image.planes[0] = nullptr; });
    rejects("image.planes[1]", [](throng_image& image) { image.format = THRONG_NV12; });
    rejects("image.pitch[0]", [](throng_image& image) { image.pitch[0] = image.width - 1; });
    rejects("image.pitch[0]", [](throng_image& image) { image.pitch[0] = -image.width; });
    rejects("image.pitch[0]", [](throng_image& image) { image.format = THRONG_BGR24; });
    rejects("image.memory", [](throng_image& image) { image.memory = THRONG_DEVICE; });
    rejects("image.memory", [](throng_image& image) { image.memory = 9; });
    rejects("image.size", [](throng_image& image) { image.size = 0; });
    rejects("image.size", [](throng_image& image) { image.size = 1U << 20U; });
    rejects("image.reserved", [](throng_image& image) { image.reserved = 1; });
    rejects("image.range", [](throng_image& image) { image.range = 2; });
    rejects("image.matrix", [](throng_image& image) { image.matrix = -1; });
    std::int64_t count = 0;
    EXPECT_EQ(throng_detect(detector_, nullptr, nullptr, sizeof(throng_detection), 0, &count), THRONG_ERROR_USAGE);
    EXPECT_EQ(throng_detect(detector_, &good, nullptr, sizeof(throng_detection), 5, &count), THRONG_ERROR_USAGE);
    EXPECT_EQ(throng_detect(detector_, &good, nullptr, sizeof(throng_detection), 0, nullptr), THRONG_ERROR_USAGE);
    for (const std::size_t size_of_one : {std::size_t{0}, sizeof(throng_detection) + 1}) {
        EXPECT_EQ(throng_detect(detector_, &good, nullptr, size_of_one, 0, &count), THRONG_ERROR_USAGE) << size_of_one;
    }
    EXPECT_EQ(throng_detect(nullptr, &good, nullptr, sizeof(throng_detection), 0, &count), THRONG_ERROR_USAGE);
    EXPECT_STREQ(throng_detector_error(nullptr), "detector: is NULL");
    // The handle still works.
    EXPECT_TRUE(same(detect(good), expected_));
}

TEST(DetectionLibraryCreation, ReportsWhatIsWrong) {
    throng_detector* detector = nullptr;
    const auto fails = [&](throng_status status, const char* name, const auto& change) {
        throng_options options = cpu_options();
        change(options);
        EXPECT_EQ(throng_detector_create(&detector, THRONG_ABI, &options), status) << name;
        EXPECT_EQ(detector, nullptr);
        EXPECT_NE(std::string(throng_detector_error(nullptr)).find(name), std::string::npos)
            << name << ": " << throng_detector_error(nullptr);
    };
    fails(THRONG_ERROR_USAGE, "horse", [](throng_options& options) { options.detector = "horse"; });
    fails(THRONG_ERROR_USAGE, "detector", [](throng_options& options) { options.detector = nullptr; });
    fails(THRONG_ERROR_USAGE, "options.min_size", [](throng_options& options) { options.min_size = -3; });
    fails(THRONG_ERROR_USAGE, "options.theta", [](throng_options& options) { options.theta = 7; });
    for (const char* cascade : {"haar", "lbp"}) {
        fails(THRONG_ERROR_USAGE, "options.score_threshold", [&](throng_options& options) {
            options.detector = cascade;
            options.score_threshold = 0.5;
        });
    }
    fails(THRONG_ERROR_USAGE, "backend", [](throng_options& options) { options.backend = 5; });
    fails(THRONG_ERROR_USAGE, "options", [](throng_options& options) { options.size = 1001; });
    const throng_options options = cpu_options();
    EXPECT_EQ(throng_detector_create(&detector, THRONG_ABI + 1, &options), THRONG_ERROR_USAGE);
    EXPECT_EQ(throng_detector_create(&detector, THRONG_ABI, nullptr), THRONG_ERROR_USAGE);
    EXPECT_EQ(throng_detector_create(nullptr, THRONG_ABI, &options), THRONG_ERROR_USAGE);
    throng_stream* stream = nullptr;
    EXPECT_EQ(throng_stream_open(&stream, THRONG_ABI, "/nonexistent.mp4", &options), THRONG_ERROR_INPUT);
    EXPECT_NE(std::string(throng_stream_error(nullptr)).find("/nonexistent.mp4"), std::string::npos);
    EXPECT_EQ(throng_stream_open(&stream, THRONG_ABI, nullptr, &options), THRONG_ERROR_USAGE);
    throng_detector_destroy(nullptr);
    throng_stream_destroy(nullptr);
}

struct Count {
    int frames = 0;
    int stop_after = -1;
    std::atomic<int> seen{0};
};

int count_frames(const throng_frame* frame, void* user) {
    auto* count = static_cast<Count*>(user);
    EXPECT_EQ(frame->index, count->frames);
    ++count->frames;
    count->seen = count->frames;
    count->seen.notify_all();
    return count->frames == count->stop_after ? 1 : 0;
}

TEST_F(DetectionLibrary, CallsBackForEveryFrame) {
    const throng_options options = cpu_options();
    Count count;
    EXPECT_EQ(throng_run(THRONG_ABI, kCrowd, &options, count_frames, &count), THRONG_OK)
        << throng_stream_error(nullptr);
    EXPECT_EQ(count.frames, 3);
    count.frames = 0;
    count.stop_after = 2;
    EXPECT_EQ(throng_run(THRONG_ABI, kCrowd, &options, count_frames, &count), THRONG_ERROR_STOPPED);
    EXPECT_EQ(count.frames, 2);
    EXPECT_EQ(throng_run(THRONG_ABI, kCrowd, &options, nullptr, &count), THRONG_ERROR_USAGE);
}

TEST_F(DetectionLibrary, AStreamEndsAndMayBeDestroyedEarly) {
    const throng_options options = cpu_options();
    throng_stream* stream = nullptr;
    ASSERT_EQ(throng_stream_open(&stream, THRONG_ABI, kCrowd, &options), THRONG_OK);
    const throng_frame* frame = nullptr;
    std::int32_t ended = -1;
    for (int k = 0; k < 3; ++k) {
        ASSERT_EQ(throng_stream_next(stream, -1, &frame, &ended), THRONG_OK);
        ASSERT_NE(frame, nullptr);
        EXPECT_EQ(ended, 0);
    }
    for (int k = 0; k < 2; ++k) {
        EXPECT_EQ(throng_stream_next(stream, -1, &frame, &ended), THRONG_OK);
        EXPECT_EQ(frame, nullptr);
        EXPECT_EQ(ended, 1);
    }
    throng_stream_destroy(stream);
    ASSERT_EQ(throng_stream_open(&stream, THRONG_ABI, "crowd:faces=2,size=320x240", &options), THRONG_OK);
    throng_stream_destroy(stream);
}

// A stop of the stream and one of its options, before a call and during it; without a stop they would not return.
TEST_F(DetectionLibrary, AStreamIsStoppedByAnotherThread) {
    throng_options options = cpu_options();
    for (const bool by_options : {false, true}) {
        throng_stop* stop = throng_stop_create();
        options.stop = stop;
        throng_stream* stream = nullptr;
        ASSERT_EQ(throng_stream_open(&stream, THRONG_ABI, kEndless, &options), THRONG_OK);
        std::atomic<int> frames{0};
        throng_status status = THRONG_OK;
        std::thread reader([&] {
            const throng_frame* frame = nullptr;
            while ((status = throng_stream_next(stream, -1, &frame, nullptr)) == THRONG_OK) {
                ++frames;
                frames.notify_all();
            }
            EXPECT_EQ(frame, nullptr);
        });
        frames.wait(0);
        if (by_options) {
            throng_stop_request(stop);
            throng_stop_destroy(stop);
        } else {
            throng_stream_stop(stream);
            throng_stop_destroy(stop);
        }
        reader.join();
        EXPECT_EQ(status, THRONG_ERROR_STOPPED);
        const throng_frame* frame = nullptr;
        EXPECT_EQ(throng_stream_next(stream, -1, &frame, nullptr), THRONG_ERROR_STOPPED);
        throng_stream_stop(stream);
        throng_stream_destroy(stream);
    }
    throng_stream_stop(nullptr);
    throng_stop_request(nullptr);
    throng_stop_destroy(nullptr);
}

// Each frame is given to one thread; a thread that comes during a call of another is told.
TEST_F(DetectionLibrary, AStreamServesOneThreadAtATime) {
    const throng_options options = cpu_options();
    throng_stream* stream = nullptr;
    ASSERT_EQ(throng_stream_open(&stream, THRONG_ABI, "crowd:faces=2,size=320x240,frames=12", &options), THRONG_OK);
    std::atomic<int> frames{0};
    std::atomic<int> others{0};
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k) {
        threads.emplace_back([&] {
            for (std::int32_t ended = 0; ended == 0;) {
                const throng_frame* frame = nullptr;
                const throng_status status = throng_stream_next(stream, -1, &frame, &ended);
                if (status == THRONG_OK && frame != nullptr) ++frames;
                if (status == THRONG_OK) continue;
                if (status != THRONG_ERROR_BUSY || frame != nullptr) ++others;
                if (std::string(throng_stream_error(stream)).find("another thread") == std::string::npos) ++others;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(frames, 12);
    EXPECT_EQ(others, 0);
    throng_stream_destroy(stream);
}

TEST_F(DetectionLibrary, DebugModeFindsDestroyedHandles) {
    ASSERT_EQ(setenv("THRONG_CHECK_POINTERS", "1", 1), 0);
    const throng_options options = cpu_options();
    throng_detector* detector = nullptr;
    throng_stream* stream = nullptr;
    ASSERT_EQ(throng_detector_create(&detector, THRONG_ABI, &options), THRONG_OK);
    ASSERT_EQ(throng_stream_open(&stream, THRONG_ABI, kEndless, &options), THRONG_OK);
    for (int k = 0; k < 2; ++k) {
        throng_detector_destroy(detector);
        throng_stream_destroy(stream);
    }
    unsetenv("THRONG_CHECK_POINTERS");
    const throng_image image = throng_image_default();
    std::int64_t count = 0;
    throng_detector* clone = nullptr;
    const throng_frame* frame = nullptr;
    EXPECT_EQ(throng_detect(detector, &image, nullptr, sizeof(throng_detection), 0, &count), THRONG_ERROR_USAGE);
    EXPECT_STREQ(throng_detector_error(detector), "detector: was destroyed");
    EXPECT_EQ(throng_detector_clone(&clone, detector), THRONG_ERROR_USAGE);
    EXPECT_STREQ(throng_detector_backend(detector), "");
    EXPECT_EQ(throng_stream_next(stream, -1, &frame, nullptr), THRONG_ERROR_USAGE);
    EXPECT_STREQ(throng_stream_error(stream), "stream: was destroyed");
    EXPECT_EQ(throng_stream_counts(stream), nullptr);
    throng_stream_stop(stream);
    // A new one may have the address.
    ASSERT_EQ(throng_detector_create(&detector, THRONG_ABI, &options), THRONG_OK);
    EXPECT_EQ(throng_detector_clone(&clone, detector), THRONG_OK) << throng_detector_error(detector);
    throng_detector_destroy(clone);
    throng_detector_destroy(detector);
}

// Nobody writes into the pipe, so opening it waits for its time limit or for the stop.
TEST_F(DetectionLibrary, AStopEndsRunAndTheOpeningOfASource) {
    throng_options options = cpu_options();
    throng_stop* stop = throng_stop_create();
    options.stop = stop;
    Count count;
    std::thread other([&] {
        count.seen.wait(0);
        throng_stop_request(stop);
    });
    EXPECT_EQ(throng_run(THRONG_ABI, kEndless, &options, count_frames, &count), THRONG_ERROR_STOPPED);
    other.join();
    EXPECT_GE(count.frames, 1);
    const ScratchDir folder;
    const std::string pipe = (folder.path() / "silent").string();
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    throng_stream* stream = nullptr;
    EXPECT_EQ(throng_stream_open(&stream, THRONG_ABI, pipe.c_str(), &options), THRONG_ERROR_STOPPED);
    EXPECT_EQ(stream, nullptr);
    EXPECT_EQ(throng_run(THRONG_ABI, kEndless, &options, count_frames, &count), THRONG_ERROR_STOPPED);
    throng_stop_destroy(stop);
}

// Clones need no file, and none of the others: not even the detector that they were made from.
TEST_F(DetectionLibrary, ClonesShareTheModel) {
    const ScratchDir folder;
    const std::string file = (folder.path() / "haarcascade_own.xml").string();
    std::filesystem::copy_file(*cascade_file("haarcascade_frontalface_alt2.xml"), file);
    throng_options options = cpu_options();
    options.detector = "haar";
    options.model = file.c_str();
    options.threads = 1;
    throng_detector* first = nullptr;
    ASSERT_EQ(throng_detector_create(&first, THRONG_ABI, &options), THRONG_OK) << throng_detector_error(nullptr);
    std::filesystem::remove(file);
    std::vector<throng_detector*> clones(3);
    for (std::size_t k = 0; k < clones.size(); ++k) {
        throng_detector* from = k == 2 ? clones[1] : first;
        ASSERT_EQ(throng_detector_clone(&clones[k], from), THRONG_OK) << throng_detector_error(from);
        EXPECT_STREQ(throng_detector_backend(clones[k]), "cpu");
    }
    throng_detector* another = nullptr;
    EXPECT_NE(throng_detector_create(&another, THRONG_ABI, &options), THRONG_OK) << "there is no file any more";
    throng_detector_destroy(std::exchange(first, nullptr));
    std::vector<std::thread> threads;
    for (throng_detector* clone : clones) {
        threads.emplace_back([&, clone] {
            const throng_image image = image_of(THRONG_GRAY8, gray_.data(), width_);
            for (int k = 0; k < 5; ++k) EXPECT_TRUE(same(detect(image, clone), expected_));
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(throng_detector_clone(nullptr, clones[0]), THRONG_ERROR_USAGE);
    EXPECT_NE(std::string(throng_detector_error(clones[0])).find("clone"), std::string::npos);
    EXPECT_EQ(throng_detector_clone(&another, nullptr), THRONG_ERROR_USAGE);
    EXPECT_EQ(another, nullptr);
    for (throng_detector* clone : clones) throng_detector_destroy(clone);
}

// Every thread gets the faces of its image and its own error text.
TEST_F(DetectionLibrary, ThreadsTakeTurnsWithADetector) {
    const std::vector<unsigned char> empty(gray_.size(), 128);
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; ++number) {
        threads.emplace_back([this, number, &empty] {
            for (int k = 0; k < 5; ++k) {
                if (number == 3) {
                    std::int64_t count = 0;
                    throng_image wrong = image_of(THRONG_GRAY8, gray_.data(), width_);
                    wrong.format = 40 + k;
                    EXPECT_EQ(throng_detect(detector_, &wrong, nullptr, sizeof(throng_detection), 0, &count),
                              THRONG_ERROR_USAGE);
                    EXPECT_EQ(throng_detector_error(detector_), "image.format: has no value " + std::to_string(40 + k));
                } else {
                    const bool with_faces = number > 0;
                    const auto* pixels = with_faces ? gray_.data() : empty.data();
                    const auto found = detect(image_of(THRONG_GRAY8, pixels, width_));
                    EXPECT_TRUE(same(found, with_faces ? expected_ : std::vector<throng_detection>{}));
                    EXPECT_STREQ(throng_detector_error(detector_), "");
                }
                EXPECT_STREQ(throng_detector_backend(detector_), "cpu");
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
}

// A stream refuses what a detector refuses, before its first frame.
TEST(DetectionLibraryCreation, AStreamChecksItsOptionsAtOpen) {
    throng_options options = cpu_options();
    options.detector = "cnn";
    options.model = "/nonexistent.onnx";
    throng_detector* detector = nullptr;
    const throng_status status = throng_detector_create(&detector, THRONG_ABI, &options);
    ASSERT_NE(status, THRONG_OK);
    throng_stream* stream = nullptr;
    EXPECT_EQ(throng_stream_open(&stream, THRONG_ABI, kCrowd, &options), status);
    EXPECT_EQ(stream, nullptr);
    EXPECT_NE(std::string(throng_stream_error(nullptr)).find("nonexistent.onnx"), std::string::npos);
}

// A model that is missing is found when the detector is made, before or during the stream.
TEST(DetectionLibraryCreation, AMissingModelIsUnavailableOrNoInput) {
    throng_options options = cpu_options();
    options.model = "/nonexistent.xml";
    throng_detector* detector = nullptr;
    const throng_status status = throng_detector_create(&detector, THRONG_ABI, &options);
    EXPECT_TRUE(status == THRONG_ERROR_UNAVAILABLE || status == THRONG_ERROR_INPUT) << status;
    EXPECT_NE(std::string(throng_detector_error(nullptr)).find("nonexistent"), std::string::npos);
    Count count;
    EXPECT_EQ(throng_run(THRONG_ABI, kCrowd, &options, count_frames, &count), status);
}

// Detectors of every kind, used or not, in processes that are forked after they were made.
TEST_F(DetectionLibrary, DetectorsWorkInAForkedProcess) {
    if (kThreadSanitizer) GTEST_SKIP() << "skipped: no threads after fork with this sanitizer";
    const throng_image image = image_of(THRONG_GRAY8, gray_.data(), width_);
    throng_options options = cpu_options();
    options.threads = 3;
    int made = 0;
    for (const char* kind : {"haar", "lbp", "hog", "cnn", "person", "face+person"}) {
        options.detector = kind;
        for (const bool used : {false, true}) {
            throng_detector* detector = nullptr;
            if (throng_detector_create(&detector, THRONG_ABI, &options) == THRONG_ERROR_UNAVAILABLE) continue;
            ++made;
            std::int64_t expected = 0;
            const auto count = [&] {
                std::int64_t found = -1;
                EXPECT_EQ(throng_detect(detector, &image, nullptr, sizeof(throng_detection), 0, &found), THRONG_OK)
                    << kind << ": " << throng_detector_error(detector);
                return found;
            };
            if (used) expected = count();
            std::int64_t results[2];
            ASSERT_EQ(::pipe(pipe_), 0);
            EXPECT_TRUE(holds_in_fork([&] {
                for (std::int64_t& result : results) result = count();
                throng_detector_destroy(detector);
                EXPECT_EQ(::write(pipe_[1], results, sizeof results), static_cast<ssize_t>(sizeof results));
            })) << kind;
            if (!used) expected = count();
            ::close(pipe_[1]);  // or a child that failed before it wrote would let the read wait without end
            EXPECT_EQ(::read(pipe_[0], results, sizeof results), static_cast<ssize_t>(sizeof results));
            EXPECT_EQ(results[0], expected) << kind;
            EXPECT_EQ(results[1], expected) << kind;
            ::close(pipe_[0]);
            throng_detector_destroy(detector);
        }
    }
    EXPECT_GE(made, 6);  // a network is not everywhere
}

TEST_F(DetectionLibrary, AStreamSaysThatItWasMadeBeforeFork) {
    if (kSanitized) GTEST_SKIP() << "skipped: the sanitizer's allocator may be locked after fork";
    const throng_options options = cpu_options();
    throng_stream* stream = nullptr;
    ASSERT_EQ(throng_stream_open(&stream, THRONG_ABI, "crowd:faces=2,size=320x240", &options), THRONG_OK);
    const throng_frame* frame = nullptr;
    EXPECT_TRUE(holds_in_fork([&] {
        EXPECT_EQ(throng_stream_next(stream, -1, &frame, nullptr), THRONG_ERROR_USAGE);
        EXPECT_NE(std::string(throng_stream_error(stream)).find("made before fork"), std::string::npos);
        throng_stream_destroy(stream);
        ASSERT_EQ(throng_stream_open(&stream, THRONG_ABI, kCrowd, &options), THRONG_OK);
        EXPECT_EQ(throng_stream_next(stream, -1, &frame, nullptr), THRONG_OK);
        EXPECT_NE(frame, nullptr);
        throng_stream_destroy(stream);
    }));
    EXPECT_EQ(throng_stream_next(stream, -1, &frame, nullptr), THRONG_OK);
    EXPECT_NE(frame, nullptr);
    throng_stream_destroy(stream);
}

// The child returns from the callback into a function whose threads it does not have.
TEST_F(DetectionLibrary, AForkWithinACallbackEndsInTheChild) {
    if (kSanitized) GTEST_SKIP() << "skipped: the sanitizer's allocator may be locked after fork";
    struct Forked {
        pid_t child = -1;
        int result = 0;  // of the child's callback
    };
    const throng_options options = cpu_options();
    for (const int result : {0, 1}) {
        Forked forked{-1, result};
        const throng_status status = throng_run(
            THRONG_ABI, kCrowd, &options,
            [](const throng_frame*, void* user) {
                auto& own = *static_cast<Forked*>(user);
                if (own.child == -1 && (own.child = ::fork()) == 0) {
                    ::alarm(60);
                    return own.result;
                }
                return 0;
            },
            &forked);
        if (forked.child == 0) ::_exit(status == (result == 0 ? THRONG_ERROR_USAGE : THRONG_ERROR_STOPPED) ? 0 : 1);
        EXPECT_EQ(status, THRONG_OK) << throng_stream_error(nullptr);
        int ended = -1;
        EXPECT_EQ(::waitpid(forked.child, &ended, 0), forked.child);
        EXPECT_EQ(ended, 0) << "returned " << result;
    }
}

std::string output_of(const std::string& command) {
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return "cannot run " + command;
    std::string text;
    char part[256];
    while (std::fgets(part, sizeof part, pipe) != nullptr) text += part;
    return pclose(pipe) == 0 ? text : "failed: " + text;
}

TEST(Examples, Run) {
    EXPECT_EQ(output_of(TH_EXAMPLE_NMS), "kept 1 0 3\n");
    TH_NEED(model, cascade_file("haarcascade_frontalface_alt2.xml"), "opencv-data");
    for (const char* example : {TH_EXAMPLE_DETECT, TH_EXAMPLE_FOLLOW}) {
        const std::string text = output_of(example);
        EXPECT_NE(text.find("frame 2: face 1"), std::string::npos) << text;
    }
    EXPECT_EQ(output_of(TH_EXAMPLE_IMAGE), "cpu: 0 faces\n");
}

}  // namespace
}  // namespace throng::test
