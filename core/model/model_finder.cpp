#include "core/model/model_finder.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "core/base/error.h"
#include "core/base/extension.h"

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

bool has_prefix(const std::string& name, std::string_view prefix) {
    return name.compare(0, prefix.size(), prefix) == 0;
}

bool has_suffix(const std::string& name, std::string_view suffix) {
    return name.size() >= suffix.size() && name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
}

bool has_ending(const std::string& name, std::string_view ending) {
    return has_suffix(name, "_" + std::string(ending)) || has_suffix(name, "-" + std::string(ending));
}

fs::path user_data_folder() {
    if (const auto data_home = variable("XDG_DATA_HOME"); !data_home.empty()) return data_home;
    const auto home = variable("HOME");
    return home.empty() ? fs::path() : fs::path(home) / ".local/share";
}

// Returns the file's path in the first folder that contains it.
std::optional<fs::path> installed(const std::string& file_name) {
    std::error_code error;
    for (const fs::path& folder : model_folders()) {
        if (fs::is_regular_file(folder / file_name, error)) return folder / file_name;
    }
    return std::nullopt;
}

const DetectorKind& kind_with_models(DetectorId id) {
    const DetectorKind& kind = detector_kind(id);
    if (!kind.default_models.empty()) return kind;
    throw Error(ErrorKind::usage, "this detector has no model file", std::string(kind.name));
}

std::optional<std::string_view> installed_default(const DetectorKind& kind) {
    const auto found = std::find_if(kind.default_models.begin(), kind.default_models.end(), [&](std::string_view name) {
        return installed(std::string(name) + std::string(kind.model.suffix)).has_value();
    });
    return found == kind.default_models.end() ? std::nullopt : std::optional(*found);
}

// Returns null for a file that is no model by its name.
const DetectorKind* kind_of_file(const fs::path& file) {
    const DetectorKind* best = nullptr;
    for (const DetectorKind& kind : detector_kinds()) {
        if (kind.default_models.empty() || lower_extension(file) != kind.model.suffix ||
            !has_prefix(file.stem().string(), kind.model.prefix)) {
            continue;
        }
        if (best == nullptr || kind.model.prefix.size() > best->model.prefix.size()) best = &kind;
    }
    return best;
}

// Returns the kind of a model by its file name, or by that of the installed model of this name.
DetectorId kind_of_model(const std::string& model) {
    const std::vector<ModelFile> models = list_models();
    for (const DetectorKind& kind : detector_kinds()) {
        const bool is_here = std::any_of(models.begin(), models.end(), [&](const ModelFile& file) {
            return file.kind == kind.id() && (file.name == model || has_ending(file.name, model));
        });
        const bool is_default =
            std::find(kind.default_models.begin(), kind.default_models.end(), model) != kind.default_models.end();
        if (is_here || is_default || kind_of_file(model) == &kind) return kind.id();
    }
    return DetectorId::haar;
}

}  // namespace

std::vector<fs::path> model_folders() {
    std::vector<fs::path> folders;
    append_list(folders, variable("THRONG_MODELS"));

    std::vector<fs::path> roots;
    if (fs::path user = user_data_folder(); !user.empty()) roots.push_back(std::move(user));
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

fs::path user_model_folder() {
    const fs::path data = user_data_folder();
    return data.empty() ? data : data / "throng/models";
}

std::string default_model(DetectorId id) {
    const DetectorKind& kind = kind_with_models(id);
    return std::string(installed_default(kind).value_or(kind.default_models.front()));
}

DetectorId detector_of(const ChosenSettings& chosen, std::optional<DetectorId> otherwise) {
    const std::string_view name = otherwise ? detector_kind(*otherwise).name : kAutoDetector;
    if (const DetectorKind* kind = find_detector_kind(chosen.value_or("detector", name))) return kind->id();
    if (const std::string model = chosen.value_or("model", ""); !model.empty()) return kind_of_model(model);
    return installed_default(detector_kind(DetectorId::cnn)) ? DetectorId::cnn : DetectorId::haar;
}

std::string model_name(const DetectorParams& params) {
    if (!detector_kind(params.kind).default_models.empty()) {
        return find_model(params.model, params.kind).stem().string();
    }
    return params.model.empty() ? std::string() : fs::path(params.model).stem().string();
}

std::string describe_detector(DetectorId kind, const std::string& model_name) {
    return std::string(detector_kind(kind).name) + (model_name.empty() ? "" : ", model " + model_name);
}

std::vector<ModelFile> list_models() {
    std::map<std::string, ModelFile> found;
    for (const fs::path& folder : model_folders()) {
        std::error_code error;
        for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
            const fs::path& path = entry->path();
            const std::string name = path.stem().string();
            std::error_code ignored;
            if (!entry->is_regular_file(ignored)) continue;
            if (const DetectorKind* kind = kind_of_file(path)) {
                found.try_emplace(name, ModelFile{name, kind->id(), path});
            }
        }
    }
    std::vector<ModelFile> result;
    result.reserve(found.size());
    for (auto& [name, file] : found) result.push_back(std::move(file));
    return result;
}

fs::path find_model(std::string_view model, DetectorId id) {
    const DetectorKind& kind = kind_with_models(id);
    std::string name = model.empty() || model == kind.name ? default_model(id) : std::string(model);
    std::error_code error;
    if (fs::is_regular_file(name, error)) return name;
    const std::string asked = name;

    if (name.find('/') != std::string::npos) {
        if (fs::is_directory(name, error)) throw Error(ErrorKind::input, "is a folder", asked, "name a file");
        throw Error(ErrorKind::unavailable, "model file not found", asked, "check the path");
    }
    if (lower_extension(name) == kind.model.suffix) name.resize(name.size() - kind.model.suffix.size());
    if (const auto found = installed(name + std::string(kind.model.suffix))) return *found;
    const std::vector<ModelFile> models = list_models();
    // A short name is the end of a full one: "alt2" of haarcascade_frontalface_alt2. The shortest match is the least
    // specialized.
    const ModelFile* best = nullptr;
    for (const ModelFile& file : models) {
        if (!kind.shares_models(detector_kind(file.kind)) || (file.name != name && !has_ending(file.name, name)))
            continue;
        if (best == nullptr || file.name.size() < best->name.size()) best = &file;
    }
    if (best != nullptr) return best->path;

    std::string searched;
    for (const fs::path& folder : model_folders()) {
        if (fs::is_directory(folder, error)) searched += (searched.empty() ? "" : ", ") + folder.string();
    }
    throw Error(ErrorKind::unavailable, "no model of this name found", asked,
                joined(searched.empty() ? Message("no model folder exists") : Message("searched in %1", searched),
                       {"%1, set THRONG_MODELS, or give a path", std::string(kind.get_models).c_str()}));
}

}  // namespace throng
