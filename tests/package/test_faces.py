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


PLAN = """
size = [480, 360]
[[line]]
name = "middle"
from = [240, 0]
to = [240, 360]
[[zone]]
name = "left"
points = [[0, 0], [240, 0], [240, 360], [0, 360]]
"""


class SameCounts(unittest.TestCase):
    """What Python counts over the C library is what `throng detect` writes."""

    SOURCE = "crowd:faces=12,size=480x360,frames=100,seed=3,motion=walk"

    def test_events(self):
        try:
            throng.Pipeline
        except ImportError as error:
            self.skipTest(str(error))
        with tempfile.TemporaryDirectory() as folder:
            plan = os.path.join(folder, "plan.toml")
            with open(plan, "w", encoding="utf-8") as file:
                file.write(PLAN)
            # Into a file, the program writes tracks that it has linked with what comes after them.
            done = subprocess.run([program, "detect", self.SOURCE, "--config", "", "--backend", "cpu", "--detector",
                                   "haar", "--count", plan, "--events", "-"], capture_output=True, timeout=300, check=True)
            written = sorted((line["event"], line["id"], line.get("line") or line.get("zone") or "",
                              line.get("direction", ""), round(line["pts"], 2))
                             for line in map(json.loads, done.stdout.splitlines()))
            found = []
            with throng.Pipeline(self.SOURCE, backend="cpu", detector="haar", count=plan) as pipeline:
                for frame in pipeline:
                    found += frame.counts.events
                    self.assertGreaterEqual(frame.counts.lines["middle"].inward, 0)
                end = pipeline.counts
            found += end.events
        self.assertEqual(sorted((each.kind, each.track, each.name, each.direction, round(each.seconds, 2))
                                for each in found), written)
        kinds = {kind: sum(each.kind == kind for each in found) for kind in ("crossed", "entered", "exited")}
        self.assertTrue(all(kinds.values()), kinds)
        self.assertEqual(end.lines["middle"].inward + end.lines["middle"].outward, kinds["crossed"])
        zone = end.zones["left"]
        self.assertEqual((zone.visits, zone.exits, zone.occupancy), (kinds["entered"], kinds["exited"], 0))
        self.assertAlmostEqual(zone.dwell, sum(each.dwell for each in found if each.kind == "exited"))
        self.assertEqual((end.people, pipeline.counts), (0, end))  # closed
        pipeline.close()
        self.assertEqual(pipeline.counts, end)

    def test_the_whole_image_and_wrong_files(self):
        try:
            throng.Pipeline
        except ImportError as error:
            self.skipTest(str(error))
        source = "crowd:faces=3,size=320x240,frames=2"
        with throng.Pipeline(source, backend="cpu", detector="haar", count=True) as pipeline:
            self.assertEqual(next(pipeline).counts.lines, {})
        with throng.Pipeline(source, backend="cpu", detector="haar") as pipeline:
            self.assertIsNone(next(pipeline).counts)
            self.assertIsNone(pipeline.counts)
        with self.assertRaises(FileNotFoundError) as raised:
            throng.Pipeline(source, backend="cpu", count="/nonexistent.toml")
        self.assertEqual(raised.exception.filename, "/nonexistent.toml")


if __name__ == "__main__":
    unittest.main()
