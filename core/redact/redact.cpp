#include "core/redact/redact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/redact/box_check.h"

namespace throng {
namespace {

constexpr int kMaxChannels = 4;
constexpr float kMaxCoordinate = 0x1p24F;  // larger ones are clamped: an int holds twice their sum

// The mean colors of one region in one plane, row by row.
struct Grid {
    RedactAxis x, y;
    std::array<std::uint8_t, std::size_t{kRedactCells} * kRedactCells * kMaxChannels> cells;

    [[nodiscard]] int at(int cell_x, int cell_y, int channel) const {
        return cells[static_cast<std::size_t>((cell_y * kRedactCells + cell_x) * kMaxChannels + channel)];
    }
};

int whole_pixel(float value) {
    return static_cast<int>(std::clamp(value, -kMaxCoordinate, kMaxCoordinate));
}

int num_cells(int pixels, RedactStyle style) {
    return style == RedactStyle::solid ? 1 : std::clamp(pixels / kRedactMinCell, 1, kRedactCells);
}

void finish_shape(RedactShape& shape, RedactStyle style) {
    shape.cells_x = num_cells(shape.clip_right - shape.clip_left, style);
    shape.cells_y = num_cells(shape.clip_bottom - shape.clip_top, style);
    shape.inverse_width = 1.0F / static_cast<float>(shape.right - shape.left);
    shape.inverse_height = 1.0F / static_cast<float>(shape.bottom - shape.top);
}

RedactShape whole_frame(int width, int height, RedactStyle style) {
    RedactShape shape;
    shape.right = shape.clip_right = width;
    shape.bottom = shape.clip_bottom = height;
    shape.is_whole = true;
    finish_shape(shape, style);
    return shape;
}

}  // namespace

// The sums of the samples of one region in one plane, by cell, in which the rows are added in any parts.
struct CellSums {
    RedactAxis x, y;
    std::array<std::uint64_t, std::size_t{kRedactCells} * kRedactCells * kMaxChannels> cells{};

    CellSums(const RedactPlane& plane, const RedactShape& shape)
        : x(redact_axis(shape.clip_left, shape.clip_right, shape.cells_x, plane.shift)),
          y(redact_axis(shape.clip_top, shape.clip_bottom, shape.cells_y, plane.shift)) {}

