// --http and the options that belong to it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "app/options/cli_fwd.h"
#include "app/options/command.h"
#include "app/options/run_files.h"
#include "core/pipeline/pipeline_settings.h"
#include "core/serve/service.h"

namespace throng {

struct HttpOptions {
    std::string address;      // --http ADDRESS:PORT; empty: no server
    std::string token_file;   // --http-token-file FILE
    std::string certificate;  // --http-certificate FILE.pem
    std::string key;          // --http-key FILE.pem
    bool open = false;        // --http-open

    [[nodiscard]] bool requested() const { return !address.empty(); }
};

void add_http_options(CLI::App& command, HttpOptions& options);

// Throws Error(usage) for options that have no effect without --http, or contradict each other.
void check_http_options(const HttpOptions& options);

// Adds the files that the server reads.
void add_http_files(RunFiles& files, const HttpOptions& options);

// Starts the server and reports its address; null without --http. images: how they are annotated.
// settings: of the detector for images that are asked about. only_questions: there are no sources. root: as
// ClockOptions::root. Throws as Service does.
[[nodiscard]] std::shared_ptr<Service> make_service(const HttpOptions& options, AnnotatedOptions images,
                                                    const PipelineSettings& settings, const CommonOptions& common,
                                                    const std::filesystem::path& root, bool only_questions);

}  // namespace throng
