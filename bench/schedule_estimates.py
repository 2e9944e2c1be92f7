#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what the schedule phase estimates of models' kernels with what runs of them take.

usage: schedule_estimates.py ZENITH_RUN MODEL.onnx... [--threads T] [--runs N] [--kernels]

Prints a Markdown table, one line for each model, or, with --kernels, for each of its kernels, and the rank correlation
(Spearman) of estimates and times. Estimates are of one core of a processor; kernels that prepare parameters don't count.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile


def ranks(values):
    """The rank of each value; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result, start = [0.0] * len(values), 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for place in order[start:end]:
            result[place] = (start + end - 1) / 2
        start = end
    return result


def rank_correlation(xs, ys):
    xs, ys = ranks(xs), ranks(ys)
    mean = (len(xs) - 1) / 2
    covariance = sum((x - mean) * (y - mean) for x, y in zip(xs, ys))
    squares = sum((x - mean) ** 2 for x in xs) * sum((y - mean) ** 2 for y in ys)
    return covariance / squares ** 0.5 if squares else float("nan")


def measure(tool, model, threads, runs):
    """(kernel, schedule's kind, estimated us, least us of the runs) of each kernel of a model."""
    with tempfile.TemporaryDirectory() as folder:
        dump = os.path.join(folder, "schedules.json")
        command = [tool, model, "--random-inputs", f"--threads={threads}", f"--dump-schedules={dump}",
                   "--report=time"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(dump) as file:
            kernels = [kernel for kernel in json.load(file)["kernels"] if kernel["function"] != "prepare"]
        # Equal kernels are emitted once: the launches of a form have the sources of all fusions that it stands for, and
        # those of a kernel of several passes are named after its form.
        best, sources = {}, {}
        for _ in range(runs):
            lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
            times = {}
            for launch in next(json.loads(line) for line in lines if '"kernels"' in line)["kernels"]:
                form = "_".join(launch["kernel"].split("_")[:2])
                if "_prepare" not in launch["kernel"]:
                    times[form] = times.get(form, 0.0) + launch["ms"] / launch["calls"] * 1000
                    sources.setdefault(form, set()).update(launch["sources"])
            for form, time in times.items():
                best[form] = min(time, best.get(form, time))
    rows = []
    for kernel in kernels:
        forms = [form for form in best if form.split("_")[1] == kernel["kernel"].split("_")[1]
                 and sources[form].issuperset(kernel["source"])]
        if kernel.get("estimate_us") and forms:
            time = best[min(forms, key=lambda form: len(sources[form]))]
            rows.append((kernel["kernel"], kernel["kind"], kernel["estimate_us"], time))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--kernels", action="store_true")
    arguments = parser.parse_args()
    estimates, times = [], []
    print("| model | kernel | kind | estimate us | measured us | ratio |\n|---|---|---|---|---|---|")
    for model in arguments.models:
        rows = measure(arguments.tool, model, arguments.threads, arguments.runs)
        if rows and not arguments.kernels:
            names, kinds, own, measured = zip(*rows)
            rows = [(len(names), ", ".join(dict.fromkeys(kinds)), sum(own), sum(measured))]
        for kernel, kind, estimate, time in rows:
            estimates.append(estimate)
            times.append(time)
            name = os.path.splitext(os.path.basename(model))[0]
            print(f"| {name} | {kernel} | {kind} | {estimate:.0f} | {time:.0f} | {estimate / max(time, 1e-3):.2f} |", flush=True)
    print(f"\nRank correlation of {len(times)}: {rank_correlation(estimates, times):.3f}")


if __name__ == "__main__":
    sys.exit(main())
