// People, lines and zones of the open source, for QML: counts them, draws and edits lines and zones, and saves them.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QPointF>
#include <QSizeF>
#include <QString>
#include <QThreadPool>
#include <QUrl>
#include <QVariantList>
#include <memory>
#include <string>

#include "core/pipeline/pipeline.h"
#include "ui/counts/live_counter.h"
#include "ui/counts/plan_editor.h"
#include "ui/counts/shape_model.h"
#include "ui/views/view.h"

namespace throng::ui {

struct PlanText;
struct SavedPlan;

// Lives on the window's thread. Counts from the first time that it is open; until then it does no work. Points are
// fractions of the image. An edit is saved at once if there is a file. Shapes that it leaves as they are keep their
// counts.
class CountsView : public throng::ui::View {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(bool locked READ locked WRITE set_locked NOTIFY lockedChanged)
    Q_PROPERTY(throng::ui::ShapeModel* shapes READ shapes CONSTANT)
    Q_PROPERTY(double people READ people NOTIFY refreshed)
    Q_PROPERTY(double unique READ unique NOTIFY refreshed)
    Q_PROPERTY(double frameMs READ frame_ms NOTIFY refreshed)
    Q_PROPERTY(QString tool READ tool NOTIFY editingChanged)
    Q_PROPERTY(QVariantList drawn READ drawn NOTIFY editingChanged)
    Q_PROPERTY(int selected READ selected NOTIFY editingChanged)
    Q_PROPERTY(bool canUndo READ can_undo NOTIFY editingChanged)
    Q_PROPERTY(QString file READ file NOTIFY fileChanged)
    Q_PROPERTY(QString folder READ folder NOTIFY fileChanged)
    Q_PROPERTY(bool saved READ saved NOTIFY fileChanged)

public:
    // file: where the plan comes from and is saved; empty: no file yet.
    CountsView(std::string file, CountPlan plan, QObject* parent = nullptr);
    ~CountsView() override;
    void wait_saved() { pool_.waitForDone(); }  // the last edit

    [[nodiscard]] bool open() const override { return open_; }  // the section of the panel
    void add_needs(PipelineNeeds& needs) const override {
        if (counting_) needs.results = true;
    }
    void adjust(PipelineSettings& settings) const override;
    void on_result(const RunFrame& frame) override;
    void on_refresh(const RunFrame&) override { refresh(); }
    bool cancel() override { return stepBack(); }
    bool step_back() override { return false; }            // the section remains open
    [[nodiscard]] bool locked() const { return locked_; }  // kiosk: visitors edit nothing
    void set_locked(bool locked);
    [[nodiscard]] ShapeModel* shapes() { return &shapes_; }
    [[nodiscard]] double people() const { return figures_.totals.people; }
    [[nodiscard]] double unique() const { return static_cast<double>(figures_.totals.unique); }
    [[nodiscard]] double frame_ms() const { return figures_.frame_ms; }
    [[nodiscard]] const CountPlan& plan() const { return editor_.plan(); }

    [[nodiscard]] QString tool() const { return tool_; }  // "line" or "zone" while one is drawn
    [[nodiscard]] QVariantList drawn() const { return drawn_; }
    [[nodiscard]] int selected() const { return selected_; }  // row; -1: none
    [[nodiscard]] bool can_undo() const { return !drawn_.isEmpty() || editor_.can_undo(); }
    [[nodiscard]] QString file() const;    // without its folder
    [[nodiscard]] QString folder() const;  // of the file; empty: there is none
    [[nodiscard]] bool saved() const { return saved_; }

    Q_INVOKABLE void begin(const QString& tool);   // starts to draw
    Q_INVOKABLE void addPoint(const QPointF& at);  // the second one completes a line
    Q_INVOKABLE void finish();                     // completes a zone
    Q_INVOKABLE bool stepBack();                   // ends drawing or the selection; false if there is neither
    Q_INVOKABLE void undo();
    Q_INVOKABLE void select(int row);
    Q_INVOKABLE void movePoint(int point, const QPointF& to);  // of the selected row, until finishMove
    Q_INVOKABLE void finishMove();
    Q_INVOKABLE void rename(int row, const QString& name);
    Q_INVOKABLE void remove(int row);
    Q_INVOKABLE void restart();  // counts from zero
    Q_INVOKABLE void reload();
    // Saves to this file from now on, whatever it holds.
    Q_INVOKABLE void saveAs(const QUrl& file);

    // Return the point of the selected row, and the row, that a press hits; -1: none. image: size on screen; reach: in
    // the same unit.
    Q_INVOKABLE [[nodiscard]] int pointAt(const QPointF& at, const QSizeF& image, double reach) const;
    Q_INVOKABLE [[nodiscard]] int rowAt(const QPointF& at, const QSizeF& image, double reach) const;

    void attach(std::shared_ptr<Pipeline> pipeline) override;
    void detach() override;
    void refresh();  // the figures

signals:
    void lockedChanged();
    void refreshed();
    void editingChanged();
    void fileChanged();  // edited, read, saved, or another file

protected:
    void change(bool open) override;

private:
    template <class Edit>
    bool edit(Edit change);
    void apply_plan();
    void count_by_plan();
    void save(bool replace);
    void handle_read(int saves, PlanText read);
    void handle_saved(int number, const SavedPlan& saved);
    [[nodiscard]] CountPoint in_pixels(const QPointF& at) const;

    PlanEditor editor_;
    ShapeModel shapes_{editor_};
    std::string path_;
    // Text of the file, as read or saved last. Used by the thread of the pool only.
    std::shared_ptr<std::string> text_ = std::make_shared<std::string>();
    bool saved_ = true;
    int saves_ = 0;  // requested so far

    std::shared_ptr<Pipeline> pipeline_;
    std::shared_ptr<LiveCounter> counter_;  // while counting with a source
    LiveCounter::Figures figures_;
    bool open_ = false;
    bool counting_ = false;
    bool locked_ = false;
    QString tool_;
    QVariantList drawn_;
    int selected_ = -1;
    QThreadPool pool_;  // one thread: reads and writes the file, in order
};

}  // namespace throng::ui
