// OpenCV's coders of image files, in a module that is loaded when they are first used: they bring GDAL and about 120 more
// libraries, which take longer to load than all others of the program. JPEG, PNG and TIFF files are read without them.
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

namespace throng {

// Table of the module throng-images.so: the functions of opencv2/imgcodecs.hpp. They throw cv::Exception.
struct ImageCodecs {
    const char* version;
    cv::Mat (*decode)(cv::InputArray bytes, int flags);  // cv::imdecode, flags: cv::ImreadModes
    bool (*encode)(const std::string& extension, cv::InputArray image, std::vector<unsigned char>& bytes);
    bool (*can_encode)(const std::string& name);
};

// Name of the module's only exported symbol.
inline constexpr const char* kImageCodecsSymbol = "throng_image_codecs";

// Returns the table. Throws Error(unavailable) if the module is not installed or does not fit this program.
[[nodiscard]] const ImageCodecs& image_codecs();

}  // namespace throng
