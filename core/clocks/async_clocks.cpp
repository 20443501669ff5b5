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
    const std::lock_guard lock(mutex_);
    requests_.push(id);
    status_.requested = id;
    status_.phase = ClockPhase::applying;
    ++status_.version;
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

void AsyncClocks::serve(ClockController& controller, const std::string& id) {
    ApplyResult result;
    try {
        result = id.empty() ? controller.restore() : controller.apply(id);
    } catch (const Error& error) {  // an unknown profile, a state file that cannot be written
        result = {ApplyStatus::rejected, error.where().text(), error.problem(), error.advice()};
    }
    const std::lock_guard lock(mutex_);
    status_.result = std::move(result);
    if (!requests_.empty()) return;  // a newer request is pending
    status_.phase = !status_.result.ok() ? ClockPhase::rejected : id.empty() ? ClockPhase::idle : ClockPhase::applied;
}

void AsyncClocks::run(const std::stop_token& stop) {
    try {
        ClockController controller(options_.clocks);
        while (!stop.stop_requested()) {
            publish(controller);
            std::string id;
            if (requests_.pop(id, stop, options_.period) == PopStatus::value) serve(controller, id);
        }
    } catch (const std::exception& error) {
        logger().warn("clock control unavailable: {}", error.what());
        const std::lock_guard lock(mutex_);
        status_.phase = ClockPhase::rejected;
        status_.result = {ApplyStatus::unsupported, "clocks", error.what(), ""};
        ++status_.version;
    }
}

}  // namespace throng
