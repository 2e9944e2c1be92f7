# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Stands for the peers' harness: figures that are known beforehand.

import json
import sys

arguments = sys.argv[1:]
models = [word.rsplit("/", 1)[-1].split(".")[0] for word in arguments if word.endswith(".onnx")]
warm = 10.0 if "--cache" in arguments else 1.0
rows = []
for index, model in enumerate(models):
    for peer, factor in (("zenith", 1.0), ("onnxruntime", 2.0), ("openvino", 0.5 + index)):
        rows.append({"model": model, "threads": 1, "peer": peer, "min_ms": 3.0 * factor, "compile_ms": 50 * factor / warm,
                     "peak_bytes": 1e7 * factor, "transient_bytes": 1e6 * factor, "roof": 0.5 / factor})
with open(arguments[arguments.index("--json") + 1], "w") as file:
    json.dump({"roofline": {"1": {"fma": 100.0, "read": 20.0}}, "rows": rows}, file)
