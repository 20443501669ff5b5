// The elements of libgstthrong.so in pipelines: what they find, hide, pass on and report.
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "app/api/throng.h"
#include "core/base/value_text.h"
#include "core/detect/backend_settings.h"
#include "core/detect/detection_params.h"
#include "core/redact/hiding_settings.h"
#include "core/synth/crowd.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

namespace throng {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr GstClockTime kHang = 120 * GST_SECOND;  // ends a test that hangs

struct Unref {
    void operator()(void* object) const { gst_object_unref(object); }
    void operator()(GstSample* sample) const { gst_sample_unref(sample); }
    void operator()(GstMessage* message) const { gst_message_unref(message); }
};
using ElementPtr = std::unique_ptr<GstElement, Unref>;
using SamplePtr = std::unique_ptr<GstSample, Unref>;
using MessagePtr = std::unique_ptr<GstMessage, Unref>;

struct Found {
    float x, y, w, h, score;
    friend bool operator==(const Found&, const Found&) = default;
};
void PrintTo(const Found& found, std::ostream* out) {
    *out << found.x << "," << found.y << " " << found.w << "x" << found.h << " " << found.score;
}
struct FoundIn {
    bool searched = false;
    std::uint64_t timestamp = 0;
    std::vector<Found> objects;
};

double number_in(const GstStructure* structure, const char* field) {
    double value = 0;
    EXPECT_TRUE(gst_structure_get_double(structure, field, &value)) << field;
    return value;
}

FoundIn found_in(const GstStructure* message) {
    FoundIn found;
    gboolean searched = FALSE;
    guint64 timestamp = 0;
    gst_structure_get_boolean(message, "searched", &searched);
    gst_structure_get_uint64(message, "timestamp", &timestamp);
    found.searched = searched != FALSE;
    found.timestamp = timestamp;
    const GValue* objects = gst_structure_get_value(message, "objects");
    for (guint i = 0; i < gst_value_list_get_size(objects); ++i) {
        const GstStructure* one = gst_value_get_structure(gst_value_list_get_value(objects, i));
        const auto field = [one](const char* name) { return static_cast<float>(number_in(one, name)); };
        found.objects.push_back({field("x"), field("y"), field("width"), field("height"), field("score")});
    }
    return found;
}

// A pipeline with an appsink "out", and an appsrc "in" where frames are pushed.
class Line {
public:
    explicit Line(const std::string& text) {
        GError* problem = nullptr;
        pipeline_.reset(gst_parse_launch(text.c_str(), &problem));
        if (problem != nullptr) {
            error = problem->message;
            if (problem->domain == GST_PARSE_ERROR) parse_error = problem->code;
            g_error_free(problem);
        }
        if (pipeline_) out_.reset(gst_bin_get_by_name(GST_BIN(pipeline_.get()), "out"));
    }
    ~Line() {
        if (pipeline_) gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
    }

    [[nodiscard]] GstElement* pipeline() const { return pipeline_.get(); }
    [[nodiscard]] ElementPtr element(const char* name) const {
        return ElementPtr(gst_bin_get_by_name(GST_BIN(pipeline_.get()), name));
    }
    void set(GstState state) const { gst_element_set_state(pipeline_.get(), state); }

    // Plays to the end or the error. Returns the frames.
    std::vector<SamplePtr> play() {
        std::vector<SamplePtr> samples;
        const bool started = gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE;
        while (SamplePtr sample = started ? pull() : nullptr) samples.push_back(std::move(sample));
        take_messages();
        return samples;
    }
    [[nodiscard]] SamplePtr pull() const {
        return SamplePtr(gst_app_sink_try_pull_sample(GST_APP_SINK(out_.get()), kHang));
    }
    void take_messages() {
        GstBus* bus = gst_element_get_bus(pipeline_.get());
        while (const MessagePtr message{gst_bus_pop(bus)}) {
            GError* problem = nullptr;
            if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_ERROR) {
                gst_message_parse_error(message.get(), &problem, nullptr);
                error = problem->message;
                g_error_free(problem);
            } else if (gst_message_has_name(message.get(), "throng")) {
                found.push_back(found_in(gst_message_get_structure(message.get())));
            }
        }
        gst_object_unref(bus);
    }

