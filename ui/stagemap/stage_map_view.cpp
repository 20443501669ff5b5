#include "ui/stagemap/stage_map_view.h"

#include <QColor>
#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/model/cascade_xml.h"
#include "core/model/model_finder.h"
#include "ui/language/language.h"

namespace throng::ui {
namespace {

// Dark to bright at even steps of lightness (five samples of matplotlib's viridis), then white for accepted windows.
constexpr std::array<QRgb, 5> kColors = {0xff443983, 0xff31688e, 0xff21918c, 0xff5ec962, 0xfffde725};
constexpr QRgb kAccepted = 0xffffffff;
// Positions that passed few stages are the most frequent: they hide the least of the image.
constexpr int kFaintest = 70, kStrongest = 190;  // alpha

bool is_cascade(const DetectorParams& params) {
    return params.kind == DetectorId::haar || params.kind == DetectorId::lbp;
}

// Belongs to the view's thread. Holds what its parameters need.
class MapMaker {
public:
    // Returns null if it was stopped. Releases the result early: frames on a device are scarce.
    template <typename Request>
    std::shared_ptr<const StageMapView::Map> make(Request& request, const std::stop_token& stop) {
        const DetectorParams& params = request.detector;
        if (!model_ || params.kind != read_.kind || params.model != read_.model) {
            model_.reset();
            model_ = read_cascade(find_model(params.model, params.kind));
        }
        if (!pool_ || params.threads != read_.threads) pool_ = std::make_unique<ThreadPool>(params.threads);
        read_ = params;
        const auto start = std::chrono::steady_clock::now();
        auto result = std::make_shared<FrameResult>(*std::exchange(request.result, nullptr));
        const Frame frame = result->frame = result->frame.on_host();
        auto map = compute_stage_map(*model_, frame, params, request.level, *pool_, stop);
        if (!map) return nullptr;
        auto made = std::make_shared<StageMapView::Map>();
        made->map = std::move(*map);
        made->image = image_of(made->map);
        made->cells = QSizeF(frame.width(), frame.height()) / kStageCell;
        made->pts = frame.info().pts;
        made->compute_ms = milliseconds_since(start);
        made->frame = images_.make(ImageRequest{request.view, std::move(result)}).image;
        made->hides_faces = request.view.blur;
        return made;
    }

private:
    ImageMaker images_;
    std::optional<CascadeModel> model_;
    std::unique_ptr<ThreadPool> pool_;
    DetectorParams read_;  // model and pool were made for these
};

}  // namespace

std::vector<StageBand> stage_bands(int stage_count) {
    std::vector<StageBand> bands;
    const int partial = stage_count - 1;  // 1 to all but one
    const int count = std::min(partial, static_cast<int>(kColors.size()));
    const auto with_alpha = [&](QRgb color, int band) {
        const int alpha = count == 0 ? kStrongest : kFaintest + (kStrongest - kFaintest) * band / count;
        return qRgba(qRed(color), qGreen(color), qBlue(color), alpha);
    };
    for (int band = 0; band < count; ++band) {
        const auto color =
            static_cast<std::size_t>(count == 1 ? 0 : band * (static_cast<int>(kColors.size()) - 1) / (count - 1));
        bands.push_back({1 + partial * band / count, partial * (band + 1) / count, with_alpha(kColors[color], band)});
    }
    bands.push_back({stage_count, stage_count, with_alpha(kAccepted, count)});
    return bands;
}

QImage image_of(const StageMap& map) {
    std::vector<QRgb> colors(static_cast<std::size_t>(map.stage_count) + 1, 0U);
    for (const StageBand& band : stage_bands(map.stage_count)) {
        for (int stages = band.first; stages <= band.last; ++stages) {
            colors[static_cast<std::size_t>(stages)] = qPremultiply(band.color);
        }
    }
    QImage image(map.columns, map.rows, QImage::Format_ARGB32_Premultiplied);
    for (int y = 0; y < map.rows; ++y) {
        auto* row = reinterpret_cast<QRgb*>(image.scanLine(y));
        for (int x = 0; x < map.columns; ++x) row[x] = colors[static_cast<std::size_t>(map.at(x, y))];
    }
    return image;
}

void StageMapView::change(bool open) {
    if (open) {
        worker_.open([maker = MapMaker()](Request& request, const auto& job) mutable {
            if (auto map = maker.make(request, job.stop())) job.report(std::move(map));
        });
    } else {
        worker_.close();
        clear();
    }
}

void StageMapView::set_level(int level) {
    const int last = std::max(levels() - 1, 0);
    level = std::clamp(level, kAllLevels, last);
    if (level == level_) return;
    level_ = level;
    worker_.clear();
    if (newest_.result) show(newest_.result, newest_.detector);
    emit changed();
}

QString StageMapView::level_text() const {
    if (level_ == kAllLevels || level_ >= levels()) return tr("All sizes");
    const CascadeLevel& at = map_->map.levels[static_cast<std::size_t>(level_)];
    return tr("%1 px, %2 of %3").arg(std::min(at.box_width, at.box_height)).arg(level_ + 1).arg(levels());
}

double StageMapView::behind() const {
    if (!map_ || !newest_.result) return 0;
    return std::max(0.0, newest_.result->frame.info().pts - map_->pts);
}

QVariantList StageMapView::bands() const {
    QVariantList legend;
    if (!map_) return legend;
    const int all = map_->map.stage_count;
    for (const StageBand& band : stage_bands(all)) {
        const QString text = band.first == all         ? tr("all %1").arg(all)
                             : band.first == band.last ? QString::number(band.first)
                                                       : QStringLiteral("%1–%2").arg(band.first).arg(band.last);
        legend += QVariantMap{{QStringLiteral("text"), text},
                              {QStringLiteral("color"), QColor::fromRgb(band.color | 0xff000000U)}};
    }
    return legend;
}

void StageMapView::show(const std::shared_ptr<const FrameResult>& result, const DetectorParams& detector) {
    if (!open() || !result) return;
    if (!(detector == newest_.detector) && newest_.result) clear();
    Request request{result, detector, level_, view_};
    if (request == newest_) return;
    newest_ = request;
    emit behindChanged();
    if (!is_cascade(detector)) {
        problem_ = tr("Only cascades have stages: choose the detector Haar or LBP");
        emit changed();
        return;
    }
    worker_.push(std::move(request));
}

// An image that shows faces is dropped when they must be hidden.
void StageMapView::set_image_view(const ImageView& view, const OverlayOptions& overlay) {
    const bool hid = view_.blur;
    view_ = view;
    view_.zoom = {};  // the whole frame
    view_.paint_overlay = true;
    view_.keep_on_device = false;
    view_.overlay = overlay;
    const Request shown = newest_;
    if (view.blur && !hid) clear();
    if (shown.result) show(shown.result, shown.detector);
}

void StageMapView::clear() {
    newest_ = {};
    worker_.clear();
    map_.reset();
    problem_.clear();
    emit changed();
}

void StageMapView::receive(std::shared_ptr<const Map> map, const Message& problem) {
    if (map && view_.blur && !map->hides_faces) return;
    map_ = std::move(map);
    problem_ = translated_message(problem);
    if (map_) level_ = map_->map.level;  // a smaller frame has fewer levels
    emit changed();
    emit behindChanged();
}

}  // namespace throng::ui
