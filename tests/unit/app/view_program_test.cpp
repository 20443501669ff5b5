// `throng view` on a virtual display, by its screenshots.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

class ViewProgram : public ::testing::Test {
protected:
    [[nodiscard]] std::string file(const std::string& name) const { return (dir_.path() / name).string(); }

    // Draws crowd.png with faces that the default detector finds.
    void draw_crowd() {
        ASSERT_EQ(
            test::run_program({"crowd", file("crowd.png"), "--faces", "5", "--size", "640x480", "--seed", "2"}).status,
            0);
    }

    // Runs the window on a virtual X server.
    [[nodiscard]] static test::ProgramResult view(std::vector<std::string> arguments,
                                                  const std::vector<std::string>& environment = {},
                                                  const std::string& display = "1600x1000") {
        arguments.insert(arguments.begin(), "view");
        test::ProgramOptions options;
        options.launcher = test::display_launcher(display);
        options.environment = environment;
        options.environment.emplace_back("QT_QPA_PLATFORM=xcb");
        return test::run_program(arguments, options);
    }

    test::ScratchDir dir_;
};

// Returns why there is no window to test here; empty if there is one.
std::string unavailable_reason() {
    if (test::display_launcher("1600x1000").empty()) return "Xvfb is not installed";
    const test::ProgramResult help =
        test::run_program({"view"}, test::own_process({"QT_QPA_PLATFORM=xcb", "DISPLAY="}));
    if (help.err.find("the window is not installed") != std::string::npos) return "built without the window";
    return {};
}

#define TH_NEEDS_WINDOW() \
    if (const std::string why = unavailable_reason(); !why.empty()) GTEST_SKIP() << "skipped: " << why

constexpr int kTitleBar = 56, kTransportBar = 60;  // as in TitleBar.qml and TransportBar.qml
const cv::Vec3b kKeptBox(0xbf, 0xe6, 0x2e);        // blue, green, red; Theme.keptBox

int distance(const cv::Vec3b& a, const cv::Vec3b& b) {
    int largest = 0;
    for (int i = 0; i < 3; ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

// Returns true if a pixel near the point has the color of a kept box.
bool has_edge_at(const cv::Mat& image, double x, double y) {
    const cv::Rect around =
        cv::Rect(static_cast<int>(x) - 3, static_cast<int>(y) - 3, 7, 7) & cv::Rect(0, 0, image.cols, image.rows);
    for (int row = around.y; row < around.br().y; ++row) {
        for (int column = around.x; column < around.br().x; ++column) {
            if (distance(image.at<cv::Vec3b>(row, column), kKeptBox) <= 8) return true;
        }
    }
    return false;
}

// The window is just large enough for the image: its pixels appear unscaled, with black bars at the sides.
TEST_F(ViewProgram, ShowsTheImageAndTheBoxesThatItWrites) {
    TH_NEEDS_WINDOW();
    draw_crowd();
    const cv::Mat image = cv::imread(file("crowd.png"), cv::IMREAD_COLOR);
    ASSERT_FALSE(image.empty());
    constexpr int kBar = 40;
    const cv::Size window(image.cols + 2 * kBar, kTitleBar + image.rows + kTransportBar);
    const std::string size = std::to_string(window.width) + "x" + std::to_string(window.height);
    for (const std::string renderer : {"QT_QUICK_BACKEND=software", "QSG_RHI_BACKEND=opengl"}) {
        SCOPED_TRACE(renderer);
        const test::ProgramResult result = view({file("crowd.png"), "--backend", "cpu", "--window-size", size, "--json",
                                                 file("found.jsonl"), "--screenshot", file("shot.png")},
                                                {renderer});
        ASSERT_EQ(result.status, 0) << result.err;
        const cv::Mat shot = cv::imread(file("shot.png"), cv::IMREAD_COLOR);
        ASSERT_EQ(shot.size(), window);
        const cv::Mat shown = shot(cv::Rect(kBar, kTitleBar, image.cols, image.rows));
        int same = 0;
        for (int y = 0; y < image.rows; ++y) {
            for (int x = 0; x < image.cols; ++x) {
                same += distance(shown.at<cv::Vec3b>(y, x), image.at<cv::Vec3b>(y, x)) <= 12 ? 1 : 0;
            }
        }
        EXPECT_GT(same, 0.8 * image.rows * image.cols) << "all pixels but the boxes are those of the image";
        EXPECT_EQ(shot.at<cv::Vec3b>(kTitleBar + image.rows / 2, kBar / 2), cv::Vec3b(0, 0, 0));

        const nlohmann::json found = nlohmann::json::parse(test::contents(file("found.jsonl")));
        ASSERT_GE(found["kept"].size(), 2U);
        for (const auto& box : found["kept"]) {
            const double x = box["x"], y = box["y"], w = box["w"], h = box["h"];
            int edges = 0;
            for (const auto& [at_x, at_y] :
                 {std::pair{x, y + h / 2}, {x + w, y + h / 2}, {x + w / 2, y}, {x + w / 2, y + h}}) {
                edges += has_edge_at(shown, at_x, at_y) ? 1 : 0;
            }
            EXPECT_GE(edges, 3) << box.dump();
        }
        fs::remove(file("found.jsonl"));
    }
}

TEST_F(ViewProgram, ReportsASourceThatCannotBeOpened) {
    TH_NEEDS_WINDOW();
    const test::ProgramResult result = view({file("missing.mp4"), "--screenshot", file("shot.png")});
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("missing.mp4"), std::string::npos) << result.err;
    EXPECT_FALSE(fs::exists(file("shot.png")));
}

// Starts a program and closes its window as a window manager does.
constexpr const char* kCloseWindow = R"(
import ctypes, subprocess, sys, time
x = ctypes.CDLL("libX11.so.6")
for name in ("XOpenDisplay", "XDefaultRootWindow", "XInternAtom"):
    getattr(x, name).restype = ctypes.c_void_p
handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda display, error: 0)
x.XSetErrorHandler(handler)  # a window may be closed by now
display = ctypes.c_void_p(x.XOpenDisplay(None))
root = ctypes.c_ulong(x.XDefaultRootWindow(display))
atom = lambda name: x.XInternAtom(display, name, 0)
class Message(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", ctypes.c_long * 5), ("rest", ctypes.c_long * 24)]
program = subprocess.Popen(sys.argv[1:])
while program.poll() is None:
    time.sleep(0.05)
    parent, of, windows, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.POINTER(ctypes.c_ulong)(), ctypes.c_uint()
    x.XQueryTree(display, root, ctypes.byref(of), ctypes.byref(parent), ctypes.byref(windows), ctypes.byref(count))
    for window in windows[:count.value]:
        close = Message(33, 0, 1, display, window, atom(b"WM_PROTOCOLS"), 32)
        close.data[0] = atom(b"WM_DELETE_WINDOW")
        x.XSendEvent(display, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(close))
    x.XFlush(display)
sys.exit(program.returncode)
)";

