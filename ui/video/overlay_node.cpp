#include "ui/video/overlay_node.h"

#include <QQuickWindow>
#include <QSGTextureMaterial>
#include <QSGVertexColorMaterial>
#include <cstring>

namespace throng::ui {
namespace {

const QColor kLetterColor(10, 14, 18);

std::unique_ptr<QSGGeometry> empty_geometry(const QSGGeometry::AttributeSet& attributes) {
    auto geometry = std::make_unique<QSGGeometry>(attributes, 0, 0, QSGGeometry::UnsignedIntType);
    geometry->setDrawingMode(QSGGeometry::DrawTriangles);
    geometry->setVertexDataPattern(QSGGeometry::StreamPattern);
    geometry->setIndexDataPattern(QSGGeometry::StreamPattern);
    return geometry;
}

void set_up(QSGGeometryNode& node, const QSGGeometry::AttributeSet& attributes, std::unique_ptr<QSGMaterial> material) {
    material->setFlag(QSGMaterial::Blending);
    node.setGeometry(empty_geometry(attributes).release());
    node.setMaterial(material.release());
    node.setFlag(QSGNode::OwnsGeometry);
    node.setFlag(QSGNode::OwnsMaterial);
    node.setFlag(QSGNode::OwnedByParent, false);
}

template <class Vertex>
void fill(QSGGeometryNode& node, const std::vector<Vertex>& vertices, const std::vector<std::uint32_t>& indices) {
    QSGGeometry& geometry = *node.geometry();
    geometry.allocate(static_cast<int>(vertices.size()), static_cast<int>(indices.size()));
    if (!vertices.empty()) {
        std::memcpy(geometry.vertexData(), vertices.data(), vertices.size() * sizeof(Vertex));
        std::memcpy(geometry.indexData(), indices.data(), indices.size() * sizeof(std::uint32_t));
    }
    node.markDirty(QSGNode::DirtyGeometry);
}

}  // namespace

OverlayNode::OverlayNode() {
    set_up(edges_, QSGGeometry::defaultAttributes_ColoredPoint2D(), std::make_unique<QSGVertexColorMaterial>());
    appendChildNode(&edges_);
}

OverlayNode::~OverlayNode() {
    removeAllChildNodes();  // members of this class: the base class must not delete them
}

void OverlayNode::update(const OverlayPlan& plan, QQuickWindow& window) {
    build_geometry(plan, geometry_);
    fill(edges_, geometry_.vertices, geometry_.indices);
    update_labels(plan, window);
}

void OverlayNode::update_labels(const OverlayPlan& plan, QQuickWindow& window) {
    if (plan.labels.empty()) {
        if (letters_) removeChildNode(letters_.get());
        letters_.reset();
        return;
    }
    const double ratio = window.effectiveDevicePixelRatio();
    if (!letters_) {
        letters_ = std::make_unique<QSGGeometryNode>();
        set_up(*letters_, QSGGeometry::defaultAttributes_TexturedPoint2D(), std::make_unique<QSGTextureMaterial>());
        appendChildNode(letters_.get());
        atlas_size_ = 0;
    }
    if (atlas_size_ != plan.label_size || atlas_ratio_ != ratio || atlas_color_ != plan.plate_color) {
        atlas_ = std::make_unique<LabelAtlas>(plan.label_size, ratio, kLetterColor, plan.plate_color);
        texture_.reset(window.createTextureFromImage(atlas_->image(), QQuickWindow::TextureHasAlphaChannel));
        auto* material = static_cast<QSGTextureMaterial*>(letters_->material());
        material->setTexture(texture_.get());
        material->setFiltering(QSGTexture::Linear);
        letters_->markDirty(QSGNode::DirtyMaterial);
        atlas_size_ = plan.label_size;
        atlas_ratio_ = ratio;
        atlas_color_ = plan.plate_color;
    }

    std::vector<QSGGeometry::TexturedPoint2D> vertices;
    std::vector<std::uint32_t> indices;
    const auto add = [&](const QRectF& rect, const QRectF& cell) {
        const auto first = static_cast<std::uint32_t>(vertices.size());
        for (const auto& [corner, texel] : {std::pair{rect.topLeft(), cell.topLeft()},
                                            {rect.topRight(), cell.topRight()},
                                            {rect.bottomRight(), cell.bottomRight()},
                                            {rect.bottomLeft(), cell.bottomLeft()}}) {
            QSGGeometry::TexturedPoint2D vertex{};
            vertex.set(static_cast<float>(corner.x()), static_cast<float>(corner.y()), static_cast<float>(texel.x()),
                       static_cast<float>(texel.y()));
            vertices.push_back(vertex);
        }
        for (const std::uint32_t corner : {0U, 1U, 2U, 0U, 2U, 3U}) indices.push_back(first + corner);
    };
    const double letter_width = label_letter_width(plan.label_size);
    for (const OverlayLabel& label : plan.labels) {  // each plate covers the previous labels
        add(label.plate, QRectF(atlas_->plate_point(), QSizeF(0, 0)));
        QRectF rect(label.plate.left() + letter_width / 2, label.plate.top(), letter_width, label.plate.height());
        for (const char* letter = label.text.data(); *letter != 0; ++letter) {
            if (*letter != ' ') add(rect, atlas_->texture_cell(*letter));
            rect.translate(letter_width, 0);
        }
    }
    fill(*letters_, vertices, indices);
}

}  // namespace throng::ui
