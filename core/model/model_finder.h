// Finds models by name: resolves names such as "haar", "alt2" or "yunet_n_dynamic", and lists the folders of installed
// models. detector_kinds() defines which files are models of which detector.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/detect/chosen_settings.h"
#include "core/detect/detector_kinds.h"

namespace throng {

struct ModelFile {
    std::string name;  // without folder and extension
    DetectorId kind;   // from the file's name
    std::filesystem::path path;
};

// Returns $THRONG_MODELS (a colon-separated list), then throng/models and OpenCV's folders below the user's and the
// system's data folders (XDG_DATA_HOME, XDG_DATA_DIRS). Includes folders that do not exist.
[[nodiscard]] std::vector<std::filesystem::path> model_folders();

// Returns the folder for downloaded models: throng/models below the user's data folder, one of model_folders(). Empty
// without XDG_DATA_HOME and HOME.
[[nodiscard]] std::filesystem::path user_model_folder();

// Returns the default model of a kind: the first of its defaults that is installed, or the first of all if none is.
// Throws Error(usage) for a kind without model files.
[[nodiscard]] std::string default_model(DetectorId kind);

// Returns the kind of detector that was chosen, otherwise `otherwise`. kAutoDetector, and nothing, stand for the kind of
// the chosen model; without one, for the network if one of its default models is installed, otherwise for the Haar
// cascade. To be called once per run: models may be installed or removed meanwhile.
[[nodiscard]] DetectorId detector_of(const ChosenSettings& chosen, std::optional<DetectorId> otherwise = {});

// Returns the name of the model that a detector uses, without folder and extension; empty if it is built in.
[[nodiscard]] std::string model_name(const DetectorParams& params);

// Returns "haar, model haarcascade_frontalface_alt2".
[[nodiscard]] std::string describe_detector(DetectorId kind, const std::string& model_name);

// Returns a path unchanged if it is a file. Otherwise the argument is a name with or without extension, or the end of
// one ("alt2", "profileface", "RFB-640"); empty, and the name of the kind: its default_model. It is searched in
// model_folders(), models of the kind first. Throws Error(unavailable) naming the folders searched.
[[nodiscard]] std::filesystem::path find_model(std::string_view model, DetectorId kind);

// Returns every model found, sorted by name. Earlier folders take precedence.
[[nodiscard]] std::vector<ModelFile> list_models();

}  // namespace throng