TEST_F(ViewProgram, FailsIfTheOutputsGotNoSource) {
    TH_NEEDS_WINDOW();
    test::ProgramOptions options;
    options.launcher = test::display_launcher("1600x1000");
    options.launcher.insert(options.launcher.end(), {"python3", "-c", kCloseWindow});
    options.environment = {"QT_QPA_PLATFORM=xcb"};
    const test::ProgramResult failed =
        test::run_program({"view", file("missing.mp4"), "--json", file("found.jsonl")}, options);
    EXPECT_EQ(failed.status, 3) << failed.err;
    EXPECT_NE(failed.err.find("missing.mp4: no source opened"), std::string::npos) << failed.err;
    EXPECT_FALSE(fs::exists(file("found.jsonl")));
    EXPECT_EQ(test::run_program({"view", file("missing.mp4")}, options).status, 0) << "it had nothing to write";
}

// Qt would abort the program.
TEST_F(ViewProgram, DrawsWithoutOpenGl) {
    TH_NEEDS_WINDOW();
    const test::ProgramResult result =
        view({"crowd:faces=2,size=320x240,seed=1", "--backend", "cpu", "--screenshot-after", "1", "--screenshot",
              file("shot.png")},
             {"QT_XCB_GL_INTEGRATION=none", "QT_QUICK_BACKEND=", "QSG_RHI_BACKEND="}, "640x400");
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.err.find("software renderer"), std::string::npos) << result.err;
    EXPECT_TRUE(fs::exists(file("shot.png")));
}

// Qt ends the program then, from within its event loop.
TEST_F(ViewProgram, CompletesItsOutputsIfTheDisplayEnds) {
    TH_NEEDS_WINDOW();
    test::ProgramOptions options;
    options.launcher = test::display_launcher("640x400");
    options.environment = {"QT_QPA_PLATFORM=xcb", "QT_QUICK_BACKEND=software"};
    options.meanwhile = [&](int launcher) {
        if (!fs::exists(file("found.jsonl")) || fs::file_size(file("found.jsonl")) == 0) return true;
        const std::string pid = std::to_string(launcher);
        std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
        for (int child = 0; children >> child;) {
            if (test::contents("/proc/" + std::to_string(child) + "/comm") == "Xvfb\n") kill(child, SIGKILL);
        }
        return false;
    };
    const test::ProgramResult result =
        test::run_program({"view", "crowd:faces=2,size=320x240,seed=1", "--backend", "cpu", "--json",
                           file("found.jsonl"), "--video", file("shown.mp4")},
                          options);
    EXPECT_EQ(result.status, 4) << result.err;
    EXPECT_NE(result.err.find("the connection to the display broke"), std::string::npos) << result.err;
    const std::string lines = test::contents(file("found.jsonl"));
    EXPECT_EQ(lines.back(), '\n');
    EXPECT_EQ(
        test::run_program({"detect", file("shown.mp4"), "--backend", "cpu", "--quiet", "--json", file("again.jsonl")})
            .status,
        0);
    const std::string again = test::contents(file("again.jsonl"));
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), std::count(again.begin(), again.end(), '\n'))
        << "frames of the video";
}