    [[nodiscard]] std::uint64_t* cell(int cell_x, int cell_y, int channels) {
        return cells.data() + (std::ptrdiff_t{cell_y} * x.cells + cell_x) * channels;
    }
};

namespace {

// The functions below are compiled for each number of channels, so that the innermost loops are short.
// Adds the rows [begin, end) of the plane.
template <int channels>
void add_rows(const RedactPlane& plane, int begin, int end, CellSums& sums) {
    for (int cell_y = 0; cell_y < sums.y.cells; ++cell_y) {
        const int top = std::max(redact_cell_begin(sums.y, cell_y), begin);
        const int bottom = std::min(redact_cell_begin(sums.y, cell_y + 1), end);
        for (int cell_x = 0; top < bottom && cell_x < sums.x.cells; ++cell_x) {
            const int left = redact_cell_begin(sums.x, cell_x);
            const int right = redact_cell_begin(sums.x, cell_x + 1);
            std::uint64_t* const cell = sums.cell(cell_x, cell_y, channels);
            for (int y = top; y < bottom; ++y) {
                const std::uint8_t* sample = plane.data + plane.pitch * y + std::ptrdiff_t{left} * plane.step;
                std::array<std::uint32_t, channels> row{};  // at most 2^24 samples
                for (int x = left; x < right; ++x, sample += plane.step) {
                    for (std::size_t c = 0; c < channels; ++c) row[c] += sample[c];
                }
                for (std::size_t c = 0; c < channels; ++c) cell[c] += row[c];
            }
        }
    }
}

Grid means_of(CellSums& sums, int channels) {
    Grid grid{sums.x, sums.y, {}};
    for (int cell_y = 0; cell_y < grid.y.cells; ++cell_y) {
        const int height = redact_cell_begin(grid.y, cell_y + 1) - redact_cell_begin(grid.y, cell_y);
        for (int cell_x = 0; cell_x < grid.x.cells; ++cell_x) {
            const int width = redact_cell_begin(grid.x, cell_x + 1) - redact_cell_begin(grid.x, cell_x);
            const auto count = static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
            const std::uint64_t* const cell = sums.cell(cell_x, cell_y, channels);
            for (int c = 0; c < channels; ++c) {
                grid.cells[static_cast<std::size_t>((cell_y * kRedactCells + cell_x) * kMaxChannels + c)] =
                    redact_mean(cell[c], count);
            }
        }
    }
    return grid;
}

}  // namespace

// Buffers of draw, reused for all regions of a frame.
struct DrawScratch {
    std::vector<RedactTaps> taps;    // per column
    std::vector<std::uint8_t> line;  // the colors of one row
};

namespace {

// Writes the colors of columns [from, to) of row y into scratch.line, which begins with column grid.x.begin.
template <int channels>
void color_row(const Grid& grid, RedactStyle style, int y, int from, int to, DrawScratch& scratch) {
    std::uint8_t* out = scratch.line.data() + std::ptrdiff_t{from - grid.x.begin} * channels;
    if (style != RedactStyle::blur) {
        const int cell_y = redact_cell_of(grid.y, y);
        for (int x = from; x < to;) {
            const int cell_x = redact_cell_of(grid.x, x);
            const int end = std::min(redact_cell_begin(grid.x, cell_x + 1), to);
            for (; x < end; ++x) {
                for (int c = 0; c < channels; ++c) *out++ = static_cast<std::uint8_t>(grid.at(cell_x, cell_y, c));
            }
        }
        return;
    }
    const RedactTaps down = redact_taps(grid.y, y);
    std::array<std::array<int, channels>, kRedactCells> columns{};
    for (int cell_x = 0; cell_x < grid.x.cells; ++cell_x) {
        for (int c = 0; c < channels; ++c) {
            columns[static_cast<std::size_t>(cell_x)][static_cast<std::size_t>(c)] =
                redact_blend_column(grid.at(cell_x, down.cell[0], c), grid.at(cell_x, down.cell[1], c),
                                    grid.at(cell_x, down.cell[2], c), down);
        }
    }
    for (int x = from; x < to; ++x) {
        const RedactTaps& across = scratch.taps[static_cast<std::size_t>(x - grid.x.begin)];
        const auto& a = columns[static_cast<std::size_t>(across.cell[0])];
        const auto& b = columns[static_cast<std::size_t>(across.cell[1])];
        const auto& d = columns[static_cast<std::size_t>(across.cell[2])];
        for (std::size_t c = 0; c < channels; ++c) {
            *out++ = static_cast<std::uint8_t>(redact_blend_row(a[c], b[c], d[c], across));
        }
    }
}

// Draws the rows [begin, end) of the plane.
template <int channels>
void draw(const RedactPlane& plane, int begin, int end, const RedactShape& shape, const Grid& grid, RedactStyle style,
          DrawScratch& scratch) {
    begin = std::max(begin, grid.y.begin);
    end = std::min(end, grid.y.end);
    if (begin >= end) return;
    const auto width = static_cast<std::size_t>(grid.x.end - grid.x.begin);
    scratch.line.resize(width * channels);
    if (style == RedactStyle::blur) {
        scratch.taps.resize(width);
        for (std::size_t i = 0; i < width; ++i) {
            scratch.taps[i] = redact_taps(grid.x, grid.x.begin + static_cast<int>(i));
        }
    }
    for (int y = begin; y < end; ++y) {
        const float offset_y = redact_offset(y, plane.shift, shape.top, shape.bottom, shape.inverse_height);
        const auto opacity_at = [&](int x) {
            if (shape.is_whole) return kOpaque;
            return redact_opacity(redact_offset(x, plane.shift, shape.left, shape.right, shape.inverse_width),
                                  offset_y);
        };
        // Along a row the opacity rises, stays at its maximum, and falls: [from, to) changes, [core, core_end) is
        // opaque.
        int from = grid.x.begin;
        int to = grid.x.end;
        while (from < to && opacity_at(from) == 0) ++from;
        while (to > from && opacity_at(to - 1) == 0) --to;
        if (from == to) continue;
        color_row<channels>(grid, style, y, from, to, scratch);
        std::uint8_t* const row = plane.data + plane.pitch * y;
        const auto color = [&](int x) { return scratch.line.data() + std::ptrdiff_t{x - grid.x.begin} * channels; };
        const auto mix = [&](int x, int opacity) {
            std::uint8_t* const sample = row + std::ptrdiff_t{x} * plane.step;
            for (int c = 0; c < channels; ++c) sample[c] = redact_mix(sample[c], color(x)[c], opacity);
        };
        int core = from;
        for (; core < to; ++core) {
            const int opacity = opacity_at(core);
            if (opacity == kOpaque) break;
            mix(core, opacity);
        }
        int core_end = to;
        for (; core_end > core; --core_end) {
            const int opacity = opacity_at(core_end - 1);
            if (opacity == kOpaque) break;
            mix(core_end - 1, opacity);
        }
        if (plane.step == channels) {
            std::memcpy(row + std::ptrdiff_t{core} * channels, color(core),
                        static_cast<std::size_t>(core_end - core) * channels);
            continue;
        }
        for (int x = core; x < core_end; ++x) {
            std::memcpy(row + std::ptrdiff_t{x} * plane.step, color(x), channels);
        }
    }
}

// Calls work with the number of channels as a constant.
template <class Work>
void with_channels(int channels, const Work& work) {
    switch (channels) {
        case 1: return work(std::integral_constant<int, 1>());
        case 2: return work(std::integral_constant<int, 2>());
        case 3: return work(std::integral_constant<int, 3>());
        default: return work(std::integral_constant<int, kMaxChannels>());
    }
}

std::vector<CellSums> sums_of(const RedactPlane& plane, const std::vector<RedactShape>& shapes) {
    std::vector<CellSums> sums;
    sums.reserve(shapes.size());
    for (const RedactShape& shape : shapes) sums.emplace_back(plane, shape);
    return sums;
}

void measure_rows(const RedactPlane& plane, int begin, int end, std::vector<CellSums>& sums) {
    with_channels(plane.channels, [&](auto channels) {
        for (CellSums& each : sums) add_rows<channels>(plane, begin, end, each);
    });
}

void draw_rows(const RedactPlane& plane, int begin, int end, const std::vector<RedactShape>& shapes,
               std::vector<CellSums>& sums, RedactStyle style, DrawScratch& scratch) {
    with_channels(plane.channels, [&](auto channels) {
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            if (begin >= sums[i].y.end || end <= sums[i].y.begin) continue;
            draw<channels>(plane, begin, end, shapes[i], means_of(sums[i], channels), style, scratch);
        }
    });
}

}  // namespace

