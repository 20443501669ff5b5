// Live settings of detector and suppression, for QML. The values are always valid for the pipeline. The ranges of the
// controls come from the table of settings, their visibility from detector_kinds(): no detector is hard-coded here.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QThreadPool>
#include <QUrl>
#include <QVariantMap>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/detect/detector_kinds.h"
#include "core/model/model_finder.h"
#include "core/pipeline/pipeline.h"

namespace throng::ui {

// An installed model file and, if the kind has none, the threshold of its own.
struct InstalledModel {
    ModelFile file;
    std::optional<float> threshold;
};

class DetectionSettings : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(QStringList detectors READ detectors CONSTANT)
    Q_PROPERTY(QString title READ title NOTIFY changed)
    Q_PROPERTY(QString help READ help NOTIFY changed)
    Q_PROPERTY(QString finds READ finds NOTIFY changed)
    Q_PROPERTY(bool takesModel READ takes_model NOTIFY changed)
    Q_PROPERTY(QStringList models READ models NOTIFY modelsChanged)
    Q_PROPERTY(int modelIndex READ model_index NOTIFY modelsChanged)
    Q_PROPERTY(QString modelPattern READ model_pattern NOTIFY changed)
    Q_PROPERTY(bool takesThreshold READ takes_threshold NOTIFY changed)
    Q_PROPERTY(bool usesModelThreshold READ uses_model_threshold NOTIFY changed)
    Q_PROPERTY(double modelThreshold READ model_threshold NOTIFY modelsChanged)
    Q_PROPERTY(double scoreThreshold READ score_threshold WRITE set_score_threshold NOTIFY modelsChanged)
    Q_PROPERTY(double keepRate READ keep_rate NOTIFY changed)
    Q_PROPERTY(bool half READ half WRITE set_half NOTIFY changed)
    Q_PROPERTY(bool hasLandmarks READ has_landmarks NOTIFY modelsChanged)
    Q_PROPERTY(QVariant ranges READ ranges NOTIFY changed)
    Q_PROPERTY(bool offersNetwork READ offers_network NOTIFY modelsChanged)
    Q_PROPERTY(QString getNetwork READ get_network NOTIFY modelsChanged)
    Q_PROPERTY(QStringList rules READ rules CONSTANT)
    Q_PROPERTY(QStringList overlaps READ overlaps CONSTANT)
    Q_PROPERTY(QStringList merges READ merges CONSTANT)
    Q_PROPERTY(int detector READ detector WRITE set_detector NOTIFY changed)
    Q_PROPERTY(QString model READ model WRITE set_model NOTIFY changed)
    Q_PROPERTY(QString modelName READ model_name NOTIFY changed)
    Q_PROPERTY(int minSize READ min_size WRITE set_min_size NOTIFY changed)
    Q_PROPERTY(int maxSize READ max_size WRITE set_max_size NOTIFY changed)
    Q_PROPERTY(double scaleFactor READ scale_factor WRITE set_scale_factor NOTIFY changed)
    Q_PROPERTY(int rule READ rule WRITE set_rule NOTIFY changed)
    Q_PROPERTY(bool softRule READ soft_rule NOTIFY changed)
    Q_PROPERTY(int overlap READ overlap WRITE set_overlap NOTIFY changed)
    Q_PROPERTY(double theta READ theta WRITE set_theta NOTIFY changed)
    Q_PROPERTY(int minHits READ min_hits WRITE set_min_hits NOTIFY changed)
    Q_PROPERTY(double minConfidence READ min_confidence WRITE set_min_confidence NOTIFY changed)
    Q_PROPERTY(int merge READ merge WRITE set_merge NOTIFY changed)
    Q_PROPERTY(QStringList kernelSets READ kernel_sets CONSTANT)
    Q_PROPERTY(int kernels READ kernels WRITE set_kernels NOTIFY changed)

public:
    // kinds: names of detector_kinds() in the order of the menu.
    DetectionSettings(const PipelineSettings& start, const std::vector<std::string>& kinds, QObject* parent = nullptr);

    [[nodiscard]] const PipelineSettings& values() const { return values_; }
    // Sets the values to those the pipeline uses. Does not change the pipeline.
    void set_values(const PipelineSettings& values);

    // Lists for menus; the int properties are indices into them.
    [[nodiscard]] QStringList detectors() const;  // titles
    [[nodiscard]] static QStringList rules();
    [[nodiscard]] static QStringList overlaps();
    [[nodiscard]] static QStringList merges();
    [[nodiscard]] static QStringList kernel_sets();

