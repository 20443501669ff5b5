#!/usr/bin/env python3
"""Measures which faces each model finds, by their height: the table of core/model/README.md and of `throng models`.

usage: face_heights.py THRONG PHOTOS MODEL...

THRONG is the program, PHOTOS a folder of annotated photographs with their faces in truth_wider.txt (WIDER FACE
format), MODEL the file of a network, or haar or lbp. The photographs are used in full, half and quarter size (by ffmpeg), so that
faces of few pixels occur. Detection has the defaults of each detector, but reports all detections; eval ranks them.
"""
import pathlib
import subprocess
import sys
import tempfile

from operating_point import run, wider_truth

SCALES = (1, 2, 4)


def scaled(photos, folder):
    """Returns the scaled photographs, and writes truth.txt."""
    truth = wider_truth(photos / "truth_wider.txt")
    images, text = [], []
    for path in sorted(path for path in photos.iterdir() if path.name in truth):
        for scale in SCALES:
            images.append(folder / f"{path.stem}-{scale}.png")
            subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-i", path, "-frames:v", "1", "-vf",
                            f"scale=iw/{scale}:ih/{scale}:flags=area", images[-1]], check=True)
            faces = truth[path.name]
            text += [images[-1].name, str(len(faces))]
            text += [" ".join(f"{value / scale:.2f}" for value in box) + f" 0 0 0 {int(ignored)} 0 0"
                     for box, ignored in faces]
    (folder / "truth.txt").write_text("\n".join(text) + "\n")
    return images


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    program, photos, models = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        images = scaled(photos, folder)
        for model in models:
            options = ["--detector", model, "--min-hits", "1"]
            if model not in ("haar", "lbp"):
                options = ["--detector", "cnn", "--model", model, "--score-threshold", "0.05"]
            run(program, "detect", *images, *options, "--json", folder / "found.jsonl")
            text = subprocess.run([program, "eval", folder / "truth.txt", folder / "found.jsonl"], check=True,
                                  stdout=subprocess.PIPE, text=True).stdout
            print(f"{pathlib.Path(model).stem}\n{text}", flush=True)


if __name__ == "__main__":
    main()
