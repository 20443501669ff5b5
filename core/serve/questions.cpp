#include "core/serve/questions.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json_text.h"
#include "core/base/log.h"
#include "core/base/resources.h"
#include "core/detect/detector_kinds.h"
#include "core/sinks/json_sink.h"
#include "core/video/image_file.h"

namespace throng {
namespace {

constexpr std::size_t kMaxPredictions = 20;
constexpr int kMaxThreads = 4;                // each has an image and a detector
constexpr const char* kAskedImage = "image";  // its name in messages and answers

// Returns an error in the form of the endpoint.
HttpResponse question_error(Question::Kind kind, int status, const std::string& text) {
    if (kind == Question::Kind::everything) return error_response(status, text);
    const nlohmann::ordered_json json = {
        {"success", false}, {"error", text}, {"predictions", nlohmann::ordered_json::array()}};
    return {status, "application/json", json_text(json) + "\n"};
}

}  // namespace

Questions::Questions(const HttpLimits& limits, MakeEngine make_engine, bool at_once, Reply reply)
    : limits_(limits),
      make_engine_(std::move(make_engine)),
      num_threads_(std::min(cpu_cores(), kMaxThreads)),
      reply_(std::move(reply)),
      queue_(limits.num_questions + 1) {
    idle_.reserve(static_cast<std::size_t>(num_threads_));
    for (int i = 0; i < num_threads_; ++i) {
        threads_.emplace_back([this, first = at_once && i == 0](const std::stop_token& stop) { run(first, stop); });
    }
}

Questions::~Questions() {
    // Otherwise those that are joined last would take what waits.
    for (std::jthread& thread : threads_) thread.request_stop();
}

bool Questions::ask(Question question) {
    // Only one thread asks, so that neither grows below.
    const std::size_t bytes = question.body.size();
    if (unanswered_ > limits_.num_questions || bytes_ + bytes > limits_.all_body_bytes) return false;
    ++unanswered_;
    bytes_ += bytes;
    return queue_.push(std::move(question));
}

void Questions::run(bool at_once, const std::stop_token& stop) {
    if (at_once) {
        try {
            give_back(take());
            made_.set_value();
        } catch (...) {
            made_.set_exception(std::current_exception());
            return;
        }
    }
    Question question;
    while (queue_.pop(question, stop) == PopStatus::value) {
        const std::size_t bytes = question.body.size();
        HttpResponse response = answer(question);
        bytes_ -= bytes;
        --unanswered_;
        reply_(question.client, std::move(response));
        question = {};
    }
}

// Waits for an engine while there are as many as there may be.
std::unique_ptr<Engine> Questions::take() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return !idle_.empty() || num_engines_ < most_engines_; });
        if (!idle_.empty()) {
            std::unique_ptr<Engine> engine = std::move(idle_.back());
            idle_.pop_back();
            return engine;
        }
        const bool is_first = num_engines_++ == 0;
        lock.unlock();
        try {
            return is_first ? make_first() : copy_first();
        } catch (...) {
            lock.lock();
            --num_engines_;
            changed_.notify_all();
            if (num_engines_ == 0) throw;
            most_engines_ = num_engines_;
            logger().warn("no more images at a time: {}", current_error().what());
        }
    }
}

void Questions::give_back(std::unique_ptr<Engine> engine) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(engine));
    changed_.notify_all();
}

std::unique_ptr<Engine> Questions::make_first() {
    std::unique_ptr<Engine> first = make_engine_();
    const std::lock_guard lock(mutex_);
    settings_ = first->settings();
    cores_ = settings_.detector.threads > 0 ? settings_.detector.threads : cpu_cores();
    if (first->backend()->kind() == BackendKind::cpu) {
        backend_ = first->backend();
        most_engines_ = num_threads_;
    }
    changed_.notify_all();
    ready_ = true;
    return first;
}

// Shares the backend, and with it the models.
std::unique_ptr<Engine> Questions::copy_first() const {
    auto copy = std::make_unique<Engine>(backend_, settings_);
    copy->prepare();
    return copy;
}

