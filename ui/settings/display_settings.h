// Settings of the overlay: what is drawn over the frame.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

namespace throng::ui {

class DisplaySettings : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(bool raw READ raw WRITE set_raw NOTIFY changed)
    Q_PROPERTY(bool kept READ kept WRITE set_kept NOTIFY changed)
    Q_PROPERTY(bool labels READ labels WRITE set_labels NOTIFY changed)
    Q_PROPERTY(bool landmarks READ landmarks WRITE set_landmarks NOTIFY changed)
    Q_PROPERTY(bool blur READ blur WRITE set_blur NOTIFY changed)
    Q_PROPERTY(bool hidesAlways READ hides_always NOTIFY changed)

public:
    using QObject::QObject;

    [[nodiscard]] bool raw() const { return raw_; }
    [[nodiscard]] bool kept() const { return kept_; }
    [[nodiscard]] bool labels() const { return labels_; }        // score and hits of kept detections
    [[nodiscard]] bool landmarks() const { return landmarks_; }  // eyes, nose and corners of the mouth
    [[nodiscard]] bool tracks() const { return tracks_; }        // boxes and ids of tracks instead of detections
    // Faces are made unrecognizable.
    [[nodiscard]] bool blur() const { return hides_always_ ? !revealed_ : blur_; }
    // Whatever set_blur says, faces are hidden except while they are revealed: a camera at a trade show.
    [[nodiscard]] bool hides_always() const { return hides_always_; }

    void set_raw(bool on) { set(raw_, on); }
    void set_kept(bool on) { set(kept_, on); }
    void set_labels(bool on) { set(labels_, on); }
    void set_landmarks(bool on) { set(landmarks_, on); }
    void set_blur(bool on) { set(blur_, on); }
    void set_tracks(bool on) { set(tracks_, on); }
    void set_hides_always(bool on) {
        if (on != hides_always_) revealed_ = false;
        set(hides_always_, on);
    }
    void reveal(bool on) { set(revealed_, on && hides_always_); }

signals:
    void changed();

private:
    void set(bool& value, bool on) {
        if (value == on) return;
        value = on;
        emit changed();
    }

    bool raw_ = false;
    bool kept_ = true;
    bool labels_ = false;
    bool landmarks_ = true;
    bool blur_ = false;
    bool tracks_ = false;
    bool hides_always_ = false;
    bool revealed_ = false;
};

}  // namespace throng::ui
