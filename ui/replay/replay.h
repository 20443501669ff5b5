// The last 30 seconds, for QML: boxes and times of every result, and an image in low resolution.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QImage>
#include <QSize>
#include <QString>
#include <QVariantList>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/pipeline/frame_result.h"
#include "ui/base/worker.h"
#include "ui/replay/timeline.h"
#include "ui/views/view.h"

namespace throng::ui {

struct ReplayEntry {
    using Clock = std::chrono::steady_clock;

    std::uint64_t number = 0;  // of the result, see Replay::add
    Clock::time_point at;
    double pts = 0;  // seconds
    std::int64_t frame = 0;
    int width = 0;  // of the frame, pixels
    int height = 0;
    std::uint32_t kept = 0;  // all of them: boxes has at most kMaxBoxes
    std::uint32_t raw = 0;
    bool hides_faces = false;
    std::vector<Box> boxes;  // of kept detections, pixels of the frame
    StageTimes times;
    double total_ms = 0;
    std::shared_ptr<const std::vector<unsigned char>> jpeg;  // null: not made yet, or skipped on a slow machine

    [[nodiscard]] std::size_t bytes() const;
};

// Lives on the window's thread. Closed, it has no thread and holds no data, except those of the timeline.
class Replay : public throng::ui::View {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(throng::ui::Timeline* timeline READ timeline CONSTANT)
    Q_PROPERTY(int count READ count NOTIFY changed)
    Q_PROPERTY(bool active READ active NOTIFY selectionChanged)
    Q_PROPERTY(bool hidesFaces READ hides_faces NOTIFY selectionChanged)
    Q_PROPERTY(bool hasImage READ has_image NOTIFY selectionChanged)
    Q_PROPERTY(QVariant frameImage READ frame_image NOTIFY selectionChanged)
    Q_PROPERTY(QSize frameSize READ frame_size NOTIFY selectionChanged)
    Q_PROPERTY(QVariant boxes READ boxes NOTIFY selectionChanged)
    Q_PROPERTY(QString title READ title NOTIFY selectionChanged)
    Q_PROPERTY(double aspect READ aspect NOTIFY changed)
    Q_PROPERTY(QVariant plot READ plot NOTIFY plotChanged)
    Q_PROPERTY(double msScale READ ms_scale NOTIFY plotChanged)
    Q_PROPERTY(int kept READ kept NOTIFY selectionChanged)
    Q_PROPERTY(int raw READ raw NOTIFY selectionChanged)
    Q_PROPERTY(double totalMs READ total_ms NOTIFY selectionChanged)
    Q_PROPERTY(QVariantList stages READ stages NOTIFY selectionChanged)
    Q_PROPERTY(double megabytes READ megabytes NOTIFY changed)
    Q_PROPERTY(double costMs READ cost_ms NOTIFY changed)
    Q_PROPERTY(double seconds READ seconds NOTIFY changed)

public:
    explicit Replay(QObject* parent = nullptr);

    [[nodiscard]] bool open() const override { return worker_.is_open(); }
    [[nodiscard]] bool covers_image() const override { return active(); }
    void on_result(const RunFrame& frame) override {
        if (frame.result->carried) return;  // its times are of a frame before
        if (frame.duration > 0) timeline_.add(frame.result, frame.duration);
        add(frame.result, frame.number);
    }
    void on_refresh(const RunFrame&) override {
        if (open()) emit changed();
    }
    bool step_back() override;

    // Stores a result under a number that grows with each result. Ignored while closed, and while an entry is
    // selected: what is looked at must not be dropped.
    void add(const std::shared_ptr<const FrameResult>& result, std::uint64_t number);
    void clear() override;
    // on: images are stored after hiding, and what was stored without is dropped.
    void set_hides_faces(bool on);

