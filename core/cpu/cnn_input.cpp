#include "core/cpu/cnn_input.h"

#include <algorithm>
#include <cstddef>

#include "core/cpu/cnn_input_kernels.h"

namespace throng {
namespace {

constexpr int kRowsATask = 16;

void fill_taps(CnnTaps& taps, const CnnAxis& axis, int count) {
    taps.near.clear();
    taps.weight.clear();
    taps.first = cnn_tap(axis, 0, 0).near;
    int last = 0;
    taps.copies = axis.samples == 1;
    taps.whole = true;
    for (int sample = 0; sample < axis.samples; ++sample) {
        for (int x = 0; x < count; ++x) {
            const CnnTap tap = cnn_tap(axis, x, sample);
            taps.near.push_back(tap.near - taps.first);
            taps.weight.push_back(tap.weight);
            taps.whole = taps.whole && tap.weight == 0.0F;
            taps.copies = taps.copies && taps.whole && taps.near.back() == x;
            last = std::max(last, tap.far);
        }
    }
    taps.samples = last - taps.first + 1;
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
                 const CnnPlanes& planes)
        : pass_(pass), input_(input), planes_(planes) {
        count_ = channels_of(frame, channels_);
        const bool is_bgr = frame.info().format == PixelFormat::bgr24;
        colors_ = {count_, is_bgr, cnn_color_of(frame.info()), input.mean, input.scale};
        if (input.rgb) std::swap(colors_.mean[0], colors_.mean[2]);
        const PlaneView luma = plane_shape(PixelFormat::gray8, frame.width(), frame.height(), 0);
        across_ = horizontal_axis(pass, luma.width, false);
        down_ = vertical_axis(pass, luma.height, false);
        fill_taps(maker.luma_taps_, across_, pass.content_width);
        taps_[0] = taps_[1] = taps_[2] = &maker.luma_taps_;
        if (count_ == 3 && !is_bgr) {
            chroma_down_ = vertical_axis(pass, (luma.height + 1) / 2, true);
            fill_taps(maker.chroma_taps_, horizontal_axis(pass, (luma.width + 1) / 2, true), pass.content_width);
            taps_[1] = taps_[2] = &maker.chroma_taps_;
        }
        width_ = static_cast<std::size_t>(pass.content_width);
    }

    void start(CnnInputMaker::Worker& worker) const {
        int samples = 0;
        for (int c = 0; c < count_; ++c) {
            CnnInputMaker::Worker::Plane& plane = worker.plane[c];
            plane.row[0] = plane.row[1] = -1;
            for (auto& rows : plane.rows) rows.resize(width_ * static_cast<std::size_t>(across_.samples));
            samples = std::max(samples, taps_[c]->samples);
        }
        for (auto& mean : worker.mean) mean.resize(width_);
        worker.samples.assign(static_cast<std::size_t>(samples) + 1, 0.0F);  // one behind the last, with weight 0
    }

    void make(int y, CnnInputMaker::Worker& worker) const {
        float* out[3];
        for (int c = 0; c < 3; ++c) out[c] = planes_.data + y * planes_.row + c * planes_.plane;
        const int content = y < pass_.content_height ? pass_.content_width : 0;
        if (content > 0) {
            const float* mean[3] = {};
            for (int c = 0; c < count_; ++c) mean[c] = average(y, c, worker);
            float* const colors[3] = {input_.rgb ? out[2] : out[0], out[1], input_.rgb ? out[0] : out[2]};
            cnn_colors_row(colors_, mean, content, colors);
        }
        for (std::size_t c = 0; c < 3; ++c) {
            const float padding = cnn_normalize(input_.padding, input_.mean[c], input_.scale);
            std::fill(out[c] + content, out[c] + pass_.width, padding);
        }
    }

private:
    // One channel of a plane of 8-bit samples. Sample x of a row lies at x * step.
    struct Channel {
        const PlaneView* plane;
        int first = 0;
        int step = 1;
        bool subsampled = false;

        [[nodiscard]] const std::uint8_t* row(int y) const { return plane->data + y * plane->pitch + first; }
    };

    // Sets the channels of a pixel: Y; Y, U, V; or blue, green, red. Returns their number.
    static int channels_of(const Frame& frame, Channel (&channels)[3]) {
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

    // Returns the means of channel c over the samples of each pixel of input row y.
    const float* average(int y, int c, CnnInputMaker::Worker& worker) const {
        float* mean = worker.mean[c].data();
        const CnnAxis& down = channels_[c].subsampled ? chroma_down_ : down_;
        for (int j = 0; j < down.samples; ++j) {
            const CnnTap tap = cnn_tap(down, y, j);
            const float* above = interpolated(tap.near, c, worker);
            if (tap.weight == 0.0F && across_.samples * down.samples == 1) return above;
            const float* below = interpolated(tap.far, c, worker);
            for (int i = 0; i < across_.samples; ++i) {
                const std::size_t at = static_cast<std::size_t>(i) * width_;
                cnn_blend_rows(above + at, below + at, tap.weight, i + j == 0, pass_.content_width, mean);
            }
        }
        divide(mean, pass_.content_width, static_cast<float>(across_.samples * down.samples));
        return mean;
    }

    // Returns row y of the channel's plane after the horizontal pass. A row and the next one use different slots.
    const float* interpolated(int y, int c, CnnInputMaker::Worker& worker) const {
        CnnInputMaker::Worker::Plane& plane = worker.plane[c];
        const int slot = y & 1;
        float* out = plane.rows[slot].data();
        if (plane.row[slot] != y) {
            plane.row[slot] = y;
            const Channel& channel = channels_[c];
            const CnnTaps& taps = *taps_[c];
            const std::uint8_t* row = channel.row(y) + std::ptrdiff_t{taps.first} * channel.step;
            float* samples = taps.copies ? out : worker.samples.data();
            cnn_samples_row(row, channel.step, taps.copies ? pass_.content_width : taps.samples, samples);
            if (!taps.copies) {
                const float* weight = taps.whole ? nullptr : taps.weight.data();
                cnn_interpolate_row(samples, taps.near.data(), weight, static_cast<int>(taps.near.size()), out);
            }
        }
        return out;
    }

    const CnnPass& pass_;
    const NetworkInput& input_;
    CnnInputColors colors_;
    CnnPlanes planes_;
    Channel channels_[3];
    int count_ = 0;
    CnnAxis across_, down_, chroma_down_;
    const CnnTaps* taps_[3] = {};
    std::size_t width_ = 0;  // of the content
};

void CnnInputMaker::make_rows(const Frame& frame, const CnnPass& pass, const NetworkInput& input, ThreadPool& pool,
                              const CnnPlanes& planes, int first, int end) {
    const CnnInputRows rows(frame, pass, input, *this, planes);
    workers_.resize(static_cast<std::size_t>(pool.size()));
    for (Worker& worker : workers_) rows.start(worker);
    const int tasks = (end - first + kRowsATask - 1) / kRowsATask;
    pool.run(tasks, [&](int task, int worker) {
        const int last = std::min(first + (task + 1) * kRowsATask, end);
        for (int y = first + task * kRowsATask; y < last; ++y) rows.make(y, workers_[static_cast<std::size_t>(worker)]);
    });
}

}  // namespace throng
