// A frame that is read in strips, made of one in memory.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/frame/frame.h"

namespace throng::test {

class StripsOfFrame final : public FrameRows {
public:
    StripsOfFrame(Frame whole, int rows, int fails_at) : whole_(std::move(whole)), rows_(rows), fails_at_(fails_at) {}

    [[nodiscard]] std::unique_ptr<RowReader> open() const override {
        return std::make_unique<Reader>(whole_, rows_, fails_at_);
    }

private:
    class Reader final : public RowReader {
    public:
        Reader(Frame whole, int rows, int fails_at) : whole_(std::move(whole)), rows_(rows), fails_at_(fails_at) {}

        [[nodiscard]] PlaneView next() override {
            if (next_ >= fails_at_) throw Error(ErrorKind::input, "the disk failed");
            PlaneView strip = whole_.plane(0);
            strip.data += next_ * strip.pitch;
            strip.height = std::min(rows_, strip.height - next_);
            next_ += strip.height;
            return strip;
        }

    private:
        Frame whole_;
        int rows_;
        int fails_at_;
        int next_ = 0;
    };

    Frame whole_;
    int rows_;
    int fails_at_;
};

// whole: gray8 or bgr24. rows: of a strip. fails_at: the strip that begins at this row, or later, cannot be read.
[[nodiscard]] inline Frame in_strips(const Frame& whole, int rows, int fails_at = std::numeric_limits<int>::max()) {
    return {whole.info(), std::make_shared<StripsOfFrame>(whole, rows, fails_at)};
}

}  // namespace throng::test
