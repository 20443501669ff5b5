#include "ui/review/review.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "ui/base/post.h"
#include "ui/language/language.h"

namespace throng::ui {
namespace {

using Decision = ReviewTrack::Decision;

constexpr double kRounding = 1e-4;  // seconds

// Words the reasons of a report, "few detections, low score", in the language of the window.
QString words_of(const std::string& doubts) {
    QStringList words = QString::fromStdString(doubts).split(QStringLiteral(", "));
    for (QString& word : words) word = translated(word.toStdString());
    return words.join(QStringLiteral(", "));
}

QRectF rect_of(const Box& box) {
    return {static_cast<double>(box.x), static_cast<double>(box.y), static_cast<double>(box.w),
            static_cast<double>(box.h)};
}

QString word_of(Decision decision) {
    switch (decision) {
        case Decision::none: return {};
        case Decision::hide: return QStringLiteral("hide");
        case Decision::keep: return QStringLiteral("keep");
    }
    return {};
}

std::vector<Decision> decisions_of(const std::vector<ReviewTrack>& tracks) {
    std::vector<Decision> decisions;
    for (const ReviewTrack& track : tracks) decisions.push_back(track.decision);
    return decisions;
}

}  // namespace

Review::Review(ReviewOptions options, QObject* parent)
    : RowModel({{"track", [this](auto row) { return static_cast<qlonglong>(tracks_[row].id); }},
                {"first", [this](auto row) { return tracks_[row].first; }},
                {"last", [this](auto row) { return tracks_[row].last; }},
                {"frames", [this](auto row) { return static_cast<qlonglong>(tracks_[row].frames); }},
                {"doubts", [this](auto row) { return words_of(tracks_[row].doubts); }},
                {"decision", [this](auto row) { return word_of(tracks_[row].decision); }}},
               parent),
      options_(std::move(options)),
      tracks_(std::exchange(options_.tracks, {})),
      written_(decisions_of(tracks_)),
      player_(
          [file = options_.input](const std::stop_token& stop) {
              SourceOptions how;
              how.decoder = DecoderKind::software;
              return open_source(file, how, stop);
          },
          this,
          [this](const ReviewFrame& frame, const Message& problem) {
              if (!problem.empty()) return set_message(translated_message(problem), true);
              image_ = frame.image;
              pts_ = frame.pts;
              emit frameChanged();
          }) {
    connect(this, &Review::frameChanged, this, &Review::outlineChanged);
    connect(this, &Review::currentChanged, this, &Review::outlineChanged);
    const auto open = std::find(written_.begin(), written_.end(), Decision::none);
    select(open == written_.end() ? 0 : static_cast<int>(open - written_.begin()));
}

int Review::num_open() const {
    return static_cast<int>(std::count_if(tracks_.begin(), tracks_.end(),
                                          [](const ReviewTrack& track) { return track.decision == Decision::none; }));
}

bool Review::unsaved() const {
    return decisions_of(tracks_) != written_;
}

void Review::select(int row) {
    if (row < 0 || row >= count() || row == current_) return;
    current_ = row;
    playing_ = false;
    show();
    emit currentChanged();
    emit playingChanged();
}

QString Review::title() const {
    return current_ < 0 ? QString() : tr("Track %1").arg(tracks_[static_cast<std::size_t>(current_)].id);
}

void Review::set_playing(bool playing) {
    if (playing == playing_ || current_ < 0) return;
    playing_ = playing;
    show();
    emit playingChanged();
}

void Review::show() {
    const ReviewTrack& track = tracks_[static_cast<std::size_t>(current_)];
    const double at = playing_ ? track.first : (track.first + track.last) / 2;
    player_.show({track.first, track.last, at, playing_});
}

void Review::decide(bool keep) {
    set_decision(keep ? Decision::keep : Decision::hide);
    for (int step = 1; step < count(); ++step) {
        const int row = (current_ + step) % count();
        if (tracks_[static_cast<std::size_t>(row)].decision != Decision::none) continue;
        select(row);
        return;
    }
}

void Review::undecide() {
    set_decision(Decision::none);
}

void Review::set_decision(Decision decision) {
    if (current_ < 0 || writing_) return;
    ReviewTrack& track = tracks_[static_cast<std::size_t>(current_)];
    if (track.decision == decision) return;
    track.decision = decision;
    announce_values();
    emit decisionsChanged();
    set_message({}, false);
}

void Review::write() {
    if (writing_ || !unsaved()) return;
    writing_ = true;
    progress_ = 0;
    set_message({}, false);
    emit writingChanged();
    emit progressChanged();
    writer_ = std::jthread([this, tracks = tracks_](const std::stop_token& stop) {
        double reported = 0;
        const auto on_progress = [&](double part) {
            if (part < reported + 0.005) return;
            reported = part;
            post(this, [this, part] {
                progress_ = std::min(part, 1.0);
                emit progressChanged();
            });
        };
        std::optional<std::vector<ReviewTrack>> written;
        Message error;
        try {
            written = options_.write(tracks, on_progress, stop);
        } catch (...) {
            error = current_error().message();
        }
        post(this, [this, written = std::move(written), error] { finish(written, error); });
    });
}

void Review::cancel() {
    writer_.request_stop();
}

void Review::finish(std::optional<std::vector<ReviewTrack>> tracks, const Message& error) {
    writing_ = false;
    if (!tracks) {
        set_message(translated_message(error), true);
        emit writingChanged();
        return;
    }
    // The report may number the tracks differently.
    const int row = current_;
    replace(tracks_, *std::move(tracks), [](const auto&, const auto&) { return false; });
    written_ = decisions_of(tracks_);
    current_ = -1;
    if (!tracks_.empty()) select(std::clamp(row, 0, count() - 1));
    set_message(tr("Written: %1").arg(output()), false);
    emit currentChanged();
    emit decisionsChanged();
    emit writingChanged();
}

void Review::set_message(const QString& text, bool failed) {
    if (text == message_ && failed == failed_) return;
    message_ = text;
    failed_ = failed;
    emit messageChanged();
}

QVariant Review::outlines() const {
    const QRectF at = outline();
    if (at.isEmpty()) return QVariant::fromValue(std::vector<Box>());
    return QVariant::fromValue(std::vector<Box>{{static_cast<float>(at.x()), static_cast<float>(at.y()),
                                                 static_cast<float>(at.width()), static_cast<float>(at.height())}});
}

QRectF Review::outline() const {
    if (current_ < 0 || image_.isNull()) return {};
    const std::vector<ReviewTrack::Sample>& samples = tracks_[static_cast<std::size_t>(current_)].samples;
    if (pts_ < samples.front().pts - kRounding || pts_ > samples.back().pts + kRounding) return {};
    const auto next = std::find_if(samples.begin(), samples.end(), [&](const auto& each) { return each.pts >= pts_; });
    if (next == samples.end()) return rect_of(samples.back().box);
    if (next == samples.begin()) return rect_of(next->box);
    const ReviewTrack::Sample& before = *(next - 1);
    const double part = (pts_ - before.pts) / (next->pts - before.pts);
    const QRectF from = rect_of(before.box);
    const QRectF to = rect_of(next->box);
    const auto between = [part](double a, double b) { return a + part * (b - a); };
    return {between(from.x(), to.x()), between(from.y(), to.y()), between(from.width(), to.width()),
            between(from.height(), to.height())};
}

}  // namespace throng::ui
