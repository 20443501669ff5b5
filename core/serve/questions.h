// Answers questions of other programs about single images: several at a time, behind a bounded queue.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/bounded_queue.h"
#include "core/pipeline/engine.h"
#include "core/serve/http_message.h"

namespace throng {

struct Question {
    enum class Kind : std::uint8_t {
        everything,  // the line of --json
        faces,       // DeepStack's predictions
        objects,
    };
    Kind kind = Kind::everything;
    std::string body;                 // of the request
    std::size_t begin = 0, size = 0;  // of the file of the image in it
    double min_confidence = 0;        // of predictions
    std::uint64_t client = 0;
};

class Questions {
public:
    using MakeEngine = std::function<std::unique_ptr<Engine>()>;
    using Reply = std::function<void(std::uint64_t client, HttpResponse response)>;

    // make_engine: called until it has made an engine; the CPU's is then copied for each image at a time, any other one
    // takes one image after the other. at_once: makes it now; otherwise the first question does. reply: called on
    // several threads.
    Questions(const HttpLimits& limits, MakeEngine make_engine, bool at_once, Reply reply);
    ~Questions();
    Questions(const Questions&) = delete;
    Questions& operator=(const Questions&) = delete;

    // Returns false if too many images or bytes wait. Never waits.
    [[nodiscard]] bool ask(Question question);
    // Blocks until the first detector is made. Throws why it cannot be made. Requires at_once.
    void wait_ready() { made_.get_future().get(); }
    [[nodiscard]] bool is_ready() const noexcept { return ready_; }

private:
    void run(bool at_once, const std::stop_token& stop);
    [[nodiscard]] HttpResponse answer(Question& question);
    [[nodiscard]] std::shared_ptr<const FrameResult> detect(DecodedFrame decoded);
    [[nodiscard]] std::unique_ptr<Engine> take();
    void give_back(std::unique_ptr<Engine> engine);
    [[nodiscard]] std::unique_ptr<Engine> make_first();
    [[nodiscard]] std::unique_ptr<Engine> copy_first() const;
    void share_cores(Engine& engine) const;

    const HttpLimits& limits_;
    const MakeEngine make_engine_;
    const int num_threads_;
    const Reply reply_;
    std::promise<void> made_;
    std::atomic<bool> ready_ = false;
    std::atomic<std::size_t> unanswered_ = 0;  // questions
    std::atomic<std::size_t> bytes_ = 0;       // of them
    std::mutex large_image_;                   // held while there is one
    std::mutex mutex_;                         // guards the engines
    std::condition_variable changed_;          // one is idle, or another one may be made
    std::vector<std::unique_ptr<Engine>> idle_;
    int num_engines_ = 0;                // also those that are busy or being made
    std::atomic<int> most_engines_ = 1;  // another one is made up to here when none is idle
    // Are those of the first engine, and do not change after it was made.
    std::shared_ptr<Backend> backend_;  // the CPU's; null: not shared
    PipelineSettings settings_;
    int cores_ = 0;  // that all engines together may use
    BoundedQueue<Question> queue_;
    std::vector<std::jthread> threads_;  // last: they use the others
};

// Returns DeepStack's answer: at most 20 predictions, the most confident first. only_faces: of people and their faces.
[[nodiscard]] std::string deepstack_json(const FrameResult& result, double min_confidence, bool only_faces);

}  // namespace throng