    std::string error;
    int parse_error = -1;  // GstParseError
    std::vector<FoundIn> found;

private:
    ElementPtr pipeline_, out_;
};

// Returns the pixels of a frame without padding.
Bytes pixels_of(GstSample* sample) {
    GstVideoInfo info;
    GstVideoFrame frame;
    Bytes bytes;
    if (!gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) ||
        !gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ)) {
        ADD_FAILURE() << "a frame cannot be read";
        return bytes;
    }
    for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES(&frame); ++p) {
        const bool pairs = GST_VIDEO_FRAME_FORMAT(&frame) == GST_VIDEO_FORMAT_NV12 && p == 1;
        const int row = GST_VIDEO_FRAME_COMP_WIDTH(&frame, p) * (pairs ? 2 : GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, p));
        for (int y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(&frame, p); ++y) {
            const auto* from = static_cast<const std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, p)) +
                               y * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, p);
            bytes.insert(bytes.end(), from, from + row);
        }
    }
    gst_video_frame_unmap(&frame);
    return bytes;
}

// A whole frame is hidden by at most 6 x 6 mean colors: with `solid`, by one.
bool is_hidden_whole(GstSample* sample) {
    const Bytes pixels = pixels_of(sample);
    GstVideoInfo info;
    gst_video_info_from_caps(&info, gst_sample_get_caps(sample));
    const std::size_t luma = static_cast<std::size_t>(info.width) * static_cast<std::size_t>(info.height);
    return std::set<std::uint8_t>(pixels.begin(), pixels.begin() + static_cast<std::ptrdiff_t>(luma)).size() == 1;
}

// Writes frames of the crowd as I420, the rows of GStreamer's layout.
class Elements : public testing::Test {
protected:
    static constexpr int kWidth = 402, kHeight = 301;
    static constexpr int kNumFrames = 4;

    static void SetUpTestSuite() {
        gst_registry_fork_set_enabled(FALSE);
        gst_init(nullptr, nullptr);
        GstPlugin* plugin = gst_plugin_load_file(TH_GST_PLUGIN, nullptr);
        ASSERT_NE(plugin, nullptr) << TH_GST_PLUGIN;
        gst_object_unref(plugin);
    }

    void SetUp() override {
        if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
        const ElementPtr needed(gst_element_factory_make("rawvideoparse", nullptr));
        if (!needed) GTEST_SKIP() << "skipped: no gstreamer1.0-plugins-base";
    }

    static const std::vector<Bytes>& frames() {
        static const auto& made = *new std::vector<Bytes>(make_frames());
        return made;
    }
    static std::vector<Bytes> make_frames() {
        CrowdOptions options;
        options.faces = 12;
        options.width = kWidth;
        options.height = kHeight;
        const Crowd crowd(options);
        GstVideoInfo info;
        gst_video_info_set_format(&info, GST_VIDEO_FORMAT_I420, kWidth, kHeight);
        std::vector<Bytes> made;
        for (int n = 0; n < kNumFrames; ++n) {
            const Frame frame = crowd.frame(3L * n);
            Bytes& bytes = made.emplace_back(info.size);
            for (int p = 0; p < 3; ++p) {
                const PlaneView& plane = frame.plane(p);
                for (int y = 0; y < plane.height; ++y) {
                    std::copy_n(plane.data + y * plane.pitch, plane.width,
                                bytes.data() + info.offset[p] + static_cast<std::size_t>(y * info.stride[p]));
                }
            }
        }
        return made;
    }
    // Returns the beginning of a pipeline that reads the frames from a file, `times` times.
    std::string reader(int times = 1) {
        const std::string path = folder_.path() / "frames.yuv";
        std::ofstream file(path, std::ios::binary);
        for (int i = 0; i < times; ++i) {
            for (const Bytes& frame : frames()) {
                file.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size()));
            }
        }
        return "filesrc location=" + path +
               " ! rawvideoparse format=i420 framerate=25/1 width=" + std::to_string(kWidth) +
               " height=" + std::to_string(kHeight) + " ! ";
    }
    static std::string caps() {
        return "video/x-raw,format=I420,framerate=25/1,width=" + std::to_string(kWidth) +
               ",height=" + std::to_string(kHeight);
    }
    // Pushes frames into the appsrc of a line that plays, 40 ms apart, then its end. gaps: with an event between them.
    static void push(const Line& line, int count, GstBufferFlags flags = GstBufferFlags{}, bool gaps = false) {
        const ElementPtr source = line.element("in");
        for (int n = 0; n < count; ++n) {
            const Bytes& frame = frames()[static_cast<std::size_t>(n % kNumFrames)];
            GstBuffer* buffer = gst_buffer_new_memdup(frame.data(), frame.size());
            const GstClockTime time = static_cast<GstClockTime>(n) * 40 * GST_MSECOND;
            GST_BUFFER_PTS(buffer) = time;
            GST_BUFFER_DURATION(buffer) = 40 * GST_MSECOND;
            GST_BUFFER_FLAG_SET(buffer, flags);
            gst_app_src_push_buffer(GST_APP_SRC(source.get()), buffer);
            if (gaps) gst_element_send_event(source.get(), gst_event_new_gap(time, 40 * GST_MSECOND));
        }
        gst_app_src_end_of_stream(GST_APP_SRC(source.get()));
    }

    test::ScratchDir folder_;
};