std::shared_ptr<const FrameResult> Questions::detect(DecodedFrame decoded) {
    struct Loan {
        Questions& questions;
        std::unique_ptr<Engine> engine = questions.take();
        ~Loan() { questions.give_back(std::move(engine)); }
    };
    const Loan loan{*this};
    share_cores(*loan.engine);
    std::shared_ptr<const FrameResult> result = loan.engine->detect(std::move(decoded)).result;
    if (!result) throw Error(ErrorKind::unavailable, loan.engine->notice());
    return result;
}

// Two images on a core each are searched faster than one after the other on both (README.md).
void Questions::share_cores(Engine& engine) const {
    if (engine.backend()->kind() != BackendKind::cpu) return;
    const int busy = std::min(static_cast<int>(unanswered_.load()), most_engines_.load());
    PipelineSettings settings = engine.settings();
    const int threads = std::max(1, cores_ / std::max(1, busy));
    if (settings.detector.threads == threads) return;
    settings.detector.threads = threads;
    engine.apply(std::move(settings));
}

HttpResponse Questions::answer(Question& question) {
    std::shared_ptr<const FrameResult> result;
    std::unique_lock large(large_image_, std::defer_lock);
    try {
        const std::string_view image_bytes = std::string_view(question.body).substr(question.begin, question.size);
        const ImageFile file = image_of_bytes({image_bytes.begin(), image_bytes.end()}, kAskedImage);
        question.body = {};
        if (num_pixels(file.header) > limits_.image_pixels) {
            return question_error(question.kind, 413,
                                  "the image has " + std::to_string(num_pixels(file.header)) + " pixels: more than " +
                                      std::to_string(limits_.image_pixels));
        }
        if (num_pixels(file.header) > limits_.image_pixels / kMaxThreads) large.lock();
        const LoadedImage image = decode_image(file);
        if (image.frame.info().damaged) return question_error(question.kind, 400, image.incomplete);
        DecodedFrame decoded;
        decoded.frame = image.frame.with_timing(0, 0, std::chrono::steady_clock::now());
        decoded.source = kAskedImage;
        result = detect(std::move(decoded));
    } catch (...) {
        const Error error = current_error();
        const bool by_client = error.kind() == ErrorKind::input;
        if (!by_client) logger().error("a question is not answered: {}", error.what());
        return question_error(question.kind, by_client ? 400 : 503, error.what());
    }
    if (question.kind == Question::Kind::everything) {
        return {200, "application/json", json_line(*result, {}) + "\n"};
    }
    const bool only_faces = question.kind == Question::Kind::faces;
    if (only_faces && !result->faces && result->detector != nullptr && result->detector->object != "face") {
        return question_error(question.kind, 501,
                              "the detector finds " + std::string(result->detector->finds) +
                                  ", not faces; start the program with another detector");
    }
    return {200, "application/json", deepstack_json(*result, question.min_confidence, only_faces)};
}

std::string deepstack_json(const FrameResult& result, double min_confidence, bool only_faces) {
    struct Found : Detection {
        std::string_view label;
    };
    std::vector<Found> sorted;
    for_each_class(only_faces && result.faces ? *result.faces : result, [&](const FrameResult& found) {
        const std::string_view label = found.detector == nullptr ? "face" : found.detector->object;
        for (const Detection& each : found.kept.detections) {
            if (static_cast<double>(each.confidence) >= min_confidence) sorted.push_back({each, label});
        }
    });
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Found& a, const Found& b) { return a.confidence > b.confidence; });
    sorted.resize(std::min(sorted.size(), kMaxPredictions));
    nlohmann::ordered_json json = {{"success", true}, {"predictions", nlohmann::ordered_json::array()}};
    const int width = result.frame.width();
    const int height = result.frame.height();
    for (const Found& each : sorted) {
        // Whole pixels within the image, as DeepStack has them.
        const auto pixel = [](float value, int most) {
            return static_cast<int>(std::lround(std::clamp(value, 0.0F, static_cast<float>(most))));
        };
        json["predictions"].push_back({{"confidence", each.confidence},
                                       {"label", each.label},
                                       {"x_min", pixel(each.box.x, width)},
                                       {"y_min", pixel(each.box.y, height)},
                                       {"x_max", pixel(each.box.x + each.box.w, width)},
                                       {"y_max", pixel(each.box.y + each.box.h, height)}});
    }
    json["duration"] = std::lround(result.latency_ms);
    return json_text(json) + "\n";
}

}  // namespace throng