RedactRegions scaled(RedactRegions regions, float scale_x, float scale_y) {
    for (Box& box : regions.boxes) box = {box.x * scale_x, box.y * scale_y, box.w * scale_x, box.h * scale_y};
    return regions;
}

RedactImage redact_image(WritableFrame& frame) {
    const FrameInfo& info = frame.info();
    RedactImage image{info.width, info.height, plane_count(info.format), {}};
    for (int p = 0; p < image.num_planes; ++p) {
        const PlaneView& view = frame.plane(p);
        RedactPlane& plane = image.planes[p];
        if (info.format == PixelFormat::bgr24) plane.step = plane.channels = 3;
        if (info.format == PixelFormat::nv12 && p == 1) plane.step = plane.channels = 2;
        plane.data = frame.data(p);
        plane.pitch = view.pitch;
        plane.width = view.width / plane.step;
        plane.height = view.height;
        plane.shift = p == 0 ? 0 : 1;
    }
    return image;
}

RedactImage bgra_image(std::uint8_t* pixels, std::ptrdiff_t pitch, int width, int height) {
    return {width, height, 1, {{pixels, pitch, width, height, 4, 3, 0}}};
}

std::vector<RedactShape> redact_shapes(int width, int height, const RedactRegions& regions,
                                       const RedactOptions& options) {
    if (regions.whole || !std::all_of(regions.boxes.begin(), regions.boxes.end(), is_judged)) {
        return {whole_frame(width, height, options.style)};
    }
    std::vector<RedactShape> shapes;
    for (const Box& box : regions.boxes) {
        const float margin_x = options.margin * box.w;
        const float margin_y = options.margin * box.h;
        RedactShape shape;
        shape.left = whole_pixel(std::floor(box.x - margin_x));
        shape.top = whole_pixel(std::floor(box.y - margin_y));
        shape.right = std::max(whole_pixel(std::ceil(box.x + box.w + margin_x)), shape.left + 1);
        shape.bottom = std::max(whole_pixel(std::ceil(box.y + box.h + margin_y)), shape.top + 1);
        shape.clip_left = std::max(shape.left, 0);
        shape.clip_top = std::max(shape.top, 0);
        shape.clip_right = std::min(shape.right, width);
        shape.clip_bottom = std::min(shape.bottom, height);
        if (shape.clip_left >= shape.clip_right || shape.clip_top >= shape.clip_bottom) continue;
        finish_shape(shape, options.style);
        shapes.push_back(shape);
    }
    return shapes;
}

