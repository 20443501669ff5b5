#!/usr/bin/env python3
"""The protocol of WIDER FACE: made-up ground truth in MATLAB files, and made-up detections with figures by hand.

usage: test_wider.py THRONG FOLDER_OF_wider_truth.py
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
    import scipy.io
except ImportError:
    numpy = None

program, scripts = None, None


def cells(values):
    """Returns a MATLAB cell array of one column."""
    array = numpy.empty((len(values), 1), dtype=object)
    for i, value in enumerate(values):
        array[i, 0] = value
    return array


@unittest.skipIf(numpy is None, "no NumPy and SciPy")
class Wider(unittest.TestCase):
    # Two images: faces of 100, 40 and 10 pixels in a.jpg, one of 60 in b.jpg. Easy has the large ones.
    COUNTED = {"easy": ([1], [1]), "medium": ([1, 2], [1]), "hard": ([1, 2, 3], [1])}
    BOXES = ([[0, 0, 100, 100], [200, 0, 40, 40], [300, 0, 10, 10]], [[0, 0, 60, 60]])
    # a.jpg: the first face, a wrong one, the third, the second; b.jpg: a wrong one, then the face.
    FOUND = {"a": [(0, 0, 100, 0.9), (500, 0, 50, 0.8), (300, 0, 10, 0.7), (200, 0, 40, 0.6)],
             "b": [(100, 0, 60, 0.5), (0, 0, 60, 0.4)]}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for difficulty, counted in self.COUNTED.items():
            # One event; nested cells as in the files of the publisher.
            scipy.io.savemat(self.folder / f"wider_{difficulty}_val.mat", {
                "event_list": cells(["0--Event"]),
                "file_list": cells([cells(["a", "b"])]),
                "face_bbx_list": cells([cells([numpy.array(boxes, dtype=float) for boxes in self.BOXES])]),
                "gt_list": cells([cells([numpy.array(numbers)[:, None] for numbers in counted])])})
        lines = [json.dumps({"source": f"/images/0--Event/{name}.jpg", "frame": 0, "kept": [
            {"x": x, "y": y, "w": side, "h": side, "score": score} for x, y, side, score in boxes]})
            for name, boxes in self.FOUND.items()]
        (self.folder / "found.jsonl").write_text("\n".join(lines) + "\n")
        subprocess.run([sys.executable, scripts / "wider_truth.py", self.folder, self.folder / "out"], check=True)

    def test_figures_are_those_by_hand(self):
        # By decreasing score, an ignored face left out. easy: correct, wrong, wrong, correct of 2 faces;
        # medium: correct, wrong, correct, wrong, correct of 3; hard: correct, wrong, correct, correct, wrong, correct of
        # 4.
        expected = {"easy": (2, 1 / 2 * 1 + 1 / 2 * 2 / 4), "medium": (3, 1 / 3 * 1 + 1 / 3 * 2 / 3 + 1 / 3 * 3 / 5),
                    "hard": (4, 1 / 4 * 1 + 2 / 4 * 3 / 4 + 1 / 4 * 4 / 6)}
        for difficulty, (faces, ap) in expected.items():
            result = subprocess.run([program, "eval", self.folder / f"out/{difficulty}.txt",
                                     self.folder / "found.jsonl", "--json"], check=True, stdout=subprocess.PIPE)
            figures = json.loads(result.stdout)
            self.assertEqual(figures["faces"], faces, difficulty)
            self.assertAlmostEqual(figures["ap"], ap, msg=difficulty)
            self.assertEqual(figures["ignored"], 4 - faces, difficulty)


if __name__ == "__main__":
    program, scripts = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