TEST_F(Elements, FindWhatTheLibraryFindsInEachFormat) {
    std::size_t total = 0;
    for (const std::string format : {"I420", "NV12", "GRAY8", "BGR", "RGB", "BGRx", "RGBx"}) {
        const std::string source = reader() + "videoconvert ! video/x-raw,format=" + format + " ! ";
        std::vector<std::vector<Found>> expected;
        throng_options options = throng_options_default();
        options.detector = "haar";
        const auto keep = [](const throng_frame* frame, void* user) {
            auto& found = static_cast<std::vector<std::vector<Found>>*>(user)->emplace_back();
            for (std::int64_t i = 0; i < frame->num_detections; ++i) {
                const throng_detection box = throng_frame_detection(frame, i);
                found.push_back({box.x, box.y, box.width, box.height, box.score});
            }
            return 0;
        };
        ASSERT_EQ(throng_run(THRONG_ABI, ("gst:" + source + "appsink").c_str(), &options, keep, &expected), THRONG_OK)
            << throng_stream_error(nullptr);
        Line line(source + "throngdetect detector=haar ! appsink name=out sync=false");
        EXPECT_EQ(line.play().size(), frames().size()) << line.error;
        ASSERT_EQ(line.found.size(), expected.size()) << line.error;
        for (std::size_t n = 0; n < expected.size(); ++n) {
            EXPECT_TRUE(line.found[n].searched);
            EXPECT_EQ(line.found[n].objects, expected[n]) << format << n;
            total += expected[n].size();
        }
    }
    EXPECT_GT(total, 0U);
}

TEST_F(Elements, AScaledFrameHasScaledRegions) {
    Line line(reader() + "throngdetect detector=haar ! videoscale ! video/x-raw,width=" + std::to_string(2 * kWidth) +
              ",height=" + std::to_string(2 * kHeight) + " ! appsink name=out sync=false");
    const auto samples = line.play();
    ASSERT_EQ(samples.size(), line.found.size()) << line.error;
    std::size_t total = 0;
    for (std::size_t n = 0; n < samples.size(); ++n) {
        std::size_t count = 0;
        gpointer state = nullptr;
        GstBuffer* buffer = gst_sample_get_buffer(samples[n].get());
        GstCustomMeta* exact = gst_buffer_get_custom_meta(buffer, "throng");
        while (GstMeta* meta =
                   gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
            auto* region = reinterpret_cast<GstVideoRegionOfInterestMeta*>(meta);
            EXPECT_STREQ(g_quark_to_string(region->roi_type), "face");
            ASSERT_NE(exact, nullptr);
            const GValue* objects = gst_structure_get_value(gst_custom_meta_get_structure(exact), "objects");
            const GstStructure* one =
                gst_value_get_structure(gst_value_list_get_value(objects, static_cast<guint>(region->id)));
            EXPECT_NEAR(number_in(one, "x") * 2 * kWidth, region->x, 3);
            EXPECT_NEAR(number_in(one, "height") * 2 * kHeight, region->h, 6);
            const Found& found = line.found[n].objects.at(static_cast<std::size_t>(region->id));
            EXPECT_NEAR(number_in(one, "x") * kWidth, found.x, 1e-3);
            EXPECT_NEAR(number_in(one, "y") * kHeight, found.y, 1e-3);
            ++count;
        }
        EXPECT_EQ(count, line.found[n].objects.size());
        total += count;
    }
    EXPECT_GT(total, 0U);
}

