#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the digit classifier that tools/scripts/run executes and writes digits.onnx, samples.npy and labels.txt.

The data is drawn here: a 5x7 bitmap font, shifted, scaled, slanted and blurred at random with noise on top, as 16x16
images. The network is conv 3x3 (12) - relu - max pool - conv 3x3 (24) - relu - max pool - dense 10, trained with Adam
by explicit gradients. Needs numpy and onnx; takes about two minutes.
"""
import pathlib
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FONT = """01110 10001 10011 10101 11001 10001 01110|00100 01100 00100 00100 00100 00100 01110
01110 10001 00001 00010 00100 01000 11111|11111 00010 00100 00010 00001 10001 01110
00010 00110 01010 10010 11111 00010 00010|11111 10000 11110 00001 00001 10001 01110
00110 01000 10000 11110 10001 10001 01110|11111 00001 00010 00100 01000 01000 01000
01110 10001 10001 01110 10001 10001 01110|01110 10001 10001 01111 00001 00010 01100"""
GLYPHS = np.array([[[int(bit) for bit in row] for row in glyph.split()]
                   for line in FONT.splitlines() for glyph in line.split("|")], np.float32)
SIZE = 16


def draw(rng, count):
    """`count` random images [count, 1, 16, 16] and their labels."""
    labels = rng.integers(0, 10, count)
    y, x = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32)
    images = np.empty((count, 1, SIZE, SIZE), np.float32)
    for k, label in enumerate(labels):
        height, width = rng.uniform(1.4, 2.1), rng.uniform(1.5, 2.6)
        slant, angle = rng.uniform(-0.25, 0.25), rng.uniform(-0.15, 0.15)
        dy, dx = y - 7.5 - rng.uniform(-1.2, 1.2), x - 7.5 - rng.uniform(-1.2, 1.2)
        dy, dx = dy * np.cos(angle) - dx * np.sin(angle), dx * np.cos(angle) + dy * np.sin(angle)
        row, col = dy / height + 3, (dx + slant * dy) / width + 2
        r0, c0 = np.floor(row).astype(int), np.floor(col).astype(int)
        padded = np.pad(GLYPHS[label], 2)
        value = 0
        for i in (0, 1):
            for j in (0, 1):
                weight = np.abs(1 - i - (row - r0)) * np.abs(1 - j - (col - c0))
                value = value + weight * padded[np.clip(r0 + i + 2, 0, 10), np.clip(c0 + j + 2, 0, 8)]
        images[k, 0] = value + rng.normal(0, 0.15, value.shape)
    return images, labels


def patches(x):
    """[n, c, h, w] -> [n, h, w, c * 9] of the 3x3 neighbourhoods, zero padded."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    window = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    return window.transpose(0, 2, 3, 1, 4, 5).reshape(x.shape[0], x.shape[2], x.shape[3], -1)


class Convolution:
    def __init__(self, rng, inputs, outputs):
        self.parameters = [rng.normal(0, np.sqrt(2 / (9 * inputs)), (9 * inputs, outputs)).astype(np.float32),
                           np.zeros(outputs, np.float32)]
        self.inputs = inputs

    def forward(self, x):
        self.columns = patches(x)
        return np.maximum(self.columns @ self.parameters[0] + self.parameters[1], 0).transpose(0, 3, 1, 2)

    def backward(self, output, gradient):
        g = (gradient * (output > 0)).transpose(0, 2, 3, 1)
        grads = [np.tensordot(self.columns, g, ((0, 1, 2), (0, 1, 2))), g.sum((0, 1, 2))]
        flipped = self.parameters[0].reshape(self.inputs, 3, 3, -1)[:, ::-1, ::-1]
        back = patches(g.transpose(0, 3, 1, 2)) @ flipped.transpose(3, 1, 2, 0).reshape(-1, self.inputs)
        return grads, back.transpose(0, 3, 1, 2)


