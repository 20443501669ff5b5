// Finds models by name: what "haar", "alt2" or "yunet_n_dynamic" stand for, and where models are installed. Which files
// are models of which detector is told by detector_kinds().
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace throng {

struct ModelFile {
    std::string name;  // without folder and extension
    std::string kind;  // of detector_kinds(), from the file's name
    std::filesystem::path path;
};

// $THRONG_MODELS (a list with colons), then throng/models and OpenCV's folders below the user's and the system's data
// folders (XDG_DATA_HOME, XDG_DATA_DIRS). Folders that do not exist are left in.
[[nodiscard]] std::vector<std::filesystem::path> model_folders();

// Where a downloaded model belongs: throng/models below the user's data folder; one of model_folders(). Empty without
// XDG_DATA_HOME and HOME.
[[nodiscard]] std::filesystem::path user_model_folder();

// The name of the model that a kind takes when none is named: the first of its defaults that is installed, else the
// first. Throws Error(usage) for an unknown kind and for one without model files.
[[nodiscard]] std::string default_model(std::string_view kind);

// A path as given when it is a file; else a name with or without extension, or the end of one ("alt2", "profileface",
// "RFB-640"), looked up in model_folders(), those of the kind first. Throws Error(unavailable) naming the folders
// looked in.
[[nodiscard]] std::filesystem::path find_model(std::string_view model, std::string_view kind);

// Every model found, by name; the first folder wins.
[[nodiscard]] std::vector<ModelFile> list_models();

}  // namespace throng
