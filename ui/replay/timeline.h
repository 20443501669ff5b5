// Faces and frame times over the length of the open file, as far as it was played, with small images.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QVariant>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/pipeline/frame_result.h"
#include "ui/base/worker.h"
#include "ui/replay/small_image.h"

namespace throng::ui {

// Lives on the window's thread. Without a result, it has no thread and holds no data.
class Timeline : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(double aspect READ aspect NOTIFY changed)
    Q_PROPERTY(QVariant plot READ plot NOTIFY changed)

public:
    static constexpr int kParts = 240;
    static constexpr int kImageWidth = 160;

    struct Part {
        int faces = -1;                    // the most of its results; -1: none was seen
        double ms = 0;                     // the longest time of its results
        bool slow = false;                 // it is more than twice the median of all
        std::shared_ptr<const Jpeg> jpeg;  // of one of its results; null: not made yet
    };

    explicit Timeline(QObject* parent = nullptr);

    // Adds a result of a file with this length in seconds.
    void add(const std::shared_ptr<const FrameResult>& result, double duration);
    void clear();
    // on: images are made with hidden faces, and those that were made without are dropped.
    void set_hides_faces(bool on);

    // The part at this fraction of the length. Empty if nothing was seen there; the image is that of the nearest part.
    Q_INVOKABLE [[nodiscard]] QVariant imageAt(double fraction) const;
    Q_INVOKABLE [[nodiscard]] int facesAt(double fraction) const;  // -1: unknown

    [[nodiscard]] QVariant plot() const;                     // faces as bars, slow parts as marks; colors 0 and 1
    [[nodiscard]] double aspect() const { return aspect_; }  // width by height of the images
    [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }  // empty, or kParts

signals:
    void changed();

private:
    struct Request {
        std::shared_ptr<const FrameResult> result;
        std::size_t part = 0;
        bool hides_faces = false;
    };
    struct Image {
        std::size_t part = 0;
        std::shared_ptr<const Jpeg> jpeg;
    };
    void receive(Image image);
    void mark_slow_parts();

    std::vector<Part> parts_;
    bool hides_faces_ = false;
    double aspect_ = 1;
    Worker<Request, Image> worker_;
};

}  // namespace throng::ui
