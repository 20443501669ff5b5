#include "app/commands/anonymize_files.h"

#include <cstdint>
#include <system_error>

#include "core/base/error.h"
#include "core/base/extension.h"
#include "core/video/exact_writer.h"
#include "core/video/file_kind.h"
#include "core/video/formats.h"
#include "core/video/image_writer.h"
#include "core/video/source_files.h"

namespace throng {

namespace fs = std::filesystem;

namespace {
constexpr std::size_t kHeadBytes = std::size_t{1} << 18;  // contain the first frame of most Motion JPEG
}  // namespace

bool names_a_folder(const std::string& out, const std::vector<std::string>& inputs) {
    if (out.empty()) throw Error(ErrorKind::usage, "names neither a file nor a folder", Setting{"out"});
    if (out == "-") throw Error(ErrorKind::usage, "is neither a file nor a folder", Setting{"out"}, "name a file");
    std::error_code ignored;
    if (inputs.size() != 1 || out.back() == '/' || fs::is_directory(out, ignored)) return true;
    return fs::is_directory(inputs.front(), ignored) || fs::path(out).extension().empty();
}

std::string hidden_name(const std::string& name, const std::string& path) {
    const FileFormat& format = format_of_name(name);
    const bool named_image = format.kind == NameKind::image;
    // A list may have very many photographs, so only their heads are read.
    const FileType type = find_file_type(path, named_image ? kHeadBytes : SIZE_MAX);
    // A damaged file keeps its name.
    if (type.kind == FileKind::still || (type.kind == FileKind::unknown && named_image)) {
        return format.keeps_stills && can_write_image(name) ? name : name + ".png";
    }
    const bool damaged_animation = type.demuxer.empty() && names_animation(name);
    const std::string written = exact_extension(name, damaged_animation ? format.muxer : type.demuxer);
    return written == lower_extension(name) ? name : name + written;
}

void check_hidden_name(const std::string& out, bool still) {
    const bool image = format_of_name(out).keeps_stills && can_write_image(out);
    if (still ? image : names_video(out) || names_animation(out)) return;
    throw Error(ErrorKind::usage, still ? "is not the name of an image file" : "is not the name of a video file",
                Setting{"out"},
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
