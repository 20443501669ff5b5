// Finds models by name: resolves names such as "haar", "alt2" or "yunet_n_dynamic", and lists the folders of installed
// models. detector_kinds() defines which files are models of which detector.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/detect/chosen_settings.h"
#include "core/detect/detector_kinds.h"

namespace throng {

struct ModelFile {
    std::string name;  // without folder and extension
    std::string kind;  // one of detector_kinds(), from the file's name
    std::filesystem::path path;
};

// Returns $THRONG_MODELS (a colon-separated list), then throng/models and OpenCV's folders below the user's and the
// system's data folders (XDG_DATA_HOME, XDG_DATA_DIRS). Includes folders that do not exist.
[[nodiscard]] std::vector<std::filesystem::path> model_folders();

// Returns the folder for downloaded models: throng/models below the user's data folder, one of model_folders(). Empty
// without XDG_DATA_HOME and HOME.
[[nodiscard]] std::filesystem::path user_model_folder();

// Returns the default model of a kind: the first of its defaults that is installed, or the first of all if none is.
// Throws Error(usage) for an unknown kind and for one without model files.
[[nodiscard]] std::string default_model(std::string_view kind);

// Returns the kind of detector that was chosen, otherwise `otherwise`. kAutoDetector stands for the kind of the chosen
// model; without one, for the network if one of its default models is installed, otherwise for the Haar cascade. To be
// called once per run: models may be installed or removed meanwhile.
[[nodiscard]] std::string detector_of(const ChosenSettings& chosen, std::string_view otherwise = kAutoDetector);

// Returns the name of the model that a detector uses, without folder and extension; empty if it is built in.
[[nodiscard]] std::string model_name(const DetectorParams& params);

// Returns "haar, model haarcascade_frontalface_alt2".
[[nodiscard]] std::string describe_detector(std::string_view kind, const std::string& model_name);

// Returns a path unchanged if it is a file. Otherwise the argument is a name with or without extension, or the end of
// one ("alt2", "profileface", "RFB-640"). It is searched in model_folders(), models of the kind first. Throws
// Error(unavailable) naming the folders searched.
[[nodiscard]] std::filesystem::path find_model(std::string_view model, std::string_view kind);

// Returns every model found, sorted by name. Earlier folders take precedence.
[[nodiscard]] std::vector<ModelFile> list_models();

}  // namespace throng
