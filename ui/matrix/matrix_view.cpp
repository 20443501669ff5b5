#include "ui/matrix/matrix_view.h"

#include <QRectF>
#include <algorithm>
#include <utility>

namespace throng::ui {

void MatrixView::change(bool open) {
    if (open) {
        worker_.open([](const Request& request, const auto& job) {
            auto matrix = compute_matrix(request.result->raw, request.nms, request.order, kMaxSide, {}, job.stop());
            if (matrix) job.report(std::make_shared<const SuppressionMatrix>(*std::move(matrix)));
        });
    } else {
        worker_.close();
        clear();
    }
}

void MatrixView::set_by_cluster(bool on) {
    if (on == by_cluster()) return;
    order_ = on ? MatrixOrder::cluster : MatrixOrder::score;
    if (newest_.result) show(newest_.result, newest_.nms);
    emit orderChanged();
}

QVariantList MatrixView::differing() const {
    constexpr int kMaxRows = 200;
    QVariantList found;
    for (std::size_t row = 0; matrix_ && row < matrix_->size() && found.size() < kMaxRows; ++row) {
        if (matrix_->one_pass[row] != matrix_->greedy[row]) {
            found += (static_cast<double>(row) + 0.5) / static_cast<double>(matrix_->size());
        }
    }
    return found;
}

int MatrixView::keptBefore(double fraction, bool greedy) const {
    if (!matrix_) return 0;
    const std::vector<std::uint8_t>& kept = greedy ? matrix_->greedy : matrix_->one_pass;
    const auto rows = static_cast<std::ptrdiff_t>(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(kept.size()));
    return static_cast<int>(std::count(kept.begin(), kept.begin() + rows, 1));
}

void MatrixView::select(double fraction, bool greedy) {
    constexpr std::size_t kMaxSuppressors = 32;
    boxes_.clear();
    selection_.clear();
    selected_row_ = -1;
    if (matrix_ && matrix_->size() > 0 && fraction >= 0 && fraction < 1) {
        const auto row = static_cast<std::size_t>(fraction * static_cast<double>(matrix_->size()));
        selected_row_ = (static_cast<double>(row) + 0.5) / static_cast<double>(matrix_->size());
        const auto add = [this](std::size_t at) {
            const Box& box = matrix_->raw.detections[matrix_->rows[at]].box;
            boxes_ += QVariant(QRectF(box.x, box.y, box.w, box.h));
        };
        add(row);
        const std::vector<std::size_t> by = suppressors_of(*matrix_, row, greedy);
        for (std::size_t i = 0; i < std::min(by.size(), kMaxSuppressors); ++i) add(by[i]);
        selection_ =
            by.empty() ? tr("row %1: kept").arg(row + 1) : tr("row %1: suppressed by %2").arg(row + 1).arg(by.size());
    }
    emit selectionChanged();
}

void MatrixView::show(const std::shared_ptr<const FrameResult>& result, const NmsParams& nms) {
    if (!open() || !result) return;
    if (result->raw.detections.empty() && result->raw_count > 0) return;  // a result from before they were read back
    Request request{result, nms, order_};
    if (request == newest_) return;
    newest_ = request;
    worker_.push(std::move(request));
}

void MatrixView::clear() {
    newest_ = {};
    worker_.clear();
    matrix_.reset();
    select(-1, false);
    emit changed();
}

void MatrixView::receive(Matrix matrix) {
    matrix_ = std::move(matrix);
    select(-1, false);  // its row is another detection now
    emit changed();
}

}  // namespace throng::ui
