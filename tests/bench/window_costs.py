#!/usr/bin/env python3
"""Measures what the window costs on a virtual X server: its start, its events, CPU time at rest, memory.

usage: window_costs.py THRONG [start] [matrix] [photo] [paused] [minimized] [memory]

CPU times are those of the program (user and system), so that other programs of a busy machine change them little.
Needs Xvfb, libX11, libXtst and, for memory, ffmpeg."""

import ctypes
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

TICKS = os.sysconf("SC_CLK_TCK")


class Display:
    """Sends keys to the only window of a display."""

    def __init__(self, name):
        self.x11 = ctypes.CDLL("libX11.so.6")
        self.xtst = ctypes.CDLL("libXtst.so.6")
        for function, result, arguments in (
                ("XOpenDisplay", ctypes.c_void_p, [ctypes.c_char_p]),
                ("XDefaultRootWindow", ctypes.c_ulong, [ctypes.c_void_p]),
                ("XQueryTree", ctypes.c_int, [ctypes.c_void_p, ctypes.c_ulong] + [ctypes.c_void_p] * 4),
                ("XGetGeometry", ctypes.c_int, [ctypes.c_void_p, ctypes.c_ulong] + [ctypes.c_void_p] * 7),
                ("XSetInputFocus", ctypes.c_int, [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_ulong]),
                ("XStringToKeysym", ctypes.c_ulong, [ctypes.c_char_p]),
                ("XKeysymToKeycode", ctypes.c_ubyte, [ctypes.c_void_p, ctypes.c_ulong]),
                ("XInternAtom", ctypes.c_ulong, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]),
                ("XChangeProperty", ctypes.c_int, [ctypes.c_void_p] + [ctypes.c_ulong] * 3 + [ctypes.c_int] * 2
                 + [ctypes.c_void_p, ctypes.c_int]),
                ("XUnmapWindow", ctypes.c_int, [ctypes.c_void_p, ctypes.c_ulong]),
                ("XSync", ctypes.c_int, [ctypes.c_void_p, ctypes.c_int])):
            getattr(self.x11, function).restype = result
            getattr(self.x11, function).argtypes = arguments
        self.xtst.XTestFakeKeyEvent.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_ulong]
        self.display = self.x11.XOpenDisplay(name.encode())

    def window(self):
        ids = (ctypes.c_ulong * 2)()
        children, count = ctypes.POINTER(ctypes.c_ulong)(), ctypes.c_uint()
        self.x11.XQueryTree(self.display, self.x11.XDefaultRootWindow(self.display), ctypes.byref(ids),
                            ctypes.byref(ids, 8), ctypes.byref(children), ctypes.byref(count))
        sizes = (ctypes.c_ulong * 7)()
        for child in children[:count.value]:  # Qt has small windows, too
            self.x11.XGetGeometry(self.display, child, *(ctypes.byref(sizes, 8 * i) for i in range(7)))
            if sizes[3] > 100:
                return child
        sys.exit("the window is gone")

    def press(self, *names):
        self.x11.XSetInputFocus(self.display, self.window(), 2, 0)
        codes = [self.x11.XKeysymToKeycode(self.display, self.x11.XStringToKeysym(name.encode())) for name in names]
        for code in codes:
            self.xtst.XTestFakeKeyEvent(self.display, code, 1, 0)
        for code in reversed(codes):
            self.xtst.XTestFakeKeyEvent(self.display, code, 0, 0)
        self.x11.XSync(self.display, 0)

    def minimize(self):
        """Does what a window manager does."""
        state = self.x11.XInternAtom(self.display, b"WM_STATE", 0)
        window = self.window()
        self.x11.XChangeProperty(self.display, window, state, state, 32, 0, (ctypes.c_ulong * 2)(3, 0), 2)
        self.x11.XUnmapWindow(self.display, window)
        self.x11.XSync(self.display, 0)


