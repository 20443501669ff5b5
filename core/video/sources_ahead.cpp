#include "core/video/sources_ahead.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "core/video/url.h"

namespace throng {
namespace {

bool is_regular(const std::string& spec) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(file_url_path(spec).value_or(spec), ignored);
}

}  // namespace

SourcesAhead::SourcesAhead(std::vector<std::string> list, Open open, const std::stop_token& stop)
    : list_(std::move(list)), open_(std::move(open)), stop_callback_(stop, [this] { stop_.request_stop(); }) {}

SourcesAhead::~SourcesAhead() {
    stop_.request_stop();
}

void SourcesAhead::open(std::size_t now, std::size_t early) {
    for (std::size_t index = next_ + opened_.size(); index < list_.size(); ++index) {
        const bool is_early = opened_.size() >= now;
        if (is_early && (opened_.size() >= now + early || !is_regular(list_[index]))) return;
        // Without a free thread, it is opened when it is taken.
        opened_.push_back(std::async(std::launch::async | std::launch::deferred, open_, index, stop_.get_token()));
    }
}

void SourcesAhead::close() {
    opened_.clear();
}

bool SourcesAhead::wait(std::chrono::milliseconds timeout) const {
    return opened_.front().wait_for(timeout) != std::future_status::timeout;
}

std::unique_ptr<VideoSource> SourcesAhead::take() {
    std::future<std::unique_ptr<VideoSource>> first = std::move(opened_.front());
    opened_.pop_front();
    ++next_;
    return first.get();
}

}  // namespace throng
