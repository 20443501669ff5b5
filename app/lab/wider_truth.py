#!/usr/bin/env python3
"""Writes the truth of WIDER FACE's protocol as text for `throng eval`: one file for each of easy, medium and hard.

usage: wider_truth.py GROUND_TRUTH OUT

GROUND_TRUTH is the folder of wider_easy_val.mat, wider_medium_val.mat and wider_hard_val.mat, OUT a folder for
easy.txt, medium.txt and hard.txt. Faces that do not belong to a difficulty are marked invalid, which `eval` ignores: a
detection of one counts neither as correct nor as wrong (S. Yang et al., WIDER FACE, CVPR 2016, and its eval_tools).
Then: throng detect IMAGES --min-hits 1 --json found.jsonl && throng eval OUT/easy.txt found.jsonl

Two details differ from eval_tools: boxes are continuous, not one pixel larger, and the curve has a point per detection,
not 1000 points. Needs SciPy.
"""
import pathlib
import sys

import scipy.io

DIFFICULTIES = ("easy", "medium", "hard")


def text_of(subset):
    """Returns the text of one difficulty."""
    lines = []
    for event, files, boxes, counted in zip(*(subset[key][:, 0] for key in (
            "event_list", "file_list", "face_bbx_list", "gt_list"))):
        for name, faces, numbers in zip(files[:, 0], boxes[:, 0], counted[:, 0]):
            valid = {int(number) for number in numbers.ravel()}  # from 1
            lines.append(f"{event[0]}/{name[0]}.jpg")
            lines.append(str(len(faces)))
            for number, (x, y, w, h) in enumerate(faces.tolist(), start=1):
                lines.append(f"{x} {y} {w} {h} 0 0 0 {0 if number in valid else 1} 0 0")
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, target = map(pathlib.Path, sys.argv[1:])
    target.mkdir(parents=True, exist_ok=True)
    for difficulty in DIFFICULTIES:
        subset = scipy.io.loadmat(source / f"wider_{difficulty}_val.mat")
        (target / f"{difficulty}.txt").write_text(text_of(subset))


if __name__ == "__main__":
    main()