// Every frame comes out once, in order, with its time; what is found in it is replaced by one color, and what is far from
// all faces stays.
TEST_F(Elements, WhatIsFoundIsHidden) {
    for (const char* format : {"I420", "BGRx"}) {
        const std::string source = reader(3) + "videoconvert ! video/x-raw,format=" + format + " ! ";
        Line plain(source + "throngdetect detector=haar ! appsink name=out sync=false");
        Line hiding(source + "thronghide detector=haar style=solid delay=5 ! appsink name=out sync=false");
        const auto shown = plain.play(), hidden = hiding.play();
        ASSERT_EQ(hidden.size(), shown.size()) << hiding.error;
        ASSERT_EQ(plain.found.size(), shown.size());
        ASSERT_EQ(hiding.found.size(), shown.size());
        const int step = std::string(format) == "I420" ? 1 : 4;
        for (std::size_t n = 0; n < hidden.size(); ++n) {
            EXPECT_EQ(GST_BUFFER_PTS(gst_sample_get_buffer(hidden[n].get())),
                      GST_BUFFER_PTS(gst_sample_get_buffer(shown[n].get())));
            EXPECT_EQ(hiding.found[n].objects, plain.found[n].objects) << n;
            const Bytes before = pixels_of(shown[n].get()), after = pixels_of(hidden[n].get());
            ASSERT_EQ(before.size(), after.size());
            EXPECT_NE(before, after);
            std::size_t same = 0;
            for (std::size_t i = 0; i < before.size(); ++i) same += before[i] == after[i];
            EXPECT_GT(same, before.size() / 10);
            for (const Found& face : plain.found[n].objects) {
                std::set<int> values;  // in the middle of the face; another face may overlap it
                for (int y = static_cast<int>(face.y + face.h * 0.3F); y < static_cast<int>(face.y + face.h * 0.7F);
                     ++y) {
                    for (int x = static_cast<int>(face.x + face.w * 0.3F); x < static_cast<int>(face.x + face.w * 0.7F);
                         ++x) {
                        if (x < 0 || y < 0 || x >= kWidth || y >= kHeight) continue;
                        values.insert(after[static_cast<std::size_t>((y * kWidth + x) * step)]);
                    }
                }
                EXPECT_LE(values.size(), 12U) << n << " at " << face.x << "," << face.y;
            }
        }
    }
}

TEST_F(Elements, AFrameThatIsNotJudgedIsHiddenWhole) {
    const std::string begin = "appsrc name=in format=time is-live=true min-latency=0 caps=" + caps() + " ! ";
    const std::string end = " ! appsink name=out sync=false";
    const auto outcome = [&](const std::string& element, GstBufferFlags flags, GstClockTimeDiff ago) {
        auto line = std::make_unique<Line>(begin + element + end);
        // The clock has not to be waited for: the frames are due as long ago as is asked for.
        gst_element_set_start_time(line->pipeline(), GST_CLOCK_TIME_NONE);
        GstClock* clock = gst_system_clock_obtain();
        gst_pipeline_use_clock(GST_PIPELINE(line->pipeline()), clock);
        gst_element_set_base_time(
            line->pipeline(),
            static_cast<GstClockTime>(static_cast<GstClockTimeDiff>(gst_clock_get_time(clock)) - ago));
        gst_object_unref(clock);
        line->set(GST_STATE_PLAYING);
        gst_bin_recalculate_latency(GST_BIN(line->pipeline()));
        push(*line, 3, flags);
        int whole = 0, searched = 0;
        while (const SamplePtr sample = line->pull()) whole += is_hidden_whole(sample.get()) ? 1 : 0;
        line->take_messages();
        EXPECT_EQ(line->error, "") << element;
        EXPECT_EQ(line->found.size(), 3U) << element;
        for (const FoundIn& found : line->found) searched += found.searched ? 1 : 0;
        return std::pair(whole, searched);
    };
    using Outcome = std::pair<int, int>;
    const auto hour = static_cast<GstClockTimeDiff>(3600 * GST_SECOND);
    const auto late =
        static_cast<GstClockTimeDiff>(10 * GST_SECOND);  // the clock may count from the start of the machine
    const std::string hide = "thronghide detector=haar style=solid delay=2";
    const std::string detect = "throngdetect detector=haar";
    EXPECT_EQ(outcome(hide, GstBufferFlags{}, -hour), Outcome(0, 3));
    EXPECT_EQ(outcome(hide, GST_BUFFER_FLAG_CORRUPTED, -hour), Outcome(3, 3));
    EXPECT_EQ(outcome(hide, GST_BUFFER_FLAG_GAP, -hour), Outcome(0, 3));
    EXPECT_EQ(outcome(hide, GstBufferFlags{}, late), Outcome(3, 0));
    EXPECT_EQ(outcome(hide + " deadline=0", GstBufferFlags{}, late), Outcome(0, 3));
    EXPECT_EQ(outcome(detect, GstBufferFlags{}, late), Outcome(0, 0));
    EXPECT_EQ(outcome(detect, GST_BUFFER_FLAG_CORRUPTED, -hour), Outcome(0, 3));
}

