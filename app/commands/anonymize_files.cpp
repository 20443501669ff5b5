#include "app/commands/anonymize_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "core/base/error.h"
#include "core/base/output_file.h"
#include "core/video/exact_writer.h"
#include "core/video/image_file.h"
#include "core/video/image_source.h"
#include "core/video/source_files.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

bool is_still(const fs::path& path) {
    return is_still_image(path) && !is_animated_png(path);
}

// Files in a folder count by their extension, so that a damaged file is reported, and otherwise by their content.
bool is_media(const fs::path& path) {
    return has_image_extension(path) || has_video_extension(path) || is_still_image(path);
}

// Returns the name of the output. The container of a video is known only when it is opened, so the extension decides.
fs::path output_name(const fs::path& relative, bool still) {
    const bool image = has_image_extension(relative);
    if (still) return image ? relative : fs::path(relative.string() + ".png");
    if (image) return relative;  // an animated PNG, or a damaged image
    if (exact_extension(relative.string(), relative.extension() == ".gif" ? "gif" : "") ==
        relative.extension().string()) {
        return relative;
    }
    return {relative.string() + ".mp4"};
}

struct Found {
    std::string path;
    fs::path relative;  // to the folder of outputs
};

void add_folder(const fs::path& folder, const std::string& out, std::vector<Found>& found, std::size_t& skipped) {
    std::error_code failure;
    std::vector<Found> files;
    const auto options = fs::directory_options::none;  // links to folders are not followed: they may form a circle
    for (fs::recursive_directory_iterator it(folder, options, failure), end; !failure && it != end;
         it.increment(failure)) {
        std::error_code ignored;
        const bool hidden = it->path().filename().string().front() == '.';
        if (it->is_directory(ignored)) {
            if (hidden || fs::equivalent(it->path(), out, ignored)) it.disable_recursion_pending();
            continue;
        }
        if (hidden || (it->exists(ignored) && !it->is_regular_file(ignored))) continue;
        if (is_media(it->path())) {
            files.push_back({it->path().string(), it->path().lexically_relative(folder)});
        } else {
            ++skipped;
        }
    }
    if (failure) throw Error(ErrorKind::input, "cannot read the folder: " + failure.message(), folder.string());
    if (files.empty()) throw Error(ErrorKind::input, "the folder contains no images and no videos", folder.string());
    std::sort(files.begin(), files.end(), [](const Found& a, const Found& b) { return natural_less(a.path, b.path); });
    found.insert(found.end(), files.begin(), files.end());
}

bool names_a_folder(const std::string& out, const std::vector<std::string>& inputs) {
    std::error_code ignored;
    if (inputs.size() != 1 || out.back() == '/' || fs::is_directory(out, ignored)) return true;
    return fs::is_directory(inputs.front(), ignored) || fs::path(out).extension().empty();
}

void check_file_name(const std::string& out, bool still) {
    const bool image = has_image_extension(out);
    const bool animation = fs::path(out).extension() == ".gif" || fs::path(out).extension() == ".png";
    const bool video = exact_extension(out, "") == fs::path(out).extension().string();
    if (still ? image : video || animation) return;
    throw Error(ErrorKind::usage, still ? "is no name of an image file" : "is no name of a video file", "--out " + out,
                still ? "use a name that ends in .png or .jpg" : "use a name that ends in .mp4 or .mkv");
}

}  // namespace

AnonymizeFiles list_anonymize_files(const std::vector<std::string>& inputs, const std::string& out,
                                    RunFiles& run_files) {
    if (out.empty()) throw Error(ErrorKind::usage, "names no file and no folder", "--out");
    if (out == "-") throw Error(ErrorKind::usage, "is no file and no folder", "--out -", "name a file");
    AnonymizeFiles result;
    std::vector<Found> found;
    for (const std::string& input : inputs) {
        std::error_code ignored;
        if (fs::is_directory(input, ignored)) {
            add_folder(input, out, found, result.skipped);
        } else {
            found.push_back({input, fs::path(input).filename()});
        }
    }
    std::set<std::string> seen;  // a file that is named twice is read once
    std::erase_if(found, [&](const Found& each) {
        std::error_code failure;
        const fs::path canonical = fs::weakly_canonical(each.path, failure);
        return !seen.insert(failure ? each.path : canonical.string()).second;
    });
    for (const Found& each : found) run_files.add_input("the input", each.path);
    if (names_a_folder(out, inputs)) result.folder = out;
    if (!result.folder.empty()) check_output_folder(result.folder);

    std::map<fs::path, std::string> inputs_of;
    for (const Found& each : found) {
        AnonymizeFile file{each.path, out, is_still(each.path)};
        if (result.folder.empty()) {
            std::error_code ignored;
            if (fs::exists(each.path, ignored)) check_file_name(out, file.still);
            run_files.add_output("--out", out);
        } else {
            const fs::path output = (fs::path(out) / output_name(each.relative, file.still)).lexically_normal();
            file.output = output.string();
            run_files.check_output("--out", file.output);
            const auto [entry, is_new] = inputs_of.try_emplace(output, each.path);
            if (!is_new) {
                throw Error(ErrorKind::usage, "would hold both " + entry->second + " and " + each.path, file.output,
                            "name their common folder instead, or run the command for each");
            }
        }
        result.files.push_back(std::move(file));
    }
    return result;
}

}  // namespace throng
