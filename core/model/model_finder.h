// Finds models by name: what "haar", "alt2" or "haarcascade_eye" stand for, and where cascades are installed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace throng {

struct ModelFile {
    std::string name;  // without folder and ".xml"
    std::string kind;  // "haar" or "lbp", from the file's name
    std::filesystem::path path;
};

// $THRONG_MODELS (a list with colons), then throng/models and OpenCV's folders below the user's and the system's data
// folders (XDG_DATA_HOME, XDG_DATA_DIRS). Folders that do not exist are left in.
[[nodiscard]] std::vector<std::filesystem::path> cascade_folders();

// The default model of a kind: haarcascade_frontalface_alt2, lbpcascade_frontalface. Throws Error(usage) for
// another kind.
[[nodiscard]] std::string default_cascade(std::string_view kind);

// A path as given when it is a file; else a name with or without ".xml", or the end of one ("alt2", "profileface"),
// looked up in cascade_folders(), those of the kind first. Throws Error(unavailable) naming the folders looked in.
[[nodiscard]] std::filesystem::path find_cascade(std::string_view model, std::string_view kind);

// Every cascade found, by name; the first folder wins.
[[nodiscard]] std::vector<ModelFile> list_cascades();

}  // namespace throng
