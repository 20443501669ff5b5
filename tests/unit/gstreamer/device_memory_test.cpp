// Sources whose frames are in device memory: CSI cameras of a Jetson board (csi:N, memory:NVMM), and elements for CUDA
// (memory:CUDAMemory), on fakes of the elements, of libnvbufsurface and of the device.
#include <gst/gst.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/video/nv_surface.h"
#include "core/video/source.h"
#include "tests/support/random.h"
#include "tests/unit/gstreamer/fake_jetson.h"

namespace throng {
namespace {

using Texts = std::vector<std::string>;

// The layout of a 64-bit system by the Jetson Linux API reference.
static_assert(sizeof(void*) != 8 || (offsetof(NvSurface, images) == 24 && offsetof(NvImage, planes) == 48 &&
                                     offsetof(NvImage, mapping) == 280 && offsetof(NvPlanes, pitch) == 36));

// For the elements, which load it once per process. It has a device only in tests that ask for one.
[[maybe_unused]] const int kFakeModule = setenv("THRONG_CUDA_MODULE", TH_FAKE_DEVICE, 0);

struct ReadFrames {
    std::vector<Frame> last;  // the newest ones
    std::size_t num_frames = 0;
    std::size_t num_on_device = 0;
    std::string error;
    Texts warnings;
    SourceInfo info;
};

class DeviceMemory : public testing::Test {
protected:
    void SetUp() override {
        test::register_fake_jetson();
        board().reset();
        options_.prefer_device_frames = true;
        options_.make_converter = test::make_fake_converter;
        options_.reconnects = 0;
        options_.read_timeout = options_.open_timeout = 600;  // a slow machine is no failure
        unsetenv("THRONG_FAKE_DEVICE");
    }
    void TearDown() override { unsetenv("THRONG_FAKE_DEVICE"); }
    static void load_elements() {
        GstPlugin* plugin = gst_plugin_load_file(TH_GST_PLUGIN, nullptr);
        ASSERT_NE(plugin, nullptr);
        gst_object_unref(plugin);
    }
    static test::FakeJetson& board() { return test::FakeJetson::get(); }

    // Reads a source to its end. Each frame has the pixels of one frame of the board. Keeps the last `kept` frames.
    ReadFrames read(const std::string& spec, std::size_t kept = 0) const {
        ReadFrames outcome;
        write_log_to(
            [&outcome](spdlog::level::level_enum, std::string_view line) { outcome.warnings.emplace_back(line); },
            spdlog::level::warn);
        try {
            const auto source = open_source(spec, options_);
            Frame frame;
            double pts = -1;
            for (ReadStatus status = ReadStatus::timeout; status != ReadStatus::end;) {
                frame = {};
                status = source->read(frame, {});
                if (!frame) continue;
                ++outcome.num_frames;
                outcome.num_on_device += frame.info().memory == MemoryKind::device ? 1 : 0;
                EXPECT_EQ(frame.info().format, PixelFormat::nv12);
                EXPECT_GT(frame.info().pts, pts);
                pts = frame.info().pts;
                for (int p = 0; p < 2; ++p) {
                    const PlaneView& plane = frame.plane(p);
                    EXPECT_EQ(plane.data[0], plane.data[(plane.height - 1) * plane.pitch + plane.width - 1]);
                }
                outcome.last.push_back(frame);
                if (outcome.last.size() > kept) outcome.last.erase(outcome.last.begin());
            }
            outcome.info = source->info();
        } catch (const Error& error) {
            outcome.error = error.what();
        }
        write_log_to(nullptr, spdlog::level::off);
        return outcome;
    }

