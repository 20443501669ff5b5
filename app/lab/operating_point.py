#!/usr/bin/env python3
"""Fits the confidence of the cascades and prints the precision-recall curve of each detector, with its default marked.

usage: operating_point.py THRONG PHOTOS [--truth FILE] [--models FOLDER] [--network NAME] [--detector NAME...]
                          [--csv FILE] [--people FOLDER]

THRONG is the program; PHOTOS a folder of annotated photographs with their faces in truth_wider.txt (WIDER FACE format).
Four drawn crowds of 120 faces are added: they are known exactly. A detection is correct if its overlap (IoU) with a
face that no better one has taken is at least 0.5. --people does the same for HOG, on the images of FOLDER: nobody annotated people, so
those that the person network finds with a score of at least 0.5 and 100 pixels high are the truth, and the others that it
finds are not judged. core/detect/detector_kinds.cpp has the constants that this script prints. Needs NumPy.
"""
import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy

STEP = 0.01  # of confidences in the curve
SHOWN = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


def run(program, *arguments):
    subprocess.run([program, *map(str, arguments), "-q"], check=True, stdout=subprocess.PIPE)


def wider_truth(path):
    """Returns the boxes by the name of the image."""
    lines = [line for line in path.read_text().splitlines() if line.strip()]
    faces, at = {}, 0
    while at < len(lines):
        name, count = pathlib.Path(lines[at].strip()).name, int(lines[at + 1])
        rows = [tuple(map(float, line.split())) for line in lines[at + 2:at + 2 + count]]
        faces[name] = [(row[:4], len(row) > 7 and row[7] == 1) for row in rows if row[2] > 0 and row[3] > 0]
        at += 2 + count
        # An image without a face may have a line of zeros.
        if count == 0 and at < len(lines) and len(lines[at].split()) >= 4:
            at += 1
    return faces


def crowd_truth(path):
    faces = {}
    for line in path.read_text().splitlines():
        image = json.loads(line)
        faces[pathlib.Path(image["source"]).name] = [
            ((face["x"], face["y"], face["w"], face["h"]), face["ignore"]) for face in image["faces"]]
    return faces


def detections(path):
    found = {}
    for line in path.read_text().splitlines():
        image = json.loads(line)
        found[pathlib.Path(image["source"]).name] = image["kept"]
    return found


def people_truth(path):
    return {name: [((d["x"], d["y"], d["w"], d["h"]), d["confidence"] < 0.5 or d["h"] < 100) for d in found]
            for name, found in detections(path).items()}


def print_reliability(judged):
    print("confidence     detections  of them correct")
    for low in (0, 0.1, 0.3, 0.5, 0.7, 0.9):
        high = {0: 0.1, 0.9: 2}.get(low, low + 0.2)
        inside = [correct for *_, c, correct in judged if low <= c < high]
        if inside:
            print(f"{low:.1f} to {min(high, 1):.1f}   {len(inside):10}  {sum(inside) / len(inside):15.2f}")


def fit_people(program, folder, models):
    images = sorted(path for path in folder.iterdir() if path.suffix in (".jpg", ".png", ".webp"))
    with tempfile.TemporaryDirectory() as name:
        found = pathlib.Path(name) / "found.jsonl"
        model = ["--model", f"{models}/yolox_nano.onnx"] if models else []
        run(program, "detect", *images, "--detector", "person", *model, "--score-threshold", 0.1, "--json", found)
        truth = people_truth(found)
        run(program, "detect", *images, "--detector", "hog", "--min-hits", 1, "--json", found)
        judged, people = match(truth, detections(found))
    print(f"\nhog: {len(images)} images with {people} people, calibration {{%.2f, %.3f, %.3f}}" % tuple(fit(judged)))
    print_reliability(judged)
    default = default_of(program, "hog")
    for confidence in sorted({0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, default}):
        print("%10.3f  %9.3f  %6.3f%s" % (confidence, *point(judged, people, confidence),
                                          "  <- default" if confidence == default else ""))


def common(a, b):
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return max(width, 0) * max(height, 0)


def overlap(a, b):
    shared = common(a, b)
    return shared / (a[2] * a[3] + b[2] * b[3] - shared) if shared > 0 else 0


def match(truth, found):
    """Returns (score, hits, confidence, is correct) of each judged detection, and the number of faces."""
    judged, faces = [], 0
    for name, boxes in truth.items():
        faces += sum(not ignored for _, ignored in boxes)
        taken = set()
        for d in sorted(found.get(name, []), key=lambda d: -d["confidence"]):
            box = (d["x"], d["y"], d["w"], d["h"])
            best = max(((overlap(box, face), i) for i, (face, ignored) in enumerate(boxes)
                        if not ignored and i not in taken), default=(0, -1))
            correct = best[0] >= 0.5
            if correct:
                taken.add(best[1])
            elif any(ignored and (overlap(box, face) >= 0.5 or common(box, face) > 0.5 * box[2] * box[3])
                     for face, ignored in boxes):
                continue
            judged.append((d["score"], d["hits"], d["confidence"], correct))
    return judged, faces


