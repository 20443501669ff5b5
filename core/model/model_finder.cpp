#include "core/model/model_finder.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "core/base/error.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

void append_list(std::vector<fs::path>& folders, std::string_view list) {
    while (!list.empty()) {
        const auto colon = list.find(':');
        if (colon != 0) folders.emplace_back(list.substr(0, colon));
        list.remove_prefix(colon == std::string_view::npos ? list.size() : colon + 1);
    }
}

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

std::string prefix_of(std::string_view kind) {
    return std::string(kind) + "cascade_";
}

bool has_prefix(const std::string& name, const std::string& prefix) {
    return name.compare(0, prefix.size(), prefix) == 0;
}

bool has_suffix(const std::string& name, const std::string& suffix) {
    return name.size() >= suffix.size() && name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
}

}  // namespace

std::vector<fs::path> cascade_folders() {
    std::vector<fs::path> folders;
    append_list(folders, variable("THRONG_MODELS"));

    std::vector<fs::path> roots;
    const auto home = variable("HOME");
    if (const auto data_home = variable("XDG_DATA_HOME"); !data_home.empty()) {
        roots.emplace_back(data_home);
    } else if (!home.empty()) {
        roots.push_back(fs::path(home) / ".local/share");
    }
    const auto data_dirs = variable("XDG_DATA_DIRS");
    append_list(roots, data_dirs.empty() ? "/usr/local/share:/usr/share" : data_dirs);
    for (const char* usual : {"/usr/local/share", "/usr/share"}) {
        if (std::find(roots.begin(), roots.end(), usual) == roots.end()) roots.emplace_back(usual);
    }
    for (const fs::path& root : roots) {
        for (const char* below : {"throng/models", "opencv4/haarcascades", "opencv4/lbpcascades", "opencv/haarcascades",
                                  "opencv/lbpcascades"}) {
            folders.push_back(root / below);
        }
    }
    return folders;
}

std::string default_cascade(std::string_view kind) {
    if (kind == "haar") return "haarcascade_frontalface_alt2";
    if (kind == "lbp") return "lbpcascade_frontalface";
    throw Error(ErrorKind::usage, "no cascade detector is called so", std::string(kind), "use haar or lbp");
}

std::vector<ModelFile> list_cascades() {
    std::map<std::string, ModelFile> found;
    for (const fs::path& folder : cascade_folders()) {
        std::error_code error;
        for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
            const fs::path& path = entry->path();
            const std::string name = path.stem().string();
            if (path.extension() != ".xml" || !entry->is_regular_file(error)) continue;
            for (const char* kind : {"haar", "lbp"}) {
                if (has_prefix(name, prefix_of(kind))) found.try_emplace(name, ModelFile{name, kind, path});
            }
        }
    }
    std::vector<ModelFile> result;
    for (auto& [name, file] : found) result.push_back(std::move(file));
    return result;
}

fs::path find_cascade(std::string_view model, std::string_view kind) {
    const std::string fallback = default_cascade(kind);
    std::string name = model.empty() || model == kind ? fallback : std::string(model);
    std::error_code error;
    if (fs::is_regular_file(name, error)) return name;

    if (has_suffix(name, ".xml")) name.resize(name.size() - 4);
    if (name.find('/') == std::string::npos) {
        const auto folders = cascade_folders();
        for (const fs::path& folder : folders) {
            if (fs::is_regular_file(folder / (name + ".xml"), error)) return folder / (name + ".xml");
        }
        const auto cascades = list_cascades();
        // A short name is the end of one: "alt2" of haarcascade_frontalface_alt2. The shortest match is the plainest.
        const ModelFile* best = nullptr;
        for (const ModelFile& file : cascades) {
            if (file.kind != kind || !has_suffix(file.name, "_" + name)) continue;
            if (best == nullptr || file.name.size() < best->name.size()) best = &file;
        }
        if (best != nullptr) return best->path;
    } else {
        throw Error(ErrorKind::unavailable, "there is no such model file", std::string(model), "check the path");
    }
    std::string looked;
    for (const fs::path& folder : cascade_folders()) {
        if (fs::is_directory(folder, error)) looked += (looked.empty() ? "" : ", ") + folder.string();
    }
    throw Error(ErrorKind::unavailable, "no model of that name was found",
                std::string(model.empty() ? fallback : model),
                (looked.empty() ? std::string("no folder with cascades exists") : "looked in " + looked) +
                    "; install opencv-data, set THRONG_MODELS, or give a path");
}

}  // namespace throng