// Live sources send one for each frame that is lost.
TEST_F(Elements, AGapLeavesFramesWaiting) {
    const auto hidden = [&](bool gaps) {
        Line line("appsrc name=in format=time caps=" + caps() +
                  " ! identity name=before ! thronghide name=hide detector=haar style=solid delay=2 ! appsink name=out "
                  "sync=false");
        int counts[2] = {};
        const auto count = [](GstPad*, GstPadProbeInfo* info, gpointer number) {
            if (GST_EVENT_TYPE(gst_pad_probe_info_get_event(info)) == GST_EVENT_GAP) ++*static_cast<int*>(number);
            return GST_PAD_PROBE_OK;
        };
        const char* names[2] = {"before", "hide"};
        for (int i = 0; i < 2; ++i) {
            GstPad* pad = gst_element_get_static_pad(line.element(names[i]).get(), "src");
            gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, count, &counts[i], nullptr);
            gst_object_unref(pad);
        }
        line.set(GST_STATE_PLAYING);
        push(line, 5, GstBufferFlags{}, gaps);
        std::vector<Bytes> frames;
        while (const SamplePtr sample = line.pull()) frames.push_back(pixels_of(sample.get()));
        line.take_messages();
        EXPECT_EQ(line.error, "");
        EXPECT_EQ(counts[0], gaps ? 5 : 0);
        EXPECT_EQ(counts[1], 0);
        return frames;
    };
    const auto expected = hidden(false);
    EXPECT_EQ(expected.size(), 5U);
    EXPECT_TRUE(hidden(true) == expected);
}

TEST_F(Elements, FramesWithoutTimesAreHiddenWithoutComplaints) {
    int complaints = 0;
    const auto count = [](const gchar*, GLogLevelFlags level, const gchar*, gpointer number) {
        if ((level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) != 0) ++*static_cast<int*>(number);
    };
    const GLogFunc before = g_log_set_default_handler(count, &complaints);
    Line line("appsrc name=in format=bytes is-live=true caps=" + caps() +
              " ! thronghide detector=haar delay=2 ! appsink name=out sync=false");
    line.set(GST_STATE_PLAYING);
    push(line, 3);
    int frames = 0;
    while (const SamplePtr sample = line.pull()) ++frames;
    line.take_messages();
    g_log_set_default_handler(before, nullptr);
    EXPECT_EQ(frames, 3) << line.error;
    EXPECT_EQ(line.found.size(), 3U);
    EXPECT_EQ(complaints, 0);
}

