#include "ui/replay/replay.h"

#include <QVariantMap>
#include <algorithm>
#include <utility>

#include "core/base/log.h"
#include "core/base/stopwatch.h"
#include "ui/language/language.h"
#include "ui/models/stage_model.h"
#include "ui/plot/plot_item.h"
#include "ui/replay/small_image.h"

namespace throng::ui {
std::size_t ReplayEntry::bytes() const {
    return sizeof(ReplayEntry) + boxes.capacity() * sizeof(Box) + times.capacity() * sizeof(StageTime) +
           (jpeg ? jpeg->capacity() : 0);
}

Replay::Replay(QObject* parent)
    : View(parent), worker_(this, [this](const Image& image, const Message& problem) {
          problem.empty() ? receive(image) : logger().error("cannot store a frame: {}", problem.text());
      }) {
    connect(this, &Replay::selectionChanged, this, &View::coverChanged);
    connect(this, &Replay::selectionChanged, this, &Replay::plotChanged);
    connect(this, &Replay::changed, this, &Replay::plotChanged);
}

void Replay::change(bool open) {
    if (open) {
        worker_.open([maker = ImageMaker()](const Request& request, const auto& job) mutable {
            const auto start = ReplayEntry::Clock::now();
            auto jpeg = std::make_shared<const std::vector<unsigned char>>(
                small_jpeg(maker, request.result, kImageWidth, request.hides_faces));
            job.report({request.number, std::move(jpeg), milliseconds_since(start)});
        });
    } else {
        worker_.close();
        drop();
    }
}

// First to the live image.
bool Replay::step_back() {
    const bool was_active = active();
    if (was_active) goLive();
    return was_active || View::step_back();
}

void Replay::add(const std::shared_ptr<const FrameResult>& result, std::uint64_t number) {
    if (!open() || has_selection_) return;
    ReplayEntry entry;
    entry.number = number;
    entry.at = ReplayEntry::Clock::now();
    const FrameInfo& info = result->frame.info();
    entry.pts = info.pts;
    entry.frame = info.index;
    entry.width = info.width;
    entry.height = info.height;
    entry.hides_faces = hides_faces_;
    entry.raw = result->raw_count;
    entry.kept = static_cast<std::uint32_t>(result->kept.detections.size());
    entry.boxes.reserve(std::min(result->kept.detections.size(), kMaxBoxes));
    for (const Detection& detection : result->kept.detections) {
        if (entry.boxes.size() == kMaxBoxes) break;
        entry.boxes.push_back(detection.box);
    }
    entry.times = result->timings;
    entry.total_ms = stage_ms(entry.times, stage::kTotal).value_or(0);
    bytes_ += entry.bytes();
    entries_.push_back(std::move(entry));
    worker_.push({result, number, hides_faces_});
    trim();
}

void Replay::trim() {
    const auto oldest = entries_.back().at - kLength;
    while (entries_.size() > 1 && (entries_.front().at < oldest || bytes_ > kMaxBytes)) {
        bytes_ -= entries_.front().bytes();
        entries_.pop_front();
    }
}

void Replay::clear() {
    timeline_.clear();
    drop();
}

void Replay::drop() {
    worker_.clear();
    entries_.clear();
    bytes_ = 0;
    cost_ms_ = 0;
    goLive();
    emit changed();
}

void Replay::set_hides_faces(bool on) {
    timeline_.set_hides_faces(on);
    if (on == hides_faces_) return;
    hides_faces_ = on;
    if (on) drop();
}

void Replay::selectNumber(double number) {
    set_open(true);
    if (entries_.empty()) return;
    const auto newest = static_cast<double>(entries_.back().number);
    const auto wanted = static_cast<std::uint64_t>(std::clamp(number, 0.0, newest));
    const auto at =
        std::lower_bound(entries_.begin(), entries_.end(), wanted,
                         [](const ReplayEntry& entry, std::uint64_t value) { return entry.number < value; });
    select(std::min(static_cast<std::size_t>(at - entries_.begin()), entries_.size() - 1));
}

void Replay::selectSecondsAgo(double seconds) {
    if (!entries_.empty()) select(index_at(seconds));
}

std::size_t Replay::index_at(double seconds_ago) const {
    const double length = std::chrono::duration<double>(kLength).count();
    const auto ago = std::chrono::duration_cast<ReplayEntry::Clock::duration>(
        std::chrono::duration<double>(std::clamp(seconds_ago, 0.0, length)));
    const auto wanted = entries_.back().at - ago;
    const auto at = std::lower_bound(
        entries_.begin(), entries_.end(), wanted,
        [](const ReplayEntry& entry, ReplayEntry::Clock::time_point value) { return entry.at < value; });
    auto index = std::min(static_cast<std::size_t>(at - entries_.begin()), entries_.size() - 1);
    if (index > 0 && wanted - entries_[index - 1].at < entries_[index].at - wanted) --index;  // the nearer one
    return index;
}

double Replay::seconds_before_newest(const ReplayEntry& entry) const {
    return std::chrono::duration<double>(entries_.back().at - entry.at).count();
}

QVariant Replay::imageAt(double secondsAgo) const {
    if (entries_.empty()) return {};
    const ReplayEntry& entry = entries_[index_at(secondsAgo)];
    return entry.jpeg ? QVariant(image_of(*entry.jpeg)) : QVariant();
}

QString Replay::momentAt(double secondsAgo) const {
    if (entries_.empty()) return {};
    const ReplayEntry& entry = entries_[index_at(secondsAgo)];
    return tr("%1 s before · %2 found").arg(fixed(seconds_before_newest(entry), 1)).arg(entry.kept);
}

double Replay::ms_scale() const {
    double most = 0;
    for (const ReplayEntry& entry : entries_) most = std::max(most, entry.total_ms);
    return round_scale(most);
}

QVariant Replay::plot() const {
    constexpr double kMarkWidth = 0.012;
    PlotSeries mark{PlotSeries::Look::bars, 1, {}, kMarkWidth}, times{PlotSeries::Look::bars, 0, {}};
    const double scale = ms_scale();
    const ReplayEntry* chosen = selected();
    for (const ReplayEntry& entry : entries_) {
        const double x = 1 - seconds_before_newest(entry) / std::chrono::duration<double>(kLength).count();
        times.values.emplace_back(x, entry.total_ms / scale);
        if (&entry == chosen) mark.values.emplace_back(x, 1);
    }
    return QVariant::fromValue(Plot{std::move(mark), std::move(times)});
}

double Replay::aspect() const {
    return entries_.empty() ? 1 : static_cast<double>(entries_.back().width) / std::max(1, entries_.back().height);
}

void Replay::step(int entries) {
    if (entries_.empty()) return;
    std::size_t index = entries_.size() - 1;
    for (std::size_t i = 0; has_selection_ && i < entries_.size(); ++i) {
        if (entries_[i].number == selected_) index = i;
    }
    const auto last = static_cast<std::ptrdiff_t>(entries_.size()) - 1;
    select(static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(index) + entries, 0, last)));
}

