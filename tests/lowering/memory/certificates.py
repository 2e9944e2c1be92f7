# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether runs take what is certified, to the byte: certificates.py ZENITH_RUN FILE_OR_FOLDER...

Runs each .mlir and .onnx file with 1 and 8 threads, without a budget and with one of 4/5 of its plain certificate, and compares
the certificate with the measured peak. Programs whose sizes depend on data have a pool and no such certificate; they, files that need inputs or dimensions
that nobody gives, and budgets that are refused before the run, are counted apart. Exit 1 where a run takes something else.
"""

import collections
import json
import pathlib
import subprocess
import sys


def report_of(tool, file, *options):
    """(report, exit code); no report where the run fails."""
    command = [tool, str(file), "--random-inputs=7", "--report=memory", *options]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return None, 124
    if run.returncode:
        return None, run.returncode
    start = run.stdout.find('{"arena"')
    return (json.JSONDecoder().raw_decode(run.stdout, start)[0] if start >= 0 else None), 0


def verdicts(tool, file):
    plain = None
    for threads in (1, 8):
        report, code = report_of(tool, file, f"--threads={threads}")
        if report is None:
            yield f"not run (exit {code})"
            return
        if report["pool"] != "unused":
            yield "data-dependent"
            return
        plain = report["certificate"]["bytes"]
        yield "equal" if plain == report["measured"]["peak_bytes"] else "different"
    for threads in (1, 8):
        report, code = report_of(tool, file, f"--threads={threads}", f"--max-memory={plain * 4 // 5}")
        if report is None:
            yield "budget refused" if code == 5 else f"not run under a budget (exit {code})"
            continue
        same = report["certificate"]["bytes"] == report["measured"]["peak_bytes"] <= plain * 4 // 5
        yield "equal under a budget" if same else "different"


def main():
    tool, *places = sys.argv[1:]
    files = []
    for place in map(pathlib.Path, places):
        files += [place] if place.is_file() else sorted(p for p in place.rglob("*") if p.suffix in (".mlir", ".onnx"))
    counts = collections.Counter()
    for file in files:
        for verdict in verdicts(tool, file):
            counts[verdict] += 1
            if verdict == "different":
                print(f"{file}: another peak than certified")
    print(f"{len(files)} programs: " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    return 1 if counts["different"] or not counts["equal"] else 0


if __name__ == "__main__":
    sys.exit(main())
