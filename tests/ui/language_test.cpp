// Tests that the window is whole in German: every text translated, with its placeholders, and none of them cut.
#include <QDirIterator>
#include <QRegularExpression>
#include <QXmlStreamReader>
#include <cctype>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <map>
#include <set>
#include <system_error>

#include "core/detect/detector_kinds.h"
#include "core/detect/nms_names.h"
#include "tests/ui/window_fixture.h"
#include "ui/language/core_messages.h"
#include "ui/language/language.h"

namespace throng::ui {
namespace {

constexpr const char* kGerman = ":/qt/qml/Throng/Ui/throng_de.ts";

struct Entry {
    QString context, source, translation, type;
};

std::vector<Entry> read_entries(const QString& path) {
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path.toStdString();
    std::vector<Entry> entries;
    QXmlStreamReader xml(&file);
    Entry entry;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement) continue;
        if (xml.name() == QLatin1String("name")) entry.context = xml.readElementText();
        if (xml.name() == QLatin1String("source")) entry.source = xml.readElementText();
        if (xml.name() == QLatin1String("translation")) {
            entry.type = xml.attributes().value("type").toString();
            entry.translation = xml.readElementText();
            entries.push_back(entry);
        }
    }
    EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
    return entries;
}

// Returns the texts of the sources that are marked as translatable: of QML by file, of C++ all below "".
std::map<QString, std::set<QString>> marked_texts() {
    const QRegularExpression call(
        R"x((?:qsTr|\btr|QT_TR_NOOP|QT_TRANSLATE_NOOP\("QShortcut",)[\s(]*((?:"(?:[^"\\]|\\.)*"[\s+]*)+)[,)])x");
    const QRegularExpression literal(R"x("((?:[^"\\]|\\.)*)")x");
    std::map<QString, std::set<QString>> found;
    const QString folder = QString::fromStdString((test::source_dir() / "ui").string());
    QDirIterator files(folder, {"*.qml", "*.cpp", "*.h"}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << file.fileName().toStdString();
        const QString text = QString::fromUtf8(file.readAll());
        const QString context = file.fileName().endsWith(".qml") ? QFileInfo(file).baseName() : QString();
        for (auto calls = call.globalMatch(text); calls.hasNext();) {
            QString source;
            const QString argument = calls.next().captured(1);
            for (auto parts = literal.globalMatch(argument); parts.hasNext();) source += parts.next().captured(1);
            found[context].insert(source.replace("\\\"", "\"").replace("\\n", "\n"));
        }
    }
    return found;
}

QStringList placeholders(const QString& text) {
    static const QRegularExpression kPlaceholder(R"(%(?:\d+|n|L\d+))");
    QStringList found;
    for (auto each = kPlaceholder.globalMatch(text); each.hasNext();) found += each.next().captured();
    found.sort();
    return found;
}

TEST(Language, EveryTextIsTranslated) {
    const auto marked = marked_texts();
    std::map<QString, std::set<QString>> translated;
    for (const Entry& entry : read_entries(kGerman)) {
        const std::string name = (entry.context + ": " + entry.source).toStdString();
        EXPECT_FALSE(entry.translation.trimmed().isEmpty()) << name;
        EXPECT_EQ(entry.type, "") << name << ": unfinished, obsolete, or with plural forms";
        EXPECT_EQ(placeholders(entry.translation), placeholders(entry.source)) << name;
        EXPECT_EQ(entry.translation.front().isSpace(), entry.source.front().isSpace()) << name;
        const QString context =
            entry.context.startsWith("throng::ui") || entry.context == "QShortcut" ? QString() : entry.context;
        translated[context].insert(entry.source);
    }
    EXPECT_GT(marked.size(), 30U);
    for (const auto& [context, texts] : marked) {
        for (const QString& text : texts) {
            EXPECT_TRUE(translated[context].count(text))
                << "not in the .ts file: " << context.toStdString() << ": " << text.toStdString();
        }
    }
    for (const auto& [context, texts] : translated) {
        const auto found = marked.find(context);
        for (const QString& text : texts) {
            EXPECT_TRUE(found != marked.end() && found->second.count(text))
                << "not in the sources: " << context.toStdString() << ": " << text.toStdString();
        }
    }
}

QString source_text(const char* path) {
    QFile file(QString::fromStdString((test::source_dir() / path).string()));
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path;
    return QString::fromUtf8(file.readAll());
}

std::vector<std::string> stage_names() {
    static const QRegularExpression kName(R"x( k\w+ = "(\w+)";)x");
    std::vector<std::string> names;
    for (auto each = kName.globalMatch(source_text("core/detect/stage.h")); each.hasNext();) {
        names.push_back(each.next().captured(1).toStdString());
    }
    return names;
}

// Reads the switches of all detectors, also of those that need a GPU, from their tables: {id, title, help, {choices}}.
std::vector<DetectorSwitch> detector_switches() {
    static const QRegularExpression kRow(
        R"x(\{(?:"[\w-]+"|std::string\(\w+\)),\s*"([^"]+)",\s*"([^"]+)",\s*(?:\{([^}]*)\})?)x");
    static const QRegularExpression kWord(R"x("([^"]+)")x");
    std::vector<DetectorSwitch> switches;
    for (const char* file : {"gpu/cascade/cascade_switches.cpp", "gpu/hog/hog_options.cpp", "gpu/cnn/cnn_detector.cpp",
                             "core/cpu/cnn_detector.cpp"}) {
        for (auto rows = kRow.globalMatch(source_text(file)); rows.hasNext();) {
            const QRegularExpressionMatch row = rows.next();
            DetectorSwitch each{"switch" + std::to_string(switches.size()),
                                row.captured(1).toStdString(),
                                row.captured(2).toStdString(),
                                {},
                                {}};
            for (auto words = kWord.globalMatch(row.captured(3)); words.hasNext();) {
                each.choices.push_back(words.next().captured(1).toStdString());
            }
            if (each.choices.empty()) each.choices = {"on", "off"};
            each.chosen = each.choices.front();
            switches.push_back(std::move(each));
        }
    }
    return switches;
}

TEST(Language, TheNamesOfStagesRulesAndSwitchesAreTranslated) {
    std::set<std::string> german;
    for (const Entry& entry : read_entries(kGerman)) {
        if (entry.context == "throng::ui") german.insert(entry.source.toStdString());
    }
    for (const std::string& name : stage_names()) {
        const std::string label = stage_label(name).toStdString();  // no translator is installed: English
        EXPECT_TRUE(label == "SVM" || german.count(label)) << label;
    }
    const auto expect_names = [&](const auto& names) {
        for (const auto& [name, value] : names) EXPECT_TRUE(german.count(std::string(name))) << name;
    };
    expect_names(kNmsRuleNames);
    expect_names(kOverlapNames);
    expect_names(kMergeNames);
    expect_names(kKernelNames);
    const std::vector<DetectorSwitch> switches = detector_switches();
    EXPECT_GE(switches.size(), 18U);
    for (const DetectorSwitch& each : switches) {
        EXPECT_TRUE(german.count(each.title)) << each.title;
        EXPECT_TRUE(german.count(each.help)) << each.help;
        for (const std::string& choice : each.choices) {
            EXPECT_TRUE(std::isdigit(static_cast<unsigned char>(choice.front())) != 0 || german.count(choice))
                << choice;
        }
    }
}

TEST(Language, FollowsTheFirstLanguageThatTheProgramHas) {
    EXPECT_EQ(translation_file({"de"}), kGerman);
    EXPECT_EQ(translation_file({"de-AT", "en"}), kGerman);
    EXPECT_EQ(translation_file({"fr-FR", "de_DE"}), kGerman);
    EXPECT_EQ(translation_file({"en-US", "de-DE"}), "");
    EXPECT_EQ(translation_file({"C", "fr"}), "");
    EXPECT_EQ(translation_file({}), "");
    EXPECT_EQ(preferred_languages("de"), QStringList{"de"});
}

TEST(Language, ReportsADamagedFile) {
    EXPECT_THROW(TsTranslator("missing.ts"), Error);
    const test::ScratchDir folder;
    const QString path = QString::fromStdString((folder.path() / "damaged.ts").string());
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("<?xml version=\"1.0\"?>\n<TS><context><name>A</name>\n<message><source>a</message>");
    file.close();
    try {
        TsTranslator translator(path);
        ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("damaged.ts:3"), std::string::npos) << error.what();
    }
}

class GermanWindow : public Window {
protected:
    GermanWindow() { QCoreApplication::installTranslator(&translator_); }
    ~GermanWindow() override { QCoreApplication::removeTranslator(&translator_); }

    // Finds texts that are elided, wider than their item, or outside the window and the items that clip them. Lists
    // scroll, so that the height of what is in a Flickable is not checked.
    void find_cut_texts(QQuickItem* below, QStringList& cut) const {
        if (!below->isVisible() || below->opacity() == 0) return;
        if (below->inherits("QQuickText") && !below->property("text").toString().isEmpty() && is_cut(*below)) {
            cut += below->property("text").toString();
        }
        for (QQuickItem* child : below->childItems()) find_cut_texts(child, cut);
    }
    bool is_cut(const QQuickItem& text) const {
        const double width = text.property("contentWidth").toDouble(),
                     height = text.property("contentHeight").toDouble();
        if (text.property("truncated").toBool() || width > text.width() + 1 || height > text.height() + 1) return true;
        const QRectF rect = text.mapRectToScene(text.boundingRect());
        bool scrolls = false;
        for (const QQuickItem* above = text.parentItem(); above != nullptr; above = above->parentItem()) {
            scrolls = scrolls || above->inherits("QQuickFlickable");
            if (above->clip() && !contains(above->mapRectToScene(above->boundingRect()), rect, scrolls)) return true;
        }
        return !contains(QRectF(0, 0, window_->width(), window_->height()), rect, scrolls);
    }
    static bool contains(const QRectF& outer, const QRectF& inner, bool scrolls) {
        const bool wide_enough = inner.left() >= outer.left() - 1 && inner.right() <= outer.right() + 1;
        return wide_enough && (scrolls || (inner.top() >= outer.top() - 1 && inner.bottom() <= outer.bottom() + 1));
    }
    // Returns the cut texts, after the layout had time to settle.
    std::string cut_texts() {
        QStringList cut;
        static_cast<void>(test::wait_for([&] {
            cut.clear();
            find_cut_texts(window_->contentItem(), cut);
            return cut.isEmpty();
        }));
        return cut.join(" | ").toStdString();
    }

    TsTranslator translator_{kGerman};
};

TEST_F(GermanWindow, CutsNoText) {
    static const std::vector<std::string> kStages = stage_names();
    const std::vector<DetectorSwitch> switches = detector_switches();
    test::FakeClip clip;
    clip.boxes = 30;
    clip.stages.assign(kStages.begin(), kStages.end());
    clip.switches = switches;
    open(clip, {800, 480});
    play();
    ASSERT_TRUE(test::wait_for([&] { return session_->switches()->count() > static_cast<int>(switches.size()); }));
    for (const QSize size : {QSize(800, 480), QSize(480, 800), QSize(1280, 800)}) {
        window_->resize(size);
        ASSERT_TRUE(test::wait_for([&] { return window_->contentItem()->width() == size.width(); }));
        for (const char* view : {"panel", "matrix", "compare", "race", "replay", "stageMap", "counts", "help"}) {
            trigger(view);
            draw();
            EXPECT_EQ(cut_texts(), "") << view << ' ' << size.width();
            trigger(QLatin1String(view) == QLatin1String("help") ? "escape" : view);
        }
    }
}

TEST_F(GermanWindow, SpeaksGerman) {
    kiosk_ = true;
    stand_options_ = StandOptions{};
    stand_options_->kiosk = true;
    open({}, {800, 480});
    play();
    EXPECT_EQ(session_->detection()->title(), "Haar-Kaskade");
    trigger("panel");
    EXPECT_TRUE(test::wait_for([&] { return shows("Rohdetektionen"); }));
    EXPECT_TRUE(test::wait_for([&] { return shows("gefunden mit Haar-Kaskade"); }));
    for (const DetectorKind& kind : detector_kinds()) {
        EXPECT_NE(translated(kind.title), QString::fromStdString(std::string(kind.title)));
        EXPECT_NE(translated(kind.help), QString::fromStdString(std::string(kind.help)));
    }
    trigger("help");
    EXPECT_TRUE(test::wait_for([&] { return shows("Abspielen oder anhalten"); }));
}

// A pattern of a message that the core no longer has would stay unnoticed: every part of it occurs in the sources.
TEST(Language, ThePatternsAreMessagesOfTheCore) {
    QString sources;
    for (const char* folder : {"core", "app", "gpu", "ui"}) {
        QDirIterator files(QString::fromStdString((test::source_dir() / folder).string()), {"*.cpp", "*.h"},
                           QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = files.next();
            if (path.contains("/ui/language/")) continue;  // the patterns themselves
            QFile file(path);
            ASSERT_TRUE(file.open(QIODevice::ReadOnly));
            sources += QString::fromUtf8(file.readAll());
        }
    }
    QFile file(QString::fromStdString((test::source_dir() / "ui/language/core_messages.cpp").string()));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(file.readAll());
    const QRegularExpression pattern(R"x(QT_TR_NOOP\("([^"]+)"\))x");
    int count = 0;
    for (auto each = pattern.globalMatch(text); each.hasNext(); ++count) {
        for (const QString& part : each.next().captured(1).split(QRegularExpression("%\\d"))) {
            const bool composed = part.endsWith(": ") && sources.contains(part.chopped(2));  // what + ": " + reason
            EXPECT_TRUE(composed || sources.contains(part)) << part.toStdString();
        }
    }
    EXPECT_GT(count, 40);
}

TEST(Language, TheCoreDoesNotDependOnTheLocale) {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) GTEST_SKIP() << "skipped: no German locale is installed";
    use_core_locale();
    EXPECT_EQ(std::generic_category().message(ENOENT), "No such file or directory");
    char number[8];
    std::snprintf(number, sizeof number, "%.1f", 0.5);
    EXPECT_STREQ(number, "0.5");
    std::setlocale(LC_ALL, before.c_str());
}

TEST(Language, TranslatesMessagesWithValues) {
    EXPECT_EQ(translated_message(std::string("image 640x480")), "image 640x480");
    TsTranslator translator{kGerman};
    QCoreApplication::installTranslator(&translator);
    const std::map<const char*, const char*> expected{
        {"", ""},
        {"image 640x480", "Bild 640x480"},
        {"2x2 of image 640x480", "2x2 aus Bild 640x480"},
        {"h264 640x480 30 fps, software", "h264 640x480 30 fps, software"},
        {"faces from 36 instead of 24 px", "Gesichter ab 36 statt 24 px"},
        {"people from 72 instead of 64 px, scale factor 1.2 instead of 1.1",
         "Personen ab 72 statt 64 px, Skalenfaktor 1.2 statt 1.1"},
        {"9 boxes, 8 of 9 in common; another order of equal scores, none of 0 or less, always the IoU",
         "9 Rahmen, davon 8 von 9 gleich; gleiche Werte anders geordnet, keine bis 0, immer die IoU"},
        {"Haar cascade as set (CPU)", "Haar-Kaskade wie eingestellt (CPU)"},
        {"missing.xml: model file not found (check the path)", "missing.xml: Modelldatei nicht gefunden (Pfad prüfen)"},
        {"the cuda backend failed; continuing with cpu: frame 3: no frame can be decoded",
         "Das Backend cuda ist ausgefallen; weiter mit cpu: frame 3: kein Bild lässt sich decodieren"},
        {"continuing with cpu: /a%1/50%2: no frame can be decoded",
         "weiter mit cpu: /a%1/50%2: kein Bild lässt sich decodieren"},
        {"cpu: no NVIDIA driver is installed", "CPU: kein NVIDIA-Treiber installiert"},
        {"an unlisted message", "an unlisted message"},
    };
    for (const auto& [english, german] : expected) EXPECT_EQ(translated_message(std::string(english)), german);
    try {
        static_cast<void>(open_source("missing.mp4"));
        ADD_FAILURE() << "opened";
    } catch (const Error& error) {
        EXPECT_EQ(translated_message(error.problem()), "Datei oder Ordner nicht gefunden");
        EXPECT_EQ(translated_message(error.advice()), "Pfad prüfen");
    }
    QCoreApplication::removeTranslator(&translator);
    EXPECT_EQ(translated_message(std::string("image 640x480")), "image 640x480");
}

}  // namespace
}  // namespace throng::ui
