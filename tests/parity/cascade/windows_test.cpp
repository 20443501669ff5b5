// Each cascade accepts the same windows as OpenCV: on generated images, on the drawn crowd, and on small copies of
// photographs if they are available. bench_parity compares the whole set and prints a table.
#include <gtest/gtest.h>

#include "tests/parity/cascade/compare.h"
#include "tests/support/crowd_image.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"

namespace throng::test {
namespace {

class WindowParityTest : public ::testing::TestWithParam<ParityModel> {};

std::string name_of(const ::testing::TestParamInfo<ParityModel>& info) {
    return std::filesystem::path(info.param.file).stem().string();
}

void expect_same(const WindowParity& parity, const std::string& what) {
    EXPECT_EQ(parity.ours, parity.common) << what << ": " << parity.ours << " ours, " << parity.theirs << " OpenCV's";
    EXPECT_EQ(parity.theirs, parity.common) << what;
}

TEST_P(WindowParityTest, GeneratedImages) {
    TH_NEED(file, cascade_file(GetParam().file), "opencv-data");
    ParityPair pair(file, GetParam().kind);
    const std::uint64_t start = seed(40);
    const struct {
        const char* name;
        cv::Mat image;
    } images[] = {{"noise", noise_image(start, 160, 120, 1)}, {"coarse noise", noise_image(start + 1, 301, 203, 5)},
                  {"gradient", gradient_image(333, 222)},     {"faces", drawn_faces(start + 2, 400, 300)},
                  {"small", drawn_faces(start + 3, 47, 46)},  {"flat", cv::Mat(100, 100, CV_8U, cv::Scalar(7))}};
    WindowParity total;
    for (const auto& [name, image] : images) {
        for (const auto& [factor, min_size, max_size] :
             {std::tuple{1.1, 1, 0}, {1.07, 24, 120}, {1.5, 30, 0}, {2.0, 50, 55}}) {
            const WindowParity parity = pair.compare(image, factor, min_size, max_size);
            expect_same(parity, name);
            total += parity;
        }
    }
    RecordProperty("windows", static_cast<int>(total.ours));
}

TEST_P(WindowParityTest, People) {
    TH_NEED(file, cascade_file(GetParam().file), "opencv-data");
    ParityPair pair(file, GetParam().kind);
    std::size_t windows = 0;
    for (const auto& [name, image] : crowd_and_photographs({"pif-reunion-19.jpg", "acano-grid.jpg"}, false)) {
        const WindowParity parity = pair.compare(resized(image, image.cols / 2), 1.15, 24, 0);
        expect_same(parity, name);
        windows += parity.ours;
    }
    EXPECT_GT(windows, 0U);
    RecordProperty("windows", static_cast<int>(windows));
}

INSTANTIATE_TEST_SUITE_P(Cascades, WindowParityTest, ::testing::ValuesIn(kParityModels), name_of);

// Tilted features, one file in the old format, windows that are not square.
class OtherCascades : public ::testing::TestWithParam<ParityModel> {};

TEST_P(OtherCascades, AcceptTheSameWindows) {
    TH_NEED(file, cascade_file(GetParam().file), "opencv-data");
    ParityPair pair(file, GetParam().kind);
    const std::uint64_t start = seed(50);
    expect_same(pair.compare(drawn_faces(start, 320, 240), 1.2, 1, 0), "faces");
    expect_same(pair.compare(noise_image(start + 1, 240, 180, 4), 1.2, 1, 0), "noise");
}

INSTANTIATE_TEST_SUITE_P(Cascades, OtherCascades,
                         ::testing::Values(ParityModel{DetectorId::haar, "haarcascade_upperbody.xml"},
                                           ParityModel{DetectorId::haar, "haarcascade_fullbody.xml"},
                                           ParityModel{DetectorId::haar, "haarcascade_smile.xml"},
                                           ParityModel{DetectorId::haar, "haarcascade_eye_tree_eyeglasses.xml"},
                                           ParityModel{DetectorId::haar, "haarcascade_frontalcatface_extended.xml"},
                                           ParityModel{DetectorId::haar, "haarcascade_licence_plate_rus_16stages.xml"},
                                           ParityModel{DetectorId::haar, "haarcascade_russian_plate_number.xml"},
                                           ParityModel{DetectorId::lbp, "lbpcascade_silverware.xml"}),
                         name_of);

}  // namespace
}  // namespace throng::test