TEST_F(Elements, ThoseInARowShareAList) {
    Line line(reader() + "throngdetect detector=haar ! thronghide detector=haar ! appsink name=out sync=false");
    const auto samples = line.play();
    ASSERT_EQ(samples.size(), frames().size()) << line.error;
    std::size_t total = 0, expected = 0;
    for (const FoundIn& found : line.found) expected += found.objects.size();
    for (const SamplePtr& sample : samples) {
        std::set<int> ids;
        gpointer state = nullptr;
        GstBuffer* buffer = gst_sample_get_buffer(sample.get());
        while (GstMeta* meta =
                   gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
            const int id = reinterpret_cast<GstVideoRegionOfInterestMeta*>(meta)->id;
            EXPECT_TRUE(ids.insert(id).second) << id;
        }
        total += ids.size();
        if (ids.empty()) continue;
        GstCustomMeta* exact = gst_buffer_get_custom_meta(buffer, "throng");
        ASSERT_NE(exact, nullptr);
        EXPECT_EQ(gst_buffer_get_n_meta(buffer, exact->meta.info->api), 1U);
        const GValue* objects = gst_structure_get_value(gst_custom_meta_get_structure(exact), "objects");
        EXPECT_EQ(gst_value_list_get_size(objects), ids.size());
        EXPECT_EQ(*ids.rbegin(), static_cast<int>(ids.size()) - 1);
    }
    EXPECT_EQ(total, expected);
    EXPECT_GT(total, 0U);
}

// The frame may lie anywhere in its buffer; nothing beside it may come out.
TEST_F(Elements, ACroppedFrameIsThatAtItsPlace) {
    constexpr int kX = 33, kY = 20;
    static const char* tags[] = {GST_META_TAG_MEMORY_STR, nullptr};
    ASSERT_NE(gst_meta_register_custom("throng-test", tags, nullptr, nullptr, nullptr), nullptr);
    const Bytes& frame = frames().front();
    GstVideoInfo inner, outer;
    gst_video_info_set_format(&inner, GST_VIDEO_FORMAT_I420, kWidth, kHeight);
    gst_video_info_set_format(&outer, GST_VIDEO_FORMAT_I420, kWidth + 60, kHeight + 50);
    const auto run = [&](const std::string& element, GstBuffer* buffer) {
        Line line("appsrc name=in format=time caps=" + caps() + " ! " + element + " ! appsink name=out sync=false");
        line.set(GST_STATE_PLAYING);
        const ElementPtr source = line.element("in");
        GST_BUFFER_PTS(buffer) = 0;
        gst_app_src_push_buffer(GST_APP_SRC(source.get()), buffer);
        gst_app_src_end_of_stream(GST_APP_SRC(source.get()));
        const SamplePtr sample = line.pull();
        line.take_messages();
        EXPECT_EQ(line.error, "");
        Bytes pixels;
        if (sample && element.rfind("thronghide", 0) == 0) {
            EXPECT_EQ(gst_buffer_get_video_crop_meta(gst_sample_get_buffer(sample.get())), nullptr);
            EXPECT_EQ(gst_buffer_get_custom_meta(gst_sample_get_buffer(sample.get()), "throng-test"), nullptr);
            pixels = pixels_of(sample.get());
        }
        return std::pair(pixels, line.found.empty() ? std::vector<Found>{} : line.found[0].objects);
    };
    const auto cropped = [&] {
        GstBuffer* buffer = gst_buffer_new_allocate(nullptr, outer.size, nullptr);
        GstMapInfo map;
        EXPECT_TRUE(gst_buffer_map(buffer, &map, GST_MAP_WRITE));
        std::fill_n(map.data, map.size, std::uint8_t{77});
        for (int p = 0; p < 3; ++p) {
            const int half = p == 0 ? 0 : 1;
            for (int y = 0; y < (kHeight + half) >> half; ++y) {
                std::copy_n(frame.data() + inner.offset[p] + static_cast<std::size_t>(y * inner.stride[p]),
                            (kWidth + half) >> half,
                            map.data + outer.offset[p] +
                                static_cast<std::size_t>((y + (kY >> half)) * outer.stride[p] + (kX >> half)));
            }
        }
        gst_buffer_unmap(buffer, &map);
        gst_buffer_add_video_meta(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_I420,
                                  static_cast<guint>(outer.width), static_cast<guint>(outer.height));
        gst_buffer_add_custom_meta(buffer, "throng-test");
        GstVideoCropMeta* crop = gst_buffer_add_video_crop_meta(buffer);
        crop->x = kX, crop->y = kY, crop->width = kWidth, crop->height = kHeight;
        return buffer;
    };
    for (const char* element : {"throngdetect detector=haar", "thronghide detector=haar style=solid"}) {
        const auto expected = run(element, gst_buffer_new_memdup(frame.data(), frame.size()));
        EXPECT_FALSE(expected.second.empty());
        EXPECT_TRUE(run(element, cropped()) == expected) << element;
    }
}

