#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports StableHLO programs as ONNX, runs them in ONNX Runtime and compares with the expected results.

usage: agreement.py ZENITH_TRANSLATE CONFORMANCE [--name SUBSTRING] [--opset 18]

CONFORMANCE is a folder with manifest.jsonl and the suite stablehlo-args; it is used in place. Prints a line per program: its verdict, its name
and the reason. "left out": an element type that is not f32, f64, i32, i64 or i1, or an op that ONNX cannot express, by name. "no kernel": the
model is valid, but ONNX Runtime lacks an operator for the type. Exits 1 where a result is wrong or fewer than 95 % of the rest agree.
Needs numpy, onnx and onnxruntime.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

TYPES = {"f32", "f64", "i32", "i64", "i1"}


def tensor(path):
    with open(path, "rb") as file:
        return onnx.numpy_helper.to_array(onnx.TensorProto.FromString(file.read()))


def element_types(program):
    """What stands behind the dimensions of tensor types; complex<f32> counts as complex."""
    with open(program) as file:
        return set(re.findall(r"tensor<(?:[0-9?]+x)*([a-zA-Z]\w*)", file.read()))


def differs(got, expected, slack):
    """None, or what is wrong. Operators of ONNX promise no last digits, so floats agree within 1e-5, doubles within 1e-9, and `slack`."""
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return f"{got.dtype}{got.shape} instead of {expected.dtype}{expected.shape}"
    if expected.dtype.kind == "f":
        same = np.isclose(got, expected, rtol=1e-9 if expected.dtype == np.float64 else 1e-5, atol=slack, equal_nan=True)
    else:
        same = got == expected
    if same.all():
        return None
    at = int(np.argmin(same.ravel()))
    return f"element {at} is {got.ravel()[at]} instead of {expected.ravel()[at]}"


def numbered(folder, prefix):
    count = sum(name.startswith(prefix) for name in os.listdir(folder))
    return [tensor(os.path.join(folder, f"{prefix}{k}.pb")) for k in range(count)]


def slack_of(folder):
    """The absolute difference that the case allows, where it says so."""
    with open(os.path.join(folder, "case.json")) as file:
        case = json.load(file)
    return case["atol_almost_eq"] if "expect_almost_eq" in case["checks"] else 1e-6


def verdict(translate, folder, opset):
    program = os.path.join(folder, "program.mlir")
    others = element_types(program) - TYPES
    if others:
        return "left out", "element types " + ", ".join(sorted(others))
    with tempfile.TemporaryDirectory() as scratch:
        model = os.path.join(scratch, "model.onnx")
        done = subprocess.run([translate, program, "-o", model, f"--opset={opset}"], capture_output=True, text=True, timeout=120)
        if done.returncode == 3:
            return "left out", done.stderr.strip().split("error: ")[-1].splitlines()[0]
        if done.returncode:
            return "wrong", f"exit {done.returncode}: {done.stderr.strip()}"
        try:
            session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
            names = [value.name for value in session.get_inputs()]
            results = session.run(None, dict(zip(names, numbered(folder, "input_"))))
        except Exception as error:  # its classes are not public
            lacking = "NOT_IMPLEMENTED" in str(error)
            return "no kernel" if lacking else "wrong", str(error).replace("\n", " ")[:200]
    for number, (got, expected) in enumerate(zip(results, numbered(folder, "output_"))):
        why = differs(np.asarray(got), expected, slack_of(folder))
        if why:
            return "wrong", f"result {number}: {why}"
    return "agrees", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("translate")
    parser.add_argument("conformance")
    parser.add_argument("--name", default="")
    parser.add_argument("--opset", type=int, default=18)
    options = parser.parse_args()
    onnxruntime.set_default_logger_severity(4)
    counts = collections.Counter()
    with open(os.path.join(options.conformance, "manifest.jsonl")) as manifest:
        cases = [json.loads(line) for line in manifest]
    for case in cases:
        if case["suite"] != "stablehlo-args" or case["tier"] != "core" or options.name not in case["id"]:
            continue
        word, why = verdict(options.translate, os.path.join(options.conformance, case["id"]), options.opset)
        counts[word] += 1
        print(f"{word:9} {case['id']} {why}".rstrip(), flush=True)
    asked = sum(counts.values()) - counts["left out"]
    print(f"{counts['agrees']} of {asked} agree, {counts['wrong']} wrong, {counts['no kernel']} without a kernel, {counts['left out']} left out")
    return 1 if counts["wrong"] or counts["agrees"] < 0.95 * asked else 0


if __name__ == "__main__":
    sys.exit(main())