    SourceOptions options_;
};

// A surface is registered when it first comes. It ends in the order that CUDA, EGL and the board require.
TEST_F(DeviceMemory, EachSurfaceOfACameraIsRegisteredOnce) {
    const test::FakeNvLibrary library(TH_FAKE_NVBUFSURFACE);
    ReadFrames read = this->read("csi:0,size=320x240", 1);
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.warnings, Texts{});
    EXPECT_GT(read.num_frames, 0U);
    EXPECT_EQ(read.num_on_device, read.num_frames);
    EXPECT_NE(read.info.details.text().find("memory:NVMM"), std::string::npos) << read.info.details.text();
    ASSERT_EQ(read.last.size(), 1U);
    EXPECT_EQ(read.last[0].plane(0).pitch, test::kFakePitch);
    EXPECT_EQ(read.last[0].plane(1).height, 120);

    const std::vector<const void*> surfaces = board().all_memory();
    EXPECT_EQ(surfaces.size(), test::kFakePool);
    EXPECT_EQ(board().count("register"), test::kFakePool) << "for 100 frames";
    EXPECT_EQ(board().count("free"), test::kFakePool - 1) << "a frame outlives its pipeline with its surface";
    read.last.clear();
    for (const void* surface : surfaces) {
        EXPECT_EQ(board().calls_of(surface),
                  (Texts{"map image", "register", "shape", "unregister", "unmap image", "free"}));
    }
}

// Undoes what was begun, and opens the camera again for frames in system memory.
TEST_F(DeviceMemory, AStepThatFailsLeavesFramesToTheHost) {
    const test::FakeNvLibrary library(TH_FAKE_NVBUFSURFACE);
    for (const char* step : {"<map image>", "<register>", "<shape>"}) {
        board().reset();
        board().failing = step;
        const ReadFrames read = this->read("csi:0,size=320x240");
        EXPECT_EQ(read.error, "") << step;
        EXPECT_GT(read.num_frames, 0U) << step;
        EXPECT_EQ(read.num_on_device, 0U) << step;
        EXPECT_EQ(read.info.details.text().find("NVMM"), std::string::npos) << read.info.details.text();
        ASSERT_EQ(read.warnings.size(), 1U) << step;
        EXPECT_NE(read.warnings[0].find("csi:0,size=320x240: video memory cannot be read in place: "),
                  std::string::npos)
            << read.warnings[0];
        EXPECT_EQ(board().count("map image"), 1U) << step;
        EXPECT_EQ(board().count("unmap image"), std::string(step) == "<map image>" ? 0U : 1U) << step;
        EXPECT_EQ(board().count("unregister"), std::string(step) == "<shape>" ? 1U : 0U) << step;
        EXPECT_EQ(board().count("free"), board().all_memory().size()) << step;
    }
}

TEST_F(DeviceMemory, SurfacesOfAnUnknownLayoutLeaveFramesToTheHost) {
    const test::FakeNvLibrary library(TH_FAKE_NVBUFSURFACE);
    board().surfaces_are_known = false;
    const ReadFrames read = this->read("csi:0,size=320x240");
    EXPECT_EQ(read.error, "");
    EXPECT_GT(read.num_frames, 0U);
    EXPECT_EQ(read.num_on_device, 0U);
    EXPECT_EQ(read.warnings, Texts{"csi:0,size=320x240: video memory cannot be read in place: its surfaces have an "
                                   "unknown layout"});
}

// Later surfaces cannot be registered: the same camera continues, without another connection.
TEST_F(DeviceMemory, ASurfaceThatFailsLaterLeavesTheRestToTheHost) {
    const test::FakeNvLibrary library(TH_FAKE_NVBUFSURFACE);
    for (const char* step : {"<map image>", "<register>", "<shape>"}) {
        board().reset();
        board().failing = step;
        board().fails_after = 2;
        const ReadFrames read = this->read("csi:0,size=320x240");
        EXPECT_EQ(read.error, "") << step;
        EXPECT_GT(read.num_frames, read.num_on_device) << step;
        EXPECT_EQ(board().count("map image"), 3U) << step;
        EXPECT_EQ(board().count("free"), board().all_memory().size()) << step;
        ASSERT_EQ(read.warnings.size(), 1U) << step;
        EXPECT_NE(read.warnings[0].find("csi:0,size=320x240: video memory cannot be read in place: "),
                  std::string::npos)
            << read.warnings[0];
    }
}

// The host reads no video memory: the rows of a block-linear surface are not one after the other.
TEST_F(DeviceMemory, VideoMemoryThatCannotBeReadInPlaceIsAnError) {
    const test::FakeNvLibrary library(TH_FAKE_NVBUFSURFACE);
    for (const bool on_device : {true, false}) {
        board().reset();
        board().failing = "<register>";
        options_.prefer_device_frames = on_device;
        const ReadFrames read = this->read(
            "gst:nvarguscamerasrc ! video/x-raw(memory:NVMM),width=320,height=240 ! nvvidconv ! "
            "video/x-raw(memory:NVMM) ! appsink sync=false");
        EXPECT_EQ(read.num_frames, 0U);
        EXPECT_NE(read.error.find("NV12 (memory:NVMM)"), std::string::npos) << read.error;
        EXPECT_NE(read.error.find("nvvidconv ! video/x-raw,format=NV12"), std::string::npos) << read.error;
        EXPECT_EQ(board().count("register"), on_device ? 1U : 0U);
        EXPECT_EQ(board().count("free"), board().all_memory().size());
    }
}

// The converter would rather give video memory, which may be block linear.
TEST_F(DeviceMemory, APipelineThatCanGiveSystemMemoryGivesIt) {
    const test::FakeNvLibrary library(TH_FAKE_NVBUFSURFACE);
    const ReadFrames read = this->read(
        "gst:nvarguscamerasrc ! video/x-raw(memory:NVMM),width=320,height=240 ! nvvidconv ! appsink sync=false");
    EXPECT_EQ(read.error, "");
    EXPECT_GT(read.num_frames, 0U);
    EXPECT_EQ(read.num_on_device, 0U);
    EXPECT_TRUE(board().all_memory().empty());
}

TEST_F(DeviceMemory, WithoutTheLibraryFramesAreInSystemMemory) {
    const ReadFrames read = this->read("csi:0,size=320x240");
    EXPECT_EQ(read.error, "");
    EXPECT_GT(read.num_frames, 0U);
    EXPECT_EQ(read.num_on_device, 0U);
    ASSERT_EQ(read.warnings.size(), 1U);
    EXPECT_NE(read.warnings[0].find("libnvbufsurface cannot be loaded"), std::string::npos) << read.warnings[0];
    EXPECT_TRUE(board().all_memory().empty());
}

TEST_F(DeviceMemory, WithoutADeviceFramesAreInSystemMemory) {
    const test::FakeNvLibrary library(TH_FAKE_NVBUFSURFACE);
    options_.prefer_device_frames = false;
    const ReadFrames read = this->read("csi:0,size=320x240");
    EXPECT_EQ(read.error, "");
    EXPECT_GT(read.num_frames, 0U);
    EXPECT_EQ(read.num_on_device, 0U);
    EXPECT_EQ(read.warnings, Texts{});
    EXPECT_TRUE(board().all_memory().empty());
}

// The camera itself fails, so video memory is tried again.
TEST_F(DeviceMemory, ACameraThatIsBusyKeepsItsVideoMemory) {
    const test::FakeNvLibrary library(TH_FAKE_NVBUFSURFACE);
    board().num_busy = 2;
    ReadFrames read = this->read("csi:0,size=320x240");
    EXPECT_NE(read.error.find("no frame"), std::string::npos) << read.error;
    EXPECT_EQ(read.warnings, Texts{});

    board().reset();
    board().frames = 50;
    options_.reconnects = -1;  // a slow test may miss a whole connection
    const auto source = open_source("csi:0,size=320x240", options_);
    board().num_busy = 1;
    Frame frame;
    while (source->reconnects() == 0 || board().num_busy > 0) {
        frame = {};
        ASSERT_NE(source->read(frame, {}), ReadStatus::end);
    }
    for (frame = {}; !frame;) ASSERT_NE(source->read(frame, {}), ReadStatus::end);
    EXPECT_EQ(frame.info().memory, MemoryKind::device);
}

// An element of another version may not give what is asked for.
TEST_F(DeviceMemory, ACameraWithoutVideoMemoryIsOpenedAgainWithout) {
    const test::FakeNvLibrary library(TH_FAKE_NVBUFSURFACE);
    board().converts_to_nvmm = false;
    options_.reconnects = 1;
    const ReadFrames read = this->read("csi:0,size=320x240");
    EXPECT_GT(read.num_frames, 0U) << read.error;
    EXPECT_EQ(read.num_on_device, 0U);
    EXPECT_EQ(std::count_if(read.warnings.begin(), read.warnings.end(),
                            [](const std::string& line) { return line.find("in place") != std::string::npos; }),
              1);
}

TEST_F(DeviceMemory, ACameraContinuesOnTheHostAfterALossOfTheDevice) {
    const test::FakeNvLibrary library(TH_FAKE_NVBUFSURFACE);
    board().frames = 1'000'000;
    options_.reconnects = 1;
    const auto source = open_source("csi:0,size=320x240", options_);
    const auto next = [&source] {
        Frame frame;
        while (!frame && source->read(frame, {}) != ReadStatus::end) {
        }
        return frame;
    };
    EXPECT_EQ(next().info().memory, MemoryKind::device);
    ASSERT_TRUE(source->resume_on_host(-1, 0));
    const std::size_t registered = board().count("register");
    EXPECT_EQ(next().info().memory, MemoryKind::host);
    EXPECT_EQ(board().count("register"), registered);
    EXPECT_EQ(board().count("unregister"), registered);
}

TEST_F(DeviceMemory, CudaMemoryIsReadInPlace) {
    board().frames = 5;
    ReadFrames read = this->read("gst:fakecudasrc ! appsink sync=false", 1);
    EXPECT_EQ(read.error, "");
    EXPECT_GT(read.num_frames, 0U);
    EXPECT_EQ(read.num_on_device, read.num_frames);
    EXPECT_EQ(board().count("copy to host"), 0U);
    EXPECT_EQ(board().count("free"), 4U) << "a frame is held";
    ASSERT_EQ(read.last.size(), 1U);
    EXPECT_EQ(read.last[0].plane(0).data[0], 4);
    EXPECT_EQ(read.last[0].plane(1).data, read.last[0].plane(0).data + 240 * test::kFakePitch);
    read.last.clear();
    EXPECT_EQ(board().count("free"), 5U);
}

// It is copied from another device, for a backend of the host, and where no pipeline can begin again after a loss.
TEST_F(DeviceMemory, OtherCudaMemoryIsCopied) {
    for (int c = 0; c < 3; ++c) {
        board().reset();
        board().frames = 5;
        board().host_is_device = c != 0;
        options_.prefer_device_frames = c != 1;
        board().cuda_is_live = c != 2;
        const ReadFrames read = this->read("gst:fakecudasrc ! appsink sync=false");
        EXPECT_EQ(read.error, "");
        EXPECT_EQ(read.num_on_device, 0U) << c;
        EXPECT_EQ(board().count("copy to host"), 5U) << c;
        EXPECT_TRUE(board().cuda_is_live || read.num_frames == 5U) << read.num_frames;
    }
}

// The element copies to the host what its backend cannot read.
TEST_F(DeviceMemory, AnElementOfTheCpuPassesCudaMemoryOn) {
    board().frames = 3;
    load_elements();
    const ReadFrames read = this->read("gst:fakecudasrc ! throngdetect detector=hog backend=cpu ! appsink sync=false");
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.num_on_device, read.num_frames);
    EXPECT_EQ(board().count("copy to host"), 3U);
}

