#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills a search with checkpoints at random moments: what is resumed ends with the same layers.

usage: killed_search.py ZENITH_SEARCH GRAPH KILLS SEED [OPTIONS...]
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time


def main():
    search, graph, kills, seed, *options = sys.argv[1:]
    rng = random.Random(int(seed))
    with tempfile.TemporaryDirectory() as folder:
        report, kept = os.path.join(folder, "r.json"), os.path.join(folder, "kept")
        command = [search, "bfs", graph, *options, "--json=" + report]

        def layers(*more):
            subprocess.run([*command, *more], check=True, stdout=subprocess.DEVNULL)
            with open(report) as file:
                return json.load(file)

        wanted = layers()["layers"]
        began = time.monotonic()
        layers("--checkpoint-dir=" + kept)
        seconds = time.monotonic() - began
        resumed = 0
        for kill in range(int(kills)):
            shutil.rmtree(kept)
            running = subprocess.Popen([*command, "--checkpoint-dir=" + kept], stdout=subprocess.DEVNULL)
            time.sleep(rng.uniform(0.1, 1) * seconds)
            running.kill()
            running.wait()
            # A search that was killed before its first layer has nothing to go on from.
            goes_on = os.path.exists(os.path.join(kept, "search.safetensors"))
            got = layers("--checkpoint-dir=" + kept, *(["--resume"] if goes_on else []))
            resumed += goes_on
            if got["layers"] != wanted or (got["resumed_from"] is None) == goes_on:
                sys.exit(f"kill {kill}: {json.dumps(got)[:400]}, expected layers {wanted}")
        print(f"{kills} kills, {resumed} resumed, the layers are the same")


if __name__ == "__main__":
    main()