    // Selects an entry and shows it; the nearest one if there is none with this number. Opens the replay if it is
    // closed, which then holds nothing yet.
    Q_INVOKABLE void selectNumber(double number);
    Q_INVOKABLE void selectSecondsAgo(double seconds);  // before the newest entry
    // Return the image of the nearest entry, empty if there is none, and when it was with what was found.
    Q_INVOKABLE [[nodiscard]] QVariant imageAt(double secondsAgo) const;
    Q_INVOKABLE [[nodiscard]] QString momentAt(double secondsAgo) const;
    Q_INVOKABLE void step(int entries);
    Q_INVOKABLE void goLive();

    [[nodiscard]] Timeline* timeline() { return &timeline_; }
    [[nodiscard]] int count() const { return static_cast<int>(entries_.size()); }
    [[nodiscard]] bool active() const { return selected() != nullptr; }  // an entry is shown instead of the live image
    [[nodiscard]] bool hides_faces() const { return active() && selected()->hides_faces; }
    // Images are skipped while their thread or the window is slower than detection; boxes and times never are.
    [[nodiscard]] bool has_image() const { return active() && selected()->jpeg != nullptr; }
    [[nodiscard]] QString title() const;
    // The selected entry as a bar of the whole height, the times of all as bars; colors 1 and 0.
    [[nodiscard]] QVariant plot() const;
    [[nodiscard]] double ms_scale() const;  // milliseconds at the upper edge
    [[nodiscard]] double aspect() const;    // width by height of the newest entry
    // Of the selected entry; 0: none is.
    [[nodiscard]] int kept() const { return active() ? static_cast<int>(selected()->kept) : 0; }
    [[nodiscard]] int raw() const { return active() ? static_cast<int>(selected()->raw) : 0; }
    [[nodiscard]] double total_ms() const { return active() ? selected()->total_ms : 0; }
    [[nodiscard]] QVariantList stages() const;  // of the selected entry: {label, ms, text}
    [[nodiscard]] double megabytes() const { return static_cast<double>(bytes_) / (1 << 20); }
    [[nodiscard]] double cost_ms() const { return cost_ms_; }  // of the last image, on its thread
    [[nodiscard]] double seconds() const;                      // between the oldest entry and the newest

    [[nodiscard]] const std::deque<ReplayEntry>& entries() const { return entries_; }  // oldest first
    [[nodiscard]] const ReplayEntry* selected() const;                                 // null: live
    // Of the selected entry; null or empty if there is none.
    [[nodiscard]] QImage image() const;
    [[nodiscard]] QVariant frame_image() const { return image(); }
    [[nodiscard]] QSize frame_size() const { return active() ? QSize(selected()->width, selected()->height) : QSize(); }
    [[nodiscard]] QVariant boxes() const { return active() ? QVariant::fromValue(selected()->boxes) : QVariant(); }

    static constexpr std::chrono::seconds kLength{30};
    static constexpr std::size_t kMaxBytes = 48U << 20;
    static constexpr std::size_t kMaxBoxes = 4096;  // per entry
    static constexpr int kImageWidth = 320;

signals:
    void changed();
    void selectionChanged();
    void plotChanged();  // with either of them

protected:
    void change(bool open) override;

private:
    struct Request {
        std::shared_ptr<const FrameResult> result;
        std::uint64_t number = 0;
        bool hides_faces = false;
    };
    struct Image {
        std::uint64_t number = 0;
        std::shared_ptr<const std::vector<unsigned char>> jpeg;
        double ms = 0;
    };
    void drop();  // what is stored
    void receive(const Image& image);
    void trim();
    void select(std::size_t index);
    [[nodiscard]] std::size_t index_at(double seconds_ago) const;  // of the nearest entry, of which there is one
    [[nodiscard]] double seconds_before_newest(const ReplayEntry& entry) const;

    std::deque<ReplayEntry> entries_;
    std::size_t bytes_ = 0;  // of all entries
    std::uint64_t selected_ = 0;
    bool has_selection_ = false;
    bool hides_faces_ = false;
    double cost_ms_ = 0;
    Timeline timeline_;  // filled while the replay is closed, too
    Worker<Request, Image> worker_;
};

}  // namespace throng::ui
