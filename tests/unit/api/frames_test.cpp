// What a stream of libthrong makes of frames: tracks, hidden faces, colors; and the same for images of the caller.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/api/throng.h"
#include "tests/support/test_data.h"

namespace throng::test {
namespace {

constexpr const char* kWalk = "crowd:faces=5,size=480x360,frames=12,seed=5,motion=walk";

struct Picture {
    std::int32_t format = 0, range = 0, matrix = 0;
    int width = 0, height = 0;
    std::vector<std::vector<unsigned char>> planes;  // without gaps between rows
    std::vector<throng_detection> faces;
    [[nodiscard]] int at(int x, int y) const {
        return planes[0][static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
    }
};

class LibraryFrames : public ::testing::Test {
protected:
    void SetUp() override { TH_NEED(model, cascade_file("haarcascade_frontalface_alt2.xml"), "opencv-data"); }

    static throng_options options_of(std::int32_t pixels, std::int32_t hide = THRONG_HIDE_NOTHING) {
        throng_options options = throng_options_default();
        options.backend = THRONG_BACKEND_CPU;
        options.pixels = pixels;
        options.hide = hide;
        return options;
    }

    static std::vector<Picture> pictures(const throng_options& options, const char* source = kWalk) {
        std::vector<Picture> result;
        const auto keep = [](const throng_frame* frame, void* user) {
            auto& all = *static_cast<std::vector<Picture>*>(user);
            EXPECT_EQ(frame->index, static_cast<std::int64_t>(all.size()));
            EXPECT_GE(frame->num_raw, frame->num_detections);
            const throng_image& image = *frame->image;
            Picture& picture = all.emplace_back();
            picture.format = image.format;
            picture.range = image.range;
            picture.matrix = image.matrix;
            picture.width = image.width;
            picture.height = image.height;
            const bool interleaved = image.format == THRONG_BGR24 || image.format == THRONG_RGB24;
            for (int p = 0; p < 3 && image.planes[p] != nullptr; ++p) {
                const int height = p == 0 ? image.height : (image.height + 1) / 2;
                const int half = image.format == THRONG_NV12 ? 2 * ((image.width + 1) / 2) : (image.width + 1) / 2;
                const int bytes = interleaved ? 3 * image.width : p == 0 ? image.width : half;
                std::vector<unsigned char>& plane = picture.planes.emplace_back();
                for (int y = 0; y < height; ++y) {
                    const auto* row = static_cast<const unsigned char*>(image.planes[p]) + y * image.pitch[p];
                    plane.insert(plane.end(), row, row + bytes);
                }
            }
            for (std::int64_t k = 0; k < frame->num_detections; ++k) {
                picture.faces.push_back(throng_frame_detection(frame, k));
            }
            return 0;
        };
        EXPECT_EQ(throng_run(THRONG_ABI, source, &options, keep, &result), THRONG_OK) << throng_stream_error(nullptr);
        EXPECT_EQ(result.size(), 12U);
        return result;
    }
};

double iou(const throng_detection& a, const throng_detection& b) {
    const double w = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
    const double h = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
    if (w <= 0 || h <= 0) return 0;
    const double areas{a.width * a.height + b.width * b.height};
    return w * h / (areas - w * h);
}

// A track is one face: from frame to frame its box overlaps itself, and no frame has an id twice.
TEST_F(LibraryFrames, TracksKeepTheirFaces) {
    throng_options options = options_of(THRONG_PIXELS_DECODED);
    options.track = 1;
    const std::vector<Picture> frames = pictures(options);
    std::map<std::int64_t, throng_detection> before;
    int continued = 0;
    for (const Picture& frame : frames) {
        std::map<std::int64_t, throng_detection> now;
        for (const throng_detection& face : frame.faces) {
            if (face.track < 0) continue;
            EXPECT_TRUE(now.emplace(face.track, face).second) << face.track;
            const auto found = before.find(face.track);
            if (found == before.end()) continue;
            ++continued;
            EXPECT_GT(iou(found->second, face), 0.3) << face.track;
        }
        before = now;
    }
    EXPECT_GE(continued, 20);
    for (const Picture& frame : pictures(options_of(THRONG_PIXELS_DECODED))) {
        for (const throng_detection& face : frame.faces) EXPECT_EQ(face.track, -1);
    }
}

// Every person is in a zone of the whole image from the first count to the last.
TEST_F(LibraryFrames, PeopleAreCounted) {
    const ScratchDir folder;
    const std::string plan = (folder.path() / "plan.toml").string();
    std::ofstream(plan)
        << "size = [480, 360]\n[[zone]]\nname = \"all\"\npoints = [[0, 0], [480, 0], [480, 360], [0, 360]]\n"
           "[[line]]\nname = \"middle\"\nfrom = [240, 0]\nto = [240, 360]\n";
    throng_options options = options_of(THRONG_PIXELS_DECODED);
    options.count = plan.c_str();
    throng_stream* stream = nullptr;
    const char* source = "crowd:faces=5,size=480x360,frames=30,seed=5,motion=walk";
    ASSERT_EQ(throng_stream_open(&stream, THRONG_ABI, source, &options), THRONG_OK) << throng_stream_error(nullptr);
    std::map<std::int32_t, std::int64_t> events;
    std::int64_t present = 0;  // by the events
    const auto check = [&](const throng_counts& counts) {
        EXPECT_EQ(counts.size, sizeof counts);
        ASSERT_EQ(counts.num_shapes, 2);
        const throng_shape line = throng_counts_shape(&counts, 0);
        const throng_shape zone = throng_counts_shape(&counts, 1);
        EXPECT_STREQ(line.name, "middle");
        EXPECT_STREQ(zone.name, "all");
        EXPECT_EQ(line.is_zone, 0);
        EXPECT_EQ(zone.is_zone, 1);
        for (std::int64_t k = 0; k < counts.num_events; ++k) {
            const throng_event event = throng_counts_event(&counts, k);
            ++events[event.kind];
            const bool of_zone = event.kind == THRONG_EVENT_ENTERED || event.kind == THRONG_EVENT_EXITED;
            EXPECT_STREQ(event.name, event.kind == THRONG_EVENT_CROSSED ? "middle" : of_zone ? "all" : "");
            present += event.kind == THRONG_EVENT_APPEARED ? 1 : event.kind == THRONG_EVENT_LEFT ? -1 : 0;
        }
        EXPECT_EQ(zone.in, events[THRONG_EVENT_ENTERED]);
        EXPECT_EQ(zone.out, events[THRONG_EVENT_EXITED]);
        EXPECT_EQ(zone.occupancy, zone.in - zone.out);
        EXPECT_EQ(line.in + line.out, events[THRONG_EVENT_CROSSED]);
        EXPECT_LE(counts.people, present);  // who is not seen for a moment has not left
        EXPECT_LE(counts.unique, events[THRONG_EVENT_APPEARED]);
    };
    const throng_frame* frame = nullptr;
    int frames = 0;
    while (throng_stream_next(stream, -1, &frame, nullptr) == THRONG_OK && frame != nullptr) {
        ++frames;
        ASSERT_GE(frame->size, sizeof *frame);
        ASSERT_NE(frame->counts, nullptr);
        EXPECT_EQ(throng_stream_counts(stream), frame->counts);
        check(*frame->counts);
    }
    EXPECT_EQ(frames, 30);
    const throng_counts* end = throng_stream_counts(stream);
    ASSERT_NE(end, nullptr);
    check(*end);
    const std::int64_t events_of_the_end = end->num_events;
    EXPECT_GT(events_of_the_end, 0);
    EXPECT_EQ(throng_stream_next(stream, -1, &frame, nullptr), THRONG_OK);
    EXPECT_EQ(frame, nullptr);
    end = throng_stream_counts(stream);
    EXPECT_EQ(end->num_events, events_of_the_end) << "a further call at the end";
    EXPECT_EQ(present, 0);
    EXPECT_EQ(end->people, 0);
    EXPECT_GE(end->unique, 3);
    EXPECT_EQ(throng_counts_shape(end, 1).occupancy, 0);
    EXPECT_GE(throng_counts_shape(end, 1).out, 3);
    EXPECT_GT(throng_counts_shape(end, 1).dwell, 0);
    throng_stream_destroy(stream);

    options.count = "/nonexistent.toml";
    EXPECT_EQ(throng_stream_open(&stream, THRONG_ABI, source, &options), THRONG_ERROR_INPUT);
    EXPECT_NE(std::string(throng_stream_error(nullptr)).find("/nonexistent.toml"), std::string::npos);
    std::ofstream(plan) << "size = 3\n";
    options.count = plan.c_str();
    EXPECT_EQ(throng_stream_open(&stream, THRONG_ABI, source, &options), THRONG_ERROR_USAGE);
    EXPECT_NE(std::string(throng_stream_error(nullptr)).find(plan), std::string::npos);
    for (const char* count : {static_cast<const char*>(nullptr), ""}) {
        options.count = count;
        ASSERT_EQ(throng_stream_open(&stream, THRONG_ABI, kWalk, &options), THRONG_OK) << throng_stream_error(nullptr);
        ASSERT_EQ(throng_stream_next(stream, -1, &frame, nullptr), THRONG_OK);
        EXPECT_EQ(frame->counts == nullptr, count == nullptr);
        EXPECT_EQ(throng_stream_counts(stream), frame->counts);
        EXPECT_TRUE(count == nullptr || frame->counts->num_shapes == 0);
        throng_stream_destroy(stream);
    }
    EXPECT_EQ(throng_stream_counts(nullptr), nullptr);
}

// FP16 is a row of the table of options; what does not support it computes in float32.
TEST_F(LibraryFrames, HalfIsAnOption) {
    throng_options options = options_of(THRONG_PIXELS_DECODED);
    throng_detector* detector = nullptr;
    for (const char* setting : {"half=true", "half=false"}) {
        const char* const settings[] = {setting, nullptr};
        options.settings = settings;
        EXPECT_EQ(throng_detector_create(&detector, THRONG_ABI, &options), THRONG_OK) << throng_detector_error(nullptr);
        throng_detector_destroy(detector);
    }
    const char* const wrong[] = {"half=16", nullptr};
    options.settings = wrong;
    EXPECT_EQ(throng_detector_create(&detector, THRONG_ABI, &options), THRONG_ERROR_USAGE);
    EXPECT_NE(std::string(throng_detector_error(nullptr)).find("options.half"), std::string::npos);
}

TEST_F(LibraryFrames, ColorsAreThoseOfTheDecodedFrame) {
    const std::vector<Picture> decoded = pictures(options_of(THRONG_PIXELS_DECODED));
    const std::vector<Picture> gray = pictures(options_of(THRONG_PIXELS_GRAY));
    const std::vector<Picture> bgr = pictures(options_of(THRONG_PIXELS_BGR));
    const std::vector<Picture> rgb = pictures(options_of(THRONG_PIXELS_RGB));
    for (std::size_t k = 0; k < decoded.size(); ++k) {
        const Picture& yuv = decoded[k];
        ASSERT_EQ(gray[k].format, THRONG_GRAY8);
        EXPECT_EQ(gray[k].planes[0], yuv.planes[0]);
        ASSERT_EQ(bgr[k].format, THRONG_BGR24);
        ASSERT_EQ(rgb[k].format, THRONG_RGB24);
        std::vector<unsigned char> swapped = rgb[k].planes[0];
        for (std::size_t at = 0; at < swapped.size(); at += 3) std::swap(swapped[at], swapped[at + 2]);
        EXPECT_EQ(bgr[k].planes[0], swapped);
        // By the definition of the matrix, as the frame names it.
        const double red = yuv.matrix == THRONG_BT601 ? 0.299 : yuv.matrix == THRONG_BT709 ? 0.2126 : 0.2627;
        const double blue = yuv.matrix == THRONG_BT601 ? 0.114 : yuv.matrix == THRONG_BT709 ? 0.0722 : 0.0593;
        const bool full = yuv.range == THRONG_RANGE_FULL;
        double sum = 0;
        for (int y = 0; y < yuv.height; ++y) {
            for (int x = 0; x < yuv.width; ++x) {
                const bool nv12 = yuv.format == THRONG_NV12;
                const int half = (yuv.width + 1) / 2;
                const auto chroma = static_cast<std::size_t>(y / 2 * half + x / 2);
                double u = 128, v = 128;
                if (yuv.format != THRONG_GRAY8) {
                    u = nv12 ? yuv.planes[1][2 * chroma] : yuv.planes[1][chroma];
                    v = nv12 ? yuv.planes[1][2 * chroma + 1] : yuv.planes[2][chroma];
                }
                const double luma = full ? yuv.at(x, y) : (yuv.at(x, y) - 16) * 255.0 / 219;
                const double scale = full ? 1 : 255.0 / 224;
                const double b = luma + 2 * (1 - blue) * scale * (u - 128);
                const double r = luma + 2 * (1 - red) * scale * (v - 128);
                const double g = (luma - red * r - blue * b) / (1 - red - blue);
                const std::size_t at = 3 * static_cast<std::size_t>(y * yuv.width + x);
                const double expected[3] = {b, g, r};
                for (std::size_t c = 0; c < 3; ++c) {
                    sum += std::abs(std::clamp(expected[c], 0.0, 255.0) - bgr[k].planes[0][at + c]);
                }
            }
        }
        EXPECT_LT(sum / (3.0 * yuv.width * yuv.height), 2.5);  // the converter rounds and interpolates chroma
    }
}

// Returns whether the inner part of a box has one luma.
bool is_flat(const Picture& picture, const throng_detection& face) {
    const int left = static_cast<int>(face.x + 0.3F * face.width);
    const int top = static_cast<int>(face.y + 0.3F * face.height);
    const int first = picture.at(left, top);
    for (int y = top; y < static_cast<int>(face.y + 0.7F * face.height); ++y) {
        for (int x = left; x < static_cast<int>(face.x + 0.7F * face.width); ++x) {
            if (picture.at(x, y) != first) return false;
        }
    }
    return true;
}

// Another stream with the same source shows what the hidden pixels were.
TEST_F(LibraryFrames, HiddenFacesAreNeverShown) {
    const std::vector<Picture> shown = pictures(options_of(THRONG_PIXELS_GRAY));
    for (const std::int32_t style : {THRONG_HIDE_SOLID, THRONG_HIDE_BLUR, THRONG_HIDE_MOSAIC}) {
        const std::vector<Picture> hidden = pictures(options_of(THRONG_PIXELS_GRAY, style));
        ASSERT_EQ(hidden.size(), shown.size());
        std::size_t unchanged = 0, pixels = 0;
        int single = 0, flat = 0;
        for (std::size_t k = 0; k < shown.size(); ++k) {
            ASSERT_GE(shown[k].faces.size(), 2U);
            for (const throng_detection& face : shown[k].faces) {
                EXPECT_FALSE(is_flat(shown[k], face));
                const bool alone = std::none_of(shown[k].faces.begin(), shown[k].faces.end(), [&](const auto& other) {
                    return &other != &face && iou(other, face) > 0;
                });
                if (style == THRONG_HIDE_SOLID && alone) {
                    ++single;
                    flat += is_flat(hidden[k], face) ? 1 : 0;
                }
                const int x = static_cast<int>(face.x + face.width / 2);
                int same = 0;
                for (int y = static_cast<int>(face.y); y < static_cast<int>(face.y + face.height); ++y) {
                    if (hidden[k].at(x, y) == shown[k].at(x, y)) ++same;
                }
                EXPECT_LT(same, 0.5F * face.height) << "frame " << k;
            }
            pixels += shown[k].planes[0].size();
            for (std::size_t at = 0; at < shown[k].planes[0].size(); ++at) {
                unchanged += shown[k].planes[0][at] == hidden[k].planes[0][at] ? 1 : 0;
            }
        }
        EXPECT_GE(flat, 0.8 * single);     // what is hidden for another reason may reach into a box
        EXPECT_GT(unchanged, pixels / 4);  // not everything is hidden
        EXPECT_LT(unchanged, pixels);
    }
}

TEST_F(LibraryFrames, WrongValuesAreNamed) {
    const auto fails = [](const char* name, const auto& change) {
        throng_options options = options_of(THRONG_PIXELS_DECODED);
        change(options);
        throng_stream* stream = nullptr;
        EXPECT_EQ(throng_stream_open(&stream, THRONG_ABI, kWalk, &options), THRONG_ERROR_USAGE);
        EXPECT_NE(std::string(throng_stream_error(nullptr)).find(name), std::string::npos)
            << throng_stream_error(nullptr);
    };
    fails("options.pixels", [](throng_options& options) { options.pixels = 4; });
    fails("options.hide", [](throng_options& options) { options.hide = -1; });
    fails("options.track", [](throng_options& options) { options.track = 2; });
}

struct Canvas {
    int step;
    std::vector<unsigned char> bytes;
    throng_image image;
};

// Noise, so that nothing that is drawn over it equals it by chance for long.
Canvas canvas(std::int32_t format, int step) {
    Canvas result{step, std::vector<unsigned char>(std::size_t{100} * 80 * static_cast<std::size_t>(step)),
                  throng_image_default()};
    unsigned value = 1;
    for (unsigned char& byte : result.bytes)
        byte = static_cast<unsigned char>((value = value * 1103515245U + 12345U) >> 16U);
    result.image.format = format;
    result.image.width = 100;
    result.image.height = 80;
    result.image.planes[0] = result.bytes.data();
    result.image.pitch[0] = std::int64_t{100} * step;
    return result;
}

TEST(LibraryHide, HidesBoxesOfImagesInPlace) {
    throng_detection face{};
    face.x = 30;
    face.y = 20;
    face.width = face.height = 24;
    for (const auto& [format, step] : std::map<std::int32_t, int>{
             {THRONG_GRAY8, 1}, {THRONG_BGR24, 3}, {THRONG_RGB24, 3}, {THRONG_BGRA32, 4}, {THRONG_RGBA32, 4}}) {
        Canvas drawn = canvas(format, step);
        const std::vector<unsigned char> before = drawn.bytes;
        ASSERT_EQ(throng_hide(&drawn.image, &face, sizeof face, 1, THRONG_HIDE_SOLID, NAN), THRONG_OK)
            << throng_detector_error(nullptr);
        for (int y = 0; y < 80; ++y) {
            for (int x = 0; x < 100; ++x) {
                for (int c = 0; c < step; ++c) {
                    const std::size_t at = static_cast<std::size_t>((y * 100 + x) * step + c);
                    const double far = std::hypot((x + 0.5 - 42) / 19.2, (y + 0.5 - 32) / 19.2);  // 1: the edge
                    const std::size_t center = static_cast<std::size_t>((32 * 100 + 42) * step + c);
                    if (c == 3 || far > 1.1) {
                        EXPECT_EQ(drawn.bytes[at], before[at]) << x << " " << y;
                    }
                    if (c < 3 && far < 0.9) {
                        EXPECT_EQ(drawn.bytes[at], drawn.bytes[center]) << x << " " << y;
                    }
                }
            }
        }
        face.x = std::numeric_limits<float>::quiet_NaN();  // the whole image
        ASSERT_EQ(throng_hide(&drawn.image, &face, sizeof face, 1, THRONG_HIDE_SOLID, NAN), THRONG_OK);
        for (std::size_t at = 0; at < drawn.bytes.size(); ++at) {
            const std::size_t channel = at % static_cast<std::size_t>(step);
            EXPECT_EQ(drawn.bytes[at], channel == 3 ? before[at] : drawn.bytes[channel]);
        }
        face.x = 30;
    }
}

TEST(LibraryHide, NamesAWrongArgument) {
    Canvas drawn = canvas(THRONG_GRAY8, 1);
    const std::vector<unsigned char> before = drawn.bytes;
    const throng_detection face{};
    const auto rejects = [&](const char* name, throng_status status) {
        EXPECT_EQ(status, THRONG_ERROR_USAGE) << name;
        EXPECT_EQ(std::string(throng_detector_error(nullptr)).find(name), 0U) << throng_detector_error(nullptr);
    };
    rejects("image", throng_hide(nullptr, &face, sizeof face, 1, THRONG_HIDE_BLUR, 0.3));
    rejects("detections", throng_hide(&drawn.image, nullptr, sizeof face, 1, THRONG_HIDE_BLUR, 0.3));
    rejects("size_of_one", throng_hide(&drawn.image, &face, 3, 1, THRONG_HIDE_BLUR, 0.3));
    rejects("count", throng_hide(&drawn.image, &face, sizeof face, -1, THRONG_HIDE_BLUR, 0.3));
    rejects("hide", throng_hide(&drawn.image, &face, sizeof face, 1, THRONG_HIDE_NOTHING, 0.3));
    rejects("hide", throng_hide(&drawn.image, &face, sizeof face, 1, 4, 0.3));
    rejects("margin", throng_hide(&drawn.image, &face, sizeof face, 1, THRONG_HIDE_BLUR, -1));
    drawn.image.memory = THRONG_DEVICE;
    rejects("image.memory", throng_hide(&drawn.image, &face, sizeof face, 1, THRONG_HIDE_BLUR, 0.3));
    drawn.image.memory = THRONG_HOST;
    drawn.image.pitch[0] = 99;
    rejects("image.pitch[0]", throng_hide(&drawn.image, &face, sizeof face, 1, THRONG_HIDE_BLUR, 0.3));
    EXPECT_EQ(drawn.bytes, before);
}

// Colors in each order give the same faces: pixels are gray, so that the order of colors does not matter, but steps do.
TEST_F(LibraryFrames, ImagesOfEveryOrderOfColors) {
    const std::vector<Picture> frames = pictures(options_of(THRONG_PIXELS_BGR));
    const Picture& first = frames.front();
    throng_detector* detector = nullptr;
    const throng_options options = options_of(THRONG_PIXELS_DECODED);
    ASSERT_EQ(throng_detector_create(&detector, THRONG_ABI, &options), THRONG_OK);
    std::vector<std::vector<float>> results;
    for (const auto& [format, step, red] : {std::tuple{THRONG_BGR24, 3, 2}, std::tuple{THRONG_RGB24, 3, 0},
                                            std::tuple{THRONG_BGRA32, 4, 2}, std::tuple{THRONG_RGBA32, 4, 0}}) {
        std::vector<unsigned char> bytes;
        for (std::size_t at = 0; at < first.planes[0].size(); at += 3) {
            const unsigned char blue = first.planes[0][at];
            const unsigned char last = first.planes[0][at + 2];
            bytes.push_back(red == 2 ? blue : last);
            bytes.push_back(first.planes[0][at + 1]);
            bytes.push_back(red == 2 ? last : blue);
            if (step == 4) bytes.push_back(77);
        }
        throng_image image = throng_image_default();
        image.format = format;
        image.width = first.width;
        image.height = first.height;
        image.planes[0] = bytes.data();
        image.pitch[0] = std::int64_t{step} * first.width;
        std::vector<throng_detection> found(100);
        std::int64_t count = 0;
        ASSERT_EQ(throng_detect(detector, &image, found.data(), sizeof found[0], 100, &count), THRONG_OK);
        std::vector<float>& numbers = results.emplace_back();
        for (std::int64_t k = 0; k < count; ++k) {
            const throng_detection& face = found[static_cast<std::size_t>(k)];
            numbers.insert(numbers.end(), {face.x, face.y, face.width, face.height, face.score});
        }
        EXPECT_GE(count, 2);
        EXPECT_EQ(numbers, results.front()) << format;
    }
    throng_detector_destroy(detector);
}

// Every row can be set to its default, and the rows are those of the program.
TEST_F(LibraryFrames, OptionsAreListed) {
    std::vector<std::string> texts;
    std::map<std::string, const throng_option*> rows;
    for (const throng_option* row = throng_options_next("haar", nullptr); row != nullptr;
         row = throng_options_next("haar", row)) {
        EXPECT_EQ(row->size, sizeof *row);
        EXPECT_TRUE(rows.emplace(row->name, row).second) << row->name;
        EXPECT_NE(row->help, nullptr) << row->name;
        EXPECT_EQ(row->choices != nullptr && row->type == THRONG_OPTION_CHOICE, row->type == THRONG_OPTION_CHOICE);
        if (*row->value != '\0') texts.push_back(std::string(row->name) + "=" + row->value);
    }
    EXPECT_GE(rows.size(), 20U);
    ASSERT_TRUE(rows.contains("min_size") && rows.contains("theta") && rows.contains("rule"));
    EXPECT_EQ(rows["theta"]->type, THRONG_OPTION_REAL);
    EXPECT_EQ(rows["theta"]->min, 0);
    EXPECT_EQ(rows["theta"]->max, 1);
    EXPECT_EQ(rows["min_size"]->type, THRONG_OPTION_WHOLE);
    EXPECT_STREQ(rows["rule"]->choices[0], "one-pass");
    EXPECT_STREQ(rows["detector"]->value, "haar");
    std::vector<const char*> settings;
    for (const std::string& text : texts) settings.push_back(text.c_str());
    settings.push_back(nullptr);
    throng_options options = options_of(THRONG_PIXELS_DECODED);
    options.settings = settings.data();
    throng_detector* detector = nullptr;
    EXPECT_EQ(throng_detector_create(&detector, THRONG_ABI, &options), THRONG_OK) << throng_detector_error(nullptr);
    throng_detector_destroy(detector);
    EXPECT_EQ(throng_options_next("horse", nullptr), nullptr);
    EXPECT_NE(std::string(throng_detector_error(nullptr)).find("horse"), std::string::npos);
    EXPECT_EQ(throng_options_next(nullptr, nullptr), nullptr);
}

}  // namespace
}  // namespace throng::test
