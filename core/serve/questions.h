// Answers questions of other programs about single images: several at a time, behind a bounded queue.
#pragma once

#include <atomic>
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

    // at_once: makes the first detector now; otherwise the first question does. reply: called on several threads.
    Questions(const HttpLimits& limits, MakeEngine make_engine, bool at_once, Reply reply);

    // Returns false if too many images or bytes wait. Never waits.
    [[nodiscard]] bool ask(Question question);
    // Blocks until the first detector is made. Throws why it cannot be made. Requires at_once.
    void wait_ready() { made_.get_future().get(); }
    [[nodiscard]] bool is_ready() const noexcept { return ready_; }

private:
    void run(bool at_once, const std::stop_token& stop);
    [[nodiscard]] HttpResponse answer(Question& question);
    [[nodiscard]] std::shared_ptr<const FrameResult> detect(DecodedFrame decoded);
    struct Finder {
        std::unique_ptr<Engine> engine;
        int cores = 0;  // that all finders together may use
    };
    [[nodiscard]] Finder make();
    void share_cores(Finder& finder) const;

    const HttpLimits& limits_;
    const MakeEngine make_engine_;
    const int num_threads_;
    const Reply reply_;
    std::promise<void> made_;
    std::atomic<bool> ready_ = false;
    std::atomic<std::size_t> unanswered_ = 0;  // questions
    std::atomic<std::size_t> bytes_ = 0;       // of them
    std::mutex large_image_;                   // held while there is one
    std::mutex mutex_;                         // guards idle_
    std::vector<Finder> idle_;                 // another one is made when none is idle
    BoundedQueue<Question> queue_;
    std::vector<std::jthread> threads_;  // last: they use the others
};

// Returns DeepStack's answer: at most 20 predictions, the most confident first. only_faces: of people and their faces.
[[nodiscard]] std::string deepstack_json(const FrameResult& result, double min_confidence, bool only_faces);

}  // namespace throng