// Returns true if the luma in the middle of a frame, at x to x + side, shows its checkerboard.
bool shows_pattern(const Frame& frame, int x, int side) {
    const PlaneView& luma = frame.plane(0);
    const std::uint8_t* row = luma.data + luma.height / 2 * luma.pitch;
    return std::any_of(row + x + 1, row + x + side, [row, x](std::uint8_t value) { return value != row[x]; });
}

// The face of the fake device: 80x60 at 120,90 of 320x240.
TEST_F(DeviceMemory, TheElementHidesCudaMemoryOnTheDevice) {
    load_elements();
    setenv("THRONG_FAKE_DEVICE", "", 1);
    board().frames = 20;
    const ReadFrames read = this->read(
        "gst:fakecudasrc ! thronghide backend=cuda style=solid deadline=0 detector=haar ! appsink sync=false", 20);
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.warnings, Texts{});
    EXPECT_GT(read.num_frames, 0U);
    EXPECT_EQ(read.num_on_device, read.num_frames);
    EXPECT_EQ(board().count("copy to host"), 0U);
    EXPECT_EQ(board().count("copy on device"), 20U);
    for (const Frame& frame : read.last) {
        EXPECT_FALSE(shows_pattern(frame, 120, 80));
        EXPECT_TRUE(shows_pattern(frame, 80, 10)) << "beside the face";
    }
}

