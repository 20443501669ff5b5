// Draws an icon from vector paths: same result with every renderer, without fonts or image files.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QQuickPaintedItem>

namespace throng::ui {

class Icon : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(QString name READ name WRITE set_name NOTIFY nameChanged)
    Q_PROPERTY(QColor color READ color WRITE set_color NOTIFY colorChanged)

public:
    explicit Icon(QQuickItem* parent = nullptr);

    [[nodiscard]] QString name() const { return name_; }
    void set_name(const QString& name);
    [[nodiscard]] QColor color() const { return color_; }
    void set_color(const QColor& color);

    void paint(QPainter* painter) override;

    [[nodiscard]] static QStringList names();

signals:
    void nameChanged();
    void colorChanged();

private:
    QString name_;
    QColor color_ = Qt::white;
};

}  // namespace throng::ui
