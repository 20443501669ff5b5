// Up to 16 sources in a grid. Each has a pipeline of its own; they share the backend, its threads, and the thread that
// makes the images. An enlarged source goes to the session with its pipeline, and comes back.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QQmlListProperty>
#include <QStringList>
#include <QTimer>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "ui/render/image_thread.h"
#include "ui/session/session.h"
#include "ui/wall/wall_tile.h"

namespace throng::ui {

// Lives on the window's thread. No function blocks, except the destructor.
class Wall : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by the program")
    Q_PROPERTY(QQmlListProperty<throng::ui::WallTile> tiles READ tiles CONSTANT)
    Q_PROPERTY(int enlarged READ enlarged NOTIFY enlargedChanged)
    Q_PROPERTY(int running READ running NOTIFY refreshed)
    Q_PROPERTY(int faces READ faces NOTIFY refreshed)
    Q_PROPERTY(double frameRate READ frame_rate NOTIFY refreshed)
    Q_PROPERTY(QString backend READ backend NOTIFY refreshed)

public:
    static constexpr int kMaxTiles = 16;

    // session must outlive the wall. At most kMaxTiles sources.
    Wall(const QStringList& sources, Session& session, QObject* parent = nullptr);
    ~Wall() override;

    [[nodiscard]] QQmlListProperty<WallTile> tiles();
    [[nodiscard]] int num_tiles() const { return static_cast<int>(tiles_.size()); }
    [[nodiscard]] WallTile& tile(int number) { return *tiles_[static_cast<std::size_t>(number)]; }
    [[nodiscard]] int enlarged() const { return enlarged_; }  // number of the tile that the session shows; -1: none
    // Of the sources that deliver frames.
    [[nodiscard]] int running() const;
    [[nodiscard]] int faces() const;
    [[nodiscard]] double frame_rate() const;
    [[nodiscard]] QString backend() const { return backend_name_; }

    // Returns the number of columns that gives tiles of 16:9 the largest size.
    Q_INVOKABLE [[nodiscard]] static int columns(int tiles, double width, double height);
    Q_INVOKABLE void enlarge(int number);  // ignored while the source is not running
    Q_INVOKABLE void shrink();

signals:
    void enlargedChanged();
    void refreshed();
    void imageShown();  // of any tile

private:
    [[nodiscard]] BackendChoice backend_for(const DetectorParams& params);  // on any thread
    void open(WallTile& tile);
    void start(WallTile& tile);
    void refresh();
    void update_settings();
    void pause_tiles();
    [[nodiscard]] PipelineSettings settings() const;
    [[nodiscard]] bool has_sinks() const { return static_cast<bool>(session_.setup().make_sinks); }

    Session& session_;
    int enlarged_ = -1;
    QString backend_name_;
    QTimer refresh_timer_;
    QTimer settings_timer_;

    std::mutex backend_mutex_;
    std::optional<BackendChoice> backend_;  // made by the first source that opens

    ImageThread images_;
    std::vector<std::unique_ptr<WallTile>> tiles_;  // last: their threads use the others
};

}  // namespace throng::ui
