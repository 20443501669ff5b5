#include "core/sinks/occupancy_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/base/csv.h"
#include "core/base/output_file.h"
#include "core/frame/frame_pool.h"
#include "core/video/image_writer.h"

namespace throng {
namespace {

struct HeatColor {
    double b, g, r;
};

// Of equal steps from 0 to 1. Lightness grows all the way, so that gray copies can be read, too.
constexpr HeatColor kHeat[] = {{4, 0, 0}, {110, 15, 60}, {95, 45, 150}, {55, 85, 215}, {20, 155, 250}, {160, 250, 250}};

void paint(double share, std::uint8_t* pixel) {
    constexpr double kSteps = std::size(kHeat) - 1;
    const double at = std::clamp(share, 0.0, 1.0) * kSteps;
    const auto below = static_cast<std::size_t>(std::min(at, kSteps - 1));
    const double t = at - static_cast<double>(below);
    const HeatColor& a = kHeat[below];
    const HeatColor& b = kHeat[below + 1];
    const auto mix = [t](double from, double to) {
        return static_cast<std::uint8_t>(std::lround(from + t * (to - from)));
    };
    pixel[0] = mix(a.b, b.b);
    pixel[1] = mix(a.g, b.g);
    pixel[2] = mix(a.r, b.r);
}

}  // namespace

Frame draw_occupancy(const OccupancyGrid& grid) {
    double most = 0;
    for (int row = 0; row < grid.rows(); ++row) {
        for (int column = 0; column < grid.columns(); ++column) most = std::max(most, grid.seconds(column, row));
    }
    WritableFrame frame = FramePool(0).take(PixelFormat::bgr24, grid.width(), grid.height());
    for (int row = 0; row < grid.rows(); ++row) {
        for (int y = grid.y(row); y < grid.y(row + 1); ++y) {
            std::uint8_t* pixels = frame.data(0) + static_cast<std::ptrdiff_t>(frame.plane(0).pitch) * y;
            for (int column = 0; column < grid.columns(); ++column) {
                std::uint8_t color[3];
                paint(most > 0 ? grid.seconds(column, row) / most : 0, color);
                for (int x = grid.x(column); x < grid.x(column + 1); ++x) {
                    std::memcpy(pixels + std::ptrdiff_t{3} * x, color, sizeof(color));
                }
            }
        }
    }
    return std::move(frame).finish();
}

OccupancySink::OccupancySink(std::string path, std::stop_token stop) : path_(std::move(path)), stop_(std::move(stop)) {
    check_output_path(path_);
}

void OccupancySink::write(const FrameResult& result) {
    const auto [source, is_new] = sources_.try_emplace(result.source_number);
    if (is_new) source->second.name = result.source;
    const FrameInfo& info = result.frame.info();
    source->second.grid.update(result.tracks, info.pts, info.width, info.height);
}

std::string OccupancySink::csv() const {
    std::string text = "source,source_number,x,y,width,height,seconds\n";
    for (const auto& [number, source] : sources_) {
        const OccupancyGrid& grid = source.grid;
        for (int row = 0; row < grid.rows(); ++row) {
            const int y = grid.y(row);
            for (int column = 0; column < grid.columns(); ++column) {
                const double seconds = grid.seconds(column, row);
                if (seconds == 0) continue;
                const int x = grid.x(column);
                text += fmt::format("{},{},{},{},{},{},{:.3f}\n", csv_cell(source.name), number, x, y,
                                    grid.x(column + 1) - x, grid.y(row + 1) - y, seconds);
            }
        }
    }
    return text;
}

void OccupancySink::close() {
    if (sources_.empty()) return;
    if (can_write_image(path_)) {
        write_image(path_, draw_occupancy(sources_.begin()->second.grid));
    } else {
        write_file(path_, csv(), stop_);
    }
    sources_.clear();
}

}  // namespace throng