TEST_F(DeviceMemory, WhatTheDeviceCannotSearchIsHiddenWholeThere) {
    load_elements();
    setenv("THRONG_FAKE_DEVICE", "<detect>", 1);
    board().frames = 20;
    const ReadFrames read = this->read(
        "gst:fakecudasrc ! thronghide backend=cuda style=solid deadline=0 detector=haar ! appsink sync=false", 20);
    EXPECT_EQ(read.error, "");
    EXPECT_GT(read.num_frames, 0U);
    EXPECT_EQ(board().count("copy to host"), 0U);
    for (const Frame& frame : read.last) EXPECT_FALSE(shows_pattern(frame, 0, 320));

    const ReadFrames on_cpu = this->read("gst:fakecudasrc ! thronghide deadline=0 detector=hog ! appsink sync=false");
    EXPECT_EQ(on_cpu.error, "") << "continues on the CPU";
    EXPECT_EQ(on_cpu.num_on_device, on_cpu.num_frames);
    EXPECT_GT(board().count("copy to host"), 0U);
}

// Nothing is passed on: no frame was hidden.
TEST_F(DeviceMemory, AFrameThatTheDeviceCannotHideEndsTheStream) {
    load_elements();
    for (int c = 0; c < 3; ++c) {
        board().reset();
        setenv("THRONG_FAKE_DEVICE", c == 0 ? "<hide>" : "", 1);
        if (c == 1) board().failing = "<copy on device>";
        board().cuda_is_cropped = c == 2;
        const ReadFrames read =
            this->read("gst:fakecudasrc ! thronghide backend=cuda deadline=0 detector=haar ! appsink sync=false");
        const char* expected[] = {"the device failed", "cannot be copied", "put cudadownload in front"};
        EXPECT_NE(read.error.find(expected[c]), std::string::npos) << read.error;
        EXPECT_EQ(read.num_frames, 0U);
    }
}

