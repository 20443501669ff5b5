"""throng export writes files of the form that other tools write, with the boxes of the results.

    tests/package/test_export.py build/bin/throng

One reader per format, written from its definition, reads what export writes and, where the folder foreign of
$THRONG_SHARED (default: shared next to the checkout) exists, files that others wrote. Results are random: THRONG_SEED.
"""

import configparser
import json
import os
import pathlib
import random
import shlex
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

program = os.path.abspath(sys.argv.pop(1))
root = pathlib.Path(__file__).resolve().parents[2]
foreign = pathlib.Path(os.environ.get("THRONG_SHARED", root.parent / "shared")) / "foreign/datumaro"
seed = int(os.environ.get("THRONG_SEED", random.SystemRandom().randrange(1 << 31)))


# --- readers: {image: [(x, y, w, h, class)]}, by the rules of each format


def read_coco(path):
    data = json.loads(pathlib.Path(path).read_text())
    assert {"info", "licenses", "categories", "images", "annotations"} <= set(data)
    classes = {each["id"]: each["name"] for each in data["categories"]}
    images = {each["id"]: each for each in data["images"]}
    assert len(images) == len(data["images"])
    found = {each["file_name"]: [] for each in images.values()}
    assert len({each["id"] for each in data["annotations"]}) == len(data["annotations"])
    for each in data["annotations"]:
        assert each["iscrowd"] in (0, 1) and each["area"] > 0 and "segmentation" in each
        points = each.get("keypoints", [])
        assert len(points) % 3 == 0 and each.get("num_keypoints", 0) == sum(v > 0 for v in points[2::3])
        found[images[each["image_id"]]["file_name"]].append((*each["bbox"], classes[each["category_id"]]))
    return found


def read_yolo(folder, sizes):
    folder = pathlib.Path(folder)
    names = (folder / "obj.names").read_text().split("\n")
    settings = dict(line.split(" = ") for line in (folder / "obj.data").read_text().splitlines())
    assert int(settings["classes"]) == len([name for name in names if name])
    found = {}
    for line in (folder / "train.txt").read_text().splitlines():
        image = line.removeprefix("data/obj_train_data/")
        assert image != line
        width, height = sizes[image]
        found[image] = []
        for row in (folder / "obj_train_data" / image).with_suffix(".txt").read_text().splitlines():
            number, x, y, w, h = row.split()
            x, y, w, h = float(x) * width, float(y) * height, float(w) * width, float(h) * height
            found[image].append((x - w / 2, y - h / 2, w, h, names[int(number)]))
    return found


def corners(box):
    left, top, right, bottom = (float(box.get(name)) for name in ("xtl", "ytl", "xbr", "ybr"))
    return left, top, right - left, bottom - top


def read_cvat_images(path):
    document = xml.parse(path).getroot()
    assert document.tag == "annotations" and document.findtext("version") == "1.1"
    labels = {each.text for each in document.iterfind("meta//labels/label/name")}
    found = {}
    for image in document.iterfind("image"):
        assert int(image.get("id")) == len(found) and int(image.get("width")) > 0 and int(image.get("height")) > 0
        found[image.get("name")] = [(*corners(box), box.get("label")) for box in image.iterfind("box")]
        assert all(box.get("occluded") in "01" for box in image.iterfind("box"))
    assert {box[4] for boxes in found.values() for box in boxes} <= labels
    return found


def read_cvat_tracks(path):
    """{frame: [(x, y, w, h, label, track)]}: a track is shown from a box up to one that is outside."""
    document = xml.parse(path).getroot()
    task = document.find("meta/task")
    assert task.findtext("mode") == "interpolation" and document.findtext("version") == "1.1"
    last = int(task.findtext("stop_frame"))
    step = int((task.findtext("frame_filter") or "step=1").removeprefix("step="))
    found = {}
    for track in document.iterfind("track"):
        shown = None
        boxes = {int(box.get("frame")): box for box in track.iterfind("box")}
        for frame in range(int(task.findtext("start_frame")), last + 1, step):
            box = boxes.get(frame)
            if box is not None:
                shown = None if box.get("outside") == "1" else corners(box)
            if shown:
                found.setdefault(frame, []).append((*shown, track.get("label"), int(track.get("id"))))
    return found


