// throng-images.so: the only code that is linked with OpenCV's image files. See core/video/image_codecs.h.
#include <opencv2/imgcodecs.hpp>

#include "core/video/image_codecs.h"
#include "module_version.h"

// NOLINTNEXTLINE(readability-identifier-naming): the name of the symbol
extern "C" __attribute__((visibility("default"))) const throng::ImageCodecs throng_image_codecs;
const throng::ImageCodecs throng_image_codecs{
    .version = TH_MODULE_VERSION,
    .decode = cv::imdecode,
    .encode = [](const std::string& extension, cv::InputArray image,
                 std::vector<unsigned char>& bytes) { return cv::imencode(extension, image, bytes); },
    .can_encode = cv::haveImageWriter,
};