struct Proposal {
    bool crop = false;
    bool layout = false;
};

GstPadProbeReturn answer_allocation(GstPad*, GstPadProbeInfo* info, gpointer) {
    GstQuery* query = GST_PAD_PROBE_INFO_QUERY(info);
    if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION) return GST_PAD_PROBE_OK;
    gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
    gst_query_add_allocation_meta(query, GST_VIDEO_CROP_META_API_TYPE, nullptr);
    return GST_PAD_PROBE_HANDLED;
}

GstPadProbeReturn keep_proposal(GstPad*, GstPadProbeInfo* info, gpointer data) {
    GstQuery* query = GST_PAD_PROBE_INFO_QUERY(info);
    if (GST_QUERY_TYPE(query) == GST_QUERY_ALLOCATION) {
        *static_cast<Proposal*>(data) = {
            gst_query_find_allocation_meta(query, GST_VIDEO_CROP_META_API_TYPE, nullptr) != FALSE,
            gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr) != FALSE};
    }
    return GST_PAD_PROBE_OK;
}

// Returns what the element proposes to a source of CUDA's memory if what follows accepts everything.
Proposal proposal_of(const std::string& element) {
    Proposal proposal;
    GstElement* pipeline = gst_parse_launch(
        ("fakecudasrc ! " + element + " name=element backend=cpu detector=hog ! fakesink name=out").c_str(), nullptr);
    const auto probe = [&](const char* name, int type, GstPadProbeCallback call) {
        GstElement* found = gst_bin_get_by_name(GST_BIN(pipeline), name);
        GstPad* pad = gst_element_get_static_pad(found, "sink");
        gst_pad_add_probe(pad, static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | type), call,
                          &proposal, nullptr);
        gst_object_unref(pad);
        gst_object_unref(found);
    };
    probe("out", GST_PAD_PROBE_TYPE_PUSH, answer_allocation);
    probe("element", GST_PAD_PROBE_TYPE_PULL, keep_proposal);
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    GstBus* bus = gst_element_get_bus(pipeline);
    const auto awaited = static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    gst_message_unref(gst_bus_timed_pop_filtered(bus, GST_CLOCK_TIME_NONE, awaited));
    gst_object_unref(bus);
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(pipeline);
    return proposal;
}

