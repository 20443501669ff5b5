#!/usr/bin/env python3
"""Writes tracks/tracks.json: random sequences of tracks with their scores, from the definitions as plain loops.

usage: make_tracks.py [--check FILE]

truth and found list id, x, y, width and height per frame; scores of HOTA are lists over the thresholds.
Shares no code with the program. HOTA: J. Luiten et al., HOTA: A Higher Order Metric for Evaluating Multi-object Tracking
(IJCV 2021). CLEAR: K. Bernardin, R. Stiefelhagen, Evaluating Multiple Object Tracking Performance (2008). Identity:
E. Ristani et al., Performance Measures and a Data Set for Multi-Target, Multi-Camera Tracking (2016). --check FILE computes the
scores of another file of the same form (tracks/tracks.json of $THRONG_ORACLE, scored by TrackEval) and reports differences
instead of writing.
"""
import json
import math
import pathlib
import random
import sys

FILE = pathlib.Path(__file__).parent / "tracks" / "tracks.json"
THRESHOLDS = [step * 0.05 for step in range(1, 20)]
EPSILON = 2.220446049250313e-16


def assignment(cost):
    """Returns the column of each row of the cheapest assignment. rows <= columns. The Hungarian method with potentials."""
    rows, columns = len(cost), len(cost[0])
    row_potential, potential = [0.0] * (rows + 1), [0.0] * (columns + 1)
    owner = [0] * (columns + 1)
    for row in range(1, rows + 1):
        owner[0], column = row, 0
        least, way, used = [math.inf] * (columns + 1), [0] * (columns + 1), [False] * (columns + 1)
        while owner[column]:
            used[column] = True
            best, following = math.inf, 0
            for j in range(1, columns + 1):
                if used[j]:
                    continue
                reduced = cost[owner[column] - 1][j - 1] - row_potential[owner[column]] - potential[j]
                if reduced < least[j]:
                    least[j], way[j] = reduced, column
                if least[j] < best:
                    best, following = least[j], j
            for j in range(columns + 1):
                if used[j]:
                    row_potential[owner[j]] += best
                    potential[j] -= best
                else:
                    least[j] -= best
            column = following
        while column:
            owner[column] = owner[way[column]]
            column = way[column]
    result = [0] * rows
    for j in range(1, columns + 1):
        if owner[j]:
            result[owner[j] - 1] = j - 1
    return result


def best_pairs(score):
    """Returns the pairs (row, column) of the assignment with the highest sum."""
    if not score or not score[0]:
        return []
    if len(score) > len(score[0]):
        return [(row, column) for column, row in best_pairs([list(column) for column in zip(*score)])]
    return list(enumerate(assignment([[-value for value in row] for row in score])))


def iou(a, b):
    width = max(0.0, min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1]))
    height = max(0.0, min(a[2] + a[4], b[2] + b[4]) - max(a[2], b[2]))
    union = a[3] * a[4] + b[3] * b[4] - width * height
    return width * height / union if union > 0 else 0.0


def similarities(frame):
    return [[iou(truth, found) for found in frame["found"]] for truth in frame["truth"]]


def ids(frames, key):
    return {number: index for index, number in enumerate(sorted({box[0] for frame in frames for box in frame[key]}))}


def hota(frames):
    truths, founds = ids(frames, "truth"), ids(frames, "found")
    truth_count, found_count = [0] * len(truths), [0] * len(founds)
    shared = [[0.0] * len(founds) for _ in truths]
    for frame in frames:
        similarity = similarities(frame)
        rows = [sum(row) for row in similarity]
        columns = [sum(row[j] for row in similarity) for j in range(len(frame["found"]))]
        for i, truth in enumerate(frame["truth"]):
            truth_count[truths[truth[0]]] += 1
            for j, found in enumerate(frame["found"]):
                both = rows[i] + columns[j] - similarity[i][j]
                if both > EPSILON:
                    shared[truths[truth[0]]][founds[found[0]]] += similarity[i][j] / both
        for found in frame["found"]:
            found_count[founds[found[0]]] += 1
    names = ("HOTA", "DetA", "AssA", "AssRe", "AssPr", "LocA")
    result = {name: [] for name in names}
    aligned = [[shared[i][j] / (truth_count[i] + found_count[j] - shared[i][j]) for j in range(len(founds))]
               for i in range(len(truths))]
    matched = []  # (truth, found, similarity) of all frames
    for frame in frames:
        similarity = similarities(frame)
        score = [[aligned[truths[truth[0]]][founds[found[0]]] * similarity[i][j] for j, found in enumerate(frame["found"])]
                 for i, truth in enumerate(frame["truth"])]
        matched += [(truths[frame["truth"][i][0]], founds[frame["found"][j][0]], similarity[i][j])
                    for i, j in best_pairs(score)]
    for threshold in THRESHOLDS:
        hits = [match for match in matched if match[2] >= threshold - EPSILON]
        count = {}
        for truth, found, _ in hits:
            count[truth, found] = count.get((truth, found), 0) + 1
        number = max(1, len(hits))
        det = len(hits) / max(1, sum(truth_count) + sum(found_count) - len(hits))
        ass = sum(n * n / (truth_count[i] + found_count[j] - n) for (i, j), n in count.items()) / number
        result["DetA"].append(det)
        result["AssA"].append(ass)
        result["HOTA"].append(math.sqrt(det * ass))
        result["AssRe"].append(sum(n * n / truth_count[i] for (i, j), n in count.items()) / number)
        result["AssPr"].append(sum(n * n / found_count[j] for (i, j), n in count.items()) / number)
        result["LocA"].append(max(1e-10, sum(match[2] for match in hits)) / max(1e-10, len(hits)))
    return result


