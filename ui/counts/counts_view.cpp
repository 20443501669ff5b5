#include "ui/counts/counts_view.h"

#include <QFileInfo>
#include <QLineF>
#include <QPolygonF>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "ui/base/post.h"
#include "ui/counts/plan_file.h"

namespace throng::ui {
namespace {

const QString kLine = QStringLiteral("line");
const QString kZone = QStringLiteral("zone");

double distance_to_segment(const QPointF& p, const QPointF& a, const QPointF& b) {
    const QPointF along = b - a;
    const double length = QPointF::dotProduct(along, along);
    const double at = length > 0 ? std::clamp(QPointF::dotProduct(p - a, along) / length, 0.0, 1.0) : 0;
    return QLineF(p, a + at * along).length();
}

// Gives the plan of a new file a size.
void adopt_size(CountPlan& plan, const CountPlan& from) {
    if (plan.width > 0) return;
    plan.width = from.width;
    plan.height = from.height;
}

}  // namespace

CountsView::CountsView(std::string file, CountPlan plan, QObject* parent) : View(parent), path_(std::move(file)) {
    pool_.setMaxThreadCount(1);
    editor_.set(std::move(plan));
    shapes_.update_shapes();
    if (path_.empty()) return;
    reload();
    CountsView::change(true);
}

CountsView::~CountsView() {
    attach(nullptr);
    wait_saved();
}

// --- counting

void CountsView::change(bool open) {
    open_ = open;
    if (!open) {
        stepBack();
        stepBack();
    } else if (!std::exchange(counting_, true)) {
        attach(pipeline_);
        emit settingsChanged();
    }
}

void CountsView::adjust(PipelineSettings& settings) const {
    if (counting_) settings.tracking = tracker_params(settings.detector.kind);
}

void CountsView::set_locked(bool locked) {
    if (locked == locked_) return;
    locked_ = locked;
    emit lockedChanged();
}

void CountsView::attach(std::shared_ptr<Pipeline> pipeline) {
    counter_.reset();  // the previous pipeline ends
    pipeline_ = std::move(pipeline);
    figures_ = {};
    if (pipeline_ && counting_) {
        counter_ = std::make_shared<LiveCounter>(editor_.plan());
        pipeline_->add_sink(counter_);
    }
    shapes_.update_totals({});
    emit refreshed();
}

void CountsView::detach() {
    if (counter_) pipeline_->remove_sink(counter_);
    attach(nullptr);
}

void CountsView::on_result(const RunFrame& frame) {
    editor_.set_size(frame.result->frame.width(), frame.result->frame.height());  // for a plan without a size
}

void CountsView::refresh() {
    if (!counter_ || !open_) return;
    figures_ = counter_->figures();
    shapes_.update_totals(figures_.totals);
    emit refreshed();
}

void CountsView::restart() {
    if (counter_) counter_->restart(editor_.plan());
    figures_.totals = {};
    shapes_.update_totals({});
    emit refreshed();
}

// Shapes that are as before keep their counts.
void CountsView::count_by_plan() {
    if (!counter_) return shapes_.update_totals({});
    counter_->change(editor_.plan());
    figures_ = counter_->figures();
    shapes_.update_totals(figures_.totals);
    emit refreshed();
}

// --- editing

CountPoint CountsView::in_pixels(const QPointF& at) const {
    return {at.x() * editor_.plan().width, at.y() * editor_.plan().height};
}

void CountsView::begin(const QString& tool) {
    if (locked_ || editor_.plan().width == 0) return;
    tool_ = tool == tool_ ? QString() : tool;
    drawn_.clear();
    selected_ = -1;
    emit editingChanged();
}

void CountsView::addPoint(const QPointF& at) {
    if (tool_.isEmpty()) return;
    drawn_ += QPointF(std::clamp(at.x(), 0.0, 1.0), std::clamp(at.y(), 0.0, 1.0));
    if (tool_ == kLine && drawn_.size() == 2) {
        finish();
    } else {
        emit editingChanged();
    }
}

void CountsView::finish() {
    if (tool_.isEmpty()) return;
    const bool zone = tool_ == kZone;
    if (drawn_.size() < (zone ? 3 : 2)) {
        emit failed(Error(ErrorKind::usage, zone ? "a zone needs at least 3 points" : "a line needs 2 points", "",
                          "click the points in the image"));
        return;
    }
    std::vector<CountPoint> points;
    for (const QVariant& at : std::as_const(drawn_)) points.push_back(in_pixels(at.toPointF()));
    if (!edit([&] { editor_.add(zone, points); })) {
        drawn_.removeLast();  // the last point may be the wrong one
        emit editingChanged();
        return;
    }
    tool_.clear();
    drawn_.clear();
    selected_ = zone ? editor_.rows() - 1 : static_cast<int>(editor_.plan().lines.size()) - 1;
    emit editingChanged();
}

bool CountsView::stepBack() {
    if (tool_.isEmpty() && selected_ < 0) return false;
    tool_.clear();
    drawn_.clear();
    selected_ = -1;
    emit editingChanged();
    return true;
}

void CountsView::undo() {
    if (locked_ || !can_undo()) return;
    if (!drawn_.isEmpty()) {
        drawn_.removeLast();
    } else {
        editor_.undo();
        selected_ = -1;
        apply_plan();
    }
    emit editingChanged();
}

void CountsView::select(int row) {
    if (locked_ || row == selected_ || row >= editor_.rows()) return;
    selected_ = row;
    emit editingChanged();
}

void CountsView::movePoint(int point, const QPointF& to) {
    if (locked_ || selected_ < 0) return;
    editor_.move(selected_, point, in_pixels(to));
    shapes_.update_shapes();
}

void CountsView::finishMove() {
    if (!edit([this] { editor_.finish_move(); })) shapes_.update_shapes();
}

void CountsView::rename(int row, const QString& name) {
    edit([&] { editor_.rename(row, name.trimmed().toStdString()); });
}

void CountsView::remove(int row) {
    if (row < 0 || row >= editor_.rows()) return;
    selected_ = -1;
    edit([&] { editor_.remove(row); });
}

// Changes the plan; reports why if that is not possible.
template <class Edit>
bool CountsView::edit(Edit change) {
    if (locked_) return false;
    const int edits = editor_.edits();
    try {
        change();
    } catch (const Error& error) {
        emit failed(Error(error.kind(), error.problem(), {}, error.advice()));
        return false;
    }
    if (editor_.edits() != edits) apply_plan();
    emit editingChanged();
    return true;
}

void CountsView::apply_plan() {
    shapes_.update_shapes();
    count_by_plan();
    saved_ = false;
    if (!path_.empty()) save(false);
    emit fileChanged();
}

int CountsView::pointAt(const QPointF& at, const QSizeF& image, double reach) const {
    if (selected_ < 0) return -1;
    const std::vector<CountPoint> points = editor_.points(selected_);
    int nearest = -1;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double dx = (points[i].x / editor_.plan().width - at.x()) * image.width();
        const double dy = (points[i].y / editor_.plan().height - at.y()) * image.height();
        const double distance = std::hypot(dx, dy);
        if (distance > reach) continue;
        reach = distance;
        nearest = static_cast<int>(i);
    }
    return nearest;
}

