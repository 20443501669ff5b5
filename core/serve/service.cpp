#include "core/serve/service.h"

#include <unistd.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json_text.h"
#include "core/base/value_text.h"
#include "core/serve/page.h"

namespace throng {
namespace {

constexpr const char* kEvents = "events";
constexpr const char* kPlain = "text/plain; charset=utf-8";
constexpr auto kSampleAge = std::chrono::seconds(1);

double resident_bytes() {
    std::ifstream file("/proc/self/statm");
    double size = 0, resident = 0;
    file >> size >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

HttpAnswer text_answer(std::string text, int status = 200) {
    return {{status, kPlain, std::move(text)}};
}

HttpAnswer wrong_method(const char* allowed) {
    HttpResponse response = error_response(405, std::string("use ") + allowed);
    response.headers.emplace_back("Allow", allowed);
    return {response};
}

}  // namespace

Service::Service(ServiceOptions options)
    : options_(std::move(options)),
      server_(options_.server),
      sources_(server_, options_.images),
      questions_(options_.server.limits, options_.make_engine, options_.only_questions,
                 [this](std::uint64_t client, HttpResponse response) { server_.answer(client, std::move(response)); }) {
    if (!options_.open && (!server_.is_loopback() || !options_.token_file.empty())) {
        token_file_ = options_.token_file.empty() ? default_token_path() : options_.token_file;
        rules_.token = load_token(token_file_);
    }
    rules_.host = server_.host();
    rules_.cookie = "throng_token_" + std::to_string(server_.port());
    rules_.secure = !options_.server.certificate.empty();
    server_.start([this](HttpRequest& request, std::uint64_t client) { return handle(request, client); });
}

std::shared_ptr<CountListener> Service::listen(const CountPlan& plan) {
    class Counts final : public CountListener {
    public:
        Counts(HttpServer& server, ServedSources& sources) : server_(server), sources_(sources) {}
        void event(int, const std::string& line) override {
            if (server_.num_clients(kEvents) == 0) return;
            server_.publish_all(kEvents, std::make_shared<std::string>("data: " + line + "\n\n"));
        }
        void totals(int source_number, const CountTotals& totals) override { sources_.count(source_number, totals); }
        void close() override {}

    private:
        HttpServer& server_;
        ServedSources& sources_;
    };
    sources_.set_plan(plan);
    return std::make_shared<Counts>(server_, sources_);
}

std::string Service::describe() const {
    if (rules_.token.empty()) return server_.url();
    return server_.url() + "?token=TOKEN, with the token in " + token_file_;
}

HttpAnswer Service::handle(HttpRequest& request, std::uint64_t client) {
    // Whoever watches a machine asks without a token; the answer says nothing about the sources.
    if (request.path == "/healthz" && request.method == "GET") return text_answer("ok\n");
    if (std::optional<HttpResponse> refused = check_access(rules_, request)) return {std::move(*refused)};
    HttpAnswer answer = find_answer(request, client);
    if (std::optional<std::string> cookie = cookie_header(rules_, request)) {
        answer.response.headers.emplace_back("Set-Cookie", std::move(*cookie));
    }
    return answer;
}

HttpAnswer Service::find_answer(HttpRequest& request, std::uint64_t client) {
    const std::string& path = request.path;
    constexpr std::array<std::pair<std::string_view, Question::Kind>, 3> kQuestions = {
        std::pair{std::string_view("/detect"), Question::Kind::everything},
        std::pair{std::string_view("/v1/vision/face"), Question::Kind::faces},
        std::pair{std::string_view("/v1/vision/detection"), Question::Kind::objects}};
    for (const auto& [question, kind] : kQuestions) {
        if (path == question) return request.method == "POST" ? ask(kind, request, client) : wrong_method("POST");
    }
    const std::string_view streams = "/streams/";
    const bool known = path == "/" || path == "/streams" || path == "/events" || path == "/metrics" ||
                       path == "/healthz" || path == "/readyz" || path == "/openapi.json" || path.starts_with(streams);
    if (!known) return {error_response(404, "there is no such address; /openapi.json describes those that exist")};
    if (request.method != "GET") return wrong_method("GET, HEAD");
    if (path.starts_with(streams)) return answer_stream(std::string_view(path).substr(streams.size()));
    if (path == "/streams") return {{200, "application/json", json_text(sources_.list()) + "\n"}};
    if (path == "/metrics") return {{200, "text/plain; version=0.0.4; charset=utf-8", metrics()}};
    if (path == "/openapi.json") return {{200, "application/json", openapi_json(options_.version)}};
    if (path == "/readyz") {
        const std::string missing = this->missing();
        return missing.empty() ? text_answer("ok\n") : text_answer(missing + "\n", 503);
    }
    if (path == "/events") {
        HttpAnswer answer;
        // Clients begin to wait for events only after the first bytes of the body.
        answer.response = {200, "text/event-stream", "retry: 3000\n\n"};
        answer.kind = HttpAnswer::Kind::stream;
        answer.channel = kEvents;
        return answer;
    }
    HttpAnswer page{{200, "text/html; charset=utf-8", page_html()}};
    page.response.headers.emplace_back(
        "Content-Security-Policy",
        "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
        "connect-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    return page;
}

// rest: of the path, "1/mjpeg".
HttpAnswer Service::answer_stream(std::string_view rest) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string number(rest.substr(0, slash));
    const std::string_view what = rest.substr(std::min(slash + 1, rest.size()));
    const bool is_number =
        !number.empty() && number.size() <= 6 && number.find_first_not_of("0123456789") == number.npos;
    const int source = is_number ? std::stoi(number) : 0;
    if (!sources_.contains(source)) return {error_response(404, "there is no source of this number")};
    if (what == "latest.json") {
        std::optional<std::string> line = sources_.latest(source);
        if (!line) return {error_response(404, "the source has no result yet")};
        return {{200, "application/json", *line + "\n"}};
    }
    if (what != "mjpeg") return {error_response(404, "a source has mjpeg and latest.json")};
    HttpAnswer answer;
    answer.response = {200, "multipart/x-mixed-replace; boundary=frame", "--frame\r\n"};
    answer.kind = HttpAnswer::Kind::stream;
    answer.channel = image_channel(source);
    return answer;
}

HttpAnswer Service::ask(Question::Kind kind, HttpRequest& request, std::uint64_t client) {
    Question question;
    question.kind = kind;
    question.client = client;
    std::string_view image = request.body;
    if (const auto parts = form_parts(request)) {
        image = {};
        for (const FormPart& part : *parts) {
            if (part.name == "image") image = part.content;
            if (part.name != "min_confidence") continue;
            const std::optional<double> value = parse_real(std::string(part.content));
            if (!value) return {error_response(400, "min_confidence is not a number")};
            question.min_confidence = *value;
        }
    } else if (request.header("content-type").starts_with("multipart/")) {
        return {error_response(400, "the form is incomplete")};
    }
    if (image.empty())
        return {error_response(400, "no image: send one as the field 'image' of a form, or as the body")};
    question.begin = static_cast<std::size_t>(image.data() - request.body.data());
    question.size = image.size();
    question.body = std::move(request.body);
    if (questions_.ask(std::move(question))) {
        HttpAnswer later;
        later.kind = HttpAnswer::Kind::later;
        return later;
    }
    HttpResponse busy = error_response(503, "too many images are waiting");
    busy.headers.emplace_back("Retry-After", "1");
    return {busy};
}

std::string Service::missing() const {
    if (options_.only_questions) return questions_.is_ready() ? "" : "the detector is not ready yet";
    const std::string missing = sources_.missing();
    return missing.empty() && sources_.list().empty() ? "no source is open yet" : missing;
}

std::string Service::metrics() {
    if (!telemetry_) telemetry_.emplace(make_system_files(options_.root), open_nvml(options_.root, options_.device));
    // Scrapers that come at the same time get the same sample.
    if (const auto now = std::chrono::steady_clock::now(); now - sampled_ > kSampleAge) {
        sampled_ = now;
        sample_ = telemetry_->read();
    }
    MetricsText metrics;
    sources_.add_metrics(metrics);
    metrics.begin("throng_clock_hertz", "gauge", "Clocks of the machine.");
    for (const auto& [domain, clock] : {std::pair{"gpu", sample_.gpu_clock}, std::pair{"cpu", sample_.cpu_clock},
                                        std::pair{"memory", sample_.memory_clock}}) {
        if (clock) metrics.add({{"domain", domain}}, static_cast<double>(*clock));
    }
    metrics.begin("throng_temperature_celsius", "gauge", "Temperatures of the machine.");
    for (const NamedReading& each : sample_.temperatures) metrics.add({{"zone", each.name}}, each.value);
    metrics.begin("throng_power_watts", "gauge", "Power of the GPU, or of the board if it measures that.");
    if (sample_.power) metrics.add({}, *sample_.power);
    metrics.begin("throng_process_resident_memory_bytes", "gauge", "Memory of the program.");
    metrics.add({}, resident_bytes());
    metrics.begin("throng_http_clients", "gauge", "Clients that are connected.");
    metrics.add({}, static_cast<double>(server_.num_clients()));
    metrics.begin("throng_build_info", "gauge", "Version of the program; always 1.");
    metrics.add({{"version", options_.version}}, 1);
    return metrics.text();
}

}  // namespace throng
