// Prints how many accepted windows each cascade has in common with OpenCV, on photographs, noise, gradients and drawn
// faces.
// Usage: bench_parity [FACTOR [MIN_SIZE]]; photographs from $THRONG_TEST_DATA or shared/data next to the checkout.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "core/cpu/cascade_kernels.h"
#include "core/synth/crowd.h"
#include "tests/parity/cascade/compare.h"
#include "tests/support/test_data.h"

namespace {

using namespace throng;
using namespace throng::test;

struct NamedImage {
    const char* set;
    cv::Mat gray;
};

std::vector<NamedImage> all_images() {
    std::vector<NamedImage> images;
    if (const auto data = data_dir()) {
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(*data / "photos")) files.push_back(entry.path());
        std::sort(files.begin(), files.end());
        for (const auto& file : files) {
            const cv::Mat image = cv::imread(file.string(), cv::IMREAD_GRAYSCALE);
            if (!image.empty()) images.push_back({"photographs", image});
        }
    }
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        images.push_back({"noise", noise_image(seed, 640, 480, static_cast<int>(seed))});
        images.push_back({"drawn faces", drawn_faces(seed, 800, 600)});
    }
    images.push_back({"gradient", gradient_image(1280, 720)});
    const Crowd crowd(CrowdOptions{});
    const Frame frame = crowd.frame(0);
    const PlaneView& luma = frame.plane(0);
    images.push_back({"crowd", cv::Mat(luma.height, luma.width, CV_8U, const_cast<std::uint8_t*>(luma.data),
                                       static_cast<std::size_t>(luma.pitch))
                                   .clone()});
    return images;
}

}  // namespace

int main(int argc, char** argv) {
    const double factor = argc > 1 ? std::atof(argv[1]) : 1.1;
    const int min_size = argc > 2 ? std::atoi(argv[2]) : 24;
    const auto images = all_images();
    std::printf("factor %g, from %d px, %s, OpenCV %s, %zu images\n", factor, min_size, simd_name(), CV_VERSION,
                images.size());
    std::printf("%-36s %-12s %9s %9s %9s %9s\n", "cascade", "images", "ours", "OpenCV", "common", "%");
    bool same = true;
    for (const ParityModel& model : kParityModels) {
        const auto file = cascade_file(model.file);
        if (!file) {
            std::printf("%-36s not found\n", model.file);
            continue;
        }
        ParityPair pair(*file, model.kind);
        std::vector<std::pair<std::string, WindowParity>> sets;
        for (const auto& [set, gray] : images) {
            if (sets.empty() || sets.back().first != set) {
                const auto known =
                    std::find_if(sets.begin(), sets.end(), [s = set](const auto& e) { return e.first == s; });
                if (known == sets.end()) {
                    sets.emplace_back(set, WindowParity{});
                } else {
                    std::rotate(known, known + 1, sets.end());
                }
            }
            sets.back().second += pair.compare(gray, factor, min_size, 0);
        }
        for (const auto& [set, parity] : sets) {
            std::printf("%-36s %-12s %9zu %9zu %9zu %8.4f\n", model.file, set.c_str(), parity.ours, parity.theirs,
                        parity.common, parity.percent());
            same &= parity.percent() >= 99.9;
        }
        std::fflush(stdout);
    }
    return same ? 0 : 1;
}
