#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks facts about the tree that a compiler does not: headers, names, include directions and circles, check lines that never run.

usage: lint.py [--format] [--fix] [ROOT]; prints one line per finding, exits 1 where there is one.
--format checks that clang-format-19 would change nothing, instead; with --fix it changes it.
"""
import argparse
import pathlib
import re
import subprocess
import sys

LICENSE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
CODE = {".cpp", ".h", ".td", ".def"}
# Where code differs by where kernels run, not by what they consist of: texts of kernels, host programs, the pipeline.
MAY_ASK_FOR_DEVICES = {"lowering/opencl", "lowering/program", "lowering/pipeline"}
# What a layer may include. `lowering/pipeline` drives passes, `lowering/schedule` and `lowering/program` ask costs; tests and bench see all.
LAYERS = {
    "ir": ["ir"],
    "ir/program": ["ir", "ir/attributes", "ir/dims", "ir/matchers"],
    "ir/random": ["ir", "ir/dims", "ir/matchers", "ir/ops"],
    "ir/interpreter": ["ir", "runtime/routines/Lapack.h", "runtime/routines/Threefry.h"],
    "passes": ["ir", "passes"],
    "lowering": ["ir", "lowering", "runtime/ABI.h"],
    "lowering/routines": ["ir", "lowering", "runtime/ABI.h", "runtime/RoutineArguments.h", "runtime/RoutineScratch.h",
                          "runtime/routines/Lapack.h"],
    "lowering/schedule": ["ir", "lowering", "passes/cost"],
    "lowering/decisions": ["ir", "lowering", "passes/cost"],
    "lowering/memory": ["ir", "lowering", "passes/remat"],
    "lowering/program": ["ir", "lowering", "passes/cost", "runtime/ABI.h"],
    "lowering/pipeline": ["ir", "lowering", "passes", "runtime"],
    "frontends": ["ir", "frontends"],
    "frontends/models": ["ir", "passes/GraphPasses.h", "passes/sharding", "lowering", "frontends", "runtime"],
    "frontends/training": ["ir", "lowering", "frontends", "runtime", "passes/precision"],
    "frontends/c": ["ir", "passes", "lowering", "frontends", "runtime"],
    "runtime": ["runtime"],
    "tools": ["ir", "passes", "lowering", "frontends", "runtime", "tools"],
}
# Inside a layer: a directory includes itself and the directories named here. What has no row includes itself only,
# and the layer's own directory (`passes/GraphPasses.h`).
INSIDE = {
    "ir": ["ir/attributes", "ir/devices", "ir/dims", "ir/program", "ir/target"],
    "ir/attributes": ["ir", "ir/dims"],
    "ir/dims": [],
    "ir/target": [],
    "ir/tensor": [],
    "ir/remarks": ["ir"],
    "ir/matchers": ["ir", "ir/dims"],
    "ir/devices": ["ir", "ir/attributes", "ir/matchers", "ir/program"],
    "ir/encodings": ["ir", "ir/dims", "ir/matchers"],
    "ir/liveness": ["ir", "ir/dims", "ir/matchers"],
    "ir/ops": ["ir", "ir/dims", "ir/matchers", "ir/program"],
    "ir/program": ["ir", "ir/dims", "ir/matchers"],
    "ir/random": ["ir", "ir/dims", "ir/matchers", "ir/ops"],
    "ir/interpreter": ["ir", "ir/devices", "ir/dims", "ir/interpreter/devices", "ir/matchers", "ir/ops", "ir/program", "ir/tensor"],
    "ir/interpreter/devices": ["ir", "ir/devices", "ir/interpreter", "ir/program"],
    "ir/interpreter/random": ["ir", "ir/interpreter", "ir/random", "ir/tensor"],
    "passes": [],
    "passes/*": ["passes", "passes/cost"],
    "passes/precision": ["passes", "passes/cost", "passes/precision/types", "passes/quantize"],
    "passes/remat": ["passes", "passes/autodiff", "passes/autodiff/sweeps", "passes/cost"],
    "passes/autodiff": ["passes", "passes/raise", "passes/autodiff/matrices", "passes/autodiff/sweeps", "passes/batching"],
    "passes/autodiff/composites": ["passes/autodiff"],
    "passes/autodiff/matrices": ["passes/autodiff", "passes/autodiff/sweeps"],
    "passes/autodiff/sweeps": ["passes/autodiff", "passes/autodiff/composites"],
    "passes/sharding/partition": ["passes", "passes/sharding"],
    "passes/search/states": ["passes", "passes/cost", "passes/search/groups"],
    "lowering/host": ["lowering"],
    "lowering/builder": ["lowering"],
    "lowering/elements": ["lowering/builder"],
    "lowering/microkernels": ["lowering/builder", "lowering/elements"],
    "lowering/schedule": ["lowering/builder", "lowering/elements", "lowering/microkernels"],
    "lowering/schedule/gemm": ["lowering/builder", "lowering/elements", "lowering/microkernels", "lowering/schedule"],
    "lowering/schedule/reductions": ["lowering/builder", "lowering/elements", "lowering/schedule"],
    "lowering/schedule/windows": ["lowering/builder", "lowering/elements", "lowering/schedule"],
    "lowering/routines": ["lowering/builder", "lowering/elements", "lowering/microkernels", "lowering/schedule"],
    "lowering/decisions": ["lowering", "lowering/builder", "lowering/elements", "lowering/microkernels", "lowering/schedule",
                           "lowering/schedule/gemm", "lowering/schedule/reductions", "lowering/schedule/windows", "lowering/routines"],
    "lowering/packing": ["lowering/builder", "lowering/elements", "lowering/microkernels", "lowering/schedule"],
    "lowering/gemm": ["lowering/builder", "lowering/elements", "lowering/microkernels", "lowering/schedule",
                      "lowering/schedule/gemm", "lowering/packing"],
    "lowering/kernels": ["lowering/builder", "lowering/elements", "lowering/microkernels", "lowering/schedule",
                         "lowering/schedule/reductions", "lowering/schedule/windows", "lowering/routines", "lowering/packing",
                         "lowering/gemm"],
    "lowering/memory": ["lowering", "lowering/host", "lowering/builder", "lowering/schedule", "lowering/decisions",
                        "lowering/memory/arena"],
    "lowering/memory/arena": [],
    "lowering/cpu": ["lowering", "lowering/builder"],
    "lowering/opencl": ["lowering/builder"],
    "lowering/program": ["lowering", "lowering/host", "lowering/builder", "lowering/decisions", "lowering/elements", "lowering/schedule",
                         "lowering/kernels", "lowering/memory", "lowering/cpu", "lowering/opencl"],
    "lowering/pipeline": ["lowering"] + ["lowering/" + d for d in (
        "host", "builder", "decisions", "elements", "schedule", "kernels", "memory", "cpu", "opencl", "program")],
    "frontends/onnx/model": ["frontends/files"],
    "frontends/onnx": ["frontends/files", "frontends/onnx/model"],
    "frontends/onnx/import": ["frontends/files", "frontends/onnx/model", "frontends/onnx"],
    "frontends/onnx/layers": ["frontends/files", "frontends/onnx/model", "frontends/onnx", "frontends/onnx/import"],
    "frontends/onnx/export": ["frontends/files", "frontends/onnx/model", "frontends/onnx"],
    "frontends/tensors": ["frontends/files", "frontends/onnx/model"],
    "frontends/stablehlo/verify": ["frontends/stablehlo/dialect"],
    "frontends/stablehlo/bytecode": ["frontends/files", "frontends/stablehlo/dialect"],
    "frontends/stablehlo": ["frontends/files"],
    "frontends/stablehlo/shardings": ["frontends/stablehlo/dialect"],
    "frontends/stablehlo/builder": ["frontends/stablehlo/dialect"],
    "frontends/stablehlo/import": ["frontends/files", "frontends/stablehlo", "frontends/stablehlo/builder",
                                   "frontends/stablehlo/dialect", "frontends/stablehlo/shardings"],
    "frontends/stablehlo/import/functions": ["frontends/stablehlo/builder", "frontends/stablehlo/import"],
    "frontends/stablehlo/export": ["frontends/files", "frontends/stablehlo", "frontends/stablehlo/dialect",
                                   "frontends/stablehlo/bytecode"],
    "frontends/cayley": ["frontends/cayley/files", "frontends/files", "frontends/tensors"],
    "frontends/cayley/files": ["frontends/cayley", "frontends/files"],
    "frontends/models": ["frontends/cayley", "frontends/files", "frontends/onnx", "frontends/onnx/export",
                         "frontends/onnx/model", "frontends/stablehlo", "frontends/stablehlo/bytecode", "frontends/stablehlo/dialect",
                         "frontends/tensors"],
    "frontends/c/search": ["frontends/c", "frontends/cayley", "frontends/models"],
    "frontends/training/predictors": ["frontends/cayley", "frontends/models", "frontends/onnx/model", "frontends/training",
                                      "frontends/training/run"],
    "frontends/training/run": ["frontends/files", "frontends/models", "frontends/tensors", "frontends/training"],
    "frontends/training": ["frontends/cayley", "frontends/files", "frontends/models", "frontends/onnx", "frontends/onnx/model", "frontends/tensors"],
    "frontends/c/training": ["frontends/c", "frontends/models", "frontends/tensors", "frontends/training"],
    "frontends/c/builder": ["frontends/c", "frontends/files", "frontends/models"],
    "frontends/c": ["frontends/c/builder", "frontends/c/include/zenith", "frontends/cayley", "frontends/files", "frontends/models",
                    "frontends/onnx", "frontends/onnx/model", "frontends/stablehlo", "frontends/tensors"],
    "runtime": ["runtime/files", "runtime/include/zenith", "runtime/opencl", "runtime/routines"],
    "runtime/files": ["runtime"],
    "runtime/opencl": ["runtime"],
    "runtime/routines": ["runtime", "runtime/include/zenith"],
    "runtime/routines/neighbours": ["runtime", "runtime/routines"],
    "runtime/routines/ranks": ["runtime", "runtime/routines"],
    "tools/run": ["tools/model"],
    "tools/plan": ["tools/model"],
    "tools/search": ["tools/model", "tools/run"],
    "tools/train": ["tools/model"],
    "tools": ["tools/model", "tools/opt", "tools/plan", "tools/run", "tools/search", "tools/train"],
}
MOST_FILES = 40
BANNED_NAMES = re.compile(r"(Utils|Common|Helper|Misc)")
TOP_LEVEL = {"ir", "passes", "lowering", "frontends", "runtime", "tools", "tests", "bench", "docs", "cmake", "CMakeLists.txt",
             "CMakePresets.json", "README.md", "LICENSE"}


def tracked(root):
    out = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True,
                         check=True).stdout
    return [pathlib.PurePosixPath(line) for line in out.splitlines() if (root / line).exists()]


def header(path, text):
    if LICENSE not in "\n".join(text.splitlines()[:3]):
        yield "no licence line at the top"
        return
    for line in text.splitlines():
        if line.startswith(("//", "#", " *")) and len(line.strip("/#* ")) > 3 and "SPDX" not in line and "-*-" not in line:
            return
        if line and not line.startswith(("//", "#", "/*", " *")):
            break
    yield "no sentence on its purpose under the licence line"


def inside(directory):
    """The row of INSIDE for a directory: its own, or that of `parent/*`."""
    return INSIDE.get(directory, INSIDE.get(str(pathlib.PurePosixPath(directory).parent) + "/*", []))


def includes(path, text):
    directory = str(path.parent)
    layer = next((layer for layer in sorted(LAYERS, key=len, reverse=True) if f"{path}".startswith(layer + "/")), None)
    if layer is None:
        return
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r'\s*#?include "((?:ir|passes|lowering|frontends|runtime|tools|tests|bench)/[^"]+)"', line)
        if not found or (path.suffix == ".td" and found[1].endswith(".td")):
            continue
        target = str(pathlib.PurePosixPath(found[1]).parent)
        allowed = LAYERS[layer]
        if not any(found[1] == a or found[1].startswith((a + "/", a + ".")) for a in allowed):
            yield f"line {number}: {layer} must not include {found[1]}"
        elif target.split("/")[0] == directory.split("/")[0] and target != directory and target not in inside(directory):
            yield f"line {number}: {directory} must not include {found[1]}"


def capabilities(path, text):
    """Decisions ask a target for what it can do, not for what it is."""
    directory = str(path.parent)
    if not directory.startswith(("lowering/", "passes/")) or directory in MAY_ASK_FOR_DEVICES:
        return
    for number, line in enumerate(text.splitlines(), 1):
        if re.search(r"\b(target|model|machine)\w*(\([^()]*\))?(\.|->)(device|kind)\b|modelOf\(\w+\)\.(device|kind)\b", line):
            yield f"line {number}: asks whether the target is a device, not for a capability (ir/target/TargetModel.h)"


def included(root, files):
    """Sources with their headers, by path without ending: which others each includes, and the file that does."""
    units = {str(f.with_suffix("")) for f in files if f.suffix in CODE and f.parts[0] in LAYERS}
    edges = {}
    for path in files:
        unit = str(path.with_suffix(""))
        if unit not in units or path.suffix not in (".cpp", ".h"):
            continue
        for target in re.findall(r'^\s*#\s*include "([^"]+)"', (root / path).read_text(), re.M):
            other = str(pathlib.PurePosixPath(target).with_suffix(""))
            if other in units and other != unit:
                edges.setdefault(unit, {}).setdefault(other, path)
    return edges


def circles(root, files):
    """A source and its header are one unit: two units that include each other are one in truth."""
    edges = included(root, files)
    done = set()

    def walk(unit, trail):
        done.add(unit)
        for other, path in edges.get(unit, {}).items():
            if other in trail:
                yield path, "includes in a circle: " + " -> ".join(trail[trail.index(other):] + [other])
            elif other not in done:
                yield from walk(other, trail + [other])

    for unit in sorted(edges):
        if unit not in done:
            yield from walk(unit, [unit])


def crowded(files):
    """Directories of more files than a reader takes in at a glance."""
    counts = {}
    for path in files:
        if path.parts[0] in LAYERS:
            counts[path.parent] = counts.get(path.parent, 0) + 1
    for directory, count in counts.items():
        if count > MOST_FILES:
            yield directory, f"{count} files; {MOST_FILES} at most"


def dead_checks(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*//\s*(CHECK|RUN)(-[A-Z]+)*(\s+[^:A-Z-]|$)", line):
            yield f"line {number}: a check line without its colon never runs"
    if path.parts[0] == "tests" and "Inputs" not in path.parts and "RUN:" not in text:
        yield "a lit test without a RUN line"


def pass_tests(root, files):
    """Every registered pass has a source and a test of its name."""
    names = {str(f) for f in files}
    for td in files:
        if td.name not in ("GraphPasses.td", "LoweringPasses.td"):
            continue
        for argument in re.findall(r'Pass<"zenith-([a-z0-9-]+)"', (root / td).read_text()):
            if not any(n.startswith("tests/") and n.endswith(f"/{argument}.mlir") for n in names):
                yield td, f"pass zenith-{argument} has no test {argument}.mlir"


def formatting(root, files, fix):
    """Runs clang-format in a few processes; its complaints name file and line."""
    # Installed headers keep their own columns.
    sources = [str(root / path) for path in files if path.suffix in (".cpp", ".h") and path.parts[-2] != "zenith"]
    mode = ["-i"] if fix else ["--dry-run", "-Werror"]
    done = subprocess.run(["xargs", "-P2", "-n100", "clang-format-19", *mode], input="\n".join(sources), text=True,
                          capture_output=True)
    found = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error:", done.stderr, re.M)))
    if done.returncode and not found:
        raise SystemExit(done.stderr)
    return [(pathlib.PurePosixPath(path).relative_to(root), "clang-format-19 would change it: lint.py --format --fix")
            for path in found]


def facts(root, files):
    findings, basenames = [], {}
    for path in files:
        if path.parts[0] not in TOP_LEVEL and not path.parts[0].startswith("."):
            findings.append((path, "the top level holds only the layers of the project and dotfiles"))
        if path.suffix in CODE:
            text = (root / path).read_text()
            checks = [header, includes, capabilities] if path.suffix in (".cpp", ".h", ".td") else [header]
            findings += [(path, what) for check in checks for what in check(path, text)]
            if path.suffix == ".cpp":
                if path.name in basenames:
                    findings.append((path, f"same basename as {basenames[path.name]}"))
                basenames[path.name] = path
            if BANNED_NAMES.search(path.stem):
                findings.append((path, "a name that says nothing (Utils, Common, Helper, Misc)"))
        elif path.suffix == ".mlir":
            findings += [(path, what) for what in dead_checks(path, (root / path).read_text())]
    return findings + list(circles(root, files)) + list(crowded(files)) + list(pass_tests(root, files))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).parents[2])
    parser.add_argument("--format", action="store_true")
    parser.add_argument("--fix", action="store_true")
    options = parser.parse_args()
    root = options.root.resolve()
    files = tracked(root)
    findings = formatting(root, files, options.fix) if options.format else facts(root, files)
    for path, what in findings:
        print(f"{path}: {what}")
    print(f"lint: {len(files)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
