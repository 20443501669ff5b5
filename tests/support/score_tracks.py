#!/usr/bin/env python3
"""Scores tracks with TrackEval, for the tests of core/eval.

usage: PYTHONPATH=TRACKEVAL score_tracks.py < FRAMES.json

FRAMES.json is a list of sequences: {"iou": 0.5, "frames": [{"truth": [[id, x, y, w, h], …], "found": […]}, …]}.
Prints a list with one JSON object per sequence.
"""
import contextlib
import json
import sys

import numpy as np

import run_with_new_numpy  # noqa: F401
with contextlib.redirect_stdout(sys.stderr):
    import trackeval
    from trackeval.datasets._base_dataset import _BaseDataset


def numbered(frames, key):
    """Returns the dense numbers of the ids by frame, and their count."""
    numbers = {}
    all_frames = []
    for frame in frames:
        all_frames.append(np.array([numbers.setdefault(box[0], len(numbers)) for box in frame[key]], dtype=int))
    return all_frames, len(numbers)


def boxes(frame, key):
    return np.array([box[1:] for box in frame[key]], dtype=float).reshape(-1, 4)


def scores(request):
    frames = request["frames"]
    truth, num_truth = numbered(frames, "truth")
    found, num_found = numbered(frames, "found")
    data = {
        "gt_ids": truth, "tracker_ids": found, "num_gt_ids": num_truth, "num_tracker_ids": num_found,
        "num_gt_dets": sum(map(len, truth)), "num_tracker_dets": sum(map(len, found)), "num_timesteps": len(frames),
        "similarity_scores": [_BaseDataset._calculate_box_ious(boxes(f, "truth"), boxes(f, "found"), box_format="xywh")
                              for f in frames],
    }
    result = {}
    with contextlib.redirect_stdout(sys.stderr):
        config = {"THRESHOLD": request["iou"], "PRINT_CONFIG": False}
        hota = trackeval.metrics.HOTA().eval_sequence(data)
        clear = trackeval.metrics.CLEAR(config).eval_sequence(data)
        identity = trackeval.metrics.Identity(config).eval_sequence(data)
    for name in ["HOTA", "DetA", "AssA", "AssRe", "AssPr", "LocA"]:
        result[name] = [float(value) for value in hota[name]]
    for name in ["CLR_TP", "CLR_FN", "CLR_FP", "IDSW", "Frag", "MOTA", "MOTP"]:
        result[name] = float(clear.get(name, 0))
    for name in ["IDTP", "IDFN", "IDFP", "IDF1"]:
        result[name] = float(identity.get(name, 0))
    return result


print(json.dumps([scores(request) for request in json.load(sys.stdin)]))
