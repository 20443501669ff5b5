// Kept boxes in a grid of cells, for a search of the first one whose IoU with a box reaches a threshold above 0. Boxes of
// a cell lie in chunks, one lane each, and are tested together by vector instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace throng {

template <class Real>
struct Corners {
    Real x1, y1, x2, y2, area;
};

template <class Real>
class ChunkedBoxes {
public:
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;

    // Removes all boxes and chooses the cells for `count` boxes whose corners lie in `bounds` and whose sides are
    // `mean_w` and `mean_h` on average. The choice affects the speed only.
    void clear(const Corners<Real>& bounds, double mean_w, double mean_h, std::size_t count);

    // Adds a box with finite corners and an area above 0. ids must ascend.
    void add(const Corners<Real>& box, std::uint32_t id);

    // Returns the lowest id of a box with IoU >= least, or any such id if !lowest; kNone if there is none. least > 0.
    [[nodiscard]] std::uint32_t find(const Corners<Real>& box, Real least, bool lowest) const;

private:
    static constexpr std::size_t kLanes = 4;

    // GCC's and clang's vectors: compiled for the instruction set of the target, one or two registers each.
    using Lanes [[gnu::vector_size(kLanes * sizeof(Real))]] = Real;

    struct Chunk {
        Lanes x1, y1, x2, y2, area;
        std::uint32_t id[kLanes];
        std::uint32_t next;
        std::uint32_t size;
    };
    struct Chain {
        std::uint32_t head = kNone;
        std::uint32_t tail = kNone;
    };
    // Cells that a box covers, both ends included.
    struct Cells {
        std::uint32_t left, top, right, bottom;
        [[nodiscard]] std::uint32_t count() const { return (right - left + 1) * (bottom - top + 1); }
    };

    [[nodiscard]] Cells cells_of(const Corners<Real>& box) const;
    void append(Chain& chain, const Corners<Real>& box, std::uint32_t id);
    [[nodiscard]] std::uint32_t find_in(const Chain& chain, const Corners<Real>& box, Real least) const;

    double left_ = 0, top_ = 0;
    double cells_per_x_ = 0, cells_per_y_ = 0;
    std::uint32_t columns_ = 1, rows_ = 1;
    std::vector<Chunk> chunks_;
    std::vector<Chain> cells_;
    Chain large_;  // boxes that cover many cells
    Chain all_;    // for searches that cover many cells
};

extern template class ChunkedBoxes<float>;
extern template class ChunkedBoxes<double>;

}  // namespace throng
