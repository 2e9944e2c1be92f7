#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Records the tokens that GreedyDecodeTest.cpp expects, with ONNX Runtime.
"""usage: record_decode.py FOLDER [STEPS]

FOLDER/NAME/NAME.onnx are the decoders. Prints for each the tokens of a greedy
decode from PROMPT and an empty cache, and the smallest distance between the
best logit and the next: the list binds only where that is far above rounding.
Needs numpy and onnxruntime.
"""
import os
import sys

import numpy as np
import onnxruntime

MODELS = ["gpt2-small-decode", "llama-tiny-cache"]
PROMPT = [11, 42, 7, 1003]


def feed(session, tokens, cache):
    past = next(iter(cache.values())).shape[2] if cache else 0
    total = past + len(tokens)
    given = {
        "input_ids": np.array([tokens], np.int64),
        "attention_mask": np.ones((1, total), np.int64),
        "position_ids": np.arange(past, total, dtype=np.int64)[None],
    }
    for value in session.get_inputs():
        if value.name in given:
            continue
        batch, heads, _, size = value.shape
        empty = np.zeros((1, heads, 0, size), np.float32)
        given[value.name] = cache.get(value.name.replace("past_key_values", "present"), empty)
    return {value.name: given[value.name] for value in session.get_inputs()}


def decode(path, steps):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_outputs()]
    tokens, cache, found, margin = PROMPT, {}, [], np.inf
    for _ in range(steps):
        results = dict(zip(names, session.run(names, feed(session, tokens, cache))))
        last = results.pop("logits")[0, -1]
        cache = results
        best = np.sort(last)[-2:]
        margin = min(margin, float(best[1] - best[0]))
        tokens = [int(last.argmax())]
        found += tokens
    return found, margin


def main():
    folder, steps = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 64
    for name in MODELS:
        found, margin = decode(os.path.join(folder, name, name + ".onnx"), steps)
        print(f"{name}: smallest margin {margin:.3g}\n{found}")


if __name__ == "__main__":
    main()
