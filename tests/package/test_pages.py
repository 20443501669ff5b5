#!/usr/bin/env python3
"""The commands of README.md and of the pages for users work as they are written.

usage: test_pages.py ROOT THRONG LIBRARIES PYTHON_MODULES
Each page has a folder of its own, in which its blocks run in order, each in a shell that ends at the first error:
    ```sh                              commands
    ```c FILE, cpp, python, toml       text that is written to FILE first; comments of FILE say what it is
    <!-- not run: REASON -->           above a block: what no test can do; MOST_NOT_RUN commands of all pages together
    <!-- keeps running -->             above a block: one command, which reports that it is ready and runs until the next block ends
    <!-- needs: TOOL -->               above a block: it is left out where TOOL is not installed
Code in the text that begins with `throng COMMAND` has options of that command.
"""
import collections
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

PAGES = ("README.md", "app/commands/anonymize.md", "app/commands/archives.md", "app/api/embedding.md", "app/lab/results.md",
         "configs/kiosk.md", "configs/jetson.md")
MOST_NOT_RUN = 12
SHOWN = ("text", "json", "cmake")  # languages of blocks that are no commands
BLOCK = re.compile(r"(?:^<!-- ([^\n]*) -->\n)?^```([^\n]*)\n(.*?)^```$", re.M | re.S)

root = program = libraries = modules = None


def blocks(page):
    """Returns (marker, language, file, text) of each block of a page."""
    text = (root / page).read_text(encoding="utf-8")
    return [(marker, *(info.split() + ["", ""])[:2], body) for marker, info, body in BLOCK.findall(text)]


def commands(text):
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def free_port():
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return str(any_port.getsockname()[1])


class Running:
    """A command that runs until its end is requested."""

    def __init__(self, text, folder, environment):
        with tempfile.TemporaryDirectory() as place, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready:
            ready.bind(f"{place}/notify")
            self.output = tempfile.TemporaryFile()
            self.process = subprocess.Popen(["bash", "-c", f"exec {text.strip()}"], cwd=folder, stdout=self.output, stderr=self.output,
                                            env={**environment, "NOTIFY_SOCKET": f"{place}/notify"})
            ready.settimeout(0.2)
            while self.process.poll() is None:
                try:
                    if b"READY=1" in ready.recv(4096):
                        return
                except TimeoutError:
                    pass
        raise AssertionError(f"{text}ended before it was ready:\n{self.text()}")

    def text(self):
        self.output.seek(0)
        return self.output.read().decode(errors="replace")

    def end(self):
        """Returns the exit status after SIGTERM, and the output."""
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait()
        with self.output:
            return status, self.text()


class Pages(unittest.TestCase):
    def environment(self, folder):
        """The environment of a user who has installed the program, without a network, a display and settings."""
        config = folder / "home/config/throng"
        config.mkdir(parents=True)
        # Models are not part of the project: what a page finds by the network is found by the cascade here.
        (config / "config.toml").write_text('[detector]\ndetector = "haar"\nmin-size = 32\nscale-factor = 1.25\n')
        commands = folder / "home/bin"
        commands.mkdir()
        (commands / "python3").symlink_to(sys.executable)
        api = str(root / "app/api")
        return {**{name: value for name, value in os.environ.items() if not name.startswith(("THRONG_", "GTEST_"))},
                "PATH": f"{program.parent}:{commands}:{os.environ['PATH']}", "QT_QPA_PLATFORM": "offscreen",
                "HOME": str(folder / "home"), "XDG_CONFIG_HOME": str(folder / "home/config"), "XDG_RUNTIME_DIR": str(folder / "home"),
                "XDG_DATA_HOME": str(folder / "home/data"), "XDG_STATE_HOME": str(folder / "home/state"), "THRONG_ENCODER_PROBE": "false",
                "CPATH": api, "LIBRARY_PATH": str(libraries), "LD_LIBRARY_PATH": str(libraries), "PYTHONPATH": str(modules),
                "GST_PLUGIN_PATH": str(libraries / "gstreamer-1.0"), "GST_REGISTRY": str(folder / "home/registry")}

    def run_page(self, page):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            environment = self.environment(folder)
            work = folder / "work"
            (work / "app").mkdir(parents=True)
            (work / "app/run").symlink_to(program)
            for shown in ("assets", "configs"):
                (work / shown).symlink_to(root / shown)
            port = free_port()  # another program may use the one of the page
            running = None
            for marker, language, file, text in blocks(page):
                before, running = running, None
                try:
                    if marker == "keeps running":
                        self.assertEqual(len(commands(text)), 1, text)
                        running = Running(text.replace("8080", port), work, environment)
                    elif not marker.startswith("not run: ") and language not in SHOWN:
                        self.run_block(page, marker, language, file, text.replace("8080", port), work, environment)
                finally:
                    if before:
                        status, output = before.end()
                        self.assertIn(status, (0, 130), f"{page}:\n{output}")
            self.assertIsNone(running, f"{page}: no block after one that keeps running")

    def run_block(self, page, marker, language, file, text, work, environment):
        tool = marker.removeprefix("needs: ")
        self.assertIn(marker, ("", f"needs: {tool}"), page)
        if tool and not shutil.which(tool):
            print(f"{page}: left out without {tool}: {text.strip()}")
        elif file:
            (work / file).write_text(text)
        else:
            self.assertEqual(language, "sh", f"{page}: {text}")
            began = time.monotonic()
            result = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=work, env=environment, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(result.returncode, 0, f"{page}:\n{text}\n{result.stdout}")
            print(f"{page}: {time.monotonic() - began:.1f} s: {commands(text)[0]}")

    def test_few_commands_are_not_run(self):
        left_out = collections.Counter()
        for page in PAGES:
            self.assertNotRegex((root / page).read_text(encoding="utf-8"), r"(?m)^    \S*(throng|app/run) ", f"{page}: a command outside a block")
            for marker, language, _, text in blocks(page):
                if marker.startswith("not run: "):
                    self.assertEqual(language, "sh", text)
                    left_out[page] += len(commands(text))
        self.assertLessEqual(left_out.total(), MOST_NOT_RUN, left_out)

    def test_options_in_the_text_exist(self):
        helps = {}
        for page in PAGES:
            text = (root / page).read_text(encoding="utf-8")
            for code in re.findall(r"`((?:build/bin/)?throng [^`\n]+|\./app/run [^`\n]+)`", BLOCK.sub("", text)):
                words = [word for word in shlex.split(code)[1:] if re.fullmatch(r"[a-z-]+", word)]
                command = [word for word in words if not word.startswith("-")][:2 if words[:1] == ["bench"] else 1]
                key = tuple(command)
                if key not in helps:
                    helps[key] = subprocess.run([program, *key, "--help"], stdout=subprocess.PIPE, check=True, text=True).stdout
                for option in re.findall(r"--[a-z-]+", code):
                    self.assertIn(option, helps[key], f"{page}: {code}")


for each in PAGES:
    setattr(Pages, f"test_{pathlib.Path(each).stem.lower()}", lambda self, page=each: self.run_page(page))


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    root, program, libraries, modules = (pathlib.Path(argument).resolve() for argument in sys.argv[1:5])
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
