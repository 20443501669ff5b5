#include "core/cpu/cnn_input.h"

#include <algorithm>
#include <cstddef>

namespace throng {
namespace {

constexpr int kRowsATask = 16;

// One channel of a plane of 8-bit samples. Sample x of a row lies at x * step.
struct Channel {
    const PlaneView* plane;
    int first = 0;
    int step = 1;
    bool subsampled = false;

    [[nodiscard]] const std::uint8_t* row(int y) const { return plane->data + y * plane->pitch + first; }
};

// Sets the channels of a pixel: Y; Y, U, V; or blue, green, red. Returns their number.
int channels_of(const Frame& frame, Channel (&channels)[3]) {
    switch (frame.info().format) {
        case PixelFormat::gray8: channels[0] = {&frame.plane(0)}; return 1;
        case PixelFormat::nv12:
            channels[0] = {&frame.plane(0)};
            channels[1] = {&frame.plane(1), 0, 2, true};
            channels[2] = {&frame.plane(1), 1, 2, true};
            return 3;
        case PixelFormat::yuv420p:
            channels[0] = {&frame.plane(0)};
            channels[1] = {&frame.plane(1), 0, 1, true};
            channels[2] = {&frame.plane(2), 0, 1, true};
            return 3;
        case PixelFormat::bgr24:
            for (int c = 0; c < 3; ++c) channels[c] = {&frame.plane(0), c, 3};
            return 3;
    }
    return 0;
}

std::vector<CnnTap>& fill_taps(std::vector<CnnTap>& taps, const CnnAxis& axis, int count) {
    taps.clear();
    for (int sample = 0; sample < axis.samples; ++sample) {
        for (int x = 0; x < count; ++x) taps.push_back(cnn_tap(axis, x, sample));
    }
    return taps;
}

// Computes the horizontal half of cnn_bilinear for a whole row.
void interpolate_row(const std::uint8_t* row, std::ptrdiff_t step, const CnnTap* taps, std::size_t count, float* out) {
    for (std::size_t i = 0; i < count; ++i) {
        const CnnTap tap = taps[i];
        const float a = row[tap.near * step];
        const float b = row[tap.far * step];
        out[i] = a + (b - a) * tap.weight;
    }
}

// Does the same if every tap is one sample and the next tap is its neighbor: native resolution.
template <int kStep>
void copy_row(const std::uint8_t* row, std::size_t count, float* out) {
    for (std::size_t i = 0; i < count; ++i) out[i] = row[i * kStep];
}

// Returns true if all taps have weight 0 and are one sample apart.
bool is_copy(const CnnTap* taps, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        if (taps[i].weight != 0.0F || taps[i].near != taps[0].near + static_cast<int>(i)) return false;
    }
    return count > 0;
}

// Adds the vertical half of cnn_bilinear to sum.
void add_rows(const float* above, const float* below, float weight, int count, float* sum) {
    if (weight == 0.0F) {
        for (int x = 0; x < count; ++x) sum[x] += above[x];
        return;
    }
    for (int x = 0; x < count; ++x) sum[x] += above[x] + (below[x] - above[x]) * weight;
}

void divide(float* values, int count, float divisor) {
    if (divisor == 1.0F) return;
    for (int x = 0; x < count; ++x) values[x] /= divisor;
}

}  // namespace

// Computes the input rows of one pass and holds the state that they share.
class CnnInputRows {
public:
    CnnInputRows(const Frame& frame, const CnnPass& pass, const NetworkInput& input, CnnInputMaker& maker,
                 float* planes)
        : pass_(pass), input_(input), color_(cnn_color_of(frame.info())), planes_(planes) {
        count_ = channels_of(frame, channels_);
        colors_ = frame.info().format == PixelFormat::bgr24;
        const PlaneView luma = plane_shape(PixelFormat::gray8, frame.width(), frame.height(), 0);
        across_ = horizontal_axis(pass, luma.width, false);
        down_ = vertical_axis(pass, luma.height, false);
        fill_taps(maker.luma_taps_, across_, pass.content_width);
        taps_[0] = taps_[1] = taps_[2] = maker.luma_taps_.data();
        if (count_ == 3 && !colors_) {
            chroma_down_ = vertical_axis(pass, (luma.height + 1) / 2, true);
            fill_taps(maker.chroma_taps_, horizontal_axis(pass, (luma.width + 1) / 2, true), pass.content_width);
            taps_[1] = taps_[2] = maker.chroma_taps_.data();
        }
        width_ = static_cast<std::size_t>(pass.content_width);
        copies_ = across_.samples == 1 && is_copy(taps_[0], width_);
    }

    void start(CnnInputMaker::Worker& worker) const {
        for (int c = 0; c < count_; ++c) {
            CnnInputMaker::Worker::Plane& plane = worker.plane[c];
            plane.row[0] = plane.row[1] = -1;
            for (auto& rows : plane.rows) rows.resize(width_ * static_cast<std::size_t>(across_.samples));
        }
        for (auto& mean : worker.mean) mean.resize(width_);
    }

