"""Every front end names a wrong setting as its users know it, as no other one does, and in one wording.

    PYTHONPATH=build/python tests/package/test_settings.py build/bin/throng build/lib
"""

import array
import ctypes
import os
import subprocess
import sys
import tempfile
import unittest

import throng

program, libraries = sys.argv.pop(1), sys.argv.pop(1)


class Options(ctypes.Structure):
    """throng_options of throng.h."""

    _fields_ = [("size", ctypes.c_uint32), ("backend", ctypes.c_int32), ("detector", ctypes.c_char_p),
                ("model", ctypes.c_char_p), ("device", ctypes.c_int32), ("threads", ctypes.c_int32),
                ("min_size", ctypes.c_int32), ("max_size", ctypes.c_int32), ("scale_factor", ctypes.c_double),
                ("score_threshold", ctypes.c_double), ("theta", ctypes.c_double),
                ("min_hits", ctypes.c_int32), ("track", ctypes.c_int32),
                ("settings", ctypes.POINTER(ctypes.c_char_p)), ("stop", ctypes.c_void_p),
                ("hide", ctypes.c_int32), ("pixels", ctypes.c_int32)]


class NmsParams(ctypes.Structure):
    """throng_nms_params of throng_nms.h."""

    _fields_ = [("size", ctypes.c_uint32)] + [
        (name, ctypes.c_int32) for name in ("rule", "overlap", "pair", "ties", "compare", "invalid",
                                            "pixels", "min_hits", "reserved")] + [
        (name, ctypes.c_double) for name in ("theta", "sigma", "score_min", "feature_low", "feature_high",
                                             "feature_distance")]


def values_of(enumeration):
    return {name: number for number, name in enumerate(enumeration.split())}


# Values of the enumerations in C; Python and the command line have the words.
WORDS = {"backend": values_of("auto cpu cuda"), "rule": values_of("one-pass greedy soft-linear soft-gaussian"),
         "overlap": values_of("iou suppressor min"), "pair": values_of("overlap adaptive feature"),
         "ties": values_of("total strict index"), "compare": values_of("at-least above")}

# Wrong values of the settings of a detector, and of suppression. The first one is named.
DETECTOR = [{"min_size": -1}, {"max_size": -1}, {"max_size": 20, "min_size": 50}, {"scale_factor": 0.5},
            {"scale_factor": 99.0}, {"threads": -1}, {"min_hits": -1}, {"theta": 2.0}, {"detector": "none"},
            {"backend": "none"}, {"device": -1}]
NMS = [{"theta": -0.5}, {"min_hits": 0}, {"sigma": 0.0}, {"score_min": float("inf")}, {"feature_low": -1.0},
       {"feature_high": 0.3, "feature_low": 0.6}, {"feature_distance": -1.0}, {"rule": "none"}, {"overlap": "none"},
       {"pair": "none"}, {"ties": "none"}, {"compare": "none"}, {"overlap": "min", "rule": "soft-linear"},
       {"pair": "adaptive", "rule": "soft-linear"}, {"min_hits": 2, "rule": "soft-linear"},
       {"ties": "index", "rule": "soft-linear"}, {"compare": "above", "rule": "soft-linear"}]
# Settings that only the program has.
PROGRAM = [{"paper_k": 65}, {"capacity": -1}, {"merge": "none?"}, {"kernels": "paper", "rule": "greedy"},
           {"merge": "mean", "rule": "soft-linear"}]


def option_of(name):
    return name.replace("_", "-")


def wrong_values(kind, low, high):
    """Returns texts that a setting of this type cannot have, and that the command line passes on."""
    if kind in ("whole", "real"):
        beyond = [f"{low - 1:.0f}", f"{high + 1:.0f}"]
        return ["x", "nan", "inf", "1x", " "] + beyond + (["1.5"] if kind == "whole" else [])
    return {"choice": ["none?", "HAAR"], "pairs": ["x", "=x", "x="]}.get(kind, [])


