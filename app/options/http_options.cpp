#include "app/options/http_options.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "app/options/backend.h"
#include "app/options/command_line.h"
#include "core/base/error.h"

namespace throng {

void add_http_options(CLI::App& command, HttpOptions& options) {
    const auto group = "Server";
    add_value(command, group, "--http", options.address, "[ADDRESS:]PORT",
              "Serve a page with live images and counts, JSON, events, metrics, and detection in images that other "
              "programs send; a port alone: for this machine only");
    add_value(command, group, "--http-token-file", options.token_file, "FILE",
              "File of the token that clients need; created if it is missing. Default, except for loopback addresses: "
              "http-token in the state folder of the user");
    add_flag(command, group, "--http-open", options.open, "Let in everybody who reaches the address, without a token");
    add_value(command, group, "--http-certificate", options.certificate, "FILE.pem",
              "Certificate of the server, with its chain: https instead of http");
    add_value(command, group, "--http-key", options.key, "FILE.pem", "Key of the certificate");
}

void check_http_options(const HttpOptions& options) {
    if (!options.requested()) {
        reject_given({{"http_open", options.open},
                      {"http_token_file", !options.token_file.empty()},
                      {"http_certificate", !options.certificate.empty()},
                      {"http_key", !options.key.empty()}},
                     "there is no server", {"add %1", Setting{"http", "PORT"}});
    }
    if (options.open && !options.token_file.empty()) {
        throw Error(ErrorKind::usage, {"contradicts %1, which needs no token", Setting{"http_open"}},
                    Setting{"http_token_file"});
    }
}

void add_http_files(RunFiles& files, const HttpOptions& options) {
    files.add_input("the token", options.token_file);
    files.add_input("the certificate", options.certificate);
    files.add_input("the key", options.key);
}

std::shared_ptr<Service> make_service(const HttpOptions& options, AnnotatedOptions images,
                                      const PipelineSettings& settings, const CommonOptions& common,
                                      const std::filesystem::path& root, bool only_questions) {
    if (!options.requested()) return nullptr;
    ServiceOptions service;
    service.server.address = options.address;
    service.server.certificate = options.certificate;
    service.server.key = options.key;
    service.token_file = options.token_file;
    service.open = options.open;
    service.images = std::move(images);
    service.only_questions = only_questions;
    service.version = TH_VERSION;
    service.root = root;
    service.device = common.device;
    PipelineSettings single = settings;
    single.tracking.reset();
    single.hiding.reset();
    single.keep_raw = false;
    service.make_engine = [common, single] { return std::unique_ptr<Engine>(new Engine(make_engine(common, single))); };
    auto made = std::make_shared<Service>(std::move(service));
    if (only_questions) made->wait_ready();
    if (!common.quiet) {
        // Standard output is for data.
        fmt::print(stderr, "serving {}{}\n", made->describe(),
                   only_questions ? ", until a signal" : ", until the run ends");
    }
    return made;
}

}  // namespace throng
