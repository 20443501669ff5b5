#include "app/options/run_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "core/base/config.h"
#include "core/base/error.h"
#include "core/base/output_file.h"
#include "core/base/secrets.h"
#include "core/detect/detector_kinds.h"
#include "core/model/model_finder.h"
#include "core/video/file_kind.h"
#include "core/video/formats.h"
#include "core/video/source_files.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

}  // namespace

RunFiles::RunFiles(const CommonOptions& common) {
    for (const std::string& config : {common.config, default_config_path()}) add_input("the configuration", config);
}

RunFiles::Kind RunFiles::identify(const std::string& path, int standard_stream, Identity& identity) {
    struct stat status {};
    const bool exists = path == "-" ? ::fstat(standard_stream, &status) == 0 : ::stat(path.c_str(), &status) == 0;
    if (exists) {
        identity = {status.st_dev, status.st_ino, {}};
        return S_ISREG(status.st_mode) ? Kind::regular : Kind::other;
    }
    std::error_code failure;
    const fs::path target = fs::weakly_canonical(fs::absolute(link_target(path), failure), failure);
    if (failure) return Kind::none;
    identity = {0, 0, target.string()};
    if (::stat(target.parent_path().c_str(), &status) == 0) {
        identity = {status.st_dev, status.st_ino, target.filename().string()};
    }
    return Kind::none;
}

void RunFiles::add_input(std::string_view what, const std::string& path) {
    add_input(what, path, false);
}

void RunFiles::add_input(std::string_view what, const std::string& path, bool only_if_image) {
    Identity identity;
    if (path.empty() || identify(path, STDIN_FILENO, identity) != Kind::regular) return;
    const auto [input, is_new] = inputs_.try_emplace(identity, Input{std::string(what), path, only_if_image});
    if (!is_new) input->second.only_if_image = input->second.only_if_image && only_if_image;
}

void RunFiles::add_source(std::string_view spec) {
    const SourceFiles source = files_of_source(spec);
    for (const std::string& file : source.files) add_input("the input", file);
    for (const std::string& folder : source.folders) {
        Identity identity;
        static_cast<void>(identify(folder, STDIN_FILENO, identity));
        source_folders_.try_emplace(identity, folder);
        std::error_code failure;
        for (fs::directory_iterator it(folder, failure), end; !failure && it != end; it.increment(failure)) {
            add_input("the input", it->path().string(), true);
        }
    }
    if (!source.complete) incomplete_source_ = mask_credentials(spec);
}

void RunFiles::add_model(const DetectorParams& detector) {
    // Whether or not the model itself is found.
    if (const auto faces = detector_kind(detector.kind).faces) add_model(detector_kind(*faces).params);
    try {
        add_input("the model", find_model(detector.model, detector.kind).string());
    } catch (const Error&) {
        // There is no model file to protect. Loading the model reports the error.
    }
}

void RunFiles::check_output(std::string_view setting, const std::string& path) const {
    Identity identity;
    const Kind kind = identify(path, STDOUT_FILENO, identity);
    if (kind == Kind::other) return;
    Identity standard_output;
    if (path != "-" && identify("-", STDOUT_FILENO, standard_output) == Kind::regular && identity == standard_output) {
        throw Error(ErrorKind::usage, "is the file that standard output is redirected to", Setting{setting, path},
                    "use - for standard output, or name another file");
    }
    if (const auto input = inputs_.find(identity); input != inputs_.end()) {
        const auto& [what, name, only_if_image] = input->second;
        if (!only_if_image || format_of_name(name).kind == NameKind::image || is_still_image(name)) {
            throw Error(ErrorKind::usage, "would overwrite " + what + " " + name, Setting{setting, path},
                        "name another file");
        }
    }
    if (const auto output = outputs_.find(identity); output != outputs_.end()) {
        throw Error(ErrorKind::usage, {"is the same file as %1", output->second}, Setting{setting, path},
                    "name another file");
    }
    if (kind == Kind::regular && path != "-" && !incomplete_source_.empty()) {
        throw Error(ErrorKind::usage, "already exists, and " + incomplete_source_ + " may read it",
                    Setting{setting, path}, "name a file that does not exist yet");
    }
}

void RunFiles::add_output(std::string_view setting, const std::string& path) {
    if (path.empty()) return;
    check_output(setting, path);
    check_output_path(path);
    Identity identity;
    const bool shared = identify(path, STDOUT_FILENO, identity) == Kind::other && path != "-";
    if (path == "-") identity = {0, 0, "-"};
    if (shared) return;
    const auto [output, is_new] = outputs_.try_emplace(identity, Setting{setting, path});
    if (!is_new) {
        throw Error(ErrorKind::usage, {"conflicts with %1: both write to standard output", output->second},
                    Setting{setting, path}, "name a file for one of them");
    }
}

void RunFiles::check_folder(std::string_view setting, const std::string& path) const {
    if (path.empty()) return;
    Identity identity;
    static_cast<void>(identify(path, STDOUT_FILENO, identity));
    if (const auto source = source_folders_.find(identity); source != source_folders_.end()) {
        throw Error(ErrorKind::usage, "is the input " + source->second, Setting{setting, path}, "name another folder");
    }
}

}  // namespace throng
