// A frame that is read in strips, made of one in memory.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "core/frame/frame.h"

namespace throng::test {

class StripsOfFrame final : public FrameRows {
public:
    StripsOfFrame(Frame whole, int rows) : whole_(std::move(whole)), rows_(rows) {}

    [[nodiscard]] std::unique_ptr<RowReader> open() const override { return std::make_unique<Reader>(whole_, rows_); }

private:
    class Reader final : public RowReader {
    public:
        Reader(Frame whole, int rows) : whole_(std::move(whole)), rows_(rows) {}

        [[nodiscard]] PlaneView next() override {
            PlaneView strip = whole_.plane(0);
            strip.data += next_ * strip.pitch;
            strip.height = std::min(rows_, strip.height - next_);
            next_ += strip.height;
            return strip;
        }

    private:
        Frame whole_;
        int rows_;
        int next_ = 0;
    };

    Frame whole_;
    int rows_;
};

// whole: gray8 or bgr24. rows: of a strip.
[[nodiscard]] inline Frame in_strips(const Frame& whole, int rows) {
    return {whole.info(), std::make_shared<StripsOfFrame>(whole, rows)};
}

}  // namespace throng::test
