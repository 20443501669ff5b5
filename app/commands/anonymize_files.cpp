#include "app/commands/anonymize_files.h"

#include <optional>
#include <system_error>

#include "core/base/error.h"
#include "core/base/extension.h"
#include "core/video/exact_muxer.h"
#include "core/video/exact_writer.h"
#include "core/video/image_file.h"
#include "core/video/image_writer.h"
#include "core/video/source_files.h"

namespace throng {

namespace fs = std::filesystem;

namespace {
constexpr std::size_t kHeadBytes = std::size_t{1} << 18;  // contain the first frame of most Motion JPEG
}  // namespace

bool names_a_folder(const std::string& out, const std::vector<std::string>& inputs) {
    if (out.empty()) throw Error(ErrorKind::usage, "names no file and no folder", "--out");
    if (out == "-") throw Error(ErrorKind::usage, "is no file and no folder", "--out -", "name a file");
    std::error_code ignored;
    if (inputs.size() != 1 || out.back() == '/' || fs::is_directory(out, ignored)) return true;
    return fs::is_directory(inputs.front(), ignored) || fs::path(out).extension().empty();
}

std::string hidden_name(const std::string& name, const std::string& path) {
    const std::string extension = lower_extension(name);
    if (has_image_extension(name) && can_write_image(name)) {
        // A list may have very many photographs, so only their heads are read. A damaged image keeps its name.
        const std::optional<ImageAnimation> animation = find_image_animation(path, kHeadBytes);
        const bool video = !animation && !peek_image_header(path);
        const std::string container = animation ? animation->demuxer : video ? find_demuxer(path) : std::string();
        const std::string written = container.empty() ? extension : exact_extension(name, container);
        return written == extension ? name : name + written;
    }
    if (is_still_image(path)) return name + ".png";
    // The container of other files is known only when they are opened, so the extension decides, unless it names an
    // animation and the file is a video.
    const std::optional<ImageAnimation> animation = find_image_animation(path);
    std::string container = animation ? animation->demuxer : extension.substr(extension.empty() ? 0 : 1);
    if (!animation && (extension == ".gif" || extension == ".apng")) {
        if (std::string found = find_demuxer(path); !found.empty()) container = std::move(found);
    }
    const std::string written = exact_extension(name, container);
    return written == extension ? name : name + written;
}

void check_hidden_name(const std::string& out, bool still) {
    const bool image = has_image_extension(out) && can_write_image(out);
    const std::string extension = lower_extension(out);
    const bool animation = extension == ".gif" || extension == ".png" || extension == ".apng";
    const bool video = exact_extension(out, "") == extension;
    if (still ? image : video || animation) return;
    throw Error(ErrorKind::usage, still ? "is no name of an image file" : "is no name of a video file", "--out " + out,
                still ? "use a name that ends in .png or .jpg" : "use a name that ends in .mp4 or .mkv");
}

std::string folder_of_name(const std::string& path, const std::string& name) {
    const fs::path whole = fs::absolute(path).lexically_normal();
    fs::path folder = whole;
    for (const fs::path& part : fs::path(name)) {
        if (!part.empty()) folder = folder.parent_path();
    }
    return folder / name == whole ? folder.string() : std::string();
}

InputFiles input_files(const std::string& path) {
    return InputFiles(files_of_file(path));
}

}  // namespace throng