def read_mot(folder):
    """{frame: [(x, y, w, h, class, id)]} from 0, and the properties of the sequence."""
    folder = pathlib.Path(folder)
    properties = configparser.ConfigParser()
    properties.read(folder / "seqinfo.ini")
    truth = folder / "gt/gt.txt"
    found = {}
    for row in (truth if truth.exists() else folder / "det/det.txt").read_text().splitlines():
        frame, number, x, y, w, h, *rest = (float(value) for value in row.split(","))
        assert frame >= 1 and len(rest) == (3 if truth.exists() else 4)
        if truth.exists():
            name = (folder / "gt/labels.txt").read_text().splitlines()[int(rest[1]) - 1]
            assert rest[0] in (0, 1) and 0 <= rest[2] <= 1
        else:
            name = "face"
            assert rest[1:] == [-1, -1, -1] and number == -1
        found.setdefault(int(frame) - 1, []).append((x, y, w, h, name, int(number)))
    return found, dict(properties["Sequence"]) if "Sequence" in properties else {}


def read_wider(path):
    lines = iter(pathlib.Path(path).read_text().splitlines())
    found = {}
    for name in lines:
        count = int(next(lines))
        rows = [[int(value) for value in next(lines).split()] for _ in range(max(count, 1))]
        assert all(len(row) == 10 for row in rows)
        found[name] = [(*row[:4], "face") for row in rows[:count]]
    return found


def read_voc(folder):
    folder = pathlib.Path(folder)
    found = {}
    for listing in (folder / "ImageSets/Main").glob("*.txt"):
        for stem in listing.read_text().splitlines():
            words = [] if stem.startswith("#") else shlex.split(stem)
            file = folder / "Annotations" / (words[0] + ".xml") if words else folder / "none"
            if not file.exists():
                continue
            document = xml.parse(file).getroot()
            assert document.tag == "annotation" and int(document.findtext("size/depth")) == 3
            name = "/".join(filter(None, (document.findtext("folder"), document.findtext("filename"))))
            found[name] = []
            for each in document.iterfind("object"):
                left, top, right, bottom = (float(each.findtext("bndbox/" + tag))
                                            for tag in ("xmin", "ymin", "xmax", "ymax"))
                found[name].append((left - 1, top - 1, right - left + 1, bottom - top + 1, each.findtext("name")))
    return found


# --- made-up results


