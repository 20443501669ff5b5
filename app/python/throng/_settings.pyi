# Keywords of Detector and Pipeline. throng-reference writes this file.
from os import PathLike
from typing import Literal, TypedDict

Kind = Literal["auto", "haar", "lbp", "hog", "cnn", "person", "face+person"]

class Settings(TypedDict, total=False):
    model: str | PathLike[str] | None
    min_size: int | None
    max_size: int | None
    scale_factor: float | None
    score_threshold: float | None
    half: bool | None
    switch: dict[str, str] | None
    threads: int | None
    rule: Literal["one-pass", "greedy", "soft-linear", "soft-gaussian"] | None
    overlap: Literal["iou", "suppressor", "min"] | None
    theta: float | None
    min_hits: int | None
    min_confidence: float | None
    merge: Literal["none", "mean", "weighted"] | None
    pair: Literal["overlap", "adaptive", "feature"] | None
    pixels: Literal["continuous", "inclusive"] | None
    ties: Literal["total", "strict", "index"] | None
    compare: Literal["at-least", "above"] | None
    sigma: float | None
    score_min: float | None
    feature_low: float | None
    feature_high: float | None
    feature_distance: float | None
    kernels: Literal["fast", "paper"] | None
    paper_k: int | None
    capacity: int | None