TEST_F(Elements, TellTheirLatency) {
    const auto latency_of = [](const std::string& element) {
        Line line("videotestsrc is-live=true ! video/x-raw,width=64,height=64,framerate=25/1 ! " + element +
                  " ! appsink name=out");
        line.set(GST_STATE_PLAYING);
        EXPECT_NE(line.pull(), nullptr);
        GstQuery* query = gst_query_new_latency();
        EXPECT_TRUE(gst_element_query(line.pipeline(), query));
        gboolean live = FALSE;
        GstClockTime least = 0;
        gst_query_parse_latency(query, &live, &least, nullptr);
        gst_query_unref(query);
        EXPECT_TRUE(live);
        return least;
    };
    const GstClockTime source = latency_of("identity");
    EXPECT_EQ(latency_of("throngdetect detector=haar deadline=70"), source + 70 * GST_MSECOND);
    EXPECT_EQ(latency_of("thronghide detector=haar deadline=100 delay=4"), source + (100 + 4 * 40) * GST_MSECOND);
}

// The texts are those of the command line, which spells a property as an option.
TEST_F(Elements, AWrongPropertyIsRejectedAsAnOptionIs) {
    for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
             {"min-size", "0"}, {"theta", "2"}, {"rule", "x"}, {"min-size", "1e3"}, {"switch", "a"}}) {
        Line line("videotestsrc num-buffers=1 ! throngdetect " + name + "=" + value + " ! appsink name=out");
        EXPECT_TRUE(line.play().empty());
        EXPECT_NE(line.error, "") << name;
        std::string field = name;
        std::replace(field.begin(), field.end(), '-', '_');
        EXPECT_EQ(line.error.rfind(name + ": " + find_setting(field)->problem(value).text(), 0), 0U) << line.error;
    }
    std::vector<const SettingRow*> rows;
    for (const SettingRow& row : backend_settings()) rows.push_back(&row);
    for (const HidingSetting& setting : hiding_settings()) rows.push_back(&setting.row);
    for (const SettingRow* row : rows) {
        const std::string name(row->name);
        const std::string value = row->choices.empty() ? exact_text(row->max + 1) : "x";
        Line line("videotestsrc num-buffers=1 ! thronghide " + name + "=" + value + " ! appsink name=out");
        EXPECT_TRUE(line.play().empty());
        EXPECT_EQ(line.error.rfind(name + ": " + row->problem(value).text(), 0), 0U) << line.error;
    }
    for (const char* wrong : {"margin=-1", "delay=301", "deadline=x", "track=yes"}) {
        Line line(std::string("videotestsrc num-buffers=1 ! thronghide ") + wrong + " ! appsink name=out");
        EXPECT_TRUE(line.play().empty());
        EXPECT_EQ(line.error.rfind(std::string(wrong).substr(0, std::string(wrong).find('=')) + ": must", 0), 0U)
            << line.error;
    }
}

TEST_F(Elements, WhatIsNoFrameIsRejectedByNegotiation) {
    Line other("videotestsrc num-buffers=1 ! video/x-raw,format=ARGB64 ! thronghide ! appsink name=out");
    EXPECT_TRUE(other.parse_error == GST_PARSE_ERROR_LINK || other.play().empty()) << other.error;
    EXPECT_NE(other.error, "");
    Line converted(
        "videotestsrc num-buffers=1 ! video/x-raw,format=ARGB64 ! videoconvert ! thronghide detector=haar ! "
        "appsink name=out");
    EXPECT_EQ(converted.play().size(), 1U) << converted.error;
}

