# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What each form that searches choose for their states is worth: runs with it and without it.

import fnmatch
import json
import subprocess
import sys

# Graph with options (a breadth-first search where no other command comes first), last layer (None: all), and the forms that
# are taken away, one list each. What takes a form away may leave another one that would not have been chosen: without rows
# of bits there is a dense index, without that there are keys.
ORDER = [["bit-rows"], ["bit-rows", "dense-index"], ["bit-rows", "dense-index", "back-bits"],
         ["bit-rows", "dense-index", "keys"]]
CASES = [
    ("lrx:9", None, *ORDER),
    ("lrx:11", None, ["bit-rows", "dense-index"], ["bit-rows", "dense-index", "symmetry"]),
    ("pancake:9", None, *ORDER),
    ("lx:9", None, *ORDER[:2], ORDER[3]),
    ("lrx:00000000001111111111", None, ["marks"], ["marks", "back-bits"], ["marks", "keys"]),
    ("heisenberg:3,60", None, ["keys"]),
    ("cube_222_fixed_htm", 8, ["bit-rows"], ["bit-rows", "pieces"], ["bit-rows", "keys"]),
    ("cube_333_htm", 6, ["symmetry-group"], ["symmetry-group", "last-count"],
     ["symmetry-group", "pieces"],
     ["symmetry-group", "pieces", "last-count"]),
    ("coxeter:10 --max-memory=64M", None, ["bit-rows", "dense-index", "marks"],
     ["bit-rows", "dense-index", "marks", "key-ranges"]),
    ("all_transpositions:8", None, ["bit-rows", "generator-table"], ["bit-rows", "dense-index", "generator-table"]),
    ("beam lrx:16 --from=15,14,13,12,11,10,9,8,7,6,5,4,3,2,1,0 --width=100000 --max-steps=25", None, ["score-first"]),
    ("beam pancake:12 --from=11,9,7,5,3,1,0,2,4,6,8,10 --width=10000 --max-steps=8", None, ["score-first"]),
]


def search(options, graph, last, forms, threads):
    """The report of one search, as zenith-search writes it."""
    words = graph.split()
    command = [options.zenith, *([] if words[0] == "beam" else ["bfs"]), *words, "--json=-", f"--threads={threads}"]
    command += [f"--max-layers={last}"] if last is not None else []
    command += [f"--without={','.join(forms)}"] if forms else []
    command += options.zenith_args.split()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed with exit code {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def row(name, threads, peer, reports):
    return {"model": name, "threads": threads, "peer": peer, "rounds": len(reports),
            "states": reports[0]["states"], "min_ms": min(report["run_ms"] for report in reports),
            "compile_ms": min(report["compile_ms"] for report in reports),
            "peak_bytes": max(report["peak_bytes"] for report in reports)}


def run(options):
    """Rows of pairs, the whole program as "zenith" and the other named by what it lacks, in turns."""
    rows = []
    for graph, last, *without in CASES:
        if not fnmatch.fnmatch(graph, options.filter):
            continue
        for threads in map(int, options.threads.split(",")):
            reports = [[] for _ in range(len(without) + 1)]
            for _ in range(int(options.rounds)):
                for forms, found in zip([[], *without], reports):
                    found.append(search(options, graph, last, forms, threads))
            if len({json.dumps(report["layers"]) for found in reports for report in found}) > 1:
                sys.exit(f"{graph}: the layers differ between forms")
            for forms, found in zip(without, reports[1:]):
                name = f"{graph} without {', '.join(forms)}"
                rows += [row(name, threads, "zenith", reports[0]), row(name, threads, "without", found)]
    return {"rows": rows}