int CountsView::rowAt(const QPointF& at, const QSizeF& image, double reach) const {
    const auto on_screen = [&](const CountPoint& p) {
        return QPointF(p.x / editor_.plan().width * image.width(), p.y / editor_.plan().height * image.height());
    };
    const QPointF press(at.x() * image.width(), at.y() * image.height());
    int inside = -1;
    for (int row = 0; row < editor_.rows(); ++row) {
        QPolygonF shape;
        for (const CountPoint& p : editor_.points(row)) shape += on_screen(p);
        const auto sides = shape.size() - (editor_.is_zone(row) ? 0 : 1);
        for (qsizetype i = 0; i < sides; ++i) {
            if (distance_to_segment(press, shape[i], shape[(i + 1) % shape.size()]) <= reach) return row;
        }
        if (editor_.is_zone(row) && shape.containsPoint(press, Qt::OddEvenFill)) inside = row;
    }
    return inside;
}

// --- the file

QString CountsView::file() const {
    return QFileInfo(QString::fromStdString(path_)).fileName();
}

QString CountsView::folder() const {
    return path_.empty() ? QString() : QFileInfo(QString::fromStdString(path_)).absolutePath();
}

void CountsView::reload() {
    if (path_.empty()) return;
    pool_.start([this, path = path_, text = text_, before = editor_.plan(), saves = saves_] {
        try {
            PlanText read = read_plan_file(path);
            adopt_size(read.plan, before);
            if (read.plan == before) *text = read.text;  // what is edited meanwhile is an edit of this text
            post(this, [this, saves, read = std::move(read)]() mutable { handle_read(saves, std::move(read)); });
        } catch (const std::exception&) {
            post(this, [this, error = current_error()] { emit failed(error); });
        }
    });
}

// saves: number of saves requested before the file was read.
void CountsView::handle_read(int saves, PlanText read) {
    // Newer edits remain. If the file has other shapes, their save reports it, since they are not based on its text.
    if (saves != saves_ || editor_.moving()) {
        emit fileChanged();
        return;
    }
    saved_ = true;
    adopt_size(read.plan, editor_.plan());
    if (read.plan != editor_.plan()) {
        editor_.set(std::move(read.plan));
        selected_ = -1;
        shapes_.update_shapes();
        count_by_plan();
    }
    pool_.start([text = text_, now = std::move(read.text)] { *text = now; });
    emit editingChanged();
    emit fileChanged();
}

void CountsView::saveAs(const QUrl& file) {
    if (locked_ || !file.isLocalFile()) return;
    path_ = file.toLocalFile().toStdString();
    saved_ = false;
    save(true);
    emit fileChanged();
}

// replace: whatever the file holds; otherwise only what was read or saved before.
void CountsView::save(bool replace) {
    if (editor_.plan().width == 0) return;
    const int number = ++saves_;
    pool_.start([this, number, replace, path = path_, plan = editor_.plan(), text = text_] {
        try {
            SavedPlan saved = save_plan_file(path, plan, replace ? std::nullopt : std::optional(*text));
            *text = saved.text;
            post(this, [this, number, saved = std::move(saved)] { handle_saved(number, saved); });
        } catch (const std::exception&) {
            post(this, [this, error = current_error()] { emit failed(error); });
        }
    });
}

void CountsView::handle_saved(int number, const SavedPlan& saved) {
    if (number == saves_) saved_ = true;
    if (!saved.backup.empty()) {
        emit notified(tr("Lines and zones are saved without the comments of the file"),
                      tr("the previous file: %1").arg(QString::fromStdString(saved.backup)));
    }
    emit fileChanged();
}

}  // namespace throng::ui
