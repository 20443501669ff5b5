// Tests files as people have them: several that are dropped, those beside the open one, animations, recent ones.
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QPointer>
#include <filesystem>
#include <fstream>

#include "tests/ui/window_fixture.h"
#include "ui/files/file_system.h"
#include "ui/session/playlist.h"

namespace throng::ui {
namespace {

class Files : public Window {
protected:
    // Makes a file of which only the name counts: the source is a fake.
    QString make(const std::string& name) {
        const std::filesystem::path path = folder_.path() / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << "x";
        return QString::fromStdString(path.string());
    }
    QString path(const std::string& name) { return QString::fromStdString((folder_.path() / name).string()); }
    void drop(const QStringList& paths) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& each : paths) urls += QUrl::fromLocalFile(each);
        data.setUrls(urls);
        const QPoint at(window_->width() / 2, window_->height() / 2);
        QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(window_, &enter);
        QDropEvent dropped(at, Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(window_, &dropped);
    }
    [[nodiscard]] bool plays(const QString& spec) {
        return test::wait_for([&] { return session_->source()->spec() == spec && video_->has_frame(); });
    }
};

TEST_F(Files, AreFoundInNaturalOrder) {
    for (const char* name : {"set/img10.png", "set/img2.png", "set/notes.txt", "set/more/clip.mp4", "one.mp4"})
        make(name);
    EXPECT_EQ(media_files({path("one.mp4"), path("set")}),
              (QStringList{path("one.mp4"), path("set/img2.png"), path("set/img10.png"), path("set/more/clip.mp4")}));
    EXPECT_EQ(media_files({}), QStringList{});
}

TEST_F(Files, SeveralThatAreDroppedBecomeAPlaylist) {
    for (const char* name : {"set/img10.png", "set/img2.png", "one.mp4"}) make(name);
    open({});
    activate();
    drop({path("one.mp4"), path("set")});
    ASSERT_TRUE(plays(path("one.mp4")));
    EXPECT_EQ(session_->playlist()->place(), "1 of 3");
    EXPECT_TRUE(test::wait_for([&] { return shows("1 of 3"); }));
    QTest::keyClick(window_, Qt::Key_PageDown);
    ASSERT_TRUE(plays(path("set/img2.png")));
    ASSERT_TRUE(test::wait_for([&] { return in_sight("nextFile"); }));
    draw();
    QTest::mouseClick(window_, Qt::LeftButton, {}, center_of(*item("nextFile")));
    ASSERT_TRUE(plays(path("set/img10.png")));
    EXPECT_EQ(session_->playlist()->place(), "3 of 3");
    QTest::keyClick(window_, Qt::Key_PageDown);
    EXPECT_EQ(session_->feedback()->text(), "There is no next file");
    QTest::keyClick(window_, Qt::Key_PageUp);
    ASSERT_TRUE(plays(path("set/img2.png")));
    // In full screen, the name is over the image while no bar has it.
    EXPECT_EQ(item("sourceName"), nullptr);
    trigger("fullscreen");
    EXPECT_TRUE(test::wait_for([&] { return in_sight("sourceName") && shows("img2.png · 2 of 3"); }));
}

TEST_F(Files, TheSameFileDroppedTwiceIsOneFile) {
    make("one.mp4");
    test::FakeClip clip;
    clip.frames = 5;
    open(clip);
    drop({path("one.mp4"), path("one.mp4")});
    ASSERT_TRUE(plays(path("one.mp4")));
    EXPECT_EQ(session_->playlist()->count(), 1);
    EXPECT_TRUE(test::wait_for([&] { return session_->transport()->state() == "ended"; }));
}

TEST(FileSystem, CompletesWhatAUserTypes) {
    const test::ScratchDir scratch;
    const QString folder = QString::fromStdString(scratch.path().string());
    const auto path = [&](const QString& text) { return FileSystem::pathOf(text, folder, "toml"); };
    EXPECT_EQ(path("a"), folder + "/a.toml");
    EXPECT_EQ(path(" b.txt "), folder + "/b.txt");
    EXPECT_EQ(path("sub/../c"), folder + "/c.toml");
    EXPECT_EQ(path("file://" + folder + "/d 1.toml"), folder + "/d 1.toml");
    EXPECT_EQ(path("~/e"), QDir::homePath() + "/e.toml");
    EXPECT_EQ(path("~"), QDir::homePath());
    EXPECT_EQ(path(folder + "/"), folder);
    EXPECT_EQ(FileSystem::pathOf("clip", folder, ""), folder + "/clip");
    for (const QString& none : {QString(), QString("  "), QString("x/")})
        EXPECT_EQ(path(none), "") << none.toStdString();
}

TEST(FileSystem, AsksTheDesktopOnlyIfItsThemeHasDialogs) {
    const QStringList plugins{"KDEPlasmaPlatformTheme6.so", "libqgtk3.so", "libqt6ct.so", "libqxdgdesktopportal.so"};
    const auto asks = [&](const char* themes, const char* desktops) {
        return FileSystem::theme_asks(themes, desktops, plugins);
    };
    for (const char* desktop : {"ubuntu:GNOME", "X-Cinnamon", "KDE", "XFCE"}) EXPECT_TRUE(asks("", desktop)) << desktop;
    for (const char* desktop : {"", "sway", "LXQt"}) EXPECT_FALSE(asks("", desktop)) << desktop;
    for (const char* theme : {"gtk3", "xdgdesktopportal", "missing:gtk3"}) EXPECT_TRUE(asks(theme, "")) << theme;
    for (const char* theme : {"qt6ct", "missing"}) EXPECT_FALSE(asks(theme, "")) << theme;
    EXPECT_FALSE(asks("qt6ct", "GNOME")) << "the first one is loaded";
    EXPECT_FALSE(FileSystem::theme_asks("gtk3", "GNOME", {}));
}

TEST(FileSystem, KnowsFoldersAroundAPath) {
    const test::ScratchDir scratch;
    const QString folder = QString::fromStdString(scratch.path().string());
    EXPECT_EQ(FileSystem::parentOf(folder + "/sub/"), folder);
    EXPECT_EQ(FileSystem::parentOf(folder + "/sub"), folder);
    EXPECT_TRUE(FileSystem::isReadable(folder));
    EXPECT_FALSE(FileSystem::isReadable(folder + "/missing"));
}

// The window's own dialog, by keys: the folder of the newest file, several files, and a way back from what is missing.
TEST_F(Files, SeveralAreChosenInTheFileSheet) {
    for (const char* name : {"a.mp4", "b.mp4", "c.mp4", "notes.txt", "sub/d.PNG"}) make(name);
    store_.setValue("recent", QStringList{path("gone/x.mp4"), path("a.mp4")});
    open({});
    activate();
    const auto rows = [&](int count) {
        return test::wait_for([&] { return item("fileList") && item("fileList")->property("count").toInt() == count; });
    };
    const auto field = [&] { return item("fileField")->property("text").toString(); };
    const auto press = [&](std::initializer_list<Qt::Key> keys) {
        for (const Qt::Key key : keys) QTest::keyClick(window_, key);
    };
    QTest::keyClick(window_, Qt::Key_O, Qt::ControlModifier);
    ASSERT_TRUE(rows(4)) << "the folder and three videos";
    ASSERT_TRUE(test::wait_for([&] { return item("fileList")->hasActiveFocus(); }));
    EXPECT_EQ(field(), path(""));
    press({Qt::Key_Down, Qt::Key_Return});
    ASSERT_TRUE(rows(1));
    EXPECT_EQ(field(), path("sub/"));
    press({Qt::Key_Backspace});
    ASSERT_TRUE(rows(4));

    item("fileField")->forceActiveFocus();
    type("missing.mp4");
    press({Qt::Key_Return});
    EXPECT_TRUE(shows("There is no file " + path("missing.mp4")));
    item("fileList")->forceActiveFocus();
    press({Qt::Key_Down, Qt::Key_Down, Qt::Key_Space, Qt::Key_Down, Qt::Key_Space, Qt::Key_Space});
    EXPECT_EQ(field(), path("a.mp4")) << "chosen, and not any more";
    press({Qt::Key_Down, Qt::Key_Space});
    EXPECT_EQ(item("fileAccept")->property("text").toString(), "Open 2 files");
    press({Qt::Key_Return});
    ASSERT_TRUE(plays(path("a.mp4")));
    EXPECT_EQ(session_->playlist()->place(), "1 of 2") << "all that were chosen";
    EXPECT_TRUE(test::wait_for([&] { return item("fileList") == nullptr; }));
}

// A name that was chosen may end with a space, and is opened as it is.
TEST_F(Files, TheFileSheetOpensTheNameThatWasChosen) {
    make("all/set /img.png");
    store_.setValue("recent", QStringList{path("all")});
    open({});
    activate();
    ASSERT_TRUE(QMetaObject::invokeMethod(window_, "openFolder"));
    const auto has_row = [&] { return item("fileList") && item("fileList")->property("count").toInt() == 1; };
    ASSERT_TRUE(test::wait_for([&] { return has_row() && item("fileList")->hasActiveFocus(); }));
    const QPointer<QQuickItem> list = item("fileList");
    QTest::keyClick(window_, Qt::Key_Down);
    QTest::keyClick(window_, Qt::Key_Space);
    EXPECT_EQ(item("fileField")->property("text").toString(), path("all/set "));
    draw();
    QTest::mouseClick(window_, Qt::LeftButton, {}, center_of(*item("fileAccept")));
    EXPECT_TRUE(plays(path("all/set ")));
    EXPECT_TRUE(test::wait_for([&] { return list.isNull(); })) << "a closed sheet goes on to read files";
}

TEST_F(Files, TheFileSheetShowsNoFacesThatAreHidden) {
    QImage image(300, 200, QImage::Format_RGB32);
    image.fill(Qt::red);
    ASSERT_TRUE(image.save(path("photo %41.png")));
    store_.setValue("recent", QStringList{path("photo %41.png")});
    make("broken.jpg");
    open({});
    trigger("open");
    const auto width_in_row = [&](int row) {
        QQuickItem* shown = nullptr;
        return item("fileList") &&
                       QMetaObject::invokeMethod(item("fileList"), "itemAtIndex", Q_RETURN_ARG(QQuickItem*, shown),
                                                 Q_ARG(int, row)) &&
                       shown && item("thumbnail", shown)
                   ? item("thumbnail", shown)->implicitWidth()
                   : 0;
    };
    EXPECT_TRUE(test::wait_for([&] { return width_in_row(1) == 144; })) << width_in_row(1);
    EXPECT_TRUE(test::wait_for([&] { return width_in_row(0) == 1; })) << "of a file that is no image";
    session_->display()->set_blur(true);
    EXPECT_TRUE(test::wait_for([&] { return width_in_row(1) == 0; }));
}

TEST_F(Files, DrawsTheFileSheetAtEverySize) {
    for (const char* name : {"a.mp4", "b.mp4", "notes.txt", "sub/d.png"}) make(name);
    store_.setValue("recent", QStringList{path("a.mp4")});
    open({}, {480, 320});
    trigger("open");
    ASSERT_TRUE(test::wait_for([&] { return item("fileList") && item("fileList")->property("count").toInt() == 3; }));
    TH_NEEDS_READ_BACK(*window_);
    for (const QSize size : {QSize(480, 320), QSize(800, 480), QSize(1280, 800)}) {
        window_->resize(size);
        EXPECT_EQ(wait_until_drawn("fileList", "file-sheet"), "") << size.width();
        for (const char* name : {"fileUp", "fileField", "fileAccept"}) EXPECT_TRUE(in_sight(name)) << name;
    }
    const std::function<void(QQuickItem*)> check = [&](QQuickItem* below) {
        if (!below->isVisible()) return;
        const QString text = below->property("text").toString();
        if (below->inherits("QQuickText") || below->inherits("QQuickTextInput")) {
            EXPECT_GE(contrast(below->property("color").value<QColor>(), "#1d2733"), 4.5) << text.toStdString();
        }
        for (QQuickItem* child : below->childItems()) check(child);
    };
    check(item("fileList")->parentItem());
}

// Double clicks, in the dialog for a folder, which lists no files.
TEST_F(Files, AFolderIsOpenedByTheFileSheet) {
    for (const char* name : {"set/one/img.png", "set/img.png"}) make(name);
    store_.setValue("recent", QStringList{path("set")});
    open({});
    ASSERT_TRUE(QMetaObject::invokeMethod(window_, "openFolder"));
    const auto shows_row = [&](int count) {
        return test::wait_for([&] { return item("fileList") && item("fileList")->property("count").toInt() == count; });
    };
    ASSERT_TRUE(shows_row(1));
    draw();
    QTest::mouseDClick(window_, Qt::LeftButton, {}, item("fileList")->mapToScene(QPointF(100, 20)).toPoint());
    ASSERT_TRUE(test::wait_for([&] { return item("fileField")->property("text").toString() == path("set/one/"); }));
    ASSERT_TRUE(shows_row(0));
    draw();
    QTest::mouseClick(window_, Qt::LeftButton, {}, center_of(*item("fileAccept")));
    EXPECT_TRUE(plays(path("set/one")));
}

TEST_F(Files, OneFollowsTheOther) {
    QStringList all;
    for (const char* name : {"a.mp4", "b.mp4", "c.mp4"}) all += make(name);
    test::FakeClip clip;
    clip.frames = 5;
    open(clip);
    QStringList opened;
    QObject::connect(session_->source(), &Source::changed, window_, [&] { opened += session_->source()->spec(); });
    drop(all);
    EXPECT_TRUE(test::wait_for(
        [&] { return session_->source()->spec() == all[2] && session_->transport()->state() == "ended"; }));
    EXPECT_EQ(opened, all);
}

TEST_F(Files, ThoseOfTheFolderAreBesideAFile) {
    for (const char* name : {"img10.png", "img2.png", "notes.txt", "below/img3.png"})
        make("photos/" + std::string(name));
    open({});
    activate();
    play(path("photos/img2.png"));
    ASSERT_TRUE(test::wait_for([&] { return session_->playlist()->place() == "1 of 2"; }));
    QTest::keyClick(window_, Qt::Key_PageDown);
    EXPECT_TRUE(plays(path("photos/img10.png")));
    session_->open("camera:7");
    ASSERT_TRUE(plays("camera:7"));
    EXPECT_EQ(session_->playlist()->count(), 0);
    EXPECT_EQ(item("nextFile"), nullptr);
}

TEST_F(Files, NothingUsableThatIsDroppedIsAnError) {
    make("papers/notes.txt");
    make("more/other.txt");
    open({});
    drop({path("papers"), path("more")});
    EXPECT_TRUE(test::wait_for([&] { return session_->alert()->is_error(); }));
    EXPECT_EQ(session_->alert()->what(), "No videos or images in what was dropped");
}

TEST_F(Files, AnAnimationRepeats) {
    test::FakeClip clip;
    clip.frames = 10;
    open(clip);
    play("cat.gif");
    EXPECT_TRUE(session_->transport()->loop());
    EXPECT_TRUE(wait_for_results(25)) << "more than it has";
    session_->open("cat.mp4");
    ASSERT_TRUE(plays("cat.mp4"));
    EXPECT_FALSE(session_->transport()->loop());
    EXPECT_TRUE(test::wait_for([&] { return session_->transport()->state() == "ended"; }));
    session_->open("cat.gif");
    ASSERT_TRUE(plays("cat.gif"));
    ASSERT_TRUE(session_->transport()->loop());
    session_->transport()->set_loop(false);
    EXPECT_TRUE(test::wait_for([&] { return session_->transport()->state() == "ended"; })) << "the user decides";
}

TEST_F(Files, TheStartPageHasTheRecentOnes) {
    open({});
    play("older.mp4");
    session_->open("newer.mp4");
    ASSERT_TRUE(plays("newer.mp4"));
    open({}, {1280, 800});
    ASSERT_TRUE(test::wait_for([&] { return in_sight("startRecent1"); }));
    draw();
    QTest::mouseClick(window_, Qt::LeftButton, {}, center_of(*item("startRecent1")));
    EXPECT_TRUE(plays("older.mp4"));
    open({}, {480, 320});
    draw();
    EXPECT_TRUE(in_sight("startDemo")) << "the buttons come first";
    EXPECT_EQ(item("startRecent0"), nullptr);
}

}  // namespace
}  // namespace throng::ui
