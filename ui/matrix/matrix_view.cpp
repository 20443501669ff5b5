#include "ui/matrix/matrix_view.h"

#include <QRectF>
#include <algorithm>
#include <utility>

#include "core/algo/nms_rules.h"

namespace throng::ui {

void MatrixView::change(bool open) {
    if (open) {
        worker_.open([](const Request& request, const auto& job) {
            auto matrix =
                compute_matrix(request.result->raw, request.nms, request.order, request.part, kMaxSide, {}, job.stop());
            const auto shown = static_cast<int>(request.result->kept.detections.size());
            if (matrix) job.report({request, std::make_shared<const SuppressionMatrix>(*std::move(matrix)), shown});
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

QRectF MatrixView::part() const {
    if (!matrix_) return {0, 0, 1, 1};
    return {matrix_->part.left, matrix_->part.top, matrix_->part.extent, matrix_->part.extent};
}

void MatrixView::zoom(double factor, const QPointF& at) {
    const double least = std::min(1.0, static_cast<double>(kMinMatrixRows) / std::max(1, count()));
    const double extent = std::clamp(part_.extent * factor, least, 1.0);
    show_part({part_.left + at.x() * (part_.extent - extent), part_.top + at.y() * (part_.extent - extent), extent});
}

void MatrixView::pan(double x, double y) {
    show_part({part_.left + x * part_.extent, part_.top + y * part_.extent, part_.extent});
}

void MatrixView::show_part(MatrixPart part) {
    part.left = std::clamp(part.left, 0.0, 1 - part.extent);
    part.top = std::clamp(part.top, 0.0, 1 - part.extent);
    if (part == part_) return;
    part_ = part;
    if (newest_.result) show(newest_.result, newest_.nms);
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
    followed_.reset();
    selected_greedy_ = greedy;
    boxes_.clear();
    selection_.clear();
    selected_row_ = -1;
    if (matrix_ && matrix_->size() > 0 && fraction >= 0 && fraction < 1) {
        mark(static_cast<std::size_t>(fraction * static_cast<double>(matrix_->size())), greedy);
    }
    emit selectionChanged();
}

void MatrixView::mark(std::size_t row, bool greedy) {
    constexpr std::size_t kMaxSuppressors = 32;
    selected_row_ = (static_cast<double>(row) + 0.5) / static_cast<double>(matrix_->size());
    const auto add = [this](std::size_t at) {
        const Box& box = box_of(at);
        boxes_ += QVariant(QRectF(box.x, box.y, box.w, box.h));
    };
    add(row);
    const std::vector<std::size_t> by = suppressors_of(*matrix_, row, greedy);
    for (std::size_t i = 0; i < std::min(by.size(), kMaxSuppressors); ++i) add(by[i]);
    selection_ =
        by.empty() ? tr("row %1: kept").arg(row + 1) : tr("row %1: suppressed by %2").arg(row + 1).arg(by.size());
}

const Box& MatrixView::box_of(std::size_t row) const {
    return matrix_->raw.detections[matrix_->rows[row]].box;
}

void MatrixView::follow(double fraction, bool greedy) {
    select(fraction, greedy);
    if (selected_row_ < 0) return;
    followed_ = box_of(static_cast<std::size_t>(selected_row_ * static_cast<double>(matrix_->size())));
    follows_greedy_ = greedy;
    emit selectionChanged();
}

void MatrixView::followAt(const QPointF& point) {
    const auto x = static_cast<float>(point.x()), y = static_cast<float>(point.y());
    std::optional<std::size_t> found;
    for (std::size_t row = 0; row < static_cast<std::size_t>(count()); ++row) {
        const Box& box = box_of(row);
        const bool kept = (greedy_in_use() ? matrix_->greedy : matrix_->one_pass)[row] != 0;
        const bool holds = box.x <= x && x < box.x + box.w && box.y <= y && y < box.y + box.h;
        if (kept && holds && (!found || box.w < box_of(*found).w)) found = row;
    }
    const double rows = count();
    follow(found ? (static_cast<double>(*found) + 0.5) / rows : -1, greedy_in_use());
}

QString MatrixView::difference() const {
    const int kept = greedy_in_use() ? kept_greedy() : kept_one_pass();
    if (!matrix_ || shown_ == kept) return {};
    if (is_soft(matrix_->nms.rule))
        return tr("%1 boxes are shown: the soft rule lowers scores, and removes few").arg(shown_);
    if (shown_ > kept) return {};  // nothing was left out
    if (matrix_->nms.min_hits <= 1) {
        return tr("%1 are shown: the confidence of %2 of the kept boxes is too low").arg(shown_).arg(kept - shown_);
    }
    return tr("%1 are shown: %2 of the kept boxes have fewer than %3 hits")
        .arg(shown_)
        .arg(kept - shown_)
        .arg(matrix_->nms.min_hits);
}

void MatrixView::show(const std::shared_ptr<const FrameResult>& result, const NmsParams& nms) {
    if (!open() || !result) return;
    const bool waited = waiting();
    if (result->raw.detections.empty() && result->raw_count > 0) {  // a result from before they were read back
        if (waited) newest_.result = result;
    } else if (Request request{result, nms, order_, part_}; request != newest_) {
        newest_ = request;
        worker_.push(std::move(request));
    }
    if (waited) emit changed();
}

void MatrixView::clear() {
    newest_ = {};
    shown_request_ = {};
    part_ = {};
    worker_.clear();
    matrix_.reset();
    select(-1, false);
    emit changed();
}

void MatrixView::receive(Made made) {
    constexpr float kSameFace = 0.3F;
    matrix_ = std::move(made.matrix);
    shown_ = made.shown;
    const std::optional<Box> followed = std::exchange(followed_, std::nullopt);
    // In another matrix than a part of the same, the row is another detection.
    made.request.part = shown_request_.part;
    select(made.request == shown_request_ ? selected_row_ : -1, selected_greedy_);
    shown_request_ = std::move(made.request);
    if (followed) {
        double best = -1;
        float overlap = kSameFace;
        for (std::size_t row = 0; row < matrix_->size(); ++row) {
            const float now = pair_overlap(Overlap::iou, *followed, box_of(row), 0);
            if (now <= overlap) continue;
            overlap = now;
            best = (static_cast<double>(row) + 0.5) / static_cast<double>(matrix_->size());
        }
        follow(best, follows_greedy_);
    }
    emit changed();
}

}  // namespace throng::ui
