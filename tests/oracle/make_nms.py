#!/usr/bin/env python3
"""Writes the expected results of NMS in this folder, from the definitions of the rules as plain loops over float32.

usage: make_nms.py [--check FOLDER]

Shares no code with the program: one loop per rule, scalars of NumPy. Greedy on the IoU is compared with OpenCV's
NMSBoxes if Python has cv2. --check FOLDER computes the expected results of another folder of the same format (nms/ of
$THRONG_ORACLE) and reports differences instead of writing files.

The boxes are kept in the files, so a change of the drawn crowd or of a random generator changes nothing here:
nms/drawn-431.csv holds the raw boxes of `throng detect crowd:faces=12,size=640x360,frames=1 --raw --json -`.
"""
import argparse
import json
import math
import pathlib
import random

import numpy as np

HERE = pathlib.Path(__file__).parent
F = np.float32
np.seterr(all="ignore")


class Boxes:
    """Boxes from corners: x, y, w, h and scores in float32."""

    def __init__(self, corners, scores):
        number = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
        corners = [[float(number.get(v, v)) for v in row] for row in corners]
        self.xywh = [(F(a), F(b), F(c - a), F(d - b)) for a, b, c, d in corners]
        self.scores = [F(float(number.get(s, s))) for s in scores]
        self.valid = [i for i, (box, score) in enumerate(zip(self.xywh, self.scores))
                      if all(np.isfinite([*box, score])) and box[2] > 0 and box[3] > 0]

    def order_key(self, i, score=None):
        x, y, w, h = self.xywh[i]
        return (-(self.scores[i] if score is None else score), -(w * h), x, y, w, h, i)

    def overlap(self, kind, i, j, pixel=F(0)):
        """Returns the overlap of i with its suppressor j. pixel: 1 counts pixels inclusively."""
        xi, yi, wi, hi = self.xywh[i]
        xj, yj, wj, hj = self.xywh[j]
        wi, hi, wj, hj = wi + pixel, hi + pixel, wj + pixel, hj + pixel
        width = min(xi + wi, xj + wj) - max(xi, xj)
        height = min(yi + hi, yj + hj) - max(yi, yj)
        common = width * height if width > 0 and height > 0 else F(0)
        area_i, area_j = wi * hi, wj * hj
        return common / {"iou": area_i + area_j - common, "suppressor": area_j, "min": min(area_i, area_j)}[kind]


def hard(boxes, greedy, suppresses):
    """Returns kept indices in ascending order and their hits. suppresses(j, i): of j that precedes i."""
    order = sorted(boxes.valid, key=boxes.order_key)
    kept, suppressors = [], []
    for i in order:
        is_kept = not any(suppresses(j, i) for j in suppressors)
        if is_kept:
            kept.append(i)
        if is_kept or not greedy:
            suppressors.append(i)
    hits = {j: 1 for j in kept}
    rank = {i: n for n, i in enumerate(order)}
    for i in boxes.valid:
        owner = next((j for j in kept if rank[j] < rank[i] and suppresses(j, i)), None)
        if owner is not None:
            hits[owner] += 1
    kept.sort()
    return kept, [hits[j] for j in kept]


def by_overlap(boxes, kind, theta):
    return lambda j, i: boxes.overlap(kind, i, j) >= F(theta)


def soft(boxes, gaussian, parameter, score_min=0.001):
    scores = {i: boxes.scores[i] for i in boxes.valid}
    picks = []
    while scores:
        best = min(scores, key=lambda i: boxes.order_key(i, scores[i]))
        picks.append([best, float(scores.pop(best))])
        for i in list(scores):
            o = boxes.overlap("iou", i, best)
            if gaussian:
                scores[i] = F(scores[i] * F(math.exp(-float(o) * float(o) / float(F(parameter)))))
            elif o >= F(parameter):
                scores[i] = scores[i] * (F(1) - o)
            if scores[i] < F(score_min):
                del scores[i]
    return picks


