// The matrix of the current frame, for QML: computed on a thread of its own while it is open.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QPointF>
#include <QRectF>
#include <QVariantList>
#include <memory>
#include <optional>

#include "core/pipeline/frame_result.h"
#include "ui/base/worker.h"
#include "ui/matrix/suppression_matrix.h"
#include "ui/views/view.h"

namespace throng::ui {

// Lives on the window's thread. Closed, it has no thread and holds no data.
class MatrixView : public throng::ui::View {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(bool byCluster READ by_cluster WRITE set_by_cluster NOTIFY orderChanged)
    Q_PROPERTY(bool waiting READ waiting NOTIFY changed)
    Q_PROPERTY(int count READ count NOTIFY changed)
    Q_PROPERTY(int keptOnePass READ kept_one_pass NOTIFY changed)
    Q_PROPERTY(int keptGreedy READ kept_greedy NOTIFY changed)
    Q_PROPERTY(QVariant onePassImage READ one_pass_image NOTIFY changed)
    Q_PROPERTY(QVariant greedyImage READ greedy_image NOTIFY changed)
    Q_PROPERTY(double computeMs READ compute_ms NOTIFY changed)
    Q_PROPERTY(QRectF part READ part NOTIFY changed)
    Q_PROPERTY(QVariantList differing READ differing NOTIFY changed)
    Q_PROPERTY(QVariantList boxes READ boxes NOTIFY selectionChanged)
    Q_PROPERTY(QString selection READ selection NOTIFY selectionChanged)
    Q_PROPERTY(double selectedRow READ selected_row NOTIFY selectionChanged)
    Q_PROPERTY(bool following READ following NOTIFY selectionChanged)
    Q_PROPERTY(bool greedyInUse READ greedy_in_use NOTIFY changed)
    Q_PROPERTY(QString difference READ difference NOTIFY changed)

public:
    using View::View;

    [[nodiscard]] bool open() const override { return worker_.is_open(); }
    void add_needs(PipelineNeeds& needs) const override {
        if (open()) needs.raw = true;
    }
    // At this rate, since the matrix of a frame takes longer than its detection on a GPU.
    void on_refresh(const RunFrame& frame) override { show(frame.result, frame.settings.nms); }
    [[nodiscard]] bool by_cluster() const { return order_ == MatrixOrder::cluster; }
    void set_by_cluster(bool on);

    [[nodiscard]] bool waiting() const { return !newest_.result; }                               // for a first result
    [[nodiscard]] int count() const { return matrix_ ? static_cast<int>(matrix_->size()) : 0; }  // rows
    [[nodiscard]] int kept_one_pass() const { return keptBefore(1, false); }
    [[nodiscard]] int kept_greedy() const { return keptBefore(1, true); }
    [[nodiscard]] QVariant one_pass_image() const { return matrix_ ? QVariant(matrix_->one_pass_image) : QVariant(); }
    [[nodiscard]] QVariant greedy_image() const { return matrix_ ? matrix_->greedy_image : QVariant(); }
    [[nodiscard]] double compute_ms() const { return matrix_ ? matrix_->compute_ms : 0; }
    // The part of the matrix that the images show, in fractions of its sides.
    [[nodiscard]] QRectF part() const;
    // Shows a part that is larger by this factor; the cell at this point of the image, in fractions of its sides, stays
    // there. At least 16 rows are shown.
    Q_INVOKABLE void zoom(double factor, const QPointF& at);
    // Moves the part by these fractions of the image.
    Q_INVOKABLE void pan(double x, double y);
    // Rows that one rule keeps and the other does not, as fractions of the height; at most 200.
    [[nodiscard]] QVariantList differing() const;
    // Returns the number of kept rows in this upper fraction of the matrix.
    Q_INVOKABLE [[nodiscard]] int keptBefore(double fraction, bool greedy) const;

    // Selects the row at this fraction of the height; a negative one clears the selection.
    Q_INVOKABLE void select(double fraction, bool greedy);
    // Selects the row as select() does and, in the next matrices, the row of the box that overlaps its box most.
    Q_INVOKABLE void follow(double fraction, bool greedy);
    // Follows the smallest kept box at this point, in pixels of the frame; none: follows nothing any more.
    Q_INVOKABLE void followAt(const QPointF& point);
    [[nodiscard]] bool following() const { return followed_.has_value(); }
    // The rule that the frame was suppressed with is greedy.
    [[nodiscard]] bool greedy_in_use() const { return matrix_ && matrix_->nms.rule == NmsRule::greedy; }
    // Why the frame shows another number of boxes than its rule keeps here; empty: it does not.
    [[nodiscard]] QString difference() const;
    // The selected box, then up to 32 boxes that suppress it: {x, y, w, h} in pixels of the frame.
    [[nodiscard]] QVariantList boxes() const { return boxes_; }
    [[nodiscard]] QString selection() const { return selection_; }       // "row 12: suppressed by 3"
    [[nodiscard]] double selected_row() const { return selected_row_; }  // fraction of the height; negative: none

    // Shows this result from now on, with the parameters that it was suppressed with. Ignored while closed.
    void show(const std::shared_ptr<const FrameResult>& result, const NmsParams& nms);
    void clear() override;

    // Null while there is none.
    [[nodiscard]] const std::shared_ptr<const SuppressionMatrix>& matrix() const { return matrix_; }

    static constexpr int kMaxSide = 1024;  // pixels of the images

signals:
    void sweepRequested();  // over the rows
    void orderChanged();
    void changed();
    void selectionChanged();

protected:
    void change(bool open) override;

private:
    struct Request {
        std::shared_ptr<const FrameResult> result;
        NmsParams nms;
        MatrixOrder order = MatrixOrder::score;
        MatrixPart part;

        friend bool operator==(const Request&, const Request&) = default;
    };
    struct Made {
        Request request;
        std::shared_ptr<const SuppressionMatrix> matrix;
        int shown = 0;  // boxes of the frame
    };
    void receive(Made made);
    void show_part(MatrixPart part);
    void mark(std::size_t row, bool greedy);
    [[nodiscard]] const Box& box_of(std::size_t row) const;

    MatrixOrder order_ = MatrixOrder::score;
    MatrixPart part_;  // that was asked for last
    Request newest_;
    Request shown_request_;  // of the matrix
    std::shared_ptr<const SuppressionMatrix> matrix_;
    int shown_ = 0;
    std::optional<Box> followed_;
    bool follows_greedy_ = false;  // the rule that the row was chosen in
    QVariantList boxes_;
    QString selection_;
    double selected_row_ = -1;
    bool selected_greedy_ = false;  // the rule that it was chosen in
    Worker<Request, Made> worker_{this, [this](Made made, const Message&) { receive(std::move(made)); }};
};

}  // namespace throng::ui