    void make(int y, CnnInputMaker::Worker& worker) const {
        float* out[3];
        for (int c = 0; c < 3; ++c) {
            out[c] = planes_ + (static_cast<std::ptrdiff_t>(c) * pass_.height + y) * pass_.width;
        }
        const int content = y < pass_.content_height ? pass_.content_width : 0;
        if (content > 0) {
            for (int c = 0; c < count_; ++c) average(y, c, worker);
            convert(worker, out);
        }
        const float padding = cnn_normalize(0.0F, input_.mean, input_.scale);
        for (float* row : out) std::fill(row + content, row + pass_.width, padding);
    }

private:
    // Computes the means of channel c over the samples of each pixel of input row y.
    void average(int y, int c, CnnInputMaker::Worker& worker) const {
        float* mean = worker.mean[c].data();
        std::fill_n(mean, width_, 0.0F);
        const CnnAxis& down = channels_[c].subsampled ? chroma_down_ : down_;
        for (int j = 0; j < down.samples; ++j) {
            const CnnTap tap = cnn_tap(down, y, j);
            const float* above = interpolated(tap.near, c, worker);
            const float* below = interpolated(tap.far, c, worker);
            for (int i = 0; i < across_.samples; ++i) {
                add_rows(above + static_cast<std::size_t>(i) * width_, below + static_cast<std::size_t>(i) * width_,
                         tap.weight, pass_.content_width, mean);
            }
        }
        divide(mean, pass_.content_width, static_cast<float>(across_.samples * down.samples));
    }

    // Returns row y of the channel's plane after the horizontal pass. A row and the next one use different slots.
    const float* interpolated(int y, int c, CnnInputMaker::Worker& worker) const {
        CnnInputMaker::Worker::Plane& plane = worker.plane[c];
        const int slot = y & 1;
        float* out = plane.rows[slot].data();
        if (plane.row[slot] != y) {
            plane.row[slot] = y;
            const Channel& channel = channels_[c];
            const std::uint8_t* row = channel.row(y);
            if (!copies_ || channel.subsampled) {
                interpolate_row(row, channel.step, taps_[c], width_ * static_cast<std::size_t>(across_.samples), out);
            } else if (channel.step == 1) {
                copy_row<1>(row + taps_[c]->near, width_, out);
            } else {
                copy_row<3>(row + std::ptrdiff_t{3} * taps_[c]->near, width_, out);
            }
        }
        return out;
    }

    void convert(const CnnInputMaker::Worker& worker, float* const (&out)[3]) const {
        float* blue = input_.rgb ? out[2] : out[0];
        float* green = out[1];
        float* red = input_.rgb ? out[0] : out[2];
        const float mean = input_.mean;
        const float scale = input_.scale;
        const float* a = worker.mean[0].data();
        const float* b = worker.mean[1].data();
        const float* c = worker.mean[2].data();
        if (colors_) {
            for (std::size_t x = 0; x < width_; ++x) {
                blue[x] = cnn_normalize(a[x], mean, scale);
                green[x] = cnn_normalize(b[x], mean, scale);
                red[x] = cnn_normalize(c[x], mean, scale);
            }
        } else if (count_ == 1) {
            for (std::size_t x = 0; x < width_; ++x) {
                blue[x] = green[x] = red[x] = cnn_normalize(cnn_gray(color_, a[x]), mean, scale);
            }
        } else {
            for (std::size_t x = 0; x < width_; ++x) {
                const CnnPixel pixel = cnn_color(color_, a[x], b[x], c[x]);
                blue[x] = cnn_normalize(pixel.blue, mean, scale);
                green[x] = cnn_normalize(pixel.green, mean, scale);
                red[x] = cnn_normalize(pixel.red, mean, scale);
            }
        }
    }

    const CnnPass& pass_;
    const NetworkInput& input_;
    CnnColor color_;
    float* planes_;
    Channel channels_[3];
    int count_ = 0;
    bool colors_ = false;
    CnnAxis across_, down_, chroma_down_;
    const CnnTap* taps_[3] = {};
    std::size_t width_ = 0;  // of the content
    bool copies_ = false;    // the horizontal pass copies planes that are not subsampled
};

void CnnInputMaker::make(const Frame& frame, const CnnPass& pass, const NetworkInput& input, ThreadPool& pool,
                         float* planes) {
    const CnnInputRows rows(frame, pass, input, *this, planes);
    workers_.resize(static_cast<std::size_t>(pool.size()));
    for (Worker& worker : workers_) rows.start(worker);
    const int tasks = (pass.height + kRowsATask - 1) / kRowsATask;
    pool.run(tasks, [&](int task, int worker) {
        const int last = std::min((task + 1) * kRowsATask, pass.height);
        for (int y = task * kRowsATask; y < last; ++y) rows.make(y, workers_[static_cast<std::size_t>(worker)]);
    });
}

}  // namespace throng
