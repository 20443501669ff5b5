"""Suites of other projects, run with the operators of this module instead of theirs: torchvision's TestNMS, ONNX's
cases of NonMaxSuppression, mmcv's expectations, the windows of the NMS paper's authors.

    PYTHONPATH=build/dev/python THRONG_FOREIGN=FOLDER /usr/bin/python3 -m pytest tests/package/test_suites.py

$THRONG_FOREIGN holds their files: torchvision/test_nms.py, onnx-nms/nonmaxsuppression.py, mmcv/test_nms.py,
authors/detections.txt. A case whose files or libraries are missing is skipped with the reason. foreign_suites.c runs
ONNX's cases and the authors' windows through the C library.
"""

import importlib.util
import os
import pathlib
import pickle
import sys
import types

import pytest

import throng

np = pytest.importorskip("numpy")

foreign = pathlib.Path(os.environ.get("THRONG_FOREIGN", "foreign"))


def file_of(name):
    path = foreign / name
    if not path.exists():
        pytest.skip(f"no {path}: set THRONG_FOREIGN")
    return path


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# torchvision: every test of its class, with the operator replaced.
def torchvision_cases():
    path = foreign / "torchvision/test_nms.py"
    if not path.exists():
        return []
    text = path.read_text()
    return [line.split("def ")[1].split("(")[0] for line in text.splitlines() if line.strip().startswith("def test_")]


@pytest.mark.parametrize("case", torchvision_cases() or ["missing"])
def test_torchvision(case):
    pytest.importorskip("torch")
    pytest.importorskip("torchvision")
    import throng.torch

    path = file_of("torchvision/test_nms.py")
    with throng.torch.patch():
        module = load(path, "foreign_torchvision")
        assert module.ops.nms is not throng.torch._originals[0]
        test_class = module.TestNMS
        function = getattr(test_class, case)
        ran = 0
        for arguments in combinations(getattr(function, "pytestmark", [])):
            function(test_class(), **arguments)
            ran += 1
        assert ran > 0


def combinations(marks):
    """The arguments of all parametrize marks; a skipif mark that applies skips."""
    all_arguments = [{}]
    for mark in marks:
        if mark.name == "skipif" and mark.args[0]:
            pytest.skip(mark.kwargs["reason"])
        if mark.name == "parametrize":
            name, values = mark.args
            all_arguments = [{**arguments, name: value} for arguments in all_arguments for value in values]
    return all_arguments


# ONNX: the operator by its specification, from throng.nms per batch and class.
def onnx_operator(boxes, scores, max_output, iou_threshold, score_threshold, center_point_box=0):
    selected = []
    for batch in range(boxes.shape[0]):
        corners = boxes[batch]
        if center_point_box:
            corners = np.concatenate([corners[:, :2] - corners[:, 2:] / 2, corners[:, :2] + corners[:, 2:] / 2], axis=1)
        else:  # y1, x1, y2, x2 with any diagonal
            corners = np.concatenate(
                [np.minimum(corners[:, :2], corners[:, 2:]), np.maximum(corners[:, :2], corners[:, 2:])], axis=1)
        for class_number in range(scores.shape[1]):
            candidates = np.nonzero(scores[batch, class_number] > score_threshold[0])[0]
            kept = throng.nms(np.ascontiguousarray(corners[candidates], dtype=np.float32),
                              scores[batch, class_number][candidates], float(iou_threshold[0]))
            selected += [[batch, class_number, candidates[k]] for k in kept[: int(max_output[0])]]
    return np.array(selected, dtype=np.int64)