def small_case(case):
    boxes = Boxes(case["boxes"], case["scores"])
    rule = by_overlap(boxes, case["overlap"], case["theta"])
    case["one_pass"] = hard(boxes, False, rule)[0]
    case["greedy"], case["greedy_hits"] = hard(boxes, True, rule)
    case["invalid"] = len(boxes.xywh) - len(boxes.valid)
    return case


def pair_case(case):
    boxes = Boxes(case["boxes"], case["scores"])
    density = [F(d) for d in case["density"]]
    features = [[F(f) for f in row] for row in case["feature"]]

    def adaptive(j, i):
        return boxes.overlap("iou", i, j) >= max(F(case["adaptive"]["theta"]), density[j])

    def feature(j, i):
        o, rule = boxes.overlap("iou", i, j), case["feature_rule"]
        if o >= F(rule["n2"]):
            return True
        squares = F(0)
        for a, b in zip(features[i], features[j]):
            squares += (a - b) * (a - b)
        return o > F(rule["n1"]) and np.sqrt(squares) <= F(rule["t"])

    for name, rule in (("adaptive", adaptive), ("feature_rule", feature)):
        case[name]["one_pass"] = hard(boxes, False, rule)[0]
        case[name]["greedy"] = hard(boxes, True, rule)[0]
    return case


def large_case(rows, keys):
    boxes = Boxes([row[:4] for row in rows], [row[4] for row in rows])
    expected = {}
    for key in keys:
        words = key.split()
        if words[0].startswith("soft"):
            expected[key] = soft(boxes, words[0] == "soft-gaussian", float(words[1]))
            continue
        kept, hits = hard(boxes, words[0] == "greedy", by_overlap(boxes, words[1], float(words[2])))
        expected[key] = {"kept": kept, "hits": hits}
        if words[:2] == ["greedy", "iou"]:
            check_with_opencv(boxes, kept, float(words[2]), key)
    return expected


def check_with_opencv(boxes, kept, theta, name):
    """OpenCV suppresses above the threshold and orders equal scores by index: comparable unless either matters."""
    try:
        import cv2
    except ImportError:
        return
    if len(set(boxes.scores)) < len(boxes.scores):
        return
    found = cv2.dnn.NMSBoxes([[float(v) for v in box] for box in boxes.xywh], [float(s) for s in boxes.scores],
                             0.0, theta)
    print(f"{name}: OpenCV {'agrees' if sorted(int(i) for i in found) == kept else 'DIFFERS'}")


def read_csv(path):
    return [[float(word) for word in line.split(",")] for line in path.read_text().splitlines()[1:]]


# ---- inputs ----

def rectangles(chance, count, cluster, scores):
    """Corners around faces of 24 to 96 pixels, in random order. scores: number of distinct ones, 0 for any."""
    rows = []
    while len(rows) < count:
        side, x, y = chance.uniform(24, 96), chance.uniform(-50, 600), chance.uniform(-50, 400)
        for _ in range(min(cluster, count - len(rows))):
            left, top = x + side * chance.uniform(-0.3, 0.3), y + side * chance.uniform(-0.3, 0.3)
            score = chance.random() if scores == 0 else (1 + chance.randrange(scores)) / scores
            rows.append([round(v, 3) for v in (left, top, left + side * chance.uniform(0.6, 1.4),
                                               top + side * chance.uniform(0.6, 1.4))] + [round(score, 5)])
    chance.shuffle(rows)
    return rows