def clear(frames, threshold):
    hits = misses = wrong = switches = 0
    overlap = 0.0
    last, now, starts = {}, {}, {}  # by truth: last match, match in the frame before, how often a match began
    for frame in frames:
        if not frame["truth"] or not frame["found"]:
            misses += len(frame["truth"])
            wrong += len(frame["found"])
            continue
        similarity = similarities(frame)
        score = [[0.0 if similarity[i][j] < threshold - EPSILON
                  else similarity[i][j] + (1000 if now.get(truth[0]) == found[0] else 0)
                  for j, found in enumerate(frame["found"])] for i, truth in enumerate(frame["truth"])]
        pairs = [(i, j) for i, j in best_pairs(score) if score[i][j] > EPSILON]
        before, now = now, {frame["truth"][i][0]: frame["found"][j][0] for i, j in pairs}
        for i, j in pairs:
            truth, found = frame["truth"][i][0], frame["found"][j][0]
            switches += last.get(truth, found) != found
            starts[truth] = starts.get(truth, 0) + (truth not in before)
            overlap += similarity[i][j]
        last |= now
        hits += len(pairs)
        misses += len(frame["truth"]) - len(pairs)
        wrong += len(frame["found"]) - len(pairs)
    return {"CLR_TP": hits, "CLR_FN": misses, "CLR_FP": wrong, "IDSW": switches,
            "Frag": sum(count - 1 for count in starts.values()),
            "MOTA": (hits - wrong - switches) / max(1, hits + misses), "MOTP": overlap / max(1, hits)}


def identity(frames, threshold):
    truths, founds = ids(frames, "truth"), ids(frames, "found")
    truth_count, found_count = [0] * len(truths), [0] * len(founds)
    common = [[0] * len(founds) for _ in truths]
    for frame in frames:
        similarity = similarities(frame)
        for i, truth in enumerate(frame["truth"]):
            truth_count[truths[truth[0]]] += 1
            for j, found in enumerate(frame["found"]):
                common[truths[truth[0]]][founds[found[0]]] += similarity[i][j] >= threshold
        for found in frame["found"]:
            found_count[founds[found[0]]] += 1
    # Ids that stay without a partner share no box, so the best assignment is the one with the most boxes in common.
    hits = sum(common[i][j] for i, j in best_pairs(common))
    misses, wrong = sum(truth_count) - hits, sum(found_count) - hits
    return {"IDTP": hits, "IDFN": misses, "IDFP": wrong, "IDF1": hits / max(1, hits + 0.5 * wrong + 0.5 * misses)}


def scores(sequence):
    frames = sequence["frames"]
    return {**hota(frames), **clear(frames, sequence["iou"]), **identity(frames, sequence["iou"])}


def random_sequence(generator):
    """Walkers whose boxes are found with noise, gaps, exchanges of ids, and boxes of nobody."""
    walkers = [[generator.uniform(0, 200), generator.uniform(0, 120), generator.uniform(-4, 4), generator.uniform(-2, 2)]
               for _ in range(generator.randint(1, 7))]
    names = list(range(100, 100 + len(walkers)))
    frames = []
    for _ in range(generator.randint(1, 40)):
        truth, found = [], []
        if generator.random() < 0.1 and len(names) > 1:
            a, b = generator.sample(range(len(names)), 2)
            names[a], names[b] = names[b], names[a]
        for number, walker in enumerate(walkers):
            walker[0] += walker[2]
            walker[1] += walker[3]
            size = 30 + 3 * number
            if generator.random() < 0.9:
                truth.append([number, walker[0], walker[1], size, size])
            if generator.random() < 0.05:
                names[number] = 200 + generator.randint(0, 50) * 10 + number
            if generator.random() < 0.8:
                noise = [generator.gauss(0, 4) for _ in range(4)]
                found.append([names[number], walker[0] + noise[0], walker[1] + noise[1], size + noise[2], size + noise[3]])
        if generator.random() < 0.2:
            found.append([900 + generator.randint(0, 3), generator.uniform(0, 200), generator.uniform(0, 120), 40, 40])
        frames.append({"truth": [[box[0], *(round(v, 3) for v in box[1:])] for box in truth],
                       "found": [[box[0], *(round(v, 3) for v in box[1:])] for box in found]})
    return {"iou": round(generator.uniform(0.2, 0.7), 3), "frames": frames}


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        worst = 0.0
        sequences = json.loads(pathlib.Path(sys.argv[2]).read_text())["sequences"]
        for number, sequence in enumerate(sequences):
            own = scores(sequence)
            for name, value in sequence["expected"].items():
                pairs = zip(value, own[name]) if isinstance(value, list) else [(value, own[name])]
                difference = max(abs(a - b) for a, b in pairs)
                worst = max(worst, difference)
                if difference > 1e-6:
                    print(f"sequence {number}: {name}: {value} against {own[name]}")
        print(f"{len(sequences)} sequences, largest difference {worst:.1e}")
        return 1 if worst > 1e-6 else 0
    if len(sys.argv) != 1:
        sys.exit(__doc__)
    generator = random.Random(20)
    sequences = [random_sequence(generator) for _ in range(20)]
    for sequence in sequences:
        sequence["expected"] = {name: [round(v, 9) for v in value] if isinstance(value, list) else round(float(value), 9)
                                for name, value in scores(sequence).items()}
    lines = ",\n".join(json.dumps(sequence, separators=(",", ":")) for sequence in sequences)
    FILE.write_text('{"source": "make_tracks.py", "sequences": [\n' + lines + "\n]}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
