// `--http`: the results of a run for people, for other programs and for those that watch the machine.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/clocks/telemetry.h"
#include "core/serve/access.h"
#include "core/serve/http_server.h"
#include "core/serve/questions.h"
#include "core/serve/served_sources.h"

namespace throng {

struct ServiceOptions {
    HttpServerOptions server;
    std::string token_file;  // empty: the one of default_token_path, if a token is needed
    bool open = false;       // no token, whatever the address
    AnnotatedOptions images;
    Questions::MakeEngine make_engine;  // for images that are asked about
    bool only_questions = false;        // there are no sources
    std::string version;                // of the program
    std::filesystem::path root;         // as ClockOptions::root
    int device = 0;
};

class Service {
public:
    // Listens, and answers from now on. Throws as HttpServer and load_token do.
    explicit Service(ServiceOptions options);

    ~Service() { server_.stop(); }
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    // Blocks until questions can be answered. Throws why they cannot. Requires only_questions.
    void wait_ready() { questions_.wait_ready(); }

    // As ServedSources.
    void expect(int source_number, const std::string& spec) { sources_.expect(source_number, spec); }
    void forget(int source_number) { sources_.forget(source_number); }
    void expect_again(int source_number) { sources_.expect_again(source_number); }
    // Returns a sink for the results of a source, numbered from 1. This object must outlive it.
    [[nodiscard]] std::shared_ptr<ResultSink> sink_for(int source_number, const SourceInfo& info) {
        return sources_.sink_for(source_number, info);
    }
    // Returns who takes what a CountSink counts by this plan. This object must outlive it.
    [[nodiscard]] std::shared_ptr<CountListener> listen(const CountPlan& plan);

    // Returns one line for the user: the address, and the file of the token if one is needed.
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] const HttpServer& server() const noexcept { return server_; }

private:
    [[nodiscard]] HttpAnswer handle(HttpRequest& request, std::uint64_t client);
    [[nodiscard]] HttpAnswer find_answer(HttpRequest& request, std::uint64_t client);
    [[nodiscard]] HttpAnswer answer_stream(std::string_view rest);
    [[nodiscard]] HttpAnswer ask(Question::Kind kind, HttpRequest& request, std::uint64_t client);
    [[nodiscard]] std::string metrics();
    [[nodiscard]] std::string missing() const;

    ServiceOptions options_;
    HttpServer server_;
    AccessRules rules_;
    std::string token_file_;
    ServedSources sources_;
    Questions questions_;
    // Of the thread of the server.
    std::optional<TelemetryReader> telemetry_;
    TelemetrySample sample_;
    std::chrono::steady_clock::time_point sampled_{};
};

}  // namespace throng