def small_inputs(chance):
    def case(name, boxes, scores, theta=0.4, overlap="iou"):
        return {"name": name, "boxes": boxes, "scores": scores, "theta": theta, "overlap": overlap}

    a = [0, 0, 10, 10]
    yield case("nothing", [], [])
    yield case("one", [a], [0.5])
    # Each overlaps only its neighbors: greedy keeps every second one, one-pass the first.
    yield case("chain", [[4 * i, 0, 4 * i + 10, 10] for i in range(40)], [1 - i / 100 for i in range(40)])
    yield case("copies", [a] * 6, [0.5] * 6)
    yield case("equal scores, larger first", [a, [0, 0, 12, 10], [0, 0, 11, 10]], [0.5] * 3)
    yield case("touching", [a, [10, 0, 20, 10], [0, 10, 10, 20]], [0.9, 0.8, 0.7], 0.1)
    yield case("exactly the threshold", [a, [0, 0, 10, 5]], [0.9, 0.8], 0.5)
    for overlap in ("iou", "suppressor", "min"):
        yield case(f"small within large, {overlap}", [a, [2, 2, 6, 6]], [0.9, 0.8], 0.3, overlap)
        yield case(f"large around small, {overlap}", [[2, 2, 6, 6], a], [0.9, 0.8], 0.3, overlap)
    yield case("invalid", [a, ["nan", 0, 1, 1], [0, 0, "inf", 1], [0, 0, 0, 5], [3, 3, 2, 9], a, [1, 0, 11, 10]],
               [0.2, 0.9, 0.9, 0.9, 0.9, "nan", 0.1])
    yield case("negative scores", [a, [1, 0, 11, 10], [50, 0, 60, 10]], [-2, -1, -3])
    for number in range(12):
        rows = rectangles(chance, chance.randrange(5, 30), 6, 4)
        yield case(f"ties {number}", [row[:4] for row in rows], [row[4] for row in rows],
                   chance.choice([0.2, 0.3, 0.5]), chance.choice(["iou", "suppressor", "min"]))


def pair_inputs(chance):
    for number in range(6):
        rows = rectangles(chance, 24, 8, 0)
        yield {"name": f"pairs {number}", "boxes": [row[:4] for row in rows], "scores": [row[4] for row in rows],
               "density": [round(chance.random() * 0.8, 3) for _ in rows],
               "feature": [[round(chance.uniform(-1, 1), 3) for _ in range(4)] for _ in rows],
               "adaptive": {"theta": 0.3}, "feature_rule": {"n1": 0.1, "n2": 0.8, "t": 1.2}}


def onnx_inputs(chance):
    """Cases of ONNX's operator NonMaxSuppression: batches, classes, flipped corners, centers, limits."""
    for number in range(10):
        batches, kinds, size = 1 + number % 3, 1 + number % 2, chance.randrange(4, 12)
        center = number % 4 == 3
        boxes = []
        for _ in range(batches):
            rows = [row[:4] for row in rectangles(chance, size, 4, 0)]
            if center:
                rows = [[(r[0] + r[2]) / 2, (r[1] + r[3]) / 2, r[2] - r[0], r[3] - r[1]] for r in rows]
            else:
                rows = [[r[1], r[2], r[3], r[0]] if chance.random() < 0.5 else [r[1], r[0], r[3], r[2]] for r in rows]
            boxes.append([[float(F(v)) for v in row] for row in rows])
        scores = [[[round(chance.random(), 4) for _ in range(size)] for _ in range(kinds)] for _ in range(batches)]
        yield {"name": f"random {number}", "center_point_box": int(center), "boxes": boxes, "scores": scores,
               "max_output_boxes_per_class": [chance.choice([1, 3, 100])], "iou_threshold": [chance.choice([0.1, 0.5])],
               "score_threshold": [chance.choice([0.0, 0.4])]}


def onnx_case(case):
    """The operator as specified: corners y, x in any order, or centers with sides; above the threshold, per class."""
    selected = []
    for batch, all_boxes in enumerate(case["boxes"]):
        corners = []
        for a, b, c, d in ([F(v) for v in row] for row in all_boxes):
            if case["center_point_box"]:
                corners.append((b - d / 2, a - c / 2, b + d / 2, a + c / 2))
            else:
                corners.append((min(a, c), min(b, d), max(a, c), max(b, d)))
        for kind, scores in enumerate(case["scores"][batch]):
            kept = []
            for i in sorted(range(len(scores)), key=lambda i: -F(scores[i])):
                if not F(scores[i]) > F(case["score_threshold"][0]):
                    continue
                if not any(iou_of_corners(corners[i], corners[j]) > F(case["iou_threshold"][0]) for j in kept):
                    kept.append(i)
            selected += [[batch, kind, i] for i in kept[:case["max_output_boxes_per_class"][0]]]
    case["selected_indices"] = selected
    return case


