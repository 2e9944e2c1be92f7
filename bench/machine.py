# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What a measurement ran on: processor, memory, and the versions of everything measured.

import json
import os
import platform
import re
import subprocess
from pathlib import Path

PEERS = ("numpy", "onnx", "onnxruntime", "openvino", "jax", "jaxlib", "torch", "iree-base-compiler")


def _first(pattern, file):
    try:
        found = re.search(pattern, Path(file).read_text(), re.M)
    except OSError:
        return None
    return found.group(1).strip() if found else None


def describe():
    memory = _first(r"^MemTotal:\s+(\d+)", "/proc/meminfo")
    flags = (_first(r"^flags\s*:(.*)$", "/proc/cpuinfo") or "").split()
    return {
        "processor": _first(r"^model name\s*:(.*)$", "/proc/cpuinfo") or platform.processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": int(memory) * 1024 if memory else None,
        "instructions": [name for name in ("sse4_2", "avx2", "fma", "avx512f", "avx512_bf16", "avx512_vnni", "amx_bf16")
                         if name in flags],
        "huge_pages": _first(r"\[(\w+)\]", "/sys/kernel/mm/transparent_hugepage/enabled"),
        "kernel": platform.release(),
    }


def versions(options):
    """Zenith's own version, and those of the packages in the peers' interpreter."""
    own = subprocess.run([options.zenith, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    script = ("import importlib.metadata as m, json, sys\n"
              "def version(name):\n"
              "    try: return m.version(name)\n"
              "    except m.PackageNotFoundError: return None\n"
              "print(json.dumps({name: version(name) for name in sys.argv[1:]}))")
    done = subprocess.run([options.python, "-c", script, *PEERS], capture_output=True, text=True, check=True)
    return {"zenith": own, **{name: text for name, text in json.loads(done.stdout).items() if text}}
