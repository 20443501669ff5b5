"""Expected results of others with the operators of this module: ONNX's cases of NonMaxSuppression, mmcv's expectations,
the NMS paper's rule, and torchvision on random boxes.

    PYTHONPATH=build/dev/python /usr/bin/python3 -m pytest tests/package/test_suites.py

Reads tests/oracle, and the folders oracle and foreign of $THRONG_SHARED (default: shared next to the checkout) where they
exist. Random boxes are compared with torchvision if it is installed, otherwise with plain loops. foreign_suites.c runs
ONNX's cases and the paper's rule through the C library.
"""

import json
import os
import pathlib
import pickle
import random

import pytest

import test_module
import throng

np = pytest.importorskip("numpy")

root = pathlib.Path(__file__).resolve().parents[2]
shared = pathlib.Path(os.environ.get("THRONG_SHARED", root.parent / "shared"))


def existing(*paths):
    return [path for path in paths if path.exists()]


def cases_of(name):
    return [(f"{path.parent.name}/{case.get('name', case.get('rule'))}", case)
            for path in existing(root / "tests/oracle" / name, shared / "oracle/published" / name)
            for case in json.loads(path.read_text())["cases"]]


# ONNX: the operator by its specification, from throng.nms per batch and class.
def onnx_operator(boxes, scores, max_output, iou_threshold, score_threshold, center_point_box):
    selected = []
    for batch in range(boxes.shape[0]):
        corners = boxes[batch]
        if center_point_box:
            corners = np.concatenate([corners[:, :2] - corners[:, 2:] / 2, corners[:, :2] + corners[:, 2:] / 2], axis=1)
        else:  # y1, x1, y2, x2 with any diagonal
            corners = np.concatenate(
                [np.minimum(corners[:, :2], corners[:, 2:]), np.maximum(corners[:, :2], corners[:, 2:])], axis=1)
        for class_number in range(scores.shape[1]):
            kept = throng.nms(np.ascontiguousarray(corners, dtype=np.float32), scores[batch, class_number],
                              float(iou_threshold), score_threshold=score_threshold, max_output=max_output)
            selected += [[batch, class_number, k] for k in kept]
    return np.array(selected, dtype=np.int64).reshape(-1, 3)


def threshold_of(case, boxes):
    """The case at the boundary has no threshold: exactly the IoU of its boxes, a quarter of a unit square in common."""
    if "iou_threshold" in case:
        return np.float32(case["iou_threshold"][0])
    np.testing.assert_array_equal(boxes, [[[0, 0, 1, 1], [0.5, 0.5, 1.5, 1.5]]])
    return np.float32(0.25 / 1.75)


@pytest.mark.parametrize("name, case", cases_of("onnx-nms.json"))
def test_onnx(name, case):
    boxes, scores = np.array(case["boxes"], np.float32), np.array(case["scores"], np.float32)
    found = onnx_operator(boxes, scores, case["max_output_boxes_per_class"][0], threshold_of(case, boxes),
                          case["score_threshold"][0], case["center_point_box"])
    np.testing.assert_array_equal(found, np.array(case["selected_indices"], dtype=np.int64).reshape(-1, 3))


def soft_cases():
    """Soft rules of tests/oracle and of mmcv, in mmcv's form. Its "naive" is greedy."""
    cases = cases_of("mmcv-nms.json")
    for path in sorted((root / "tests/oracle/nms").glob("*.expected.json")):
        rows = np.loadtxt(path.with_name(path.name.replace(".expected.json", ".csv")), delimiter=",", skiprows=1)
        for key, value in json.loads(path.read_text()).items():
            rule, *rest = key.split()
            if not rule.startswith("soft"):
                continue
            cases.append((f"{path.name}/{key}", {
                "rule": rule, "boxes": rows[:, :4], "scores": rows[:, 4], "iou_threshold": float(rest[0]),
                "sigma": float(rest[0]), "min_score": 0.001, "indices": [i for i, _ in value],
                "kept_scores": [score for _, score in value]}))
    return cases


@pytest.mark.parametrize("name, case", soft_cases())
def test_soft_and_greedy(name, case):
    boxes, scores = np.array(case["boxes"], np.float32), np.array(case["scores"], np.float32)
    if case["rule"] in ("greedy", "naive"):
        kept = throng.nms(boxes, scores, case["iou_threshold"])
        found = scores[kept]
    else:
        kept, found = throng.soft_nms(boxes, scores, case["iou_threshold"], method=case["rule"].split("-")[1],
                                      sigma=case["sigma"], score_min=case["min_score"])
    assert kept.tolist() == case["indices"]
    np.testing.assert_allclose(found, case["kept_scores"], rtol=1e-5)


def test_mmcv_batched():
    path = shared / "foreign/mmcv/batched_nms_data.pkl"
    if not path.exists():
        pytest.skip(f"no {path}; test_module.py compares batched_nms with plain loops")
    with open(path, "rb") as file:
        data = pickle.load(file)
    kept = throng.batched_nms(data["boxes"], data["scores"], data["idxs"].astype(np.int64), 0.7)
    kept = kept[data["scores"][kept] > 0.5][:100]
    np.testing.assert_array_equal(kept, data["keep"][:100])


# The NMS paper's rule: overlap over the suppressor, inclusive pixels, strict ties.
@pytest.mark.parametrize("folder", existing(root / "tests/oracle/paper", shared / "foreign/authors"))
def test_paper_rule(folder):
    windows = np.loadtxt(folder / "detections.txt", delimiter=",")
    boxes = windows[:, [0, 1, 2, 2]].astype(np.float32)
    scores = windows[:, 3].astype(np.float32)
    expected = np.loadtxt(folder / "kept.expected.txt", dtype=np.int64)
    for rule in ("one-pass", "greedy"):
        kept = throng.nms(boxes, scores, 0.3, rule=rule, overlap="suppressor", pixels="inclusive", ties="strict",
                          box_format="xywh")
        assert np.sort(kept).tolist() == sorted(expected.tolist())


def rule_of_torchvision():
    """Returns torchvision's operator, or loops that return None where rounding decides."""
    try:
        import torch
        import torchvision
    except ImportError:
        return lambda boxes, scores, threshold: test_module.greedy_by_definition(
            [float(v) for v in boxes.reshape(-1)], [float(s) for s in scores], threshold)
    nms = torchvision.ops.nms  # before throng.torch replaces it
    return lambda boxes, scores, threshold: nms(torch.from_numpy(boxes), torch.from_numpy(scores), threshold).tolist()


def test_torchvision():
    expect = rule_of_torchvision()
    print(f"seed {test_module.seed}")
    rng = random.Random(test_module.seed)
    compared = 0
    for _ in range(300):
        corners, scores = test_module.random_boxes(rng, rng.randrange(1, 200))
        boxes = np.array(corners, np.float32).reshape(-1, 4)
        threshold = rng.choice([0.3, 0.5, 0.7])
        expected = expect(boxes, np.array(scores, np.float32), threshold)
        if expected is not None:
            assert throng.nms(boxes, np.array(scores, np.float32), threshold).tolist() == expected
            compared += 1
    assert compared > 100


def test_torchvision_is_replaced():
    pytest.importorskip("torch")
    torchvision = pytest.importorskip("torchvision")
    import throng.torch

    original = torchvision.ops.batched_nms
    with throng.torch.patch():
        assert torchvision.ops.batched_nms is not original
