#include <gtest/gtest.h>

#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/random.h"
#include "tests/ui/fakes.h"
#include "ui/render/overlay_geometry.h"
#include "ui/render/overlay_painter.h"

namespace throng::ui {
namespace {

FrameResult result_with(int raw, int kept) {
    std::mt19937_64 random(test::seed(3));
    std::uniform_real_distribution<float> position(0, 900), side(4, 90);
    FrameResult result;
    result.frame = test::gray_frame(1000, 1000, 90);
    for (int i = 0; i < raw; ++i)
        result.raw.detections.push_back({{position(random), position(random), side(random), side(random)}, 1});
    for (int i = 0; i < kept; ++i) {
        result.kept.detections.push_back(
            {{position(random), position(random), side(random), side(random)}, 12.345F, 8});
    }
    return result;
}

// Moves the kept boxes apart, so that no label would cover another.
void spread(FrameResult& result, float x) {
    float y = 20;
    for (Detection& d : result.kept.detections) d.box = {x, y += 120, 50, 50};
}

OverlayPlan plan_of(const FrameResult& result, const OverlayOptions& options, double ratio = 1,
                    QSizeF item = {700, 500}) {
    OverlayPlan plan;
    plan_overlay(result, ViewMapping(item, {result.frame.width(), result.frame.height()}, ratio), options, ratio, plan);
    return plan;
}

double area_of(const OverlayGeometry& geometry) {
    double area = 0;
    for (std::size_t i = 0; i < geometry.indices.size(); i += 3) {
        const auto& a = geometry.vertices[geometry.indices[i]];
        const auto& b = geometry.vertices[geometry.indices[i + 1]];
        const auto& c = geometry.vertices[geometry.indices[i + 2]];
        area += std::abs(static_cast<double>((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y))) / 2;
    }
    return area;
}

TEST(OverlayPlan, EachLayerCanBeTurnedOff) {
    FrameResult result = result_with(30, 7);
    spread(result, 100);
    OverlayOptions options;
    EXPECT_EQ(plan_of(result, options).frames.size(), 30U + 2 * 7);  // each kept box also has a dark rim
    options.raw = false;
    EXPECT_EQ(plan_of(result, options).frames.size(), 2U * 7);
    options.kept = false;
    EXPECT_TRUE(plan_of(result, options).frames.empty());
    EXPECT_TRUE(plan_of(result, options).labels.empty());
    options.labels = true;
    EXPECT_EQ(plan_of(result, options).labels.size(), 7U);
}

TEST(OverlayPlan, DrawsPeopleAndTheirFaces) {
    FrameResult people = result_with(10, 3), faces = result_with(20, 5);
    spread(people, 100);
    spread(faces, 500);
    people.faces = std::make_shared<FrameResult>(faces);
    OverlayOptions options;
    options.labels = true;
    const OverlayPlan plan = plan_of(people, options);
    EXPECT_EQ(plan.frames.size(), 10U + 20U + 2 * (3 + 5));
    EXPECT_EQ(plan.labels.size(), 8U);
}

TEST(OverlayPlan, LabelsShowScoreAndHits) {
    OverlayOptions options;
    options.labels = true;
    EXPECT_STREQ(plan_of(result_with(0, 1), options).labels.front().text.data(), "12.3 x8");
}

TEST(OverlayPlan, LabelsAreWrittenInTheLanguageOfTheWindow) {
    const QLocale before;
    QLocale::setDefault(QLocale("de"));
    OverlayOptions options;
    options.labels = true;
    EXPECT_STREQ(plan_of(result_with(0, 1), options).labels.front().text.data(), "12,3 x8");
    QLocale::setDefault(before);
}

TEST(OverlayPlan, NoLabelCoversAnother) {
    OverlayOptions options;
    options.labels = true;
    for (const int kept : {2, 60, 3000}) {
        FrameResult result = result_with(0, kept);
        const std::vector<OverlayLabel> labels = plan_of(result, options).labels;
        ASSERT_FALSE(labels.empty());
        for (std::size_t i = 0; i < labels.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                EXPECT_FALSE(labels[i].plate.intersects(labels[j].plate)) << i << ' ' << j << " of " << kept;
            }
        }
        EXPECT_GT(static_cast<int>(labels.size()), std::min(kept / 4, 60));
        result.kept.detections.resize(1);
        EXPECT_EQ(labels.front().plate, plan_of(result, options).labels.front().plate) << "the first box has its label";
    }
}

TEST(OverlayPlan, ATrackThatIsNowhereHasNoLabel) {
    FrameResult result = result_with(0, 0);
    OverlayOptions options;
    options.labels = options.tracks = true;
    for (const float x : {10.0F, std::nanf(""), std::numeric_limits<float>::infinity()}) {
        Track& track = result.tracks.emplace_back();
        track.confirmed = true;
        track.smoothed = {x, 100, 50, 50};
    }
    EXPECT_EQ(plan_of(result, options).labels.size(), 1U);
}

TEST(OverlayPlan, LabelsAtTheUpperEdgeStayInsideTheFrame) {
    FrameResult result = result_with(0, 1);
    result.kept.detections.front().box = {10, 0, 100, 100};
    OverlayOptions options;
    options.labels = true;
    EXPECT_GE(plan_of(result, options).labels.front().plate.top(), 0);
}

TEST(OverlayPlan, EdgesAlignWithDevicePixels) {
    for (const double ratio : {1.0, 1.5, 2.0}) {
        const FrameResult result = result_with(200, 50);
        for (const OverlayFrame& frame : plan_of(result, {}, ratio).frames) {
            const double left = frame.outer.left() * ratio;
            const double width = frame.width * ratio;
            EXPECT_NEAR(width, std::round(width), 1e-6);
            EXPECT_NEAR(left, std::round(left), 1e-6);
        }
    }
}

TEST(OverlayPlan, OmitsBoxesThatAreNotFinite) {
    FrameResult result = result_with(1, 1);
    result.raw.detections.front().box.x = std::numeric_limits<float>::quiet_NaN();
    result.kept.detections.front().box.h = std::numeric_limits<float>::infinity();
    OverlayOptions options;
    options.labels = true;
    const OverlayPlan plan = plan_of(result, options);
    EXPECT_TRUE(plan.frames.empty());
    EXPECT_TRUE(plan.labels.empty());
}

TEST(OverlayPlan, DrawsLandmarksAsDots) {
    FrameResult result = result_with(0, 2);
    result.kept.landmarks = {{{100, 100, 200, 100, 150, 150, 110, 200, 190, 200}},
                             {{1, 1, 2, 2, std::numeric_limits<float>::quiet_NaN(), 3, 4, 4, 5, 5}}};
    for (Detection& d : result.kept.detections) d.box = {90, 90, 120, 120};
    OverlayOptions options;
    const OverlayPlan plan = plan_of(result, options, 1, {1000, 1000});
    ASSERT_EQ(plan.frames.size(), 2U * 2 + 2 * (5 + 4));  // each with a dark rim; one point is NaN
    const OverlayFrame& dot = plan.frames[5];
    EXPECT_EQ(dot.color, options.landmark_color);
    EXPECT_GE(dot.width * 2, dot.outer.width()) << "filled";
    EXPECT_NEAR(dot.outer.center().x(), 100, 1);
    EXPECT_NEAR(dot.outer.center().y(), 100, 1);
    options.landmarks = false;
    EXPECT_EQ(plan_of(result, options).frames.size(), 2U * 2);
}

TEST(OverlayGeometry, AFrameHasEightTriangles) {
    OverlayGeometry geometry;
    geometry.add_frame({QRectF(10, 20, 100, 50), 3, QColor(255, 0, 0, 128)});
    ASSERT_EQ(geometry.vertices.size(), 8U);
    ASSERT_EQ(geometry.indices.size(), 24U);
    EXPECT_NEAR(area_of(geometry), 100 * 50 - 94 * 44, 1e-3);
    EXPECT_EQ(geometry.vertices[0].x, 10);
    EXPECT_EQ(geometry.vertices[2].y, 70);
    EXPECT_EQ(geometry.vertices[4].x, 13);
    EXPECT_EQ(geometry.vertices[6].y, 67);
    EXPECT_EQ(geometry.vertices[0].r, 128);  // premultiplied
    EXPECT_EQ(geometry.vertices[0].a, 128);
}

TEST(OverlayGeometry, ABoxWithoutInteriorIsFilled) {
    OverlayGeometry geometry;
    geometry.add_frame({QRectF(0, 0, 5, 40), 3, Qt::white});
    EXPECT_EQ(geometry.vertices.size(), 4U);
    EXPECT_NEAR(area_of(geometry), 5 * 40, 1e-3);
}

TEST(OverlayGeometry, ManyBoxesUse32BitIndices) {
    OverlayGeometry geometry;
    build_geometry(plan_of(result_with(20000, 0), {}), geometry);
    EXPECT_GT(geometry.vertices.size(), 65536U);
    EXPECT_EQ(*std::max_element(geometry.indices.begin(), geometry.indices.end()), geometry.vertices.size() - 1);
}

// Compares both drawing paths: the triangles, filled by a painter, and paint_overlay.
TEST(Overlay, TrianglesAndPainterAgree) {
    OverlayOptions options;
    options.raw_color = Qt::white;  // the painter would show seams between translucent triangles
    OverlayPlan plan = plan_of(result_with(300, 0), options, 1, {1000, 1000});
    QImage painted(1000, 1000, QImage::Format_ARGB32_Premultiplied);
    painted.fill(Qt::black);
    {
        QPainter painter(&painted);
        paint_overlay(painter, plan);
    }
    OverlayGeometry geometry;
    build_geometry(plan, geometry);
    QImage triangles(painted.size(), painted.format());
    triangles.fill(Qt::black);
    {
        QPainter painter(&triangles);
        painter.setPen(Qt::NoPen);
        painter.setBrush(Qt::white);
        for (std::size_t i = 0; i < geometry.indices.size(); i += 3) {
            QPolygonF triangle;
            for (std::size_t corner = 0; corner < 3; ++corner) {
                const auto& vertex = geometry.vertices[geometry.indices[i + corner]];
                triangle << QPointF(static_cast<double>(vertex.x), static_cast<double>(vertex.y));
            }
            painter.drawPolygon(triangle);
        }
    }
    EXPECT_EQ(painted, triangles);
}

}  // namespace
}  // namespace throng::ui
