"""The same faces of one video in the command line, the window and Python, which calls the C library: frame by frame.

    PYTHONPATH=build/python tests/package/test_faces.py build/bin/throng
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import throng

program = os.path.abspath(sys.argv.pop(1))
FRAMES = 12
SOURCE = f"crowd:faces=14,size=640x360,frames={FRAMES},seed=5"
# The first window of a program takes the installed network if it is fast enough; here it is named. 0: no lower quality
# on a slow machine.
WINDOW = ["--keep-rate", "0", "--screenshot-after", str(FRAMES)]


def boxes(line):
    return [[face[key] for key in ("x", "y", "w", "h")] + [face["score"], face["hits"]] for face in line["kept"]]


class SameFaces(unittest.TestCase):
    def lines(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "faces.jsonl")
            command = [program, *arguments, "--config", "", "--backend", "cpu", "--json", path]
            if arguments[0] == "view":
                command += ["--screenshot", os.path.join(folder, "window.png")]
            environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", XDG_STATE_HOME=folder, XDG_CONFIG_HOME=folder)
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
            if arguments[0] == "view" and done.returncode == 4:
                self.skipTest(done.stderr.strip())
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="utf-8") as file:
                return {line["frame"]: boxes(line) for line in map(json.loads, file) if "frame" in line}

    def test_in_every_front_end(self):
        try:
            throng.Pipeline
        except ImportError as error:
            self.skipTest(str(error))
        for detector in ("haar", "lbp"):
            with self.subTest(detector=detector):
                told = self.lines("detect", SOURCE, "--detector", detector)
                self.assertEqual(sorted(told), list(range(FRAMES)))
                self.assertGreater(sum(map(len, told.values())), 5 * FRAMES)
                with throng.Pipeline(SOURCE, backend="cpu", detector=detector) as pipeline:
                    for frame in pipeline:
                        found = [[float(face[key]) for key in ("x", "y", "width", "height", "score")] + [int(face["hits"])]
                                 for face in frame.detections]
                        self.assertEqual(len(found), len(told[frame.index]))
                        for ours, theirs in zip(found, told[frame.index]):
                            for a, b in zip(ours, theirs):
                                self.assertAlmostEqual(a, b, delta=1e-4 * max(1, abs(b)))
                # The window plays at the speed of the source, and leaves out what it cannot show in time.
                seen = self.lines("view", SOURCE, "--detector", detector, *WINDOW)
                self.assertTrue(seen)
                for index, faces in seen.items():
                    self.assertEqual(faces, told[index])


if __name__ == "__main__":
    unittest.main()
