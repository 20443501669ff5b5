#include "core/clocks/async_clocks.h"

#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"

namespace throng {

AsyncClocks::AsyncClocks(Options options) : options_(std::move(options)) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

AsyncClocks::~AsyncClocks() = default;

void AsyncClocks::request(const std::string& id) {
    {
        const std::lock_guard lock(mutex_);
        request_ = Request{id};
        status_.requested = id;
        status_.phase = ClockPhase::applying;
        ++status_.version;
    }
    changed_.notify_all();
}

void AsyncClocks::restore() {
    request({});
}

ClockStatus AsyncClocks::status() const {
    const std::lock_guard lock(mutex_);
    return status_;
}

void AsyncClocks::publish(const ClockController& controller) {
    ClockReading reading = controller.measure();
    std::vector<ResolvedProfile> profiles = controller.profiles();
    std::string location = controller.location();
    {
        const std::lock_guard lock(mutex_);
        if (status_.phase == ClockPhase::starting) {
            status_.phase = ClockPhase::idle;
            status_.board = controller.board();
            status_.kind = controller.kind();
            status_.recovered = controller.recovered();
        }
        status_.reading = std::move(reading);
        status_.profiles = std::move(profiles);
        status_.location = std::move(location);
        ++status_.version;
    }
    if (options_.wake) options_.wake();
}

void AsyncClocks::serve(ClockController& controller, const Request& request) {
    const auto start = std::chrono::steady_clock::now();
    ApplyResult result;
    try {
        result = request.id.empty() ? controller.restore() : controller.apply(request.id);
    } catch (const Error& error) {  // an unknown profile, a state file that cannot be written
        result = {ApplyStatus::rejected, error.where(), error.problem(), error.advice()};
    }
    const std::lock_guard lock(mutex_);
    status_.apply_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    status_.result = std::move(result);
    // A newer request is pending.
    if (request_) return;
    status_.phase = !status_.result.ok() ? ClockPhase::rejected
                    : request.id.empty() ? ClockPhase::idle
                                         : ClockPhase::applied;
}

void AsyncClocks::run(const std::stop_token& stop) {
    try {
        ClockController controller(options_.clocks);
        while (!stop.stop_requested()) {
            publish(controller);
            std::optional<Request> request;
            {
                std::unique_lock lock(mutex_);
                changed_.wait_for(lock, stop, options_.period, [this] { return request_.has_value(); });
                request = std::exchange(request_, std::nullopt);
            }
            if (request && !stop.stop_requested()) serve(controller, *request);
        }
    } catch (const std::exception& error) {
        spdlog::warn("clock control unavailable: {}", error.what());
        const std::lock_guard lock(mutex_);
        status_.phase = ClockPhase::rejected;
        status_.result = {ApplyStatus::unsupported, "clocks", error.what(), ""};
        ++status_.version;
    }
}

}  // namespace throng
