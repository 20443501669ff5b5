// The boolean matrix B of non-maximum suppression (Oro et al., figure 2): B[i][j] is set if detection j suppresses i.
// Map computes the cells; reduce decides for each row whether its detection is kept. Pure functions for any thread.
#pragma once

#include <QImage>
#include <QRgb>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/detect/detection.h"
#include "core/detect/nms.h"

namespace throng::ui {

enum class MatrixOrder : std::uint8_t { score, cluster };

struct MatrixColors {
    QRgb empty = 0xff0b0f14;
    QRgb effective = 0xff2ee6bf;  // the column suppresses the row
    QRgb ignored = 0xff2b5a5a;    // greedy: the column is suppressed itself, so it suppresses nothing
    QRgb kept = 0xffffffff;       // on the diagonal
};

// A square part of the matrix, in fractions of its sides: the images show its cells only.
struct MatrixPart {
    double left = 0, top = 0;
    double extent = 1;

    friend bool operator==(const MatrixPart&, const MatrixPart&) = default;
};

inline constexpr std::size_t kMinMatrixRows = 16;  // of a part: fewer show nothing of the structure

struct SuppressionMatrix {
    NmsParams nms;
    MatrixOrder order = MatrixOrder::score;
    DetectionSet raw;
    // Rows and columns in this order: the valid raw detections, as indices into raw.detections.
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> ranks;    // of each row in the order of scores
    std::vector<std::uint8_t> one_pass;  // by row: kept by the one-pass rule
    std::vector<std::uint8_t> greedy;    // by row: kept by the greedy rule
    MatrixPart part;                     // of the images, from whole cell to whole cell
    // Square images of both rules. A pixel is a cell or, if there are more cells than pixels, a square of cells, which
    // is brighter the more of them are set.
    QImage one_pass_image, greedy_image;
    double compute_ms = 0;

    [[nodiscard]] std::size_t size() const { return rows.size(); }
};

// Computes the matrix with images of this part of it, of at most max_side pixels. Soft rules suppress nothing: the
// matrix shows what the hard rules would do at the same threshold. Returns nothing after a stop request.
[[nodiscard]] std::optional<SuppressionMatrix> compute_matrix(const DetectionSet& raw, const NmsParams& nms,
                                                              MatrixOrder order, const MatrixPart& part, int max_side,
                                                              const MatrixColors& colors, const std::stop_token& stop);

// Returns the rows that suppress this row, in the order of scores: for greedy, only those that are kept.
[[nodiscard]] std::vector<std::size_t> suppressors_of(const SuppressionMatrix& matrix, std::size_t row, bool greedy);

}  // namespace throng::ui
