#include "core/video/sources_ahead.h"

#include <exception>
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

SourcesAhead::SourcesAhead(std::vector<std::string> list, Open open, std::stop_token stop)
    : list_(std::move(list)), open_(std::move(open)), stop_(std::move(stop)) {
    close();
}

void SourcesAhead::open(std::size_t now, std::size_t early) {
    std::deque<Opening>& opened = openings_->list;
    for (std::size_t index = next_ + opened.size(); index < list_.size(); ++index) {
        const bool is_early = opened.size() >= now;
        if (is_early && (opened.size() >= now + early || !is_regular(list_[index]))) return;
        // Without a free thread, it is opened when it is taken.
        opened.push_back(
            {std::async(std::launch::async | std::launch::deferred, open_, index, openings_->source.get_token()),
             is_early});
    }
}

void SourcesAhead::close() {
    openings_.emplace(stop_);
}

bool SourcesAhead::wait(std::chrono::milliseconds timeout) const {
    return openings_->list.front().source.wait_for(timeout) != std::future_status::timeout;
}

std::unique_ptr<VideoSource> SourcesAhead::take() {
    std::deque<Opening>& opened = openings_->list;
    Opening first = std::move(opened.front());
    opened.pop_front();
    const std::size_t index = next_++;
    try {
        return first.source.get();
    } catch (const std::exception&) {
        if (!first.early) throw;
    }
    while (!opened.empty() && opened.back().early) opened.pop_back();
    return open_(index, openings_->source.get_token());
}

}  // namespace throng
