"""The Python module throng, with what is installed: the buffer protocol always, NumPy and torch where they are.

    PYTHONPATH=build/dev/python /usr/bin/python3 tests/package/test_module.py
"""

import array
import concurrent.futures
import http.server
import io
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import types
import unittest
import warnings
from unittest import mock

import throng

try:
    import numpy as np
except ImportError:
    np = None
try:
    import torch
except ImportError:
    torch = None
try:
    import torchvision
except ImportError:
    torchvision = None

seed = int(os.environ.get("THRONG_SEED", "77"))


def floats(values, columns=None):
    """A memoryview of float32, without NumPy."""
    flat = array.array("f", values)
    view = memoryview(flat)
    return view if columns is None else view.cast("B").cast("f", (len(flat) // columns, columns))


def random_boxes(rng, count):
    """Clusters of corners, some of them invalid, and scores with ties."""
    corners, scores = [], []
    for _ in range(count):
        x, y = rng.choice([(10, 10), (80, 20), (30, 90)])
        x, y = x + rng.uniform(-8, 8), y + rng.uniform(-8, 8)
        box = [x, y, x + rng.uniform(20, 40), y + rng.uniform(20, 40)]
        if rng.random() < 0.05:
            box[rng.randrange(4)] = rng.choice([float("nan"), float("inf"), -float("inf")])
        if rng.random() < 0.05:
            box[2] = box[0]
        corners += [float(v) for v in array.array("f", box)]
        scores.append(rng.choice([0.25, 0.5, rng.random()]))
    return corners, [float(v) for v in array.array("f", scores)]


def greedy_by_definition(corners, scores, threshold, groups=None):
    """torchvision's rule as plain loops in double; inputs whose IoU is close to the threshold are rejected."""
    order = sorted(range(len(scores)), key=lambda i: -scores[i])  # stable
    kept = []
    for i in order:
        suppressed = False
        for j in kept:
            if groups is not None and groups[i] != groups[j]:
                continue
            a, b = corners[4 * i: 4 * i + 4], corners[4 * j: 4 * j + 4]
            if any(v != v or abs(v) == float("inf") for v in a + b):
                continue
            w, h = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
            common = max(w, 0) * max(h, 0)
            union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - common
            if union <= 0:
                continue
            if abs(common / union - threshold) < 1e-5:
                return None
            suppressed = suppressed or common / union > threshold
        if not suppressed:
            kept.append(i)
    return kept


class Malformed:
    """Says that it is an array in device memory, but nothing else."""

    __cuda_array_interface__ = {}


class Buffers(unittest.TestCase):
    def test_equals_the_definition(self):
        print(f"seed {seed}")
        rng = random.Random(seed)
        compared = 0
        for _ in range(300):
            corners, scores = random_boxes(rng, rng.randrange(40))
            threshold = rng.choice([0.3, 0.5, 0.7])
            groups = [rng.randrange(3) for _ in scores]
            if not scores:
                continue
            expected = greedy_by_definition(corners, scores, threshold)
            if expected is not None:
                self.assertEqual(list(throng.nms(floats(corners, 4), floats(scores), threshold)), expected)
                compared += 1
            expected = greedy_by_definition(corners, scores, threshold, groups)
            if expected is not None:
                kept = throng.batched_nms(floats(corners, 4), floats(scores), array.array("q", groups), threshold)
                self.assertEqual(list(kept), expected)
        self.assertGreater(compared, 200)

    def test_mask_and_count(self):
        boxes, scores = floats([0, 0, 9, 9, 0, 0, 9, 8, 50, 0, 60, 9], 4), floats([1, 2, 3])
        mask, count = throng.nms_mask(boxes, scores, 0.5)
        self.assertEqual(list(mask), [False, True, True])
        self.assertEqual(list(count), [2])
        own = bytearray(3)
        self.assertIs(throng.nms_mask(boxes, scores, 0.5, mask=own)[0], own)
        self.assertEqual(list(own), [0, 1, 1])

    def test_rules_and_hits(self):
        chain = floats([v for i in range(10) for v in (4 * i, 0, 4 * i + 10, 10)], 4)
        scores = floats([1 - i / 20 for i in range(10)])
        self.assertEqual(list(throng.nms(chain, scores, 0.4, rule="greedy")), [0, 2, 4, 6, 8])
        self.assertEqual(list(throng.nms(chain, scores, 0.4, rule="one-pass")), [0])
        indices, hits = throng.nms(chain, scores, 0.4, rule="greedy", return_hits=True)
        self.assertEqual(hits.tolist(), [2] * 5)
        self.assertEqual(len(indices), 5)

    def test_rejects_bad_arguments(self):
        boxes, scores = floats([0, 0, 1, 1], 4), floats([1])
        bad = {
            "boxes": [lambda: throng.nms(floats([1, 2, 3, 4]), scores), lambda: throng.nms([[0, 0, 1]], [1]),
                      lambda: throng.nms(None, scores), lambda: throng.nms([1, 2, 3, 4], [1]),
                      lambda: throng.nms([["a", 0, 1, 1]], [1]),
                      lambda: throng.nms(memoryview(b"1234").cast("B", (1, 4)), scores),
                      lambda: throng.nms(floats([0] * 5, 5), scores)],
            "scores": [lambda: throng.nms(boxes, floats([1, 2])), lambda: throng.nms(boxes, array.array("d", [1])),
                       lambda: throng.nms(boxes, "text"), lambda: throng.nms([[0, 0, 1, 1]], [1, 2]),
                       lambda: throng.nms([[0, 0, 1, 1]] * 2, [1, None])],
            "idxs": [lambda: throng.batched_nms(boxes, scores, floats([1])),
                     lambda: throng.batched_nms(boxes, scores, array.array("q", [1, 2]))],
            "iou_threshold": [lambda: throng.nms(boxes, scores, 2), lambda: throng.nms(boxes, scores, float("nan")),
                              lambda: throng.nms(boxes, scores, "x"), lambda: throng.nms(boxes, scores, None)],
            "rule": [lambda: throng.nms(boxes, scores, rule="x"), lambda: throng.nms(boxes, scores, rule=3),
                     lambda: throng.nms(boxes, scores, rule=[])],
            "ties": [lambda: throng.nms(boxes, scores, ties="index"),
                     lambda: throng.nms(boxes, scores, rule="greedy", ties="x")],
            "method": [lambda: throng.soft_nms(boxes, scores, method="x"),
                       lambda: throng.soft_nms(boxes, scores, method=[])],
            "box_format": [lambda: throng.nms(boxes, scores, box_format="cxcywh")],
            "min_hits": [lambda: throng.nms(boxes, scores, rule="greedy", min_hits=0),
                         lambda: throng.nms(boxes, scores, rule="greedy", min_hits=1 << 40)],
            "score_threshold": [lambda: throng.nms(boxes, scores, score_threshold="x"),
                                lambda: throng.nms(boxes, scores, score_threshold=float("nan")),
                                lambda: throng.nms(boxes, scores, score_threshold=[], rule="greedy")],
            "max_output": [lambda: throng.nms(boxes, scores, max_output=0), lambda: throng.nms(boxes, scores, max_output=[]),
                           lambda: throng.nms(boxes, scores, max_output=-1, rule="greedy"),
                           lambda: throng.nms_mask(boxes, scores, max_output=1 << 31)],
            "density: is required by pair='adaptive'": [lambda: throng.nms(boxes, scores, rule="greedy", pair="adaptive")],
            "features": [lambda: throng.nms(boxes, scores, rule="greedy", pair="feature"),
                         lambda: throng.nms(boxes, scores, rule="greedy", pair="feature", features=scores)],
            "idxs: must be a list": [lambda: throng.batched_nms([[0, 0, 1, 1]], [1], [0.5])],
            "malformed": [lambda: throng.nms(Malformed(), scores)],
            "mask": [lambda: throng.nms_mask(boxes, scores, mask=bytes(1)),
                     lambda: throng.nms_mask(boxes, scores, mask=bytearray(2)),
                     lambda: throng.nms_mask(boxes, scores, mask=floats([1]))],
            "count": [lambda: throng.nms_mask(boxes, scores, count=array.array("i", [0]))],
        }
        for name, calls in bad.items():
            for call in calls:
                with self.assertRaises(throng.Error, msg=name) as raised:
                    call()
                self.assertIn(name, str(raised.exception))
        with self.assertRaises(TypeError):
            throng.nms(boxes, scores, rule="greedy", unknown=1)

    def test_lists(self):
        """Equal those of the same numbers as float64; the results are lists."""
        rng = random.Random(seed)
        for count in (0, 1, 40):
            corners, scores = random_boxes(rng, count)
            rows = [tuple(corners[4 * i: 4 * i + 4]) for i in range(count)]
            groups = [rng.randrange(3) for _ in scores]
            kept = throng.batched_nms(rows, scores, groups, 0.5, return_hits=True)
            self.assertEqual([type(each) for each in kept], [list, list])
            if count == 0:
                self.assertEqual((kept, throng.nms([], [])), (([], []), []))
                continue
            doubles = memoryview(array.array("d", corners)).cast("B").cast("d", (count, 4))
            arrays = doubles, array.array("d", scores)
            expected = throng.batched_nms(*arrays, array.array("q", groups), 0.5, return_hits=True)
            self.assertEqual(kept[0], expected[0].tolist())
            self.assertEqual(throng.nms(rows, scores), throng.nms(*arrays).tolist())
            self.assertEqual(throng.nms(*arrays).tolist(), list(throng.nms(doubles, scores)))
            mask, number = throng.nms_mask(rows, scores)
            self.assertEqual(([i for i in range(count) if mask[i]], number), (sorted(throng.nms(rows, scores)), [sum(mask)]))
            own = bytearray(count)
            self.assertIs(throng.nms_mask(rows, scores, mask=own)[0], own)
            self.assertEqual([bool(each) for each in own], mask)
        whole = [[0, 0, 9, 9], [0, 0, 9, 8], [50, 0, 60, 9], [1 << 40, 0, (1 << 40) + 9, 9]]
        integers = memoryview(array.array("q", [v for row in whole for v in row])).cast("B").cast("q", (4, 4))
        self.assertEqual(list(throng.nms(integers, array.array("h", [1, 2, 3, 4]), 0.5)), [3, 2, 1])
        self.assertEqual(throng.nms(whole, [1, 2, 3, 4], 0.5, rule="greedy", pair="feature",
                                    features=[[0, 1]] * 4), [3, 2, 1])

    def test_limits(self):
        """Equal a choice of the boxes before a call without them, and of its results."""
        rng = random.Random(seed)
        limited = 0
        for _ in range(200):
            corners, scores = random_boxes(rng, rng.randrange(40))
            ids = array.array("q", [rng.randrange(3) for _ in scores])
            least, most = rng.choice([None, 0.25, 0.5, 0.9]), rng.choice([None, 1, 3])
            limits = {"score_threshold": least, "max_output": most}
            above = [i for i in range(len(scores)) if least is None or scores[i] > least]
            if not above:
                continue
            part = floats([v for i in above for v in corners[4 * i: 4 * i + 4]], 4), floats([scores[i] for i in above])
            boxes, own_scores, own_ids = floats(corners, 4), floats(scores), array.array("q", [ids[i] for i in above])
            for rule in (None, "greedy"):
                kept = [above[i] for i in throng.nms(*part, 0.4, rule=rule)]
                limited += most is not None and most < len(kept)
                self.assertEqual(list(throng.nms(boxes, own_scores, 0.4, rule=rule, **limits)), kept[:most])
                mask, count = throng.nms_mask(boxes, own_scores, 0.4, rule=rule, **limits)
                self.assertEqual([i for i, each in enumerate(mask) if each], sorted(kept[:most]))
                self.assertEqual(list(count), [len(kept[:most])])
                batched = [above[i] for i in throng.batched_nms(*part, own_ids, 0.4, rule=rule)]
                first = [i for k, i in enumerate(batched)
                         if most is None or sum(ids[j] == ids[i] for j in batched[:k]) < most]
                self.assertEqual(list(throng.batched_nms(boxes, own_scores, ids, 0.4, rule=rule, **limits)), first)
            picked, decayed = throng.soft_nms(*part, 0.3)
            found = throng.soft_nms(boxes, own_scores, 0.3, **limits)
            self.assertEqual([list(each) for each in found], [[above[i] for i in picked][:most], list(decayed)[:most]])
        self.assertGreater(limited, 50)
        rows = [[0, 0, 9, 9], [50, 0, 60, 9], [90, 0, 99, 9]]
        self.assertEqual(throng.nms(rows, [0.3, 0.1, 0.2], score_threshold=0.1), [0, 2])
        # Compared in the type of the scores: 0.3 as float32 is a little more than 0.3.
        self.assertEqual(list(throng.nms(floats(sum(rows, []), 4), floats([0.3, 0.4, 0.2]), score_threshold=0.3)), [1])

    def test_ctrl_c(self):
        """A call that would take long ends with the exception of a handler, and the next calls work."""
        class Interrupted(Exception):
            pass

        def interrupt(*_):
            raise Interrupted

        count = 400_000  # distinct boxes that all overlap: every pair is tested
        values = array.array("f", bytes(16 * count))
        rng = random.Random(seed)
        for k in range(0, 4 * count, 4):
            values[k] = rng.random()
            values[k + 2], values[k + 3] = values[k] + 100, 100 + rng.random()
        boxes = memoryview(values).cast("B").cast("f", (count, 4))
        scores = array.array("f", (1 + rng.random() for _ in range(count)))
        small = floats([0, 0, 9, 9, 0, 0, 9, 8], 4), floats([1, 2])
        previous = signal.signal(signal.SIGALRM, interrupt)
        try:
            for call in (lambda: throng.nms(boxes, scores, 1.0), lambda: throng.nms_mask(boxes, scores, 1.0),
                         lambda: throng.nms(boxes, scores, 1.0, rule="greedy"),
                         lambda: throng.soft_nms(boxes, scores, 1.0, method="linear")):
                with self.assertRaises(Interrupted):
                    signal.setitimer(signal.ITIMER_REAL, 0.2)
                    call()
                self.assertEqual(list(throng.nms(*small, 0.5)), [1])
            # A handler may call during a call, too. That holds the buffer of its scores, which cannot grow then.
            kept, during = [], []

            def call_again(*_):
                kept.append(list(throng.nms(*small, 0.5)))
                try:
                    some[1].append(some[1].pop())
                except BufferError:
                    during.append(True)

            signal.signal(signal.SIGALRM, call_again)
            number = 15_000
            while not during:  # until a call takes long enough
                number = min(2 * number, count)
                some = memoryview(values)[:4 * number].cast("B").cast("f", (number, 4)), scores[:number]
                expected = len(throng.nms(*some, 0.999))
                signal.setitimer(signal.ITIMER_REAL, 0.001)
                self.assertEqual(len(throng.nms(*some, 0.999)), expected)
            self.assertEqual(kept, [[1]] * len(kept))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)

    def test_threads(self):
        rng = random.Random(seed)
        corners, scores = random_boxes(rng, 2000)
        boxes, scores = floats(corners, 4), floats(scores)
        expected = list(throng.nms(boxes, scores))
        results = []
        threads = [threading.Thread(target=lambda: results.append(list(throng.nms(boxes, scores)))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [expected] * 8)


@unittest.skipIf(np is None, "no NumPy")
class Numpy(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(seed)
        self.boxes = rng.random((200, 4)).astype(np.float32) * 50
        self.boxes[:, 2:] += self.boxes[:, :2]
        self.scores = rng.random(200).astype(np.float32)

    def test_types_of_results(self):
        kept = throng.nms(self.boxes, self.scores, 0.3)
        self.assertIsInstance(kept, np.ndarray)
        self.assertEqual(kept.dtype, np.int64)
        self.assertTrue((np.diff(self.scores[kept]) <= 0).all())
        mask, count = throng.nms_mask(self.boxes, self.scores, 0.3)
        self.assertEqual(mask.dtype, np.bool_)
        self.assertEqual(np.nonzero(mask)[0].tolist(), sorted(kept.tolist()))
        self.assertEqual(count.tolist(), [len(kept)])
        indices, scores = throng.soft_nms(self.boxes, self.scores)
        self.assertEqual((indices.dtype, scores.dtype), (np.int64, np.float32))

    def test_gaps_and_types(self):
        kept = throng.nms(self.boxes, self.scores, 0.3).tolist()
        wide = np.zeros((400, 9), np.float32)
        wide[::2, ::2][:, :4] = self.boxes
        self.assertEqual(throng.nms(wide[::2, 0:8:2], self.scores, 0.3).tolist(), kept)
        reverse = throng.nms(self.boxes[::-1], self.scores[::-1], 0.3)
        self.assertEqual((199 - reverse).tolist(), kept)
        self.assertEqual(throng.nms(np.asfortranarray(self.boxes), self.scores, 0.3).tolist(), kept)
        half = self.boxes.astype(np.float16), self.scores.astype(np.float16)
        widened = half[0].astype(np.float32), half[1].astype(np.float32)
        self.assertEqual(throng.nms(*half, 0.3).tolist(), throng.nms(*widened, 0.3).tolist())
        with self.assertRaises(throng.Error):
            throng.nms(self.boxes.astype(">f4"), self.scores.astype(">f4"))
        for kind in (np.int16, np.uint16, np.int32, np.int64):
            whole = (self.boxes.astype(kind), self.scores)
            expected = throng.nms(whole[0].astype(np.float64), whole[1].astype(np.float64), 0.3)
            kept = throng.nms(*whole, 0.3)
            self.assertEqual((type(kept), kept.tolist()), (np.ndarray, expected.tolist()))
        for kind in (np.int8, np.bool_, np.complex64, "U3"):
            with self.assertRaises(throng.Error, msg=kind):
                throng.nms(self.boxes.astype(kind), self.scores)

    def test_every_type_and_layout(self):
        """Each argument of each type is used as its numbers are, or named in an error."""
        count, ids = len(self.scores), np.arange(200) % 3
        kinds = "? b B h H i I l L q Q e f d g F D U3 S2 O V4 M8[s] m8[s] >f4 >i8".split()
        layouts = (lambda a: a, lambda a: np.repeat(a, 2, axis=0)[::2], lambda a: np.asfortranarray(a), lambda a: a[None],
                   lambda a: a.reshape(-1), lambda a: a[:-1], lambda a: a[:0], lambda a: np.array(3, a.dtype))
        good = {"boxes": self.boxes, "scores": self.scores, "idxs": ids, "density": self.scores, "mask": np.zeros(count, bool),
                "features": self.boxes, "count": np.zeros(1, np.int64)}
        used = rejected = 0
        for name, value in good.items():
            for kind in kinds:
                for layout in layouts:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        try:
                            wrong = layout(value.astype(kind))
                        except (TypeError, ValueError):  # NumPy has no such conversion
                            continue
                    call = {**good, name: wrong}
                    try:
                        mask, number = throng.nms_mask(call["boxes"], call["scores"], 0.3, idxs=call["idxs"], mask=call["mask"],
                                                       count=call["count"], rule="greedy", density=call["density"],
                                                       features=call["features"])
                        self.assertEqual(int(number[0]), int(np.count_nonzero(mask)), (name, kind))
                        used += 1
                    except throng.Error as error:
                        self.assertTrue(str(error).startswith(f"{name}: ") or name in ("boxes", "scores"), (name, kind, error))
                        rejected += 1
        self.assertGreater(used, 40)
        self.assertGreater(rejected, 400)

    def test_images_come_first(self):
        images = np.arange(200, dtype=np.int32) % 3
        kept = throng.batched_nms(self.boxes, self.scores, np.zeros(200, np.int32), 0.3, image_ids=images)
        self.assertTrue((np.diff(images[kept]) >= 0).all())
        for image in range(3):
            own = np.nonzero(images == image)[0]
            alone = own[throng.nms(self.boxes[own], self.scores[own], 0.3)]
            self.assertEqual(kept[images[kept] == image].tolist(), alone.tolist())

    def test_nothing(self):
        none = throng.nms(np.zeros((0, 4), np.float32), np.zeros(0, np.float32))
        self.assertEqual((none.shape, none.dtype), ((0,), np.int64))


@unittest.skipIf(torch is None, "no torch")
class Torch(unittest.TestCase):
    def test_results_are_tensors(self):
        boxes = torch.tensor([[0, 0, 9, 9], [0, 0, 9, 8], [50, 0, 60, 9.0]], requires_grad=True)
        scores = torch.tensor([1.0, 2.0, 3.0])
        kept = throng.nms(boxes, scores, 0.5)
        self.assertEqual((kept.dtype, kept.tolist()), (torch.int64, [2, 1]))
        mask, count = throng.nms_mask(boxes, scores, 0.5)
        self.assertEqual((mask.dtype, mask.tolist(), count.tolist()), (torch.bool, [False, True, True], [2]))
        self.assertEqual(throng.nms(boxes.detach().t().contiguous().t(), scores, 0.5).tolist(), [2, 1])

    def random(self):
        torch.manual_seed(seed)
        boxes = torch.rand(50, 4)
        boxes[:, 2:] += boxes[:, :2]
        return boxes, torch.rand(50)

    def test_types(self):
        boxes, scores = self.random()
        narrow = boxes.bfloat16(), scores.bfloat16()
        kept = throng.nms(*narrow, 0.5)
        self.assertEqual(kept.dtype, torch.int64)
        self.assertTrue(torch.equal(kept, throng.nms(narrow[0].float(), narrow[1].float(), 0.5)))
        whole = (boxes * 100).int()
        self.assertTrue(torch.equal(throng.nms(whole, scores, 0.5), throng.nms(whole.double(), scores.double(), 0.5)))
        mask, count = throng.nms_mask(*narrow, 0.5)
        self.assertEqual((int(mask.sum()), mask.dtype), (int(count), torch.bool))

    def test_views(self):
        """Values that the memory does not hold as they are."""
        boxes, scores = self.random()
        negative = [torch.complex(torch.zeros_like(each), -each).conj().imag for each in (boxes, scores)]
        self.assertTrue(negative[0].is_neg() and torch.equal(negative[0], boxes))
        self.assertTrue(torch.equal(throng.nms(*negative, 0.5), throng.nms(boxes, scores, 0.5)))
        one = torch.complex(torch.zeros(1), torch.tensor([-0.5])).conj().imag  # contiguous: it has no second element
        for soft in (one, torch._neg_view(torch.tensor([-0.5]))):
            self.assertTrue(soft.is_neg() and soft.is_contiguous())
            kept, values = throng.soft_nms(boxes[:1], soft, 0.5)
            self.assertEqual((kept.tolist(), values.tolist()), ([0], [0.5]))
        flipped = torch._neg_view(-scores)
        self.assertTrue(torch.equal(throng.nms(boxes, flipped, 0.5), throng.nms(boxes, scores, 0.5)))
        mask = torch._neg_view(torch.zeros(len(scores), dtype=torch.uint8))
        with self.assertRaisesRegex(throng.Error, "read-only"):
            throng.nms_mask(boxes, scores, 0.5, mask=mask)
        for arguments in ((boxes.to_sparse(), scores), (boxes, scores.to_sparse())):
            with self.assertRaisesRegex(throng.Error, "sparse"):
                throng.nms(*arguments, 0.5)

    def test_operators(self):
        import throng.torch

        boxes, scores = self.random()
        self.assertTrue(torch.equal(torch.ops.throng.nms(boxes, scores, 0.5), throng.nms(boxes, scores, 0.5)))
        if not throng.torch.has_fakes:
            self.skipTest("torch is older than 2.4: no torch.library.register_fake")
        torch.library.opcheck(torch.ops.throng.nms.default, (boxes, scores, 0.5))
        torch.library.opcheck(torch.ops.throng.nms_mask.default, (boxes, scores, 0.5))
        torch.library.opcheck(torch.ops.throng.batched_nms.default, (boxes, scores, torch.zeros(50).long(), 0.5))


@unittest.skipIf(torchvision is None, "no torchvision")
class Torchvision(unittest.TestCase):
    """Under patch(), everything that calls torchvision's suppression gets its results from Throng."""

    def setUp(self):
        import throng.torch

        self.torch = throng.torch
        generator = torch.Generator().manual_seed(seed)
        self.boxes, self.scores = self.random(generator)
        self.others = self.random(generator)
        self.ids = torch.randint(0, 5, (300,), generator=generator)
        self.kept = torchvision.ops.nms(self.boxes, self.scores, 0.5)
        self.batched = torchvision.ops.batched_nms(self.boxes, self.scores, self.ids, 0.5)
        self.assertLess(len(self.kept), len(self.batched))
        # Counts the calls that reach Throng, in its functions below torch.
        self.calls = []
        for name in ("nms", "batched_nms"):
            original = getattr(throng.torch._functions, name)
            counted = mock.patch.object(throng.torch._functions, name,
                                        lambda *args, call=original, **keys: self.calls.append(1) or call(*args, **keys))
            counted.start()
            self.addCleanup(counted.stop)
        self.addCleanup(throng.torch.unpatch)

    def random(self, generator):
        boxes = torch.rand(300, 4, generator=generator) * 100
        boxes[:, 2:] = boxes[:, :2] + boxes[:, 2:] * 0.3
        return boxes, torch.rand(300, generator=generator)

    def expect(self, calls, kept, expected):
        """The results are torchvision's, and Throng was called that often."""
        self.assertTrue(torch.equal(kept, expected))
        self.assertEqual(len(self.calls), calls)
        self.calls.clear()

    def test_keywords_and_early_imports(self):
        from torchvision.ops import nms as early

        with self.torch.patch():
            self.expect(1, torchvision.ops.nms(self.boxes, self.scores, iou_threshold=0.5), self.kept)
            self.expect(1, torchvision.ops.nms(scores=self.scores, boxes=self.boxes, iou_threshold=0.5), self.kept)
            self.expect(1, early(self.boxes, self.scores, 0.5), self.kept)
            self.expect(1, torch.ops.torchvision.nms(self.boxes, self.scores, 0.5), self.kept)
            self.expect(1, torchvision.ops.batched_nms(idxs=self.ids, boxes=self.boxes, scores=self.scores,
                                                       iou_threshold=0.5), self.batched)
        self.expect(0, early(self.boxes, self.scores, 0.5), self.kept)

    def test_nested(self):
        original = torchvision.ops.batched_nms
        with self.torch.patch():
            with self.torch.patch():
                pass
            self.expect(1, torchvision.ops.nms(self.boxes, self.scores, 0.5), self.kept)
            self.assertIsNot(torchvision.ops.batched_nms, original)
        self.expect(0, torchvision.ops.nms(self.boxes, self.scores, 0.5), self.kept)
        self.assertIs(torchvision.ops.batched_nms, original)
        self.torch.patch()
        with self.torch.patch():
            self.torch.unpatch()
            self.expect(0, torchvision.ops.nms(self.boxes, self.scores, 0.5), self.kept)
        self.assertIs(torchvision.ops.batched_nms, original)

    def test_scripts_and_traces(self):
        def both(boxes: torch.Tensor, scores: torch.Tensor, ids: torch.Tensor):
            return (torchvision.ops.boxes.nms(boxes, scores, 0.5),
                    torchvision.ops.boxes.batched_nms(boxes, scores, ids, 0.5))

        expected = both(*self.others, self.ids)
        with self.torch.patch():
            for compiled in (torch.jit.script(both), torch.jit.trace(both, (self.boxes, self.scores, self.ids))):
                self.calls.clear()
                results = compiled(*self.others, self.ids)
                self.expect(2, results[0], expected[0])
                self.assertTrue(torch.equal(results[1], expected[1]))

    def test_export(self):
        class Suppression(torch.nn.Module):
            def forward(self, boxes, scores):
                return torchvision.ops.nms(boxes, scores, 0.5)

        def exported():
            file = io.BytesIO()
            torch.onnx.export(Suppression(), (self.boxes, self.scores), file, opset_version=11)
            return file.getvalue()

        try:
            plain = exported()
        except Exception as error:  # newer versions need the package onnx
            self.skipTest(f"torch cannot export here: {error}")
        with self.torch.patch():
            patched = exported()
        self.assertEqual(patched, plain)
        self.assertIn(b"NonMaxSuppression", patched)

    def test_gradients(self):
        scores = self.scores.clone().requires_grad_()
        with self.torch.patch():
            kept = torchvision.ops.nms(self.boxes.clone().requires_grad_(), scores, 0.5)
            self.expect(1, kept, self.kept)
        self.assertFalse(kept.requires_grad)
        scores[kept].sum().backward()
        self.assertEqual(int(scores.grad.sum()), len(kept))

    def test_ids_of_any_type(self):
        for ids in (self.ids.int(), self.ids.to(torch.uint8), self.ids / 8, self.ids.double() - 0.5, self.ids > 2):
            expected = torchvision.ops.boxes._batched_nms_vanilla(self.boxes, self.scores, ids, 0.5)
            with self.torch.patch():
                self.expect(1, torchvision.ops.batched_nms(self.boxes, self.scores, ids, 0.5), expected)

    def test_vmap(self):
        """As without the patch: once per sample; samples whose results have one size."""
        vmap = getattr(torch, "vmap", None)
        if vmap is None:
            try:
                from functorch import vmap
            except ImportError as error:
                self.skipTest(str(error))
        boxes = torch.stack([self.boxes, self.boxes + 1])
        scores = torch.stack([self.scores, self.scores])
        calls = (lambda boxes, scores: torchvision.ops.nms(boxes, scores, 0.5),
                 lambda boxes, scores: torchvision.ops.batched_nms(boxes, scores, self.ids, 0.5))
        with self.torch.patch():
            for call, kept in zip(calls, (self.kept, self.batched)):
                self.expect(2, vmap(call)(boxes, scores), torch.stack([kept, kept]))
        masks, counts = vmap(lambda boxes, scores: torch.ops.throng.nms_mask(boxes, scores, 0.5))(boxes, scores)
        self.assertEqual(counts.tolist(), [[len(self.kept)]] * 2)
        self.assertEqual(masks[0].nonzero()[:, 0].tolist(), sorted(self.kept.tolist()))

    def test_compile(self):
        if not self.torch.has_fakes:
            self.skipTest("torch is older than 2.4: its compiler cannot trace operators of other libraries")

        def best(boxes, scores, ids):
            return (scores[torchvision.ops.nms(boxes, scores, 0.5)],
                    scores[torchvision.ops.batched_nms(boxes, scores, ids, 0.5)])

        expected = best(self.boxes, self.scores, self.ids)
        with self.torch.patch():
            results = torch.compile(best)(self.boxes, self.scores, self.ids)
            self.expect(2, results[0], expected[0])
        self.assertTrue(torch.equal(results[1], expected[1]))

    def test_errors(self):
        with self.torch.patch(), self.assertRaises(RuntimeError):
            torchvision.ops.nms(self.boxes[:, :3], self.scores, 0.5)


@unittest.skipIf(np is None or shutil.which("mypy") is None, "no mypy or NumPy")
class Stubs(unittest.TestCase):
    # Calls that are right or, with `type: ignore`, wrong: mypy --strict says so if one is not.
    USE = """
import array, pathlib
import numpy, throng
from numpy.typing import NDArray
from typing_extensions import assert_type
with throng.Detector("haar", min_size=40) as detector:
    print(detector.clone().detect(numpy.zeros((9, 9), numpy.uint8), order="rgb")["x"])
    detector.detect("a.png")  # type: ignore[arg-type]
for frame in throng.Pipeline("a.mp4", images="rgb", track=True, hide="blur", count="a.toml"):
    print(frame.index + 1, frame.image)
    if frame.counts:
        print(frame.counts.lines["a"].inward + 1, [event.seconds + 1 for event in frame.counts.events])
try:
    throng.Pipeline(pathlib.Path("none.mp4")).stop()
except throng.Error as error:
    print(error.status + 1)
throng.Pipeline("a.mp4", hide="stars")  # type: ignore[arg-type]
throng.Detector(min_size="x")  # type: ignore[arg-type]
assert_type(throng.fetch_model("yunet_n_dynamic", folder=pathlib.Path(".")), str)
throng.fetch_model(3)  # type: ignore[arg-type]

Indices = NDArray[numpy.int64]
boxes, scores = numpy.zeros((3, 4), numpy.float32), numpy.zeros(3, numpy.float32)
assert_type(throng.nms(boxes, scores, 0.5, rule="greedy", overlap="min", max_output=3), Indices)
assert_type(throng.nms(boxes, scores, return_hits=True), tuple[Indices, NDArray[numpy.int32]])
assert_type(throng.soft_nms(boxes, scores), tuple[Indices, NDArray[numpy.float32]])
assert_type(throng.nms_mask(boxes, scores, score_threshold=0.1), tuple[NDArray[numpy.bool_], Indices])
assert_type(throng.nms([[0, 0, 1, 1]], [1]), list[int])
assert_type(throng.batched_nms([(0, 0, 1, 1.5)], [1], [3], return_hits=True), tuple[list[int], list[int]])
assert_type(throng.nms(memoryview(b""), array.array("f", [1])), memoryview)
throng.nms(boxes, 3)  # type: ignore[call-overload]
throng.nms(boxes, scores, rule="x")  # type: ignore[call-overload]
throng.nms(boxes, scores, overlap="x")  # type: ignore[call-overload]
throng.nms(boxes, scores, unknown=1)  # type: ignore[call-overload]
class Tensor:
    is_cuda = False
    def data_ptr(self) -> int: return 0
tensor = Tensor()
assert_type(throng.nms(tensor, tensor), Tensor)
assert_type(throng.nms_mask(tensor, tensor, mask=tensor), tuple[Tensor, Tensor])
"""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        # torch may not be installed; the flag is for mypy before 1.4.
        self.config = self.file("mypy.ini", "[mypy]\nstrict = True\nenable_incomplete_feature = Unpack\n"
                                            "[mypy-torch.*]\nignore_missing_imports = True\n")

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def expect_clean(self, *command):
        package = os.path.dirname(os.path.dirname(os.path.abspath(throng.__file__)))
        result = subprocess.run(command, env={**os.environ, "MYPYPATH": package}, cwd=self.folder, capture_output=True,
                                text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_strict(self):
        self.expect_clean("mypy", f"--config-file={self.config}", "--cache-dir=/dev/null", self.file("use.py", self.USE))

    @unittest.skipIf(shutil.which("stubtest") is None, "no stubtest")
    def test_are_those_of_the_module(self):
        allowed = ["throng._settings"] + (["throng.torch"] if torch is None else [])  # has no code; cannot be imported
        self.expect_clean("stubtest", "--concise", f"--mypy-config-file={self.config}",
                          f"--allowlist={self.file('allowed', chr(10).join(allowed))}", "throng")


def _use_in_fork(*objects):
    _use_in_fork.objects = objects


def _detect_in_fork(_):
    detector, image = _use_in_fork.objects
    return len(detector.detect(image))


class CudaArray:
    """An array as Numba or CuPy have it, on the memory of a tensor."""

    def __init__(self, tensor, **changes):
        self.tensor = tensor
        self.__cuda_array_interface__ = {**tensor.__cuda_array_interface__, **changes}

    shape = property(lambda self: self.tensor.shape)

    def __getitem__(self, key):
        return type(self)(self.tensor[key])

    def __int__(self):
        return int(self.tensor)


def fake_cupy():
    """The part of CuPy that the module calls."""
    cupy = types.ModuleType("cupy")
    cupy.ndarray = type("ndarray", (CudaArray,), {"__module__": "cupy"})
    cupy.empty = lambda size, dtype: cupy.ndarray(torch.empty(size, dtype=getattr(torch, dtype), device="cuda"))
    cupy.ascontiguousarray = lambda array: cupy.ndarray(array.tensor.contiguous())
    stream = types.SimpleNamespace(ptr=torch.cuda.current_stream().cuda_stream)
    cupy.cuda = types.SimpleNamespace(get_current_stream=lambda: stream)
    return cupy


@unittest.skipIf(torch is None or not torch.cuda.is_available(), "no torch with CUDA")
class Cuda(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(seed)

    def random(self, size, dtype=None):
        boxes = torch.rand(size, 4, dtype=torch.float64) * 100
        boxes[:, 2:] += boxes[:, :2]
        scores = (torch.rand(size, dtype=torch.float64) * 50).round() / 50  # with ties
        dtype = dtype or torch.float32
        return boxes.to(dtype), scores.to(dtype)

    def test_equals_the_cpu(self):
        for dtype in (torch.float32, torch.float16, torch.float64):
            for size in (0, 1, 33, 200, 1027, 6000):
                boxes, scores = self.random(size, dtype)
                ids = torch.randint(0, 3, (size,))
                on_cuda = boxes.cuda(), scores.cuda()
                kept = throng.nms(*on_cuda, 0.5)
                self.assertEqual((kept.device.type, kept.dtype), ("cuda", torch.int64))
                self.assertTrue(torch.equal(kept.cpu(), throng.nms(boxes, scores, 0.5)), (dtype, size))
                kept, hits = throng.batched_nms(*on_cuda, ids.cuda(), 0.5, image_ids=ids.flip(0).cuda(), return_hits=True)
                expected = throng.batched_nms(boxes, scores, ids, 0.5, image_ids=ids.flip(0), return_hits=True)
                self.assertTrue(torch.equal(kept.cpu(), expected[0]) and torch.equal(hits.cpu(), expected[1]))
                mask, count = throng.nms_mask(*on_cuda, 0.5, idxs=ids.int().cuda())
                expected = throng.nms_mask(boxes, scores, 0.5, idxs=ids)
                self.assertTrue(torch.equal(mask.cpu(), expected[0]) and torch.equal(count.cpu(), expected[1]))
                for options in ({"rule": "one-pass"}, {"rule": "greedy", "overlap": "min", "ties": "index"},
                                {"rule": "greedy", "compare": "above", "pixels": "inclusive", "min_hits": 2}):
                    self.assertTrue(torch.equal(throng.nms(*on_cuda, 0.5, **options).cpu(),
                                                throng.nms(boxes, scores, 0.5, **options)), options)
                for method in ("linear", "gaussian"):
                    found = throng.soft_nms(*on_cuda, 0.3, method=method, idxs=ids.cuda())
                    expected = throng.soft_nms(boxes, scores, 0.3, method=method, idxs=ids)
                    self.assertTrue(torch.equal(found[0].cpu(), expected[0]) and torch.equal(found[1].cpu(), expected[1]))

    def test_streams_threads_and_gaps(self):
        boxes, scores = self.random(1027)
        expected = throng.nms(boxes, scores, 0.5).tolist()
        boxes, scores = boxes.cuda(), scores.cuda()
        self.assertEqual(throng.nms(boxes.t().contiguous().t(), scores, 0.5).tolist(), expected)
        results = []

        def work():
            for _ in range(50):
                with torch.cuda.stream(torch.cuda.Stream()):
                    results.append(throng.nms(boxes, scores, 0.5).tolist())

        torch.cuda.synchronize()
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [expected] * 200)

    def test_capture(self):
        boxes, scores = self.random(500)
        static_boxes, static_scores = boxes.cuda(), scores.cuda()
        mask, count = throng.nms_mask(static_boxes, static_scores, 0.5)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            throng.nms_mask(static_boxes, static_scores, 0.5, mask=mask, count=count)
        for _ in range(3):
            boxes, scores = self.random(500)
            static_boxes.copy_(boxes)
            static_scores.copy_(scores)
            graph.replay()
            self.assertTrue(torch.equal(mask.cpu(), throng.nms_mask(boxes, scores, 0.5)[0]))

    def test_bad_arguments(self):
        boxes, scores = self.random(10)
        on_cuda = boxes.cuda(), scores.cuda()
        huge = [CudaArray(array, shape=(1 << 31, *array.shape[1:])) for array in on_cuda]
        bad = {
            "scores": [lambda: throng.nms(on_cuda[0], scores), lambda: throng.nms(on_cuda[0], on_cuda[1].double())],
            "idxs": [lambda: throng.batched_nms(*on_cuda, torch.zeros(10, dtype=torch.int64))],
            "mask": [lambda: throng.nms_mask(*on_cuda, mask=torch.zeros(10, dtype=torch.bool)),
                     lambda: throng.nms_mask(*on_cuda, mask=torch.zeros(20, dtype=torch.bool, device="cuda")[::2])],
            "count": [lambda: throng.nms_mask(*on_cuda, count=torch.zeros(1, dtype=torch.int64))],
            "boxes": [lambda: throng.nms(CudaArray(on_cuda[1]), CudaArray(on_cuda[1])), lambda: throng.nms(*huge)],
        }
        for name, calls in bad.items():
            for call in calls:
                with self.assertRaises(throng.Error, msg=name) as raised:
                    call()
                self.assertIn(name, str(raised.exception))

    def test_arrays_of_other_libraries(self):
        boxes, scores = self.random(500)
        ids = torch.randint(0, 3, (500,))
        expected = throng.batched_nms(boxes, scores, ids, 0.5, return_hits=True)
        expected_mask, expected_count = throng.nms_mask(boxes, scores, 0.5)
        cupy = fake_cupy()
        for make in (CudaArray, lambda tensor: CudaArray(tensor, stream=1), cupy.ndarray):
            given = make(boxes.cuda()), make(scores.cuda())
            with mock.patch.dict(sys.modules, {"cupy": cupy}):
                kept, hits = throng.batched_nms(*given, make(ids.cuda()), 0.5, return_hits=True)
                mask, count = throng.nms_mask(*given, 0.5)
                own_mask = make(torch.zeros(500, dtype=torch.uint8, device="cuda"))
                self.assertIs(throng.nms_mask(*given, 0.5, mask=own_mask)[0], own_mask)
                gaps = make(boxes.t().contiguous().cuda().t())
                self.assertEqual(len(throng.nms(gaps, given[1], 0.5).shape), 1)
            if make is cupy.ndarray:
                self.assertIsInstance(kept, cupy.ndarray)
                kept, hits, mask, count = (array.tensor for array in (kept, hits, mask, count))
            self.assertTrue(torch.equal(kept.cpu(), expected[0]) and torch.equal(hits.cpu(), expected[1]))
            self.assertTrue(torch.equal(mask.cpu(), expected_mask) and torch.equal(count.cpu(), expected_count))
            self.assertTrue(torch.equal(own_mask.tensor.bool().cpu(), expected_mask))

    def test_operators(self):
        import throng.torch

        if not throng.torch.has_fakes:
            self.skipTest("torch is older than 2.4: no torch.library.register_fake")
        boxes, scores = (array.cuda() for array in self.random(300))
        ids = torch.zeros(300, dtype=torch.int64, device="cuda")
        torch.library.opcheck(torch.ops.throng.nms.default, (boxes, scores, 0.5))
        torch.library.opcheck(torch.ops.throng.nms_mask.default, (boxes, scores, 0.5))
        torch.library.opcheck(torch.ops.throng.batched_nms.default, (boxes, scores, ids, 0.5))

        def best(boxes, scores):
            return scores[throng.torch.nms(boxes, scores, 0.5)] * 2

        compiled = torch.compile(best, fullgraph=True)
        self.assertTrue(torch.equal(compiled(boxes, scores), best(boxes, scores)))


@unittest.skipIf(np is None, "no NumPy")
class Libraries(unittest.TestCase):
    def test_an_image_of_the_caller_needs_few(self):
        code = """
import numpy
def loaded():
    return {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
before = loaded()
import throng
with throng.Detector("haar", backend="cpu") as detector:
    detector.detect(numpy.zeros((240, 320), numpy.uint8))
print("\\n".join(sorted(loaded() - before)))
"""
        found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
        self.assertTrue(any("opencv_core" in name for name in found), found)  # the list is complete
        self.assertLessEqual(len(found), 40, found)


class Detection(unittest.TestCase):
    source = "crowd:faces=6,size=480x360,frames=3,seed=5"

    def setUp(self):
        try:
            self.detector = throng.Detector(backend="cpu", threads=1)
        except (ImportError, throng.Error) as error:
            self.skipTest(str(error))

    def test_a_pipeline_and_a_detector_agree(self):
        with throng.Pipeline(self.source, backend="cpu", images=True) as pipeline:
            frames = list(pipeline)
        self.assertEqual([frame.index for frame in frames], [0, 1, 2])
        for frame in frames:
            self.assertEqual(frame.image.shape, (360, 480))
            found = self.detector.detect(frame.image)
            self.assertEqual(found.dtype, throng.detection_dtype)
            self.assertEqual(found.tobytes(), frame.detections.tobytes())
            self.assertGreaterEqual(len(found), 3)
        color = np.repeat(frames[0].image[:, :, None], 3, axis=2)
        self.assertEqual(self.detector.detect(color).tobytes(), frames[0].detections.tobytes())
        chroma = np.full((180, 480), 128, np.uint8)
        self.assertEqual(self.detector.detect(frames[0].image, chroma).tobytes(), frames[0].detections.tobytes())
        padded = np.zeros((360, 500), np.uint8)
        padded[:, :480] = frames[0].image
        self.assertEqual(self.detector.detect(padded[:, :480]).tobytes(), frames[0].detections.tobytes())

    def test_bad_arguments(self):
        for image in (np.zeros((0, 0), np.uint8), np.zeros(5, np.uint8), np.zeros((9, 9), np.float32),
                      np.zeros((9, 9, 5), np.uint8), np.zeros((9, 18), np.uint8)[:, ::2], 3):
            with self.assertRaises(throng.Error):
                self.detector.detect(image)
        for call in (lambda: throng.Detector("horse"), lambda: throng.Detector(backend="tpu"),
                     lambda: throng.Detector(model="/nonexistent.xml"), lambda: throng.Pipeline("/nonexistent.mp4"),
                     lambda: throng.Detector(min_size=-1)):
            with self.assertRaises(throng.Error):
                call()
        for call, name in ((lambda: throng.Detector(backend=3), "backend"), (lambda: throng.Detector(device="0"), "device"),
                           (lambda: throng.Pipeline(self.source, backend=None), "backend"),
                           (lambda: throng.Pipeline(self.source, device=1.5), "device")):
            with self.assertRaisesRegex(TypeError, f"^{name}: must be"):
                call()
        with throng.Pipeline(self.source, backend="cpu") as pipeline:
            next(pipeline)
        self.assertEqual(list(pipeline), [])  # closed

    def test_a_pipeline_is_closed_by_another_thread(self):
        for _ in range(20):
            pipeline = throng.Pipeline("crowd:faces=2,size=320x240", backend="cpu", images=True)  # without end
            first = threading.Event()
            ended = []

            def read():
                for _ in pipeline:
                    first.set()
                ended.append(True)

            reader = threading.Thread(target=read)
            reader.start()
            first.wait()
            pipeline.close()
            reader.join(timeout=60)
            self.assertEqual(ended, [True])

    def test_threads_that_share_a_pipeline(self):
        """Each frame comes to one of them; a thread that comes during a call of another one gets an error with status 6."""
        found, statuses = [], set()
        with throng.Pipeline("crowd:faces=2,size=320x240,frames=12", backend="cpu") as pipeline:
            def read():
                while True:
                    try:
                        found.append(next(pipeline).index)
                    except StopIteration:
                        return
                    except throng.Error as error:
                        statuses.add(error.status)

            threads = [threading.Thread(target=read) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(sorted(found), list(range(12)))
        self.assertLessEqual(statuses, {6})

    def test_a_pipeline_is_stopped_by_another_thread(self):
        with throng.Pipeline("crowd:faces=2,size=320x240", backend="cpu") as pipeline:  # without end
            first = threading.Event()
            reader = threading.Thread(target=lambda: [first.set() for _ in pipeline])
            reader.start()
            first.wait()
            pipeline.stop()
            reader.join(timeout=60)
            self.assertFalse(reader.is_alive())
            self.assertEqual(list(pipeline), [])
            pipeline.stop()

    def test_ctrl_c_while_a_source_opens(self):
        def interrupt(*_):
            raise KeyboardInterrupt

        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "silent")
            os.mkfifo(pipe)  # nobody writes into it
            previous = signal.signal(signal.SIGALRM, interrupt)
            try:
                with self.assertRaises(KeyboardInterrupt) as raised:
                    signal.setitimer(signal.ITIMER_REAL, 0.1)
                    throng.Pipeline(pipe, backend="cpu")
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, previous)
            self.assertIsNone(raised.exception.__context__)  # opening did not fail first

    def test_threads_share_a_detector(self):
        with throng.Pipeline(self.source, backend="cpu", images=True) as pipeline:
            frame = next(pipeline)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for found in pool.map(self.detector.detect, [frame.image] * 12):
                self.assertEqual(found.tobytes(), frame.detections.tobytes())

    def test_clones(self):
        with throng.Pipeline(self.source, backend="cpu", images=True) as pipeline:
            frame = next(pipeline)
        detectors = [self.detector.clone(), self.detector.clone().clone()]
        self.detector.close()
        with self.assertRaises(throng.Error):
            self.detector.clone()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for found in pool.map(lambda detector: detector.detect(frame.image), detectors * 6):
                self.assertEqual(found.tobytes(), frame.detections.tobytes())
        with detectors[0] as detector:
            self.assertEqual(detector.backend, "cpu")

    def test_the_example(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../app/python/examples/follow.py")
        found = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True).stdout
        self.assertIn("frame 2: face 1 at ", found)
        missing = subprocess.run([sys.executable, path, "/nonexistent.mp4"], capture_output=True, text=True, check=False)
        self.assertEqual((missing.returncode, missing.stdout), (1, ""))
        self.assertRegex(missing.stderr, r"/nonexistent.mp4.*\(status 3\)")

    def test_a_setting_that_does_not_apply(self):
        for cascade in ("haar", "lbp"):
            with self.assertRaisesRegex(throng.Error, f"score_threshold: does not apply to detector='{cascade}'"):
                throng.Detector(cascade, score_threshold=0.5)
        self.assertEqual(throng.Detector("hog", backend="cpu", score_threshold=0.5).backend, "cpu")

    def test_colors(self):
        images = {}
        for kind in (True, "gray", "bgr", "rgb"):
            with throng.Pipeline(self.source, backend="cpu", images=kind) as pipeline:
                images[kind] = next(pipeline).image
            self.assertTrue(images[kind].flags.writeable)
        self.assertEqual(images[True].tobytes(), images["gray"].tobytes())
        self.assertEqual(images["gray"].shape, (360, 480))
        self.assertEqual(images["bgr"].shape, (360, 480, 3))
        self.assertEqual(images["bgr"][:, :, ::-1].tobytes(), images["rgb"].tobytes())
        expected = self.detector.detect(images["bgr"])
        self.assertTrue(expected.flags.writeable)
        self.assertGreaterEqual(len(expected), 3)
        four = np.dstack([images["rgb"], np.full((360, 480), 9, np.uint8)])
        for found in (self.detector.detect(images["rgb"], order="rgb"), self.detector.detect(four, order="rgb"),
                      self.detector.detect(np.ascontiguousarray(four[:, :, [2, 1, 0, 3]]))):
            self.assertEqual(found.tobytes(), expected.tobytes())
        with self.assertRaises(throng.Error):
            throng.Pipeline(self.source, images="yuv")

    def test_tracks_and_hidden_faces(self):
        source = "crowd:faces=5,size=480x360,frames=8,seed=5,motion=walk"
        with throng.Pipeline(source, backend="cpu", images=True, track=True) as pipeline:
            shown = list(pipeline)
        self.assertTrue(any((frame.detections["track"] >= 0).any() for frame in shown))
        for style in ("blur", "mosaic", "solid"):
            with throng.Pipeline(source, backend="cpu", images=True, hide=style) as pipeline:
                hidden = list(pipeline)
            self.assertEqual([frame.index for frame in hidden], list(range(8)))
            for frame, plain in zip(hidden, shown):
                for face in plain.detections:
                    x, y = int(face["x"] + face["width"] / 2), int(face["y"] + face["height"] / 2)
                    inside = np.s_[y - 3:y + 3, x - 3:x + 3]
                    self.assertGreater(np.count_nonzero(frame.image[inside] != plain.image[inside]), 18)
        with self.assertRaises(throng.Error):
            throng.Pipeline(source, hide="stars")

    def test_errors_have_a_status(self):
        with self.assertRaises(FileNotFoundError) as raised:
            throng.Pipeline("/nonexistent.mp4")
        self.assertIsInstance(raised.exception, throng.Error)
        self.assertEqual((raised.exception.status, raised.exception.filename), (3, "/nonexistent.mp4"))
        with self.assertRaises(FileNotFoundError):
            throng.Detector(model="/nonexistent.xml")
        with self.assertRaises(throng.Error) as raised:
            throng.Detector(min_size=-1)
        self.assertEqual(raised.exception.status, 2)
        self.assertNotIsInstance(raised.exception, OSError)
        with self.assertRaises(throng.Error) as raised:
            throng.nms(floats([0, 0, 1], 3), floats([1]))
        self.assertEqual(raised.exception.status, 2)

    def test_fetch_model(self):
        """As `throng models fetch`: the terms first, nothing but the publisher's file, a reason without a connection."""
        body = b"x" * 322906  # as many bytes as the recommended network has
        requests = []

        class Server(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                requests.append(self.path)
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Server)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        for cleanup in (server.server_close, thread.join, server.shutdown):
            self.addCleanup(cleanup)
        mirror = f"http://127.0.0.1:{server.server_port}"
        with tempfile.TemporaryDirectory() as folder:
            with self.assertLogs("throng", "WARNING") as logged, self.assertRaises(throng.Error) as raised:
                throng.fetch_model(folder=folder, mirror=mirror)
            self.assertRegex(logged.output[0], "(?s)yunet_n_dynamic.*Apache-2.0; trained on WIDER.*detector='auto' is the Haar")
            self.assertRegex(str(raised.exception), "checksum")
            self.assertEqual((raised.exception.status, requests, os.listdir(folder)), (3, ["/yunet_n_dynamic.onnx"], []))
            for call, status, text in (
                    (lambda: throng.fetch_model(folder=folder, mirror="http://127.0.0.1:9"), 3, "cannot be reached.*Haar"),
                    (lambda: throng.fetch_model("yunet", folder=folder), 2, "^yunet: is not one of"),
                    (lambda: throng.fetch_model(folder=folder, mirror="ftp://127.0.0.1"), 2, "^mirror: must start with"),
                    (lambda: throng.fetch_model("haarcascade_frontalface_alt2", folder=folder), 2, "opencv-data")):
                with self.assertRaisesRegex(throng.Error, text) as raised, mock.patch("logging.Logger.log"):
                    call()
                self.assertEqual(raised.exception.status, status)
            for wrong in ({"name": ""}, {"name": 3}, {"folder": b"x" * 3}, {"mirror": True}):
                with self.assertRaises(TypeError):
                    throng.fetch_model(**wrong)
            with mock.patch.dict(os.environ, {"TH_FETCH": "OFF"}), self.assertRaisesRegex(throng.Error, "declined") as raised:
                throng.fetch_model(folder=folder)
            self.assertEqual((raised.exception.status, os.listdir(folder)), (4, []))

    def test_a_detector_in_a_with_statement(self):
        with throng.Detector(backend="cpu") as detector:
            self.assertEqual(detector.backend, "cpu")
        for call in (lambda: detector.backend, lambda: detector.detect(np.zeros((9, 9), np.uint8))):
            with self.assertRaises(throng.Error):
                call()
        detector.close()

    @unittest.skipIf(shutil.which("ffmpeg") is None, "no ffmpeg")
    def test_damaged_videos_are_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            for codec in ("mjpeg", "mpeg4"):
                good, bad = os.path.join(folder, "good.avi"), os.path.join(folder, "bad.avi")
                subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-f", "lavfi", "-i",
                                "testsrc=size=160x120:rate=25", "-t", "2", "-c:v", codec, good], check=True)
                with open(good, "rb") as file:
                    content = bytearray(file.read())
                middle = len(content) // 2
                if codec == "mjpeg":  # FFmpeg reports damage within a scan in its log alone
                    begin = content.index(b"\xff\xda", middle)
                    middle = (begin + content.index(b"\xff\xd9", begin)) // 2
                content[middle:middle + 100] = b"\x55" * 100
                with open(bad, "wb") as file:
                    file.write(content)
                self.assertEqual(len(list(throng.Pipeline(good, backend="cpu"))), 50, codec)
                with self.assertRaises(throng.Error, msg=codec) as raised:
                    list(throng.Pipeline(bad, backend="cpu"))
                self.assertIn("damaged", str(raised.exception))

    def test_warnings_go_to_logging(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.bmp", "b.bmp"):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(b"BM no image")
            with self.assertLogs("throng", "WARNING") as logged, self.assertRaises(throng.Error):
                list(throng.Pipeline(folder, backend="cpu"))
            self.assertIn("a.bmp", logged.output[0])

    def test_a_pipeline_is_closed_by_a_signal(self):
        pipeline = throng.Pipeline("crowd:faces=2,size=320x240", backend="cpu")  # without end
        previous = signal.signal(signal.SIGALRM, lambda *_: pipeline.close())
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            for _ in pipeline:
                pass
        finally:
            signal.signal(signal.SIGALRM, previous)

    def test_a_detector_in_forked_processes(self):
        with throng.Pipeline(self.source, backend="cpu", images=True) as pipeline:
            image = next(pipeline).image
        for kind in ("haar", "lbp", "hog", "cnn", "person", "face+person"):
            for used in (False, True):
                try:
                    detector = throng.Detector(kind, backend="cpu", threads=3)
                except throng.Error:  # no such model
                    self.assertIn(kind, ("cnn", "person", "face+person"))
                    continue
                before = len(detector.detect(image)) if used else None
                with multiprocessing.get_context("fork").Pool(2, _use_in_fork, (detector, image)) as pool:
                    counts = pool.map_async(_detect_in_fork, range(4)).get(timeout=60)
                expected = len(detector.detect(image)) if before is None else before
                self.assertEqual(counts, [expected] * 4, (kind, used))

    def test_a_pipeline_in_a_forked_process(self):
        with throng.Pipeline("crowd:faces=2,size=320x240", backend="cpu") as pipeline:
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                status = 1
                try:
                    next(pipeline)
                except throng.Error as error:
                    status = 0 if "made before fork" in str(error) else 2
                pipeline.close()
                del pipeline
                os._exit(status)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertEqual(next(pipeline).index, 0)


if __name__ == "__main__":
    unittest.main()