class NamesOfSettings(unittest.TestCase):
    def check(self, text, own, others, context):
        for name in own:
            self.assertIn(name, text, context)
        for name in others:
            self.assertNotIn(name, text, context)

    def run_program(self, *arguments):
        result = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, 2, f"{arguments}: {result.stderr}")
        return result.stderr

    def calls(self):
        for settings in DETECTOR:
            yield "detect", settings
        for settings in NMS + PROGRAM:
            yield "nms", settings

    def test_command_line(self):
        for command, settings in self.calls():
            text = self.run_program(command, "missing", "--config", "",
                                    *(f"--{option_of(name)}={value}" for name, value in settings.items()))
            self.check(text, ["--" + option_of(next(iter(settings)))], ["params.", "options."], settings)

    def test_configuration_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "c.toml")
            for command, settings in self.calls():
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"[{command}]\n")
                    for name, value in settings.items():
                        file.write(f"{option_of(name)} = {value!r}\n")
                text = self.run_program(command, "missing", "--config", path)
                name = option_of(next(iter(settings)))
                self.check(text, [f"{path}:2: {command}.{name}"], [f"--{option_of(each)}" for each in settings],
                           settings)

    def fill(self, struct, settings):
        for field, value in settings.items():
            name = field
            value = WORDS.get(name, {}).get(value, 99) if name in WORDS else value
            setattr(struct, field, value.encode() if isinstance(value, str) else value)
        return struct

    def default_of(self, init, kind):
        struct = kind()
        init(ctypes.byref(struct), ctypes.c_size_t(ctypes.sizeof(struct)))
        return struct

    def field_of(self, settings, theta):
        name = next(iter(settings))
        return theta if name == "theta" else name

    def test_c(self):
        detection = ctypes.CDLL(os.path.join(libraries, "libthrong.so"))
        detection.throng_detector_error.restype = ctypes.c_char_p
        handle = ctypes.c_void_p()
        for settings in DETECTOR:
            options = self.fill(self.default_of(detection.throng_options_init, Options), settings)
            status = detection.throng_detector_create(ctypes.byref(handle), 0, ctypes.byref(options))
            self.assertEqual(status, 2, settings)
            text = detection.throng_detector_error(None).decode()
            self.check(text, [f"options.{next(iter(settings))}: "], ["--"], f"{settings}: {text}")
        nms = ctypes.CDLL(os.path.join(libraries, "libthrong_nms.so"))
        nms.throng_nms_error.restype = ctypes.c_char_p
        self.assertEqual(nms.throng_nms_create(ctypes.byref(handle), 0, 0, 0), 0)
        size = ctypes.c_size_t()
        for settings in NMS:
            params = self.fill(self.default_of(nms.throng_nms_params_init, NmsParams), settings)
            status = nms.throng_nms_workspace_size(handle, ctypes.byref(params), ctypes.c_int64(1),
                                                   ctypes.byref(size))
            self.assertEqual(status, 2, settings)
            text = nms.throng_nms_error(handle).decode()
            self.check(text, [f"params.{next(iter(settings))}"], ["--"], f"{settings}: {text}")
        nms.throng_nms_destroy(handle)

    def test_python(self):
        boxes = memoryview(array.array("f", [0, 0, 9, 9])).cast("B").cast("f", (1, 4))
        scores = memoryview(array.array("f", [1]))
        for settings in NMS:
            arguments = {"rule": "greedy", **settings}
            if "theta" in arguments:
                arguments["iou_threshold"] = arguments.pop("theta")
            with self.assertRaises(throng.Error, msg=settings) as raised:
                throng.nms(boxes, scores, **arguments)
            field = self.field_of(settings, "iou_threshold")
            self.check(str(raised.exception), [field], ["--", "params.", "theta"], settings)
        try:
            detector = throng.Detector
        except ImportError as error:
            self.skipTest(str(error))
        for settings in DETECTOR:
            with self.assertRaises(throng.Error, msg=settings) as raised:
                detector(**settings)
            self.check(str(raised.exception), [f"{next(iter(settings))}: "], ["--", "options."], settings)

    def c_text(self, settings):
        """Returns the error of a detector with these texts as options.settings."""
        detection = ctypes.CDLL(os.path.join(libraries, "libthrong.so"))
        detection.throng_detector_error.restype = ctypes.c_char_p
        options = self.default_of(detection.throng_options_init, Options)
        options.settings = (ctypes.c_char_p * (len(settings) + 1))(*(text.encode() for text in settings), None)
        handle = ctypes.c_void_p()
        self.assertEqual(detection.throng_detector_create(ctypes.byref(handle), 0, ctypes.byref(options)), 2, settings)
        return detection.throng_detector_error(None).decode()

    def test_every_setting_has_one_wording(self):
        """The rows of the table with every kind of wrong value: a new row is covered by itself."""
        try:
            detector = throng.Detector
        except ImportError as error:
            self.skipTest(str(error))
        rows = throng._detection._detect.settings
        self.assertGreater(len(rows), 20)
        tried = set()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "c.toml")
            for name, (kind, low, high, _) in rows.items():
                for value in wrong_values(kind, low, high):
                    option = option_of(name)
                    with self.assertRaises(throng.Error, msg=name) as raised:
                        detector(**{name: value})
                    text = str(raised.exception)
                    self.assertTrue(text.startswith(f"{name}: must ") and text.endswith(f', not "{value}"'), text)
                    problem = text.removeprefix(f"{name}: ")
                    self.assertEqual(self.c_text([f"{name}={value}"]), f"options.{name}: {problem}")
                    if kind in tried:
                        continue  # the program is slow to start; tests/unit/app/settings_test.cpp tries all values
                    tried.add(kind)
                    text = self.run_program("detect", "missing", "--config", "", f"--{option}={value}")
                    self.assertIn(f"--{option}: {problem}", text)
                    with open(path, "w", encoding="utf-8") as file:
                        file.write(f"{option} = {value!r}\n")
                    text = self.run_program("detect", "missing", "--config", path)
                    self.assertIn(f"{path}:1: {option}: {problem}", text)

    def test_unknown_settings(self):
        try:
            detector = throng.Detector
        except ImportError as error:
            self.skipTest(str(error))
        with self.assertRaisesRegex(TypeError, "'min_sise'.*'min_size'"):
            detector(min_sise=3)
        self.assertEqual(self.c_text(["min_sise=3"]), "min_sise: no setting has this name (did you mean min_size?)")
        self.assertIn("NAME=VALUE", self.c_text(["min_size"]))


if __name__ == "__main__":
    unittest.main()
