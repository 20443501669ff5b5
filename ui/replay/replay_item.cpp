#include "ui/replay/replay_item.h"

#include <QPainter>
#include <algorithm>

#include "ui/models/stage_model.h"
#include "ui/render/view_mapping.h"

namespace throng::ui {

void ReplayItem::set_replay(Replay* replay) {
    if (replay_ == replay) return;
    if (replay_) disconnect(replay_, nullptr, this, nullptr);
    replay_ = replay;
    if (replay_) connect(replay_, &Replay::selectionChanged, this, &ReplayItem::refresh);
    emit replayChanged();
    refresh();
}

void ReplayItem::refresh() {
    const ReplayEntry* entry = replay_ ? replay_->selected() : nullptr;
    image_ = replay_ ? replay_->image() : QImage();
    frame_ = entry != nullptr ? QSize(entry->width, entry->height) : QSize();
    boxes_ = entry != nullptr ? entry->boxes : std::vector<Box>{};
    update();
}

void ReplayItem::paint(QPainter* painter) {
    if (frame_.isEmpty()) return;
    const ViewMapping mapping(size(), frame_);
    painter->setRenderHint(QPainter::SmoothPixmapTransform);
    if (image_.isNull()) {
        painter->fillRect(mapping.target(), Qt::black);
    } else {
        painter->drawImage(mapping.target(), image_);
    }
    painter->setPen(QPen(box_color_, 2));
    for (const Box& box : boxes_) painter->drawRect(mapping.map(box));
}

void ReplayPlot::set_replay(Replay* replay) {
    if (replay_ == replay) return;
    if (replay_) disconnect(replay_, nullptr, this, nullptr);
    replay_ = replay;
    if (replay_) {
        connect(replay_, &Replay::selectionChanged, this, &ReplayPlot::refresh);
        connect(replay_, &Replay::changed, this, &ReplayPlot::refresh);
    }
    emit replayChanged();
    refresh();
}

void ReplayPlot::refresh() {
    bars_.clear();
    double most = 0;
    if (replay_ && !replay_->entries().empty()) {
        const ReplayEntry* selected = replay_->selected();
        const auto newest = replay_->entries().back().at;
        for (const ReplayEntry& entry : replay_->entries()) {
            bars_.push_back(
                {std::chrono::duration<double>(newest - entry.at).count(), entry.total_ms, &entry == selected});
            most = std::max(most, entry.total_ms);
        }
    }
    const double scale = round_scale(most);
    if (scale != ms_scale_) {
        ms_scale_ = scale;
        emit scaleChanged();
    }
    update();
}

void ReplayPlot::paint(QPainter* painter) {
    const double seconds = std::chrono::duration<double>(Replay::kLength).count();
    for (const Bar& bar : bars_) {
        const double x = width() * (1 - bar.ago / seconds);
        const double tall = std::max(1.0, (height() - 2) * bar.ms / ms_scale_);
        if (bar.selected) painter->fillRect(QRectF(x - 2, 0, 4, height()), mark_color_);
        painter->fillRect(QRectF(x - 1, height() - tall, 2, tall), color_);
    }
}

}  // namespace throng::ui