def onnx_cases():
    """Runs ONNX's file with stand-ins for its helpers, and collects the calls of expect()."""
    path = foreign / "onnx-nms/nonmaxsuppression.py"
    if not path.exists():
        return []
    cases = []
    names = ["onnx", "onnx.helper", "onnx.backend", "onnx.backend.test", "onnx.backend.test.case",
             "onnx.backend.test.case.base", "onnx.backend.test.case.node"]
    modules = {name: types.ModuleType(name) for name in names}
    modules["onnx"].helper = modules["onnx.helper"]
    modules["onnx.helper"].make_node = lambda *_, **attributes: attributes
    modules["onnx.backend.test.case.base"].Base = object
    modules["onnx.backend.test.case.node"].expect = lambda node, inputs, outputs, name: cases.append(
        (name, inputs, outputs[0], node.get("center_point_box", 0)))
    previous = {name: sys.modules.get(name) for name in names}
    sys.modules.update(modules)
    try:
        cls = load(path, "foreign_onnx").NonMaxSuppression
        for attribute in dir(cls):
            if attribute.startswith("export_"):
                getattr(cls, attribute)()
    finally:
        for name, module in previous.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
    return cases


@pytest.mark.parametrize("case", onnx_cases(), ids=lambda case: case[0])
def test_onnx(case):
    _, inputs, expected, center_point_box = case
    np.testing.assert_array_equal(onnx_operator(*inputs, center_point_box), expected)


def test_onnx_has_its_cases():
    file_of("onnx-nms/nonmaxsuppression.py")
    assert len(onnx_cases()) >= 9


# mmcv: the expectations of Testnms, whose functions need CUDA and mmcv itself.
MMCV_BOXES = np.array([[6, 3, 8, 7], [3, 6, 9, 11], [3, 7, 10, 12], [1, 4, 13, 7]], dtype=np.float32)
MMCV_SCORES = np.array([0.6, 0.9, 0.7, 0.2], dtype=np.float32)


def test_mmcv_greedy():
    assert throng.nms(MMCV_BOXES, MMCV_SCORES, 0.3).tolist() == [1, 0, 3]


@pytest.mark.parametrize("method, indices, scores", [
    ("linear", [1, 0, 2, 3], [0.9, 0.6, 0.29024392, 0.2]),
    ("gaussian", [1, 0, 2, 3], [0.9, 0.59630775, 0.35275510, 0.18650459]),
])
def test_mmcv_soft(method, indices, scores):
    kept, decayed = throng.soft_nms(MMCV_BOXES, MMCV_SCORES, 0.3, method=method, sigma=0.5, score_min=0.01)
    assert kept.tolist() == indices
    np.testing.assert_allclose(decayed, scores, rtol=1e-5)


def test_mmcv_match():
    boxes = np.array([[49.1, 32.4, 51.0, 35.9], [49.3, 32.9, 51.0, 35.3], [35.3, 11.5, 39.9, 14.5],
                      [35.2, 11.7, 39.7, 15.7]], dtype=np.float32)
    kept, hits = throng.nms(boxes, np.array([0.9, 0.9, 0.4, 0.3], dtype=np.float32), 0.6, return_hits=True)
    assert kept.tolist() == [0, 2]
    assert hits.tolist() == [2, 2]


def test_mmcv_batched():
    with open(file_of("mmcv/batched_nms_data.pkl"), "rb") as file:
        data = pickle.load(file)
    kept = throng.batched_nms(data["boxes"], data["scores"], data["idxs"].astype(np.int64), 0.7)
    kept = kept[data["scores"][kept] > 0.5][:100]
    np.testing.assert_array_equal(kept, data["keep"][:100])


# The paper's authors: one-pass, overlap over the suppressor, inclusive pixels, strict ties.
def test_authors_windows():
    windows = np.loadtxt(file_of("authors/detections.txt"), delimiter=",")
    boxes = windows[:, [0, 1, 2, 2]].astype(np.float32)
    scores = windows[:, 3].astype(np.float32)
    expected = np.loadtxt(file_of("authors/kept.expected.txt"), dtype=np.int64)
    for rule in ("one-pass", "greedy"):
        kept = throng.nms(boxes, scores, 0.3, rule=rule, overlap="suppressor", pixels="inclusive", ties="strict",
                          box_format="xywh")
        assert np.sort(kept).tolist() == sorted(expected.tolist())