class Window:
    """The program on a display of its own, with settings of its own."""

    def __init__(self, program, *arguments):
        self.folder = tempfile.TemporaryDirectory()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "1920x1080x24", "-nolisten", "tcp"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        display = ":" + self.server.stdout.readline().strip()
        environment = dict(os.environ, DISPLAY=display, QT_QPA_PLATFORM="xcb", QT_QUICK_BACKEND="software",
                           XDG_CONFIG_HOME=self.folder.name, THRONG_UI_STATISTICS="1")
        self.begin = time.monotonic()
        self.lines = []
        self.program = subprocess.Popen([program, "view", "--window-size", "1440x860", *arguments], env=environment,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        threading.Thread(target=self.read, daemon=True).start()
        self.wait_for("first frame")
        self.display = Display(display)

    def read(self):
        for line in self.program.stderr:
            self.lines.append((time.monotonic() - self.begin, line.rstrip()))

    def wait_for(self, words):
        while self.program.poll() is None:
            for at, line in list(self.lines):
                if words in line:
                    return at, line
            time.sleep(0.005)
        sys.exit("the program ended: " + "\n".join(line for _, line in self.lines))

    def cpu(self):
        with open(f"/proc/{self.program.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def load(self, seconds=10):
        """Returns the median share of a core in percent, over parts of the time."""
        shares = []
        for _ in range(5):
            cpu, at = self.cpu(), time.monotonic()
            time.sleep(seconds / 5)
            shares.append(100 * (self.cpu() - cpu) / (time.monotonic() - at))
        return statistics.median(shares)

    def megabytes(self):
        with open(f"/proc/{self.program.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s*(\d+)", file.read())[1]) / 1024

    def close(self):
        self.program.send_signal(signal.SIGINT)
        self.program.wait(60)
        time.sleep(0.1)
        self.server.kill()
        self.server.wait()


def start(program):
    walls, cpus = [], []
    for _ in range(5):
        window = Window(program, "crowd:faces=20,size=640x360")
        at, line = window.wait_for("first frame")
        walls.append(at)
        cpus.append(float(re.search(r"after ([\d.]+) s", line)[1]))
        window.close()
    print(f"start: first frame after {statistics.median(walls):.2f} s, {statistics.median(cpus):.2f} s of CPU time")


def matrix(program):
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as script:
        script.write('[[scene]]\nname = "m"\nseconds = 3000\ntext.en = "m"\nshow.matrix = true\nshow.panel = true\n')
        script.flush()
        window = Window(program, "crowd:faces=300,size=1280x720,seed=1", "--scenes", script.name, "--keep-rate", "0",
                        "--detector", "haar", "--min-size", "20")
        time.sleep(40)
        window.close()
    for _, line in window.lines:
        if "per " in line:
            print("matrix:", line.split("] ")[-1])


def draw(program, path, size, *arguments):
    subprocess.run([program, "crowd", "--quiet", "--faces", "60", "--size", size, path, *arguments], check=True)
    return path


def still(program, name, is_photo, act=lambda display: None):
    with tempfile.TemporaryDirectory() as folder:
        source = draw(program, folder + "/photo.png", "1920x1080") if is_photo else "crowd:faces=20,size=960x540"
        window = Window(program, source, "--detector", "haar")
        time.sleep(8)
        act(window.display)
        time.sleep(4)
        print(f"{name}: {window.load():.1f} % of a core")
        window.close()


def memory(program):
    with tempfile.TemporaryDirectory() as folder:
        for name, size in (("a", "640x360"), ("b", "3840x2160"), ("c", "640x360")):
            draw(program, f"{folder}/{name}.mp4", size, "--frames", "40")
        window = Window(program, folder + "/a.mp4", "--loop", "--detector", "haar")
        found = []
        for _ in range(3):
            time.sleep(15)
            found.append(window.megabytes())
            window.display.press("Next")
        window.close()
    print("memory: {:.0f} MB, {:.0f} MB with a 4K clip, {:.0f} MB after it".format(*found))


def main():
    program, *names = sys.argv[1:] or sys.exit(__doc__)
    known = {
        "start": lambda: start(program),
        "matrix": lambda: matrix(program),
        "photo": lambda: still(program, "a photograph", True),
        "paused": lambda: still(program, "a paused video", False, lambda display: display.press("space")),
        "minimized": lambda: still(program, "a minimized window", False, Display.minimize),
        "memory": lambda: memory(program),
    }
    for name in names or known:
        known[name]()


if __name__ == "__main__":
    main()
