// Draws an overlay plan on the GPU: one geometry node for the edges, one for the labels.
#pragma once

#include <QSGGeometryNode>
#include <QSGTexture>
#include <memory>

#include "ui/render/label_atlas.h"
#include "ui/render/overlay_geometry.h"

class QQuickWindow;

namespace throng::ui {

// Lives on the render thread, as all nodes do.
class OverlayNode : public QSGNode {
public:
    OverlayNode();
    ~OverlayNode() override;
    OverlayNode(const OverlayNode&) = delete;
    OverlayNode& operator=(const OverlayNode&) = delete;

    void update(const OverlayPlan& plan, QQuickWindow& window);

private:
    void update_labels(const OverlayPlan& plan, QQuickWindow& window);

    OverlayGeometry geometry_;
    QSGGeometryNode edges_;
    std::unique_ptr<QSGGeometryNode> letters_;
    std::unique_ptr<LabelAtlas> atlas_;
    std::unique_ptr<QSGTexture> texture_;
    QColor atlas_color_;
    double atlas_size_ = 0;
    double atlas_ratio_ = 0;
};

}  // namespace throng::ui