// A kiosk works on a copy of the user's settings, which ends with it.
TEST_F(ViewProgram, AKioskLeavesTheSettingsOfTheUser) {
    TH_NEEDS_WINDOW();
    ASSERT_EQ(
        test::run_program({"crowd", file("crowd.mp4"), "--faces", "2", "--size", "320x240", "--frames", "10"}).status,
        0);
    const fs::path settings = dir_.path() / "config" / "throng" / "throng.conf";
    fs::create_directories(settings.parent_path());
    const std::string before = "[recent]\nsources=before.mp4\n";
    const std::vector<std::string> environment{"XDG_CONFIG_HOME=" + file("config"), "QT_QUICK_BACKEND=software"};
    for (const std::string mode : {"--kiosk", "--loop"}) {
        std::ofstream(settings) << before;
        const test::ProgramResult result = view(
            {file("crowd.mp4"), "--backend", "cpu", mode, "--screenshot-after", "1", "--screenshot", file("shot.png")},
            environment, "640x400");
        ASSERT_EQ(result.status, 0) << result.err;
        EXPECT_EQ(test::contents(settings) == before, mode == "--kiosk") << mode << ": " << test::contents(settings);
    }
}

TEST_F(ViewProgram, ReportsAMissingDisplay) {
    if (unavailable_reason() == "built without the window") GTEST_SKIP() << "skipped: built without the window";
    for (const char* display : {"DISPLAY=", "DISPLAY=:7654"}) {
        const test::ProgramResult result =
            test::run_program({"view"}, test::own_process({display, "WAYLAND_DISPLAY=", "QT_QPA_PLATFORM="}));
        EXPECT_EQ(result.status, 4) << result.err;
        EXPECT_NE(result.err.find("no display"), std::string::npos) << result.err;
        EXPECT_NE(result.err.find("throng detect"), std::string::npos) << "says what to do: " << result.err;
    }
}

// The same frame in two languages: the texts differ, the image does not.
TEST_F(ViewProgram, ShowsTheLanguageOfTheOptionOrOfTheSystem) {
    TH_NEEDS_WINDOW();
    draw_crowd();
    fs::create_directory(file("shots"));  // images beside the crowd are counted in the title
    const auto shot = [&](const std::string& option, const std::string& system) {
        const test::ProgramResult result =
            view({file("crowd.png"), "--backend", "cpu", "--window-size", "640x400", "--language", option,
                  "--screenshot-after", "1", "--screenshot", file("shots/shot.png")},
                 {"LC_ALL=C.UTF-8", "LANGUAGE=" + system, "QT_QUICK_BACKEND=software"});
        EXPECT_EQ(result.status, 0) << result.err;
        const cv::Mat image = cv::imread(file("shots/shot.png"), cv::IMREAD_COLOR);
        return image.empty() ? image : image(cv::Rect(0, 0, 200, kTitleBar)).clone();  // the button Open
    };
    const auto differ = [](const cv::Mat& a, const cv::Mat& b) { return cv::norm(a, b, cv::NORM_INF) > 60; };
    const cv::Mat english = shot("en", "de"), german = shot("de", "en");
    ASSERT_FALSE(english.empty() || german.empty());
    EXPECT_TRUE(differ(english, german));
    EXPECT_FALSE(differ(shot("auto", "en"), english));
    EXPECT_EQ(test::run_program({"view", "--language", "xx"}, test::own_process()).status, 2);
}

TEST_F(ViewProgram, RejectsWhatAWallCannotShow) {
    TH_NEEDS_WINDOW();
    std::vector<std::string> many{"view"};
    for (int i = 0; i < 17; ++i) many.emplace_back("crowd:faces=1");
    test::ProgramResult result = test::run_program(many, test::own_process());
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("too many sources for the window: 17"), std::string::npos) << result.err;
    result =
        test::run_program({"view", "crowd:faces=1", "crowd:faces=2", "--json", file("out.jsonl")}, test::own_process());
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("--json"), std::string::npos) << result.err;
    std::ofstream(file("zones.toml")) << "size = [320, 240]\n[[zone]]\nname = \"z\"\npoints = 3\n";
    result = test::run_program({"view", "crowd:faces=1", "--count", file("zones.toml")}, test::own_process());
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("zones.toml:4: points"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace throng