def pool(x):
    n, c, h, w = x.shape
    blocks = x.reshape(n, c, h // 2, 2, w // 2, 2)
    best = blocks.max((3, 5))
    return best, blocks == best[:, :, :, None, :, None]


def unpool(gradient, mask):
    spread = mask * gradient[:, :, :, None, :, None]
    n, c, h, _, w, _ = spread.shape
    return spread.reshape(n, c, 2 * h, 2 * w)


class Network:
    def __init__(self, rng):
        self.first, self.second = Convolution(rng, 1, 12), Convolution(rng, 12, 24)
        self.dense = [rng.normal(0, 0.05, (24 * 16, 10)).astype(np.float32), np.zeros(10, np.float32)]
        self.parameters = self.first.parameters + self.second.parameters + self.dense

    def forward(self, images):
        self.a = self.first.forward(images)
        pooled, self.mask_a = pool(self.a)
        self.b = self.second.forward(pooled)
        pooled, self.mask_b = pool(self.b)
        self.flat = pooled.reshape(len(images), -1)
        return self.flat @ self.dense[0] + self.dense[1]

    def gradients(self, logits, labels):
        shifted = np.exp(logits - logits.max(1, keepdims=True))
        g = shifted / shifted.sum(1, keepdims=True)
        g[np.arange(len(labels)), labels] -= 1
        g /= len(labels)
        dense = [self.flat.T @ g, g.sum(0)]
        back = (g @ self.dense[0].T).reshape(self.mask_b[:, :, :, 0, :, 0].shape)
        second, back = self.second.backward(self.b, unpool(back, self.mask_b))
        first, _ = self.first.backward(self.a, unpool(back, self.mask_a))
        return first + second + dense


def train(rng, steps=1200, batch=64):
    network = Network(rng)
    m, v = ([np.zeros_like(p) for p in network.parameters] for _ in "mv")
    for step in range(1, steps + 1):
        images, labels = draw(rng, batch)
        grads = network.gradients(network.forward(images), labels)
        rate = 2e-3 * min(1, 2 * (1 - step / (steps + 1)))
        for p, g, mean, square in zip(network.parameters, grads, m, v):
            mean += 0.1 * (g - mean)
            square += 0.001 * (g * g - square)
            p -= rate * (mean / (1 - 0.9 ** step)) / (np.sqrt(square / (1 - 0.999 ** step)) + 1e-8)
        if step % 200 == 0:
            images, labels = draw(rng, 500)
            print(f"step {step}: accuracy {np.mean(network.forward(images).argmax(1) == labels):.3f}", flush=True)
    return network


def export(network, path):
    def weights(name, array):
        return numpy_helper.from_array(np.ascontiguousarray(array, np.float32), name)

    def kernel(convolution):
        return convolution.parameters[0].reshape(convolution.inputs, 3, 3, -1).transpose(3, 0, 1, 2)

    constants = [weights("w1", kernel(network.first)), weights("b1", network.first.parameters[1]),
                 weights("w2", kernel(network.second)), weights("b2", network.second.parameters[1]),
                 weights("w3", network.dense[0]), weights("b3", network.dense[1])]
    square = dict(kernel_shape=[2, 2], strides=[2, 2])
    nodes = [helper.make_node("Conv", ["image", "w1", "b1"], ["c1"], "conv1", kernel_shape=[3, 3], pads=[1] * 4),
             helper.make_node("Relu", ["c1"], ["r1"], "relu1"),
             helper.make_node("MaxPool", ["r1"], ["p1"], "pool1", **square),
             helper.make_node("Conv", ["p1", "w2", "b2"], ["c2"], "conv2", kernel_shape=[3, 3], pads=[1] * 4),
             helper.make_node("Relu", ["c2"], ["r2"], "relu2"),
             helper.make_node("MaxPool", ["r2"], ["p2"], "pool2", **square),
             helper.make_node("Flatten", ["p2"], ["flat"], "flatten"),
             helper.make_node("Gemm", ["flat", "w3", "b3"], ["logits"], "dense"),
             helper.make_node("Softmax", ["logits"], ["probability"], "softmax", axis=1),
             helper.make_node("ArgMax", ["logits"], ["digit"], "decide", axis=1, keepdims=0)]
    graph = helper.make_graph(
        nodes, "digits", [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 1, SIZE, SIZE])],
        [helper.make_tensor_value_info("probability", TensorProto.FLOAT, ["batch", 10]),
         helper.make_tensor_value_info("digit", TensorProto.INT64, ["batch"])], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def main():
    here = pathlib.Path(__file__).parent
    network = train(np.random.default_rng(7))
    export(network, here / "digits.onnx")
    images, labels = draw(np.random.default_rng(2026), 12)
    np.save(here / "samples.npy", images)
    (here / "labels.txt").write_text(" ".join(map(str, labels)) + "\n")


if __name__ == "__main__":
    main()
