#include "app/commands/anonymize_files.h"

#include <system_error>

#include "core/base/error.h"
#include "core/video/exact_writer.h"
#include "core/video/image_file.h"
#include "core/video/image_writer.h"
#include "core/video/source_files.h"

namespace throng {

namespace fs = std::filesystem;

bool is_still(const fs::path& path) {
    return is_still_image(path) && !is_animated_png(path);
}

bool names_a_folder(const std::string& out, const std::vector<std::string>& inputs) {
    if (out.empty()) throw Error(ErrorKind::usage, "names no file and no folder", "--out");
    if (out == "-") throw Error(ErrorKind::usage, "is no file and no folder", "--out -", "name a file");
    std::error_code ignored;
    if (inputs.size() != 1 || out.back() == '/' || fs::is_directory(out, ignored)) return true;
    return fs::is_directory(inputs.front(), ignored) || fs::path(out).extension().empty();
}

std::string hidden_name(const std::string& name, const std::string& path) {
    // A still image, an animation, or a damaged file. HEIC and AVIF, among others, are read only.
    if (has_image_extension(name)) return can_write_image(name) ? name : name + ".png";
    // The container is known only when the file is opened, so the extension decides.
    const std::string extension = fs::path(name).extension().string();
    if (exact_extension(name, extension == ".gif" ? "gif" : "") == extension) return name;
    return name + (!has_video_extension(name) && is_still(path) ? ".png" : ".mp4");
}

void check_hidden_name(const std::string& out, bool still) {
    const bool image = has_image_extension(out) && can_write_image(out);
    const bool animation = fs::path(out).extension() == ".gif" || fs::path(out).extension() == ".png";
    const bool video = exact_extension(out, "") == fs::path(out).extension().string();
    if (still ? image : video || animation) return;
    throw Error(ErrorKind::usage, still ? "is no name of an image file" : "is no name of a video file", "--out " + out,
                still ? "use a name that ends in .png or .jpg" : "use a name that ends in .mp4 or .mkv");
}

}  // namespace throng