void redact(const RedactImage& image, const RedactRegions& regions, const RedactOptions& options) {
    const std::vector<RedactShape> shapes = redact_shapes(image.width, image.height, regions, options);
    DrawScratch scratch;
    for (int p = 0; p < image.num_planes; ++p) {
        const RedactPlane& plane = image.planes[p];
        std::vector<CellSums> sums = sums_of(plane, shapes);
        measure_rows(plane, 0, plane.height, sums);
        draw_rows(plane, 0, plane.height, shapes, sums, options.style, scratch);
    }
}

struct StripRedactor::State {
    RedactPlane plane;
    RedactStyle style;
    std::vector<RedactShape> shapes;
    std::vector<CellSums> sums;
    DrawScratch scratch{};
    int measured = 0;  // rows
    int redacted = 0;

    // Returns the plane of the whole image, of which only the rows from `first` on can be read.
    [[nodiscard]] RedactPlane plane_at(const std::uint8_t* rows, std::ptrdiff_t pitch, int first) const {
        RedactPlane whole = plane;
        whole.pitch = pitch;
        whole.data = reinterpret_cast<std::uint8_t*>(reinterpret_cast<std::intptr_t>(rows) - first * pitch);
        return whole;
    }
};

StripRedactor::StripRedactor(PixelFormat format, int width, int height, const RedactRegions& regions,
                             const RedactOptions& options) {
    const int channels = format == PixelFormat::gray8 ? 1 : 3;
    const RedactPlane plane{nullptr, 0, width, height, channels, channels, 0};
    std::vector<RedactShape> shapes = redact_shapes(width, height, regions, options);
    std::vector<CellSums> sums = sums_of(plane, shapes);
    state_ = std::make_unique<State>(State{plane, options.style, std::move(shapes), std::move(sums)});
}

StripRedactor::~StripRedactor() = default;

void StripRedactor::measure(const PlaneView& rows) {
    const int first = state_->measured;
    state_->measured += rows.height;
    measure_rows(state_->plane_at(rows.data, rows.pitch, first), first, state_->measured, state_->sums);
}

void StripRedactor::redact(std::uint8_t* rows, std::ptrdiff_t pitch, int height) {
    const int first = state_->redacted;
    state_->redacted += height;
    draw_rows(state_->plane_at(rows, pitch, first), first, state_->redacted, state_->shapes, state_->sums,
              state_->style, state_->scratch);
}

Frame redacted(const Frame& frame, const RedactRegions& regions, const RedactOptions& options, FramePool& pool) {
    const Frame host = frame.on_host();
    WritableFrame copy = pool.take(host.info().format, host.width(), host.height());
    for (int p = 0; p < plane_count(host.info().format); ++p) {
        const PlaneView& from = host.plane(p);
        for (int y = 0; y < from.height; ++y) {
            std::memcpy(copy.data(p) + copy.plane(p).pitch * y, from.data + from.pitch * y,
                        static_cast<std::size_t>(from.width));
        }
    }
    copy.info() = host.info();
    copy.info().memory = MemoryKind::host;
    redact(redact_image(copy), regions, options);
    return std::move(copy).finish();
}

void draw_redaction_mask(int width, int height, const RedactRegions& regions, const RedactOptions& options,
                         std::vector<std::uint8_t>& mask) {
    mask.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0);
    for (const RedactShape& shape : redact_shapes(width, height, regions, options)) {
        for (int y = shape.clip_top; y < shape.clip_bottom; ++y) {
            const float offset_y = redact_offset(y, 0, shape.top, shape.bottom, shape.inverse_height);
            std::uint8_t* row = mask.data() + static_cast<std::ptrdiff_t>(y) * width;
            for (int x = shape.clip_left; x < shape.clip_right; ++x) {
                const float offset_x = redact_offset(x, 0, shape.left, shape.right, shape.inverse_width);
                const int opacity = shape.is_whole ? kOpaque : redact_opacity(offset_x, offset_y);
                const int value = opacity == kOpaque ? 255 : std::min(opacity, 254);
                row[x] = std::max(row[x], static_cast<std::uint8_t>(value));
            }
        }
    }
}

}  // namespace throng
