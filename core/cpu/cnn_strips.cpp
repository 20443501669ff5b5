#include "core/cpu/cnn_strips.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "core/base/error.h"

namespace throng {
namespace {

// The numbers of the passes of one scale that lie one below the other.
using Column = std::vector<std::size_t>;

std::vector<Column> columns_of(const std::vector<CnnPass>& passes) {
    std::map<std::tuple<float, float, float>, std::size_t> number;
    std::vector<Column> columns;
    for (std::size_t i = 0; i < passes.size(); ++i) {
        const auto& placement = passes[i].placement;
        // In a narrow frame, several scales have the same width.
        const auto [at, is_new] =
            number.emplace(std::tuple(placement.scale_x, placement.scale_y, placement.origin_x), columns.size());
        if (is_new) columns.emplace_back();
        columns[at->second].push_back(i);
    }
    return columns;
}

std::size_t floats_of(const CnnPass& pass) {
    return 3 * static_cast<std::size_t>(pass.width) * static_cast<std::size_t>(pass.height);
}

// Returns the bytes of the input that is made, and of the part of the next one that overlaps it.
std::size_t bytes_of(const Column& column, const std::vector<CnnPass>& passes) {
    std::size_t floats = 0;
    for (const std::size_t pass : column) floats = std::max(floats, floats_of(passes[pass]));
    return floats * sizeof(float) * 4 / 3;
}

// The rows of a frame that are still needed, and those that were read last.
class RowWindow {
public:
    explicit RowWindow(const Frame& frame) : frame_(frame), reader_(frame.rows()->open()) {
        shape_ = plane_shape(frame.info().format, frame.width(), frame.height(), 0);
    }

    [[nodiscard]] int end() const noexcept { return end_; }

    // Drops the rows before `first`, and reads more.
    void advance(int first) {
        if (first < first_) throw Error(ErrorKind::internal, "rows were dropped that are needed");
        const auto row = static_cast<std::ptrdiff_t>(shape_.width);
        rows_.erase(rows_.begin(), rows_.begin() + (std::min(first, end_) - first_) * row);
        first_ = std::min(first, end_);
        const PlaneView strip = reader_->next();
        for (int y = 0; y < strip.height; ++y) {
            rows_.insert(rows_.end(), strip.data + y * strip.pitch, strip.data + y * strip.pitch + row);
        }
        end_ += strip.height;
    }

    // Returns the whole frame, of which only the rows of the window can be read.
    [[nodiscard]] Frame view() const {
        PlaneView planes[Frame::kMaxPlanes];
        planes[0] = shape_;
        planes[0].pitch = shape_.width;
        const auto skipped = static_cast<std::uintptr_t>(first_) * static_cast<std::uintptr_t>(shape_.width);
        planes[0].data =
            reinterpret_cast<const std::uint8_t*>(reinterpret_cast<std::uintptr_t>(rows_.data()) - skipped);
        return {frame_.info(), planes, nullptr};
    }

private:
    const Frame& frame_;
    std::unique_ptr<RowReader> reader_;
    PlaneView shape_;
    std::vector<std::uint8_t> rows_;
    int first_ = 0;
    int end_ = 0;
};

// An input that is being made.
struct OpenInput {
    std::size_t pass;
    CnnAxis down;
    std::unique_ptr<float[]> floats;
    CnnPlanes planes;
    CnnInputMaker maker{};
    int next = 0;  // row

    [[nodiscard]] int first_needed() const { return cnn_tap(down, next, 0).near; }
};

OpenInput open_input(std::size_t number, const CnnPass& pass, int height) {
    OpenInput input{
        number, vertical_axis(pass, height, false), std::make_unique_for_overwrite<float[]>(floats_of(pass)), {}};
    input.planes = {input.floats.get(), pass.width, std::ptrdiff_t{pass.width} * pass.height};
    return input;
}

}  // namespace

void make_strip_inputs(const Frame& frame, const std::vector<CnnPass>& passes, const NetworkInput& input,
                       ThreadPool& pool, StageRecorder& recorder,
                       const std::function<void(std::size_t pass, const CnnPlanes& planes)>& on_input,
                       std::size_t max_bytes) {
    std::vector<Column> waiting = columns_of(passes);
    while (!waiting.empty()) {
        // The columns that are made while the frame is read once.
        std::vector<Column> columns;
        std::size_t bytes = 0;
        std::erase_if(waiting, [&](Column& column) {
            const std::size_t of_column = bytes_of(column, passes);
            if (!columns.empty() && bytes + of_column > max_bytes) return false;
            bytes += of_column;
            std::reverse(column.begin(), column.end());  // the next one is the last
            columns.push_back(std::move(column));
            return true;
        });
        RowWindow window(frame);
        std::list<OpenInput> open;
        while (window.end() < frame.height()) {
            int needed = window.end();
            for (const OpenInput& each : open) needed = std::min(needed, each.first_needed());
            {
                const ScopedStage stage(recorder, stage::kPreprocess);
                window.advance(needed);
            }
            for (Column& column : columns) {
                for (; !column.empty(); column.pop_back()) {
                    const CnnPass& pass = passes[column.back()];
                    if (cnn_tap(vertical_axis(pass, frame.height(), false), 0, 0).near >= window.end()) break;
                    open.push_back(open_input(column.back(), pass, frame.height()));
                }
            }
            const Frame view = window.view();
            for (auto each = open.begin(); each != open.end();) {
                const CnnPass& pass = passes[each->pass];
                int end = each->next;
                while (end < pass.content_height &&
                       cnn_tap(each->down, end, each->down.samples - 1).far < window.end()) {
                    ++end;
                }
                const bool complete = end == pass.content_height;
                {
                    const ScopedStage stage(recorder, stage::kPreprocess);
                    if (complete) end = pass.height;  // and the padding
                    each->maker.make_rows(view, pass, input, pool, each->planes, each->next, end);
                    each->next = end;
                }
                if (complete) on_input(each->pass, each->planes);
                each = complete ? open.erase(each) : std::next(each);
            }
        }
    }
}

}  // namespace throng
