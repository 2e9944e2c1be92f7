#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hurts a training and looks at how it ends.

usage: damage_training.py FOLDER SEED EDITS DAMAGES KILLS COMMAND...

COMMAND is zenith-train with a model, data, loss and batch size. EDITS times a text of an optimizer is edited; DAMAGES times a
checkpoint or manifest is damaged; KILLS times the training is killed, half of them by SIGTERM; once its files may not grow,
as on a full disk. Each run ends with exit code 0, 1, 2 or 6 and, where it fails, with a message; no checkpoint that is not
whole is ever taken, so what is trained in the end has the bits of a training that nobody hurt.
"""
import glob
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys

folder, seed, edits, damages, kills = sys.argv[1], *map(int, sys.argv[2:6])
command = sys.argv[6:]
rng = random.Random(seed)
OPTIMIZER = "chain(clip_by_global_norm(1.0), adamw(cosine_decay_schedule(0.1, 20), b1=0.9, mask=['w*']))"
STEPS = 14


def fail(*words):
    sys.exit("damage_training.py: " + " ".join(map(str, words)))


def run(arguments, allowed, what, **popen):
    done = subprocess.run(command + arguments, capture_output=True, text=True, timeout=300, **popen)
    if done.returncode not in allowed:
        fail(what, "ended with", done.returncode, done.stderr[-600:])
    if done.returncode and "error: " not in done.stderr:
        fail(what, "failed without a message:", done.stderr[-600:])
    return done


def train(name, optimizer=OPTIMIZER, steps=STEPS, allowed=(0,), what="a training", **popen):
    return run([f"--optimizer={optimizer}", f"--steps={steps}", f"--checkpoint-dir={folder}/{name}",
                "--checkpoint-every=2", "--keep=4", "--resume", f"--save-params={folder}/{name}.safetensors"], allowed, what,
               **popen)


def trained(name):
    with open(f"{folder}/{name}.safetensors", "rb") as file:
        return file.read()


def check_whole(name):
    for path in glob.glob(f"{folder}/{name}/step-*"):
        with open(path + "/manifest.json") as file:
            for entry in json.load(file)["files"]:
                with open(os.path.join(path, entry["name"]), "rb") as data:
                    if hashlib.sha256(data.read()).hexdigest() != entry["sha256"]:
                        fail(path, "can be seen and is not whole")


def edited(data, alphabet):
    data = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            data[at:at] = bytes([rng.choice(alphabet)])
        elif kind == 1:
            del data[at:at + rng.randint(1, 5)]
        elif kind == 2:
            data[at:at + 1] = bytes([rng.choice(alphabet)])
        else:
            end = rng.randrange(len(data) + 1)
            data[at:at] = data[min(at, end):max(at, end)]
    return bytes(data)


train("whole")
expected = trained("whole")

for k in range(edits):
    text = edited(OPTIMIZER.encode(), b"(),[]='\"._0159eabw \t\x01{}:*-+").decode("latin-1")
    run([f"--optimizer={text}", "--steps=2"], (0, 1, 2, 3, 6), f"the optimizer {text!r}")

for k in range(damages):
    shutil.rmtree(f"{folder}/hurt", ignore_errors=True)
    shutil.copytree(f"{folder}/whole", f"{folder}/hurt")
    steps = sorted(glob.glob(f"{folder}/hurt/step-*"))
    for path in rng.sample(steps, rng.randint(1, len(steps))):
        victim = os.path.join(path, rng.choice(["manifest.json", "state.safetensors"]))
        kind = rng.randrange(4)
        with open(victim, "rb") as file:
            data = file.read()
        if kind == 0:
            os.remove(victim)
            continue
        data = data[:rng.randrange(len(data))] if kind == 1 else b"" if kind == 2 else edited(data, range(256))
        with open(victim, "wb") as file:
            file.write(data)
    done = train("hurt", steps=STEPS, allowed=(0, 1, 2), what="a resumed training")
    if done.returncode == 0 and trained("hurt") != expected:
        fail("a damaged checkpoint was taken")

for k in range(kills):
    process = subprocess.Popen(command + [f"--optimizer={OPTIMIZER}", f"--steps={STEPS}", f"--checkpoint-dir={folder}/killed",
                                          "--checkpoint-every=1", "--keep=4", "--resume"], stderr=subprocess.PIPE, text=True)
    try:
        process.wait(rng.random())
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM if k % 2 == 0 else signal.SIGKILL)
    process.communicate(timeout=300)
    if process.returncode not in (0, 6, -signal.SIGKILL, -signal.SIGTERM):
        fail("a killed training ended with", process.returncode)
    check_whole("killed")
train("killed")
if trained("killed") != expected:
    fail("parameters differ after kills")


def no_room():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))


train("full", steps=4)
train("full", allowed=(6,), what="a training on a full disk", preexec_fn=no_room)
check_whole("full")
train("full")
if trained("full") != expected:
    fail("parameters differ after a full disk")
print(edits, "edits,", damages, "damages,", kills, "kills")