void Replay::select(std::size_t index) {
    selected_ = entries_[index].number;
    has_selection_ = true;
    emit selectionChanged();
}

void Replay::goLive() {
    if (!std::exchange(has_selection_, false)) return;
    emit selectionChanged();
}

const ReplayEntry* Replay::selected() const {
    if (!has_selection_) return nullptr;
    const auto at = std::find_if(entries_.begin(), entries_.end(),
                                 [this](const ReplayEntry& entry) { return entry.number == selected_; });
    return at == entries_.end() ? nullptr : &*at;
}

double Replay::seconds() const {
    return entries_.empty() ? 0 : seconds_before_newest(entries_.front());
}

QString Replay::title() const {
    const ReplayEntry* entry = selected();
    if (entry == nullptr) return {};
    return tr("frame %1, %2 s before: %3 of %4 boxes, %5 ms")
        .arg(entry->frame)
        .arg(fixed(seconds_before_newest(*entry), 1))
        .arg(entry->kept)
        .arg(entry->raw)
        .arg(fixed(entry->total_ms, 1));
}

QVariantList Replay::stages() const {
    QVariantList found;
    const ReplayEntry* entry = selected();
    if (entry == nullptr) return found;
    for (const StageTime& time : entry->times) {
        found += QVariantMap{{QStringLiteral("label"), stage_label(std::string(time.name))},
                             {QStringLiteral("ms"), time.ms},
                             {QStringLiteral("total"), time.name == stage::kTotal}};
    }
    return found;
}

QImage Replay::image() const {
    const ReplayEntry* entry = selected();
    if (entry == nullptr || !entry->jpeg) return {};
    return image_of(*entry->jpeg);
}

void Replay::receive(const Image& image) {
    cost_ms_ = image.ms;
    const auto at = std::find_if(entries_.rbegin(), entries_.rend(),
                                 [&](const ReplayEntry& entry) { return entry.number == image.number; });
    if (at == entries_.rend()) return;
    bytes_ -= at->bytes();
    at->jpeg = image.jpeg;
    bytes_ += at->bytes();
    if (has_selection_ && selected_ == image.number) emit selectionChanged();
    if (!has_selection_) trim();
}

}  // namespace throng::ui