def fit(judged):
    """Logistic regression by Newton's method on score and the logarithm of hits, as in J. Platt, Probabilistic outputs
    for support vector machines (1999)."""
    features = numpy.array([(1, score, math.log(hits)) for score, hits, *_ in judged])
    correct = numpy.array([is_correct for *_, is_correct in judged], float)
    factors = numpy.zeros(3)
    for _ in range(50):
        p = 1 / (1 + numpy.exp(-numpy.clip(features @ factors, -30, 30)))
        hessian = features.T @ (features * (p * (1 - p))[:, None]) + 1e-6 * numpy.eye(3)
        step = numpy.linalg.solve(hessian, features.T @ (correct - p))
        factors += step
        if abs(step).max() < 1e-9:
            break
    return factors


def point(judged, faces, confidence):
    reported = [correct for *_, c, correct in judged if c >= confidence]
    return (sum(reported) / len(reported) if reported else 1.0, sum(reported) / faces)


def default_of(program, detector):
    """Returns the default of --min-confidence: that of the first detector, or "; NAME VALUE" behind it."""
    text = subprocess.run([program, "detect", "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout
    first, *others = text.split("--min-confidence C [")[1].split("]")[0].split("; ")
    return float(dict(other.split() for other in others).get(detector, first))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("photos", type=pathlib.Path)
    parser.add_argument("--truth", type=pathlib.Path)
    parser.add_argument("--models", help="folder of the models of cnn and person")
    parser.add_argument("--network", default="yunet_n_dynamic", help="model of cnn in this folder [yunet_n_dynamic]")
    parser.add_argument("--people", type=pathlib.Path, help="images of people, for HOG")
    parser.add_argument("--detector", nargs="*", default=["haar", "lbp", "cnn"])
    parser.add_argument("--csv", type=pathlib.Path, help="write each point of the curves")
    arguments = parser.parse_args()
    if arguments.people:
        fit_people(arguments.program, arguments.people, arguments.models)
    truth = wider_truth(arguments.truth or arguments.photos / "truth_wider.txt")
    photos = sorted(path for path in arguments.photos.iterdir() if path.name in truth)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        crowds, drawn = {}, []
        for seed in (1, 2, 3, 4):
            drawn.append(folder / f"crowd{seed}.png")
            run(arguments.program, "crowd", drawn[-1], "--faces", 120, "--size", "1280x720", "--seed", seed,
                "--truth", folder / "truth.jsonl")
            crowds.update(crowd_truth(folder / "truth.jsonl"))
        for detector in arguments.detector:
            model = []
            if arguments.models and detector == "cnn":
                model = ["--model", f"{arguments.models}/{arguments.network}.onnx"]
            everything = ["--score-threshold", "0.05"] if detector == "cnn" else ["--min-hits", "1"]
            sets = []
            for images, faces in ((photos, truth), (drawn, crowds)):
                run(arguments.program, "detect", *images, "--detector", detector, *model, *everything, "--json",
                    folder / "found.jsonl")
                sets.append(match(faces, detections(folder / "found.jsonl")))
            (judged, faces), (of_crowds, num_drawn) = sets
            print(f"\n{detector}: {len(photos)} photographs with {faces} faces, "
                  f"{len(drawn)} drawn crowds with {num_drawn}")
            if detector != "cnn":
                print("calibration {%.2f, %.3f, %.3f}" % tuple(fit(judged + of_crowds)))
            print_reliability(judged + of_crowds)
            default = default_of(arguments.program, detector)
            if detector == "cnn":  # its score threshold is the operating point
                run(arguments.program, "detect", *photos, "--detector", detector, *model, "--json",
                    folder / "found.jsonl")
                default = min(c for *_, c, _ in match(truth, detections(folder / "found.jsonl"))[0])
            print("confidence  precision  recall   drawn: precision  recall")
            for confidence in sorted({*SHOWN, round(default, 3)}):
                of_photos, of_drawn = point(judged, faces, confidence), point(of_crowds, num_drawn, confidence)
                print("%10.3f  %9.3f  %6.3f   %16.3f  %6.3f%s" % (
                    confidence, *of_photos, *of_drawn, "  <- default" if confidence == round(default, 3) else ""))
            for n in range(int(1 / STEP) + 1):
                rows.append((detector, f"{n * STEP:.2f}", *point(judged, faces, n * STEP),
                             *point(of_crowds, num_drawn, n * STEP)))
    if arguments.csv:
        with arguments.csv.open("w", newline="") as file:
            csv.writer(file).writerows(
                [("detector", "confidence", "precision", "recall", "drawn_precision", "drawn_recall"), *rows])


if __name__ == "__main__":
    sys.exit(main())