    [[nodiscard]] int detector() const;
    [[nodiscard]] QString title() const;  // "Haar cascade"
    [[nodiscard]] QString help() const;   // one line: strengths of this kind
    [[nodiscard]] QString finds() const;  // "faces", "people"
    [[nodiscard]] bool takes_model() const;
    [[nodiscard]] QString model() const;       // file or name; empty: the detector's default
    [[nodiscard]] QString model_name() const;  // short name, for a button
    // Installed models of the kind, the default first, including a model that was opened from another folder.
    [[nodiscard]] QStringList models() const;
    [[nodiscard]] int model_index() const;
    [[nodiscard]] QString model_pattern() const;  // of its files: "*.xml"
    [[nodiscard]] bool takes_threshold() const;
    [[nodiscard]] bool uses_model_threshold() const;  // no threshold is set: the model's own applies
    [[nodiscard]] double model_threshold() const;     // the model's own; 0: not known
    [[nodiscard]] double score_threshold() const;
    [[nodiscard]] double keep_rate() const { return values_.keep_rate; }  // results per second; 0: no automatic quality
    [[nodiscard]] bool half() const { return values_.detector.half; }
    // The model gives landmarks. If not known yet, models of the kind may.
    [[nodiscard]] bool has_landmarks() const { return kind().landmarks && model_has_landmarks_.value_or(true); }
    // Nobody has chosen a detector, neither at program start nor since, and a network finds more: a hint is due.
    [[nodiscard]] bool offers_network() const;
    [[nodiscard]] QString get_network() const;  // advice how to get one; empty: one is installed
    // The ranges of the sliders by the names of settings (core/detect/detection_params.h): from, to and step.
    [[nodiscard]] QVariant ranges() const;
    [[nodiscard]] int min_size() const { return values_.detector.min_size; }
    [[nodiscard]] int max_size() const { return values_.detector.max_size; }  // 0: the size of the frame
    [[nodiscard]] double scale_factor() const { return values_.detector.scale_factor; }
    [[nodiscard]] int rule() const;
    [[nodiscard]] bool soft_rule() const;  // min-hits and merge have no effect then
    [[nodiscard]] int overlap() const;
    [[nodiscard]] double theta() const { return static_cast<double>(values_.nms.theta); }
    [[nodiscard]] int min_hits() const { return values_.nms.min_hits; }
    [[nodiscard]] double min_confidence() const { return static_cast<double>(values_.min_confidence); }
    [[nodiscard]] int merge() const;
    [[nodiscard]] int kernels() const;  // used by the CUDA backend only

    // A value that conflicts with another setting adjusts that setting, too (a minimum above the maximum). An invalid
    // value is not applied; rejected() reports the reason.
    void set_detector(int index);
    void set_model(const QString& model);
    void set_score_threshold(double threshold);
    void set_half(bool on) { set(&DetectorParams::half, on); }
    void set_switch(const QString& id, const QString& choice);
    void reset_switches() { set(&DetectorParams::switches, {}); }
    void set_min_size(int pixels);
    void set_max_size(int pixels);
    void set_scale_factor(double factor) { set(&DetectorParams::scale_factor, factor); }
    void set_rule(int index);
    void set_overlap(int index);
    void set_theta(double theta) { set(&NmsParams::theta, static_cast<float>(theta)); }
    void set_min_hits(int hits) { set(&NmsParams::min_hits, hits); }
    void set_min_confidence(double confidence);
    void set_merge(int index);
    void set_kernels(int index);
    Q_INVOKABLE void openModel(const QUrl& file);
    Q_INVOKABLE void chooseModel(int index);  // index into models()
    Q_INVOKABLE void useNetwork();
    void set_detector_chosen(bool chosen) { detector_chosen_ = chosen; }  // at program start; by default it was
    [[nodiscard]] bool detector_chosen() const { return detector_chosen_; }
    // Sets the detector and its model, as the user's choice. A kind that this program does not have is ignored.
    void use(const std::string& kind, const std::string& model);
    // A network could be the default detector: a hint is due, and one is installed.
    [[nodiscard]] bool has_network() const { return offers_network() && get_network().isEmpty(); }
    void try_network();  // uses it; nobody has chosen a detector still
    // From now on, another detector for the same objects gets these sizes, not its own: times are comparable then.
    void set_sizes_of_kinds(const DetectorParams& sizes) { sizes_ = sizes; }
    void make_default();            // reset() sets the detector in use from now on
    Q_INVOKABLE void findModels();  // that are installed; again: files may have been added meanwhile
    void set_installed_models(std::vector<InstalledModel> models);
    void take_models(const DetectionSettings& from);  // that are installed, if it knows them
    void set_model_has_landmarks(bool has);           // observed in a result; forgotten with the next model
    Q_INVOKABLE void reset();                         // to the default detector's values at program start
    Q_INVOKABLE void nextDetector();                  // of those without a network, or whose default one is installed
    Q_INVOKABLE void nextRule();

signals:
    void changed();
    void modelsChanged();
    void rejected(const throng::Error& why);
    void announced(const QString& text);  // what a change of the user has set: "Threshold θ 0.45"

private:
    void change_to(PipelineSettings next);
    // Sets one field. The value is no argument that the type is deduced from.
    template <class Value>
    void set(Value DetectorParams::*field, const std::type_identity_t<Value>& value) {
        PipelineSettings next = values_;
        next.detector.*field = value;
        change_to(std::move(next));
    }
    template <class Value>
    void set(Value NmsParams::*field, const std::type_identity_t<Value>& value) {
        PipelineSettings next = values_;
        next.nms.*field = value;
        change_to(std::move(next));
    }
    [[nodiscard]] PipelineSettings settings_of(const DetectorKind& kind) const;
    void forget_model(const PipelineSettings& next);
    [[nodiscard]] float least_score() const;
    [[nodiscard]] const DetectorKind& kind() const;
    [[nodiscard]] const DetectorKind* network() const;  // that finds the same objects; null: none, or in use
    [[nodiscard]] const InstalledModel* default_model(const DetectorKind& kind) const;
    [[nodiscard]] std::vector<QString> model_specs() const;  // the model spec of each entry of models()

    PipelineSettings start_;
    PipelineSettings values_;
    std::vector<const DetectorKind*> kinds_;
    const DetectorKind* default_kind_;
    std::optional<DetectorParams> sizes_;
    std::vector<InstalledModel> installed_;
    bool models_known_ = false;  // set_installed_models was called
    bool detector_chosen_ = true;
    std::optional<bool> model_has_landmarks_;
    QThreadPool pool_;  // last: its threads post to this object
};

}  // namespace throng::ui
