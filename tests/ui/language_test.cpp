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
#include "ui/language/language.h"

namespace throng::ui {
namespace {

const QString kFolder = ":/qt/qml/Throng/Ui/";
const QStringList kGerman{kFolder + "throng_de.ts", kFolder + "core_de.ts"};

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

QString text_of(const QString& path) {
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path.toStdString();
    return QString::fromUtf8(file.readAll());
}

QStringList files_in(const QStringList& folders, const QStringList& patterns) {
    QStringList found;
    for (const QString& folder : folders) {
        const auto path = QString::fromStdString((test::source_dir() / folder.toStdString()).string());
        QDirIterator files(path, patterns, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) found += files.next();
    }
    return found;
}

// Returns the string literals of a part of a source, adjacent ones joined, as QML and C++ write them.
QStringList literals_in(const QString& code) {
    static const QRegularExpression kRun(R"x((?:"(?:[^"\\\n]|\\.)*"[\s+]*)+)x");
    static const QRegularExpression kLiteral(R"x("((?:[^"\\\n]|\\.)*)")x");
    QStringList found;
    for (auto runs = kRun.globalMatch(code); runs.hasNext();) {
        const QString run = runs.next().captured();
        QString text;
        for (auto parts = kLiteral.globalMatch(run); parts.hasNext();) text += parts.next().captured(1);
        found += text.replace("\\\"", "\"").replace("\\n", "\n");
    }
    return found;
}

// Returns the texts of the sources that are marked as translatable: of QML by file, of C++ all below "".
std::map<QString, std::set<QString>> marked_texts() {
    const QRegularExpression call(
        R"x((?:qsTr|\btr|QT_TR_NOOP|QT_TRANSLATE_NOOP\("QShortcut",)[\s(]*((?:"(?:[^"\\]|\\.)*"[\s+]*)+)[,)])x");
    std::map<QString, std::set<QString>> found;
    for (const QString& path : files_in({"ui"}, {"*.qml", "*.cpp", "*.h"})) {
        const QString text = text_of(path);
        const QString context = path.endsWith(".qml") ? QFileInfo(path).baseName() : QString();
        for (auto calls = call.globalMatch(text); calls.hasNext();) {
            found[context].insert(literals_in(calls.next().captured(1)).front());
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

void expect_whole(const Entry& entry) {
    const std::string name = (entry.context + ": " + entry.source).toStdString();
    EXPECT_FALSE(entry.translation.trimmed().isEmpty()) << name;
    EXPECT_EQ(entry.type, "") << name << ": unfinished, obsolete, or with plural forms";
    EXPECT_EQ(placeholders(entry.translation), placeholders(entry.source)) << name;
    EXPECT_EQ(entry.translation.front().isSpace(), entry.source.front().isSpace()) << name;
}

TEST(Language, EveryTextIsTranslated) {
    const auto marked = marked_texts();
    std::map<QString, std::set<QString>> translated;
    for (const Entry& entry : read_entries(kGerman.front())) {
        expect_whole(entry);
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
    return text_of(QString::fromStdString((test::source_dir() / path).string()));
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
        R"x(\{(?:"[\w-]+"|std::string\(\w+\)),\s*"([^"]+)",\s*((?:"[^"]+"\s*)+),\s*(?:\{([^}]*)\})?)x");
    static const QRegularExpression kWord(R"x("([^"]+)")x");
    std::vector<DetectorSwitch> switches;
    for (const char* file : {"gpu/lab/cascade_switches.cpp", "gpu/hog/hog_options.cpp", "gpu/cnn/cnn_detector.cpp",
                             "gpu/frame/switch_table.h", "core/cpu/cnn_detector.cpp"}) {
        for (auto rows = kRow.globalMatch(source_text(file)); rows.hasNext();) {
            const QRegularExpressionMatch row = rows.next();
            DetectorSwitch each{"switch" + std::to_string(switches.size()),
                                row.captured(1).toStdString(),
                                literals_in(row.captured(2)).value(0).toStdString(),
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
    for (const Entry& entry : read_entries(kGerman.back())) {
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
    EXPECT_EQ(translation_files({"de"}), kGerman);
    EXPECT_EQ(translation_files({"de-AT", "en"}), kGerman);
    EXPECT_EQ(translation_files({"fr-FR", "de_DE"}), kGerman);
    EXPECT_EQ(translation_files({"en-US", "de-DE"}), QStringList());
    EXPECT_EQ(translation_files({"C", "fr"}), QStringList());
    EXPECT_EQ(translation_files({}), QStringList());
    EXPECT_EQ(preferred_languages("de"), QStringList{"de"});
}

TEST(Language, ReportsADamagedFile) {
    EXPECT_THROW(TsTranslator({"missing.ts"}), Error);
    const test::ScratchDir folder;
    const QString path = QString::fromStdString((folder.path() / "damaged.ts").string());
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("<?xml version=\"1.0\"?>\n<TS><context><name>A</name>\n<message><source>a</message>");
    file.close();
    try {
        TsTranslator translator({path});
        ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("damaged.ts:3"), std::string::npos) << error.what();
    }
}

class GermanWindow : public Window {
protected:
    GermanWindow() {
        QCoreApplication::installTranslator(&translator_);
        QLocale::setDefault(QLocale("de"));  // as install_language does
    }
    ~GermanWindow() override {
        QLocale::setDefault(before_);
        QCoreApplication::removeTranslator(&translator_);
    }

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

    static QList<QQuickItem*> texts_in(QQuickItem* below) {
        QList<QQuickItem*> found;
        if (below->inherits("QQuickText")) found += below;
        for (QQuickItem* child : below->childItems()) found += texts_in(child);
        return found;
    }
    static bool has_text_of(int pixels, const QQuickItem& below) {
        if (below.inherits("QQuickText") && below.property("font").value<QFont>().pixelSize() == pixels) return true;
        const QList<QQuickItem*> children = below.childItems();
        return std::any_of(children.begin(), children.end(),
                           [&](const QQuickItem* child) { return has_text_of(pixels, *child); });
    }

    // Opens each view at each size, the first one at the start.
    void expect_no_cut_text(const std::vector<QSize>& sizes) {
        static const std::vector<std::string> kStages = stage_names();
        const std::vector<DetectorSwitch> switches = detector_switches();
        test::FakeClip clip;
        clip.boxes = 30;
        clip.stages.assign(kStages.begin(), kStages.end());
        clip.switches = switches;
        open(clip, sizes.front());
        play();
        ASSERT_TRUE(test::wait_for([&] { return session_->switches()->count() > static_cast<int>(switches.size()); }));
        for (const QSize size : sizes) {
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

    TsTranslator translator_{kGerman};
    const QLocale before_;
};

TEST_F(GermanWindow, WritesNumbersWithAComma) {
    open({}, {1320, 2000});
    play();
    EXPECT_TRUE(test::wait_for([&] { return shows("0,30") && shows("1,10"); })) << "threshold and scale factor";
    EXPECT_FALSE(shows("0.30"));
    session_->detection()->set_theta(0.45);
    EXPECT_TRUE(test::wait_for([&] { return session_->feedback()->text().contains("0,45"); }))
        << session_->feedback()->text().toStdString();
}

// Larger texts need a larger window.
TEST_F(GermanWindow, CutsNoText) {
    expect_no_cut_text({QSize(800, 480), QSize(480, 800), QSize(1280, 800)});
    trigger("slower");
    EXPECT_TRUE(test::wait_for([&] { return shows("0,5×"); }));
    EXPECT_TRUE(session_->feedback()->text().contains("0,5×")) << session_->feedback()->text().toStdString();
    EXPECT_EQ(shortest(0.05), "0,05");
}

TEST_F(GermanWindow, FollowsALargerFontOfTheUserAndCutsNoText) {
    const QFont usual = QGuiApplication::font();
    QFont large = usual;
    large.setPixelSize(19);
    QGuiApplication::setFont(large);
    expect_no_cut_text({QSize(1280, 800), QSize(1920, 1080)});
    QGuiApplication::setFont(usual);
    EXPECT_TRUE(has_text_of(19, *window_->contentItem())) << "with a usual font, the body has 15 pixels";
}

TEST_F(GermanWindow, SpeaksGerman) {
    kiosk_ = true;
    stand_options_ = StandOptions{};
    stand_options_->kiosk = true;
    open({}, {800, 480});
    play();
    EXPECT_EQ(session_->detection()->title(), "Haar-Kaskade");
    for (const QSize size : {QSize(800, 480), QSize(480, 800), QSize(1280, 800)}) {
        window_->resize(size);
        ASSERT_TRUE(test::wait_for([&] { return window_->contentItem()->width() == size.width(); }));
        EXPECT_EQ(cut_texts(), "") << size.width();
        std::set<double> heights;
        for (const char* name : {"visitorHide", "visitorHow", "visitorCompare"}) {
            for (const QQuickItem* text : texts_in(item(name))) {
                heights.insert(text->property("contentHeight").toDouble() / text->property("lineCount").toInt());
            }
        }
        EXPECT_EQ(heights.size(), 1U) << "letters of one size at " << size.width();
    }
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

// Returns the arguments of the call whose parenthesis is open at this position.
QString arguments_from(const QString& code, qsizetype at) {
    const qsizetype begin = at;
    bool in_text = false;
    for (int open = 1; at < code.size(); ++at) {
        if (code[at] == '"' && code[at - 1] != '\\') in_text = !in_text;
        if (in_text) continue;
        open += code[at] == '(' ? 1 : code[at] == ')' ? -1 : 0;
        if (open == 0) break;
    }
    return code.mid(begin, at - begin);
}

// The texts of each file of the core's texts: one per language.
std::map<QString, std::set<QString>> core_texts() {
    std::map<QString, std::set<QString>> texts;
    for (const QString& name : QDir(kFolder).entryList({"core_*.ts"})) {
        for (const Entry& entry : read_entries(kFolder + name)) {
            expect_whole(entry);
            texts[name].insert(entry.source);
        }
    }
    EXPECT_FALSE(texts.empty());
    return texts;
}

// The errors that a user of the window can meet; those of the program itself and of a stop are not for reading.
TEST(Language, EveryErrorIsTranslated) {
    static const QRegularExpression kError(R"(\bError(?: \w+)?\(ErrorKind::(?:usage|input|unavailable),)");
    static const QRegularExpression kWords(R"([A-Za-z]\S* )");
    static const QRegularExpression kPlace(R"("[^"]*"\s*\+|\+\s*"[^"]*")");  // a part of a place: path + ":" + line
    static const QRegularExpression kComment(R"((?<!:)//[^\n]*)");
    const auto texts = core_texts();
    int count = 0;
    for (const QString& path :
         files_in({"core/clocks", "core/count", "core/cpu", "core/detect", "core/frame", "core/model", "core/pipeline",
                   "core/sinks", "core/synth", "core/video", "app/cuda_module"},
                  {"*.cpp", "*.h"})) {
        const QString code = text_of(path).remove(kComment);
        for (auto errors = kError.globalMatch(code); errors.hasNext();) {
            const QString arguments = arguments_from(code, errors.next().capturedEnd()).remove(kPlace);
            for (const QString& text : literals_in(arguments)) {
                if (!text.contains(kWords)) continue;
                ++count;
                for (const auto& [name, known] : texts) {
                    EXPECT_TRUE(known.count(text))
                        << path.toStdString() << ": not in " << name.toStdString() << ": " << text.toStdString();
                }
            }
        }
    }
    EXPECT_GT(count, 120);
}

// The translation of a text that no source has any more would stay unnoticed.
TEST(Language, EveryTranslatedTextOfTheCoreIsInTheSources) {
    std::set<QString> literals;
    for (const QString& path : files_in({"core", "app", "gpu", "ui"}, {"*.cpp", "*.cu", "*.h"})) {
        for (const QString& text : literals_in(text_of(path))) literals.insert(text);
    }
    for (const std::string& name : stage_names()) literals.insert(stage_label(name));
    for (const int code : {ENOENT, EACCES, ECONNREFUSED, ETIMEDOUT}) {
        literals.insert(QString::fromStdString(std::generic_category().message(code)));
    }
    for (const auto& [name, texts] : core_texts()) {
        EXPECT_GT(texts.size(), 300U) << name.toStdString();
        for (const QString& text : texts) EXPECT_TRUE(literals.count(text)) << text.toStdString();
    }
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
    const Message image("image %1x%2", 640, 480);
    EXPECT_EQ(translated_message(image), "image 640x480");
    TsTranslator translator{kGerman};
    QCoreApplication::installTranslator(&translator);
    const Message unreadable = Error(ErrorKind::input, "no frame can be decoded", "frame 3").message();
    const std::pair<Message, const char*> expected[] = {
        {{}, ""},
        {image, "Bild 640x480"},
        {{"2x2 of %1", image}, "2x2 aus Bild 640x480"},
        {std::string("h264 640x480 30 fps, software"), "h264 640x480 30 fps, software"},
        {{"%1 from %2 instead of %3 px", "faces", 36, 24}, "Gesichter ab 36 statt 24 px"},
        {joined({"%1 boxes, %2 of %3 in common", 9, 8, 9},
                "orders equal scores differently, drops scores of 0 or less, always uses the IoU"),
         "9 Rahmen, davon 8 von 9 gleich; ordnet gleiche Werte anders, verwirft Werte bis 0, verwendet immer die IoU"},
        {{"%1 as set (%2)", "Haar cascade", "CPU"}, "Haar-Kaskade wie eingestellt (CPU)"},
        {Error(ErrorKind::unavailable, "model file not found", "missing.xml", "check the path").message(),
         "missing.xml: Modelldatei nicht gefunden (Pfad prüfen)"},
        {joined({"the %1 backend failed", std::string("cuda")},
                {"continuing with %1: %2", std::string("cpu"), unreadable}),
         "Das Backend cuda ist ausgefallen; weiter mit cpu: frame 3: kein Bild lässt sich decodieren"},
        // Values are neither translated nor searched for placeholders.
        {{"invalid value '%1'", std::string("faces")}, "ungültiger Wert 'faces'"},
        {{"continuing with %1: %2", std::string("/a%1/50%2"), unreadable},
         "weiter mit /a%1/50%2: frame 3: kein Bild lässt sich decodieren"},
        {{"is smaller than %1", Setting{"min_size"}}, "ist kleiner als min_size"},
        {"an unlisted message", "an unlisted message"},
    };
    for (const auto& [message, german] : expected) EXPECT_EQ(translated_message(message), german);
    try {
        static_cast<void>(open_source("missing.mp4"));
        ADD_FAILURE() << "opened";
    } catch (const Error& error) {
        EXPECT_EQ(translated_message(error.problem()), "Datei oder Ordner nicht gefunden");
        EXPECT_EQ(translated_message(error.advice()), "Pfad prüfen");
    }
    QCoreApplication::removeTranslator(&translator);
    EXPECT_EQ(translated_message(image), "image 640x480");
}

}  // namespace
}  // namespace throng::ui
