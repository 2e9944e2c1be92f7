#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs a suite of the peers' bench on Zenith and its peers, and prints how they compare.
"""Compares Zenith with its peers: run.py SUITE [options]

Suites: models (whole networks), kernels (single operations), training (steps as StableHLO), compile-time (cold and
from the cache), memory (peak and transient bytes). The peers' harness is a folder with bench.py, models.py,
kernels.py and train.py; it is used in place and named by --harness or ZENITH_PEERS.
The suite ablation needs no peers: it runs searches with and without each form of their states.
"""

import argparse
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import ablation
import figures
import machine

# What a suite measures: who writes its models, with whom it compares, and how long each gets.
SUITES = {
    "models": dict(writer="models.py", peers="zenith,onnxruntime,openvino,jax", suffix=".onnx"),
    "kernels": dict(writer="kernels.py", peers="zenith,onnxruntime,openvino,jax", suffix=".onnx"),
    "training": dict(writer="train.py", peers="zenith,jax,torch,torch-compile", suffix=".mlir"),
    "compile-time": dict(writer="models.py", peers="zenith,onnxruntime,openvino", suffix=".onnx", brief=True),
    "ablation": dict(own=ablation.run, tool="zenith-search"),
    "memory": dict(writer="models.py", peers="zenith,onnxruntime,openvino", suffix=".onnx", brief=True),
}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("--harness", default=os.environ.get("ZENITH_PEERS"), help="folder of the peers' bench")
    parser.add_argument("--python", default=sys.executable, help="interpreter that has the peers")
    parser.add_argument("--zenith", help="program to measure (default: that of the suite, as built)")
    parser.add_argument("--zenith-args", default="", help="further options of the program")
    parser.add_argument("--data", help="folder that keeps the generated models (default: a temporary one)")
    parser.add_argument("--filter", default="*", help="pattern of model names")
    parser.add_argument("--peers", help="names of peers, with commas between")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", default="5")
    parser.add_argument("--nice", default="0", help="priority of the measured processes")
    parser.add_argument("--json", help="file for all figures, with machine and versions")
    options = parser.parse_args()
    suite = SUITES[options.suite]
    tool = suite.get("tool", "zenith-run")
    options.zenith = options.zenith or shutil.which(tool) or f"build/bin/{tool}"
    if "own" not in suite and (not options.harness or not (Path(options.harness) / "bench.py").is_file()):
        parser.exit(2, "the peers' harness is absent: name its folder by --harness or ZENITH_PEERS\n")
    if not os.access(options.zenith, os.X_OK):
        parser.exit(2, f"there is no {options.zenith}: build it, or name it by --zenith\n")
    return options


def models_of(suite, options, folder):
    """The suite's model files; those that are missing are written first."""
    folder = Path(options.data or folder) / suite["writer"].removesuffix(".py")
    folder.mkdir(parents=True, exist_ok=True)
    def present():
        return sorted(path for path in folder.glob("*" + suite["suffix"])
                      if fnmatch.fnmatch(path.stem, options.filter))

    if not present():
        writer = Path(options.harness) / suite["writer"]
        subprocess.run([options.python, writer, folder, options.filter], check=True)
    return present()


def measure(models, suite, options, folder, zenith_args, cache=None):
    """The harness's own report."""
    result = Path(folder) / "result.json"
    brief = suite.get("brief", False)
    command = [options.python, Path(options.harness) / "bench.py", *models, "--zenith", options.zenith,
               "--peers", options.peers or suite["peers"], "--threads", options.threads, "--nice", options.nice,
               "--rounds", "1" if brief else options.rounds, "--json", result]
    command += ["--turn-ms", "50"] if brief else []
    # One word, or the harness takes what begins with a dash for an option of its own.
    command += [f"--zenith-args={zenith_args}"] if zenith_args else []
    command += ["--cache", cache] if cache else []
    done = subprocess.run([str(word) for word in command])
    if done.returncode:
        sys.exit(f"the harness failed with exit code {done.returncode}")
    return json.loads(result.read_text())


def run_suite(options, folder):
    suite = SUITES[options.suite]
    if "own" in suite:
        return suite["own"](options)
    models = models_of(suite, options, folder)
    if not models:
        sys.exit(f"no model of the suite is called {options.filter}")
    report = measure(models, suite, options, folder, options.zenith_args)
    if options.suite == "compile-time":
        # Twice with a cache: the first run fills it.
        cache = Path(folder) / "cache"
        cached = f"{options.zenith_args} --cache={cache}/zenith".strip()
        for _ in range(2):
            warm = measure(models, suite, options, folder, cached, cache)
        report["warm_rows"] = warm["rows"]
    return report


def main():
    options = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        report = run_suite(options, folder)
    report.update(suite=options.suite, machine=machine.describe(), versions=machine.versions(options))
    print("\n" + figures.table(report))
    if options.json:
        Path(options.json).write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