def iou_of_corners(a, b):
    width = max(F(0), min(a[3], b[3]) - max(a[1], b[1]))
    height = max(F(0), min(a[2], b[2]) - max(a[0], b[0]))
    common = width * height
    return common / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - common)


# ---- files ----

def write(path, value):
    """Writes JSON with one item, or one case, per line."""
    if list(value) == ["cases"]:
        text = '{"cases": [\n' + ",\n".join(map(json.dumps, value["cases"])) + "\n]}\n"
    elif isinstance(value, list):
        text = "[\n" + ",\n".join(map(json.dumps, value)) + "\n]\n"
    else:
        text = "{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(item)}" for key, item in value.items()) + "\n}\n"
    path.write_text(text)


KEYS = [f"{rule} {overlap} {theta}" for theta in (0.3, 0.5) for overlap in ("iou", "suppressor", "min")
        for rule in ("greedy", "one-pass")] + ["soft-linear 0.3", "soft-gaussian 0.5"]


def make():
    nms = HERE / "nms"
    chance = random.Random(20260101)
    write(nms / "small.json", [small_case(case) for case in small_inputs(chance)])
    write(nms / "adaptive-feature.json", [pair_case(case) for case in pair_inputs(chance)])
    rows = rectangles(chance, 300, 10, 0)
    (nms / "rectangles-300.csv").write_text(
        "x1,y1,x2,y2,score\n" + "".join(",".join(f"{v:g}" for v in row) + "\n" for row in rows))
    for name in ("rectangles-300", "drawn-431"):
        write(nms / f"{name}.expected.json", large_case(read_csv(nms / f"{name}.csv"), KEYS))
    write(HERE / "onnx-nms.json", {"cases": [onnx_case(case) for case in onnx_inputs(chance)]})
    make_paper(read_csv(nms / "drawn-431.csv"))


def make_paper(rows):
    """The NMS paper's overlap and ties; one-pass and greedy keep the same."""
    folder = HERE / "paper"
    boxes = Boxes([row[:4] for row in rows], [row[4] for row in rows])
    (folder / "detections.txt").write_text(
        "".join(f"{row[0]:g},{row[1]:g},{row[2] - row[0]:g},{row[4]:.9g}\n" for row in rows))

    def suppresses(j, i):
        return boxes.scores[j] > boxes.scores[i] and boxes.overlap("suppressor", i, j, F(1)) >= F(0.3)

    kept = hard(boxes, False, suppresses)[0]
    assert kept == hard(boxes, True, suppresses)[0]
    (folder / "kept.expected.txt").write_text("".join(f"{i}\n" for i in kept))


def check(folder):
    def report(name, key, expected, found):
        if isinstance(expected, dict):
            found = {k: found[k] for k in expected}
        if key.startswith("soft"):
            same = [i for i, _ in expected] == [i for i, _ in found] and all(
                abs(a[1] - b[1]) <= 1e-6 for a, b in zip(expected, found))
        else:
            same = expected == found
        if not same:
            print(f"{name}: {key}: differs")

    for name, compute in (("small.json", small_case), ("adaptive-feature.json", pair_case)):
        for case in json.loads((folder / name).read_text()):
            report(name, case["name"], case, compute(json.loads(json.dumps(case))))
    for path in sorted(folder.glob("*.expected.json")):
        rows = read_csv(path.with_name(path.name.replace(".expected.json", ".csv")))
        if len(rows) > 3000:
            print(f"{path.name}: {len(rows)} boxes: not computed")
            continue
        expected = json.loads(path.read_text())
        found = large_case(rows, list(expected))
        for key, value in expected.items():
            report(path.name, key, value, found[key])
    print("checked")


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--check", type=pathlib.Path)
folder = parser.parse_args().check
check(folder) if folder else make()
