// All files that a run reads or writes. Prevents an output from overwriting an input or another output.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options/command.h"
#include "core/base/message.h"
#include "core/detect/detector.h"

namespace throng {

// Files are compared by device and inode, so links and all spellings of a path are one file. Inputs must be added
// before outputs. Const members are thread-safe.
class RunFiles {
public:
    // Adds the configuration file as an input.
    explicit RunFiles(const CommonOptions& common);

    // what: for messages, "the model". A file that does not exist is ignored; "-" is standard input.
    void add_input(std::string_view what, const std::string& path);
    // Adds all files that a source reads: the file itself, files in a folder, files named by a playlist or a pipeline.
    void add_source(std::string_view spec);
    // Adds the detector's model file, if it can be found.
    void add_model(const DetectorParams& detector);

    // Checks and adds an output. setting: "json", for messages. "-" is standard output; an empty path is ignored.
    // Throws Error(usage) when the output is an input or another output, or when it exists and a source may read it;
    // Error(input) when it cannot be written.
    void add_output(std::string_view setting, const std::string& path);
    // Only throws Error(usage) as add_output does, for outputs that are named during the run.
    void check_output(std::string_view setting, const std::string& path) const;
    // Returns true if an output that was added is standard output.
    [[nodiscard]] bool write_standard_output() const { return outputs_.contains({0, 0, "-"}); }
    // Throws Error(usage) when a source reads the folder: the images written there would become inputs, or replace
    // them.
    void check_folder(std::string_view setting, const std::string& path) const;

private:
    // Device and inode of the file. While the file does not exist: those of its folder, and the file's name.
    struct Identity {
        std::uint64_t device = 0;
        std::uint64_t inode = 0;
        std::string name;
        auto operator<=>(const Identity&) const = default;
    };
    struct Input {
        std::string what;
        std::string path;
        bool only_if_image = false;  // a folder source reads images only
    };
    enum class Kind : std::uint8_t { none, regular, other };  // other: a device or a pipe
    [[nodiscard]] static Kind identify(const std::string& path, int standard_stream, Identity& identity);
    void add_input(std::string_view what, const std::string& path, bool only_if_image);

    std::map<Identity, Input> inputs_;
    std::map<Identity, std::string> source_folders_;
    std::map<Identity, Message> outputs_;  // "--json faces.jsonl"
    std::string incomplete_source_;        // a source whose files are not all known; empty: none
};

}  // namespace throng