// Cropped frames would end its stream.
TEST_F(DeviceMemory, OnlyTheElementThatHidesDeclinesCroppedFrames) {
    load_elements();
    board().frames = 1;
    const Proposal hidden = proposal_of("thronghide"), passed = proposal_of("throngdetect");
    EXPECT_TRUE(hidden.layout);
    EXPECT_FALSE(hidden.crop);
    EXPECT_TRUE(passed.layout);
    EXPECT_TRUE(passed.crop);
}

TEST_F(DeviceMemory, TheElementOfTheCpuHidesCudaMemoryOnTheHost) {
    load_elements();
    board().frames = 12;
    board().cuda_is_damaged = true;  // hidden entirely
    const ReadFrames read = this->read(
        "gst:fakecudasrc ! thronghide backend=cpu style=solid deadline=0 detector=hog ! appsink sync=false", 12);
    EXPECT_EQ(read.error, "");
    EXPECT_GT(read.num_frames, 0U);
    EXPECT_EQ(read.num_on_device, read.num_frames);
    EXPECT_EQ(board().count("copy to device"), board().count("copy on device"));
    for (const Frame& frame : read.last) EXPECT_FALSE(shows_pattern(frame, 0, 320));
}

// The number of sources is that of $THRONG_CASES.
TEST_F(DeviceMemory, SourcesThatAreClosedAtAnyFrameLeaveNothing) {
    const test::FakeNvLibrary library(TH_FAKE_NVBUFSURFACE);
    std::mt19937_64 random(test::seed(1));
    const char* specs[] = {"csi:0,size=320x240", "gst:fakecudasrc ! appsink sync=false",
                           "gst:videotestsrc ! video/x-raw,format=NV12,width=64,height=48 ! appsink sync=false"};
    const char* failing[] = {"", "", "<register>", "<map image>"};
    std::vector<Frame> held;
    for (std::size_t i = 0; i < test::case_count(12); ++i) {
        board().failing = failing[random() % std::size(failing)];
        options_.prefer_device_frames = random() % 4 != 0;
        board().cuda_is_live = random() % 2 != 0;
        const auto source = open_source(specs[random() % std::size(specs)], options_);
        for (std::size_t n = random() % 8; n > 0; --n) {
            Frame frame;
            static_cast<void>(source->read(frame, {}));
            if (frame && random() % 3 == 0) held.push_back(frame);
        }
        if (held.size() > 2) held.erase(held.begin(), held.end() - 2);
    }
    held.clear();
    EXPECT_EQ(board().count("register"), board().count("unregister") + board().count_failed("register"));
    for (const void* memory : board().all_memory()) EXPECT_EQ(board().calls_of(memory).back(), "free");
}

}  // namespace
}  // namespace throng