TEST_F(Elements, TheEndAndAnotherSizePassOnWhatWaits) {
    Line empty("videotestsrc num-buffers=0 ! thronghide detector=haar ! appsink name=out");
    EXPECT_TRUE(empty.play().empty());
    EXPECT_EQ(empty.error, "");
    const std::string source = "videotestsrc num-buffers=3 ! video/x-raw,format=NV12,framerate=25/1,";
    Line line("concat name=c ! thronghide detector=haar delay=20 ! appsink name=out sync=false " + source +
              "width=64,height=48 ! c. " + source + "width=99,height=77 ! c. " + source + "width=64,height=48 ! c.");
    std::vector<std::size_t> sizes;
    for (const SamplePtr& sample : line.play()) sizes.push_back(pixels_of(sample.get()).size());
    const std::size_t small = 64 * 48 + 64 * 24, odd = 99 * 77 + 100 * 39;
    EXPECT_EQ(sizes, (std::vector<std::size_t>{small, small, small, odd, odd, odd, small, small, small})) << line.error;
}

// The number of changes of each element is that of $THRONG_CASES.
TEST_F(Elements, AnyOrderOfStatesSeeksAndSizesEndsCleanly) {
    std::mt19937_64 random(test::seed(1));
    for (const bool hides : {false, true}) {
        const std::string element = hides ? "thronghide delay=3" : "throngdetect";
        Line line(reader(8) + "videoscale ! capsfilter name=size ! " + element +
                  " name=tested detector=haar ! appsink name=out sync=false max-buffers=2");
        const auto set_size = [&line](int width, int height) {
            GstCaps* caps =
                gst_caps_new_simple("video/x-raw", "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, nullptr);
            g_object_set(line.element("size").get(), "caps", caps, nullptr);
            gst_caps_unref(caps);
        };
        for (std::size_t i = 0; i < test::case_count(30); ++i) {
            switch (random() % 7) {
                case 0: line.set(GST_STATE_NULL); break;
                case 1: line.set(GST_STATE_READY); break;
                case 2: line.set(GST_STATE_PAUSED); break;
                case 3: line.set(GST_STATE_PLAYING); break;
                case 4: {
                    line.set(GST_STATE_PAUSED);
                    gst_element_get_state(line.pipeline(), nullptr, nullptr, kHang);
                    const auto at = static_cast<gint64>((random() % 20) * 40 * GST_MSECOND);
                    gst_element_seek_simple(line.pipeline(), GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, at);
                    break;
                }
                case 5: set_size(static_cast<int>(48 + random() % 99), static_cast<int>(48 + random() % 99)); break;
                default: {
                    const std::string value = hides               ? std::to_string(random() % 6)
                                              : random() % 2 == 0 ? "true"
                                                                  : "false";
                    g_object_set(line.element("tested").get(), hides ? "delay" : "track", value.c_str(), nullptr);
                }
            }
        }
        line.set(GST_STATE_READY);
        const auto samples = line.play();
        EXPECT_EQ(samples.size(), 8U * kNumFrames) << element << ": " << line.error;
        EXPECT_EQ(line.error, "");
    }
}

// A file of GStreamer's own encoder, read by another program.
TEST_F(Elements, AFileWithHiddenFacesIsReadByAnotherProcess) {
    TH_NEED_FFMPEG();
    const std::string path = folder_.path() / "hidden.ogv";
    Line line(reader(2) + "thronghide detector=haar ! theoraenc ! oggmux ! filesink location=" + path);
    if (line.parse_error == GST_PARSE_ERROR_NO_SUCH_ELEMENT) GTEST_SKIP() << "skipped: " << line.error;
    line.set(GST_STATE_PLAYING);
    GstBus* bus = gst_element_get_bus(line.pipeline());
    const MessagePtr end(gst_bus_timed_pop_filtered(
        bus, kHang, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));  // the file is complete
    gst_object_unref(bus);
    ASSERT_NE(end, nullptr);
    EXPECT_EQ(GST_MESSAGE_TYPE(end.get()), GST_MESSAGE_EOS);
    const std::string counts = folder_.path() / "counts";
    ASSERT_EQ(std::system(("ffprobe -v error -count_frames -select_streams v -show_entries "
                           "stream=width,height,nb_read_frames -of csv=p=0 " +
                           path + " > " + counts)
                              .c_str()),
              0);
    std::string text;
    std::getline(std::ifstream(counts), text);
    EXPECT_EQ(text, "402,301,8");
}

}  // namespace
}  // namespace throng