def single(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def made_box(rng, width, height, **more):
    w, h = rng.uniform(2, width / 2), rng.uniform(2, height / 2)
    box = dict(x=single(rng.uniform(-w / 2, width - w / 2)), y=single(rng.uniform(-h / 2, height - h / 2)),
               w=single(w), h=single(h), score=single(rng.uniform(0, 1)))
    return box | more


def made_line(rng, source, frame, size, boxes, tracks=None, landmarks=False):
    kept = [made_box(rng, *size, hits=3) for _ in range(boxes)]
    for box in kept if landmarks else []:
        box["landmarks"] = [[single(rng.uniform(0, size[0])), single(rng.uniform(0, size[1]))] for _ in range(5)]
    line = dict(source=source, source_number=1, frame=frame, pts=frame / 25, width=size[0], height=size[1], raw=9,
                kept=kept, overflow=0, timings_ms={"decode": 1, "total": 2})
    if tracks is not None:
        line["tracks"] = [made_box(rng, *size, id=number, age=0, state=rng.choice(["detected", "predicted"]))
                          for number in tracks]
    return line


def clipped(box, size):
    left, top = max(box["x"], 0), max(box["y"], 0)
    right, bottom = min(box["x"] + box["w"], size[0]), min(box["y"] + box["h"], size[1])
    return left, top, right - left, bottom - top


class Export(unittest.TestCase):
    def setUp(self):
        print("THRONG_SEED", seed, self.id())
        self.rng = random.Random(f"{seed} {self.id()}")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, lines, name="results.jsonl"):
        path = self.folder / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    def export(self, results, form, status=0, out="out", **more):
        options = [word for name, value in more.items() for word in ("--" + name, value)]
        run = subprocess.run([program, "export", str(results), "--format", form, "--out", os.path.join(self.folder, out),
                              *options],
                             capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(run.returncode, status, run.stderr)
        return run

    def check(self, found, lines, tolerance, label="face", names=None):
        """names: of the images, if they are not the sources."""
        names = names or [line["source"] for line in lines]
        self.assertEqual(sorted(found), sorted(names))
        for name, line in zip(names, lines):
            size = line["width"], line["height"]
            wanted = [clipped(box, size) for box in line["kept"]]
            self.assertEqual(len(found[name]), len(wanted), name)
            for got, box in zip(found[name], wanted):
                self.assertEqual(got[4], label)
                for value, right in zip(got, box):
                    self.assertAlmostEqual(value, right, delta=tolerance)

    def photographs(self, landmarks=False):
        names = ["a.jpg", "hall & stage/b <1>.png", "hall & stage/ü.jpg", "empty.png"]
        sizes = [(640, 480), (1001, 333), (64, 64), (320, 240)]
        return [made_line(self.rng, name, 0, size, 0 if name == "empty.png" else self.rng.randrange(1, 9),
                          landmarks=landmarks) for name, size in zip(names, sizes)]

    def test_photographs_in_every_format(self):
        lines = self.photographs()
        results = self.write(lines)
        sizes = {line["source"]: (line["width"], line["height"]) for line in lines}
        readers = {"coco": (read_coco, 1e-3), "yolo": (lambda path: read_yolo(path, sizes), 2e-3),
                   "cvat": (read_cvat_images, 0.011), "wider": (read_wider, 1.01), "voc": (read_voc, 0.011)}
        for form, (read, tolerance) in readers.items():
            with self.subTest(form):
                run = self.export(results, form, out=form)
                self.check(read(self.folder / form), lines, tolerance)
                boxes = sum(len(line["kept"]) for line in lines)
                self.assertIn(f"4 sources, 4 images, {boxes} boxes", run.stdout)
                said = run.stderr.count("has no place for")
                self.assertEqual(said, 0 if form == "coco" else 1, run.stderr)

    def test_label_is_the_class(self):
        lines = self.photographs()
        self.export(self.write(lines), "coco", label="person <1>")
        self.check(read_coco(self.folder / "out"), lines, 1e-3, "person <1>")

    def test_class_is_what_the_detector_finds(self):
        lines = {}
        for detector, name in (("person", "person"), ("cnn", "face")):
            lines[detector] = [dict(line, detector=detector) for line in self.photographs()]
            self.export(self.write(lines[detector]), "coco", out=detector)
            self.check(read_coco(self.folder / detector), lines[detector], 1e-3, label=name)
        mixed = self.write(lines["person"] + [dict(line, source="b/" + line["source"]) for line in lines["cnn"]])
        self.assertIn("--label", self.export(mixed, "coco", status=3, out="mixed").stderr)
        self.export(mixed, "coco", out="mixed", label="head")

    def test_folder_may_end_with_a_slash(self):
        lines = self.photographs()
        (self.folder / "empty").mkdir()
        for out in ("new/", "empty/"):
            self.export(self.write(lines), "voc", out=out)
            self.check(read_voc(self.folder / out), lines, 0.01)
            self.assertEqual([each.name for each in self.folder.iterdir() if each.name.endswith(".part")], [])

    def test_landmarks_are_keypoints(self):
        lines = self.photographs(landmarks=True)
        lines[0]["kept"][0]["landmarks"][2] = [None, 3.5]  # not finite
        self.export(self.write(lines), "coco")
        data = json.loads((self.folder / "out").read_text())
        self.assertEqual(len(data["categories"][0]["keypoints"]), 5)
        wanted = [point for line in lines for box in line["kept"] for point in box["landmarks"]]
        got = [each["keypoints"] for each in data["annotations"]]
        flat = [tuple(xyv[i:i + 3]) for xyv in got for i in range(0, 15, 3)]
        self.assertEqual(len(flat), len(wanted))
        for (x, y, visible), point in zip(flat, wanted):
            x_right, y_right = (0, 0) if None in point else point
            self.assertEqual(visible, 0 if None in point else 2)
            self.assertAlmostEqual(x, x_right, delta=1e-3)
            self.assertAlmostEqual(y, y_right, delta=1e-3)
        read_coco(self.folder / "out")
        self.assertIn("landmarks", self.export(self.write(lines), "yolo", out="yolo").stderr)

    def test_frames_of_videos(self):
        size = 640, 360
        lines = [made_line(self.rng, f"/films/{name}", frame, size, self.rng.randrange(4))
                 for frame in range(5) for name in ("a.mp4", "b/a.mp4")]
        names = [f"{line['source'].removeprefix('/films/')}.frames/frame_{line['frame']:06}.png" for line in lines]
        results = self.write(lines)
        self.export(results, "coco", out="coco")
        self.check(read_coco(self.folder / "coco"), lines, 1e-3, names=names)
        self.export(results, "yolo", out="yolo")
        self.check(read_yolo(self.folder / "yolo", dict.fromkeys(names, size)), lines, 2e-3, names=names)
        self.export(results, "mot", out="mot")
        for name in ("a.mp4", "b/a.mp4"):
            found, properties = read_mot(self.folder / "mot" / name)
            self.assertEqual((properties["framerate"], properties["seqlength"], properties["imwidth"]),
                             ("25", "5", "640"))
            own = [line for line in lines if line["source"] == "/films/" + name]
            self.check({line["frame"]: found.get(line["frame"], []) for line in own}, own, 0.011,
                       names=[line["frame"] for line in own])

    def test_tracks(self):
        size = 640, 360
        frames = 12
        ids = {frame: [number for number in range(1, 6) if self.rng.random() < 0.6] for frame in range(frames)}
        lines = [made_line(self.rng, "clip.mp4", frame, size, 2, tracks=ids[frame]) for frame in range(frames)]
        results = self.write(lines)
        wanted = {line["frame"]: sorted((track["id"], clipped(track, size)) for track in line["tracks"])
                  for line in lines if line["tracks"]}
        for form, read in {"cvat": read_cvat_tracks, "mot": lambda path: read_mot(path / "clip.mp4")[0]}.items():
            with self.subTest(form):
                self.export(results, form, out=form)
                found = read(self.folder / form)
                self.assertEqual(sorted(found), sorted(wanted))
                for frame, tracks in wanted.items():
                    got = sorted((box[5], box[:4]) for box in found[frame])
                    self.assertEqual([each[0] for each in got], [each[0] for each in tracks])
                    for (_, box), (_, right) in zip(got, tracks):
                        for value, wanted_value in zip(box, right):
                            self.assertAlmostEqual(value, wanted_value, delta=0.011)

    def test_people_and_faces_have_classes(self):
        size = 640, 360
        lines = []
        for frame in range(4):
            line = made_line(self.rng, "clip.mp4", frame, size, 2, tracks=[1, 2])
            faces = made_line(self.rng, "clip.mp4", frame, size, frame, tracks=[1], landmarks=True)
            lines.append(line | {"faces": {"kept": faces["kept"], "tracks": faces["tracks"]}})
        results = self.write(lines)
        names = [f"clip.mp4.frames/frame_{frame:06}.png" for frame in range(4)]
        readers = {"coco": read_coco, "yolo": lambda path: read_yolo(path, dict.fromkeys(names, size)), "voc": read_voc}
        for form, read in readers.items():
            with self.subTest(form):
                self.export(results, form, out=form)
                found = read(self.folder / form)
                people = {name: [box for box in boxes if box[4] == "person"] for name, boxes in found.items()}
                self.check(people, lines, 0.011, "person", names)
                faces = {name: [box for box in boxes if box[4] != "person"] for name, boxes in found.items()}
                self.check(faces, [line | line["faces"] for line in lines], 0.011, names=names)
        categories = json.loads((self.folder / "coco").read_text())
        self.assertEqual(["keypoints" in each for each in categories["categories"]], [False, True])
        self.assertEqual(sum("keypoints" in each for each in categories["annotations"]), 0 + 1 + 2 + 3)
        for form, read in {"cvat": read_cvat_tracks, "mot": lambda path: read_mot(path / "clip.mp4")[0]}.items():
            with self.subTest(form):
                self.export(results, form, out=form, label="head")
                for frame, boxes in read(self.folder / form).items():
                    line = lines[frame]
                    tracks = [("person", track) for track in line["tracks"]]
                    tracks += [("head", track) for track in line["faces"]["tracks"]]
                    wanted = sorted((name, clipped(track, size)) for name, track in tracks)
                    self.assertEqual(len({box[5] for box in boxes}), 3)
                    for (*right, name), (wanted_name, box) in zip(sorted((*b[:4], b[4]) for b in boxes),
                                                                  sorted(wanted, key=lambda each: each[1])):
                        self.assertEqual(name, wanted_name)
                        for value, wanted_value in zip(right, box):
                            self.assertAlmostEqual(value, wanted_value, delta=0.011)
        self.assertIn("holds one class", self.export(results, "wider", status=2, out="wider").stderr)
        same = self.export(results, "coco", status=2, out="same", label="person")
        self.assertIn("name the faces otherwise", same.stderr)
        one = made_line(self.rng, "b.mp4", 0, size, 1, tracks=[])
        self.assertIn("others have one class", self.export(self.write(lines + [one]), "coco", status=3).stderr)

    def test_bad_input_is_named_and_leaves_nothing(self):
        lines = self.photographs()
        (self.folder / "full").mkdir()
        (self.folder / "full/mine.txt").write_text("mine")
        cases = [  # lines, format, output, status, what the message names
            ([], "coco", "out", 3, "has no frames"),
            ([lines[0], lines[0]], "coco", "out", 3, "results.jsonl:2"),
            ([lines[0] | {"width": 0}], "yolo", "out", 3, "results.jsonl:1"),
            ([lines[0], {"source": 3}], "voc", "out", 3, "results.jsonl:2"),
            ([lines[0], lines[0] | {"source": "a.png"}], "yolo", "out", 2, "a.png"),
            (lines, "yolo", "full", 2, "is not an empty folder"),
            (lines, "coco", "missing/out", 3, "missing"),
            (lines, "coco", "results.jsonl", 2, "--out"),
            ([made_line(self.rng, name, frame, (64, 64), 1, tracks=[1]) for name in ("a.mp4", "b.mp4")
              for frame in range(2)], "cvat", "out", 2, "2 sources"),
        ]
        for made, form, out, status, names in cases:
            with self.subTest(names):
                before = self.write(made).read_bytes()
                run = self.export("results.jsonl", form, status=status, out=out)
                self.assertIn(names, run.stderr)
                self.assertEqual(sorted(os.listdir(self.folder)), ["full", "results.jsonl"])
                self.assertEqual((self.folder / "results.jsonl").read_bytes(), before)
                self.assertEqual((self.folder / "full/mine.txt").read_text(), "mine")

    def test_boxes_outside_the_image_are_left_out(self):
        line = made_line(self.rng, "a.jpg", 0, (100, 100), 1)
        outside = [dict(x=x, y=y, w=10, h=10, score=0.5, hits=1) for x, y in ((-10, 5), (100, 5), (5, -11), (5, 200))]
        self.export(self.write([line | {"kept": line["kept"] + outside}]), "coco")
        self.check(read_coco(self.folder / "out"), [line], 1e-3)

    def test_results_of_an_archive(self):
        for name in ("in/a.png", "in/b/c.png"):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            subprocess.run([program, "crowd", self.folder / name, "--faces", "3", "--size", "320x240", "-q"], check=True)
        subprocess.run([program, "detect", "in", "--out", "found", "--detector", "haar", "--min-hits", "1", "-q"],
                       check=True, cwd=self.folder)
        self.export("found", "coco")
        lines = [json.loads((self.folder / f"found/in/{name}.jsonl").read_text()) for name in ("a.png", "b/c.png")]
        self.check(read_coco(self.folder / "out"), lines, 1e-3, names=("a.png", "b/c.png"))
        self.assertGreater(sum(len(line["kept"]) for line in lines), 0)

    @unittest.skipUnless(foreign.exists(), "needs files of others")
    def test_readers_read_what_others_wrote(self):
        self.assertEqual(read_coco(foreign / "coco_dataset/coco_instances/annotations/instances_val.json")["b.jpg"][0],
                         (0.0, 0.0, 1.0, 2.0, "a"))
        yolo = read_yolo(foreign / "yolo_dataset/strict", {"1.jpg": (15, 10)})["1.jpg"]
        self.assertEqual([[round(value, 3) for value in box[:4]] for box in yolo], [[0, 2, 4, 2], [3, 3, 2, 3]])
        cvat = read_cvat_images(foreign / "cvat_dataset/for_images/export_task/train.xml")
        self.assertEqual(cvat["img0.jpg"], [(0, 2, 4, 2, "label1")])
        tracks = read_cvat_tracks(foreign / "cvat_dataset/for_video/annotations.xml")
        self.assertIn((3, 4, 7, 1, "II", 0), tracks[10])
        self.assertEqual([box for frame in tracks if frame > 10 for box in tracks[frame] if box[5] == 0], [])
        mot, properties = read_mot(foreign / "mot_dataset/mot_seq_with_seqinfo")
        self.assertEqual(mot, {0: [(0, 4, 4, 8, "label_2", -1)]})
        self.assertEqual(properties["imwidth"], "16")
        wider = read_wider(foreign / "widerface_dataset/wider_face_split/wider_face_val_bbx_gt.txt")
        self.assertEqual(wider["0--Parade/0_Parade_image_03.jpg"][1], (3, 2, 1, 2, "face"))
        voc = read_voc(foreign / "voc_dataset/voc_dataset1")
        self.assertEqual(voc["VOC2007/2007_000001.jpg"], [(0, 1, 3, 3, "cat"), (3, 4, 3, 3, "person")])


if __name__ == "__main__":
    unittest.main()
