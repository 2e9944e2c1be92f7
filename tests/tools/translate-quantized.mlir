// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products read integers times scales: in the file as operators of ONNX, in
// memory as what these mean. The results stay near.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: %python -c "import random, struct; random.seed(1); open('%t/w.raw', 'wb').write(struct.pack('<%%df' %% 3072, *[random.gauss(0, .1) for _ in range(3072)]))"
// RUN: %python -c "import random, struct; random.seed(2); v = [random.gauss(0, 1) for _ in range(40 * 64)]; h = (b'{\'descr\': \'<f4\', \'fortran_order\': False, \'shape\': (40, 64)}').ljust(117) + b'\n'; open('%t/x.npy', 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(h)) + h + struct.pack('<%%df' %% len(v), *v))"
// RUN: zenith-run %t/m.mlir --in x=%t/x.npy --out-dir %t/f32
//
// RUN: zenith-translate %t/m.mlir -o %t/int8.onnx --quantize=int8 --calibrate x=%t/x.npy
// RUN: zenith-translate %t/int8.onnx -o - --to-format=graphir | FileCheck --check-prefix=INT8 %s
// INT8-DAG: graph.param @{{.*}}_codes : tensor<64x32xi8>
// INT8-DAG: graph.round_even
// RUN: zenith-run %t/int8.onnx --in x=%t/x.npy --expect 0=%t/f32/0.npy --atol=0.02 --rtol=0.02 --compare=interp
// RUN: zenith-run %t/m.mlir --quantize=int8 --calibrate x=%t/x.npy --in x=%t/x.npy --expect 0=%t/f32/0.npy --atol=0.02 --rtol=0.02
// RUN: zenith-translate %t/m.mlir -o %t/mse.onnx --quantize=int8:calibration=mse,activations=s8,symmetric=true,per-channel=false --calibrate 0=%t/x.npy
// RUN: zenith-run %t/mse.onnx --in x=%t/x.npy --expect 0=%t/f32/0.npy --atol=0.05 --rtol=0.05
// RUN: zenith-translate %t/m.mlir -o %t/entropy.onnx --quantize=int8:calibration=entropy,reduce-range=true --calibrate 0=%t/x.npy
// RUN: zenith-run %t/entropy.onnx --in x=%t/x.npy --expect 0=%t/f32/0.npy --atol=1
// RUN: zenith-translate %t/m.mlir -o %t/percentile.onnx --quantize=int8:calibration=percentile,percentile=99.9 --calibrate 0=%t/x.npy
// RUN: zenith-run %t/percentile.onnx --in x=%t/x.npy --expect 0=%t/f32/0.npy --atol=0.2 --rtol=0.2
//
// RUN: zenith-translate %t/m.mlir -o %t/dynamic.onnx --quantize=int8-dynamic 2>&1 | FileCheck --check-prefix=BATCH %s
// BATCH: EXP002: 2 operands are quantized by one scale for a whole batch
// RUN: zenith-run %t/m.mlir --quantize=int8-dynamic --in x=%t/x.npy --expect 0=%t/f32/0.npy --atol=0.02 --rtol=0.02 --compare=interp
// RUN: zenith-run %t/dynamic.onnx --in x=%t/x.npy --expect 0=%t/f32/0.npy --atol=0.02 --rtol=0.02 --compare=interp
// RUN: zenith-translate %t/m.mlir -o %t/bytes.onnx --quantize=int8-weights:block=16
// RUN: zenith-run %t/bytes.onnx --in x=%t/x.npy --expect 0=%t/f32/0.npy --atol=0.01 --rtol=0.01 --compare=interp
// RUN: zenith-translate %t/m.mlir -o %t/nibbles.onnx --quantize=int4-weights --calibrate x=%t/x.npy
// RUN: zenith-run %t/nibbles.onnx --in x=%t/x.npy --expect 0=%t/f32/0.npy --atol=0.2 --rtol=0.2 --compare=interp
// RUN: zenith-translate %t/m.mlir -o %t/qdq.onnx --quantize=int4-weights:form=qdq,zero-points=false 2>&1 | FileCheck --check-prefix=OPSET %s
// OPSET: written with opset 21
// RUN: zenith-run %t/qdq.onnx --in x=%t/x.npy --expect 0=%t/f32/0.npy --atol=0.2 --rtol=0.2 --compare=interp
// RUN: zenith-translate %t/m.mlir -o %t/f8.onnx --quantize=f8-weights
// RUN: zenith-run %t/f8.onnx --in x=%t/x.npy --expect 0=%t/f32/0.npy --atol=0.1 --rtol=0.1 --compare=interp
//
// Ops that stay f32, and an agreement that some reach only without a product.
// RUN: zenith-translate %t/m.mlir -o - --to-format=graphir --quantize=int8-dynamic --keep-f32=first | FileCheck --check-prefix=KEPT %s
// KEPT: graph.dot_general %arg0, %{{.*}} -> tensor<?x32xf32>
// KEPT: call @DynamicQuantizeLinear
// RUN: zenith-translate %t/m.mlir -o %t/exact.onnx --quantize=int4-weights --calibrate x=%t/x.npy --min-agreement=1 2>&1 | FileCheck --check-prefix=AGREES %s
// AGREES: products returned to f32, now it is 1.0
//
// RUN: zenith-run %t/m.mlir --random-inputs --dim n=2 --quantize=int8-weights --keep-f32=sec* --explain=precision 2>&1 | FileCheck --check-prefix=REASON %s
// REASON-DAG: PRE005 {{.*}}first: 'dot_general' reads int8-weights (rule quantize: operands f32, sums f32, result f32)
// REASON-DAG: PRE006 {{.*}}second: 'dot_general' is not quantized: keep-f32 names it
//
// RUN: %python %S/Inputs/exit_code.py 1 zenith-translate %t/m.mlir -o %t/q.onnx --calibrate x=%t/x.npy 2>&1 | FileCheck --check-prefix=IDLE %s
// IDLE: --calibrate has no effect without --quantize
// RUN: %python %S/Inputs/exit_code.py 1 zenith-translate %t/m.mlir -o %t/q.onnx --quantize=int8 2>&1 | FileCheck --check-prefix=SAMPLES %s
// SAMPLES: int8 needs samples: give --calibrate KEY=FILE, or take int8-dynamic
// RUN: %python %S/Inputs/exit_code.py 1 zenith-translate %t/m.mlir -o %t/q.onnx --quantize=int3 2>&1 | FileCheck --check-prefix=SCHEME %s
// SCHEME: 'int3' is no scheme; known are int8, int8-dynamic, int8-weights, int4-weights, f8-weights
// RUN: %python %S/Inputs/exit_code.py 1 zenith-translate %t/m.mlir -o %t/q.onnx --quantize=int4-weights:block=33 2>&1 | FileCheck --check-prefix=BLOCK %s
// BLOCK: block: got '33', expected a power of two from 16 to 256
// RUN: %python %S/Inputs/exit_code.py 1 zenith-translate %t/m.mlir -o %t/q.onnx --quantize=int8-dynamic --keep-f32=third 2>&1 | FileCheck --check-prefix=PATTERN %s
// PATTERN: 'third' names no op
// RUN: %python %S/Inputs/exit_code.py 1 zenith-translate %t/m.mlir -o %t/q.onnx --quantize=int8 --calibrate x=%t/x.npy --min-agreement=1.5 2>&1 | FileCheck --check-prefix=SHARE %s
// SHARE: --min-agreement is a share of the samples: above 0, at most 1
// RUN: %python %S/Inputs/exit_code.py 1 zenith-translate %t/m.mlir -o %t/q.onnx --quantize=int8 --calibrate x=%t/x.npy --calibrate 0=%t/x.npy 2>&1 | FileCheck --check-prefix=TWICE %s
// TWICE: --calibrate: input 'x' is given twice
// RUN: %python %S/Inputs/exit_code.py 1 zenith-translate %t/m.mlir -o %t/q.onnx --quantize=int8 --calibrate y=%t/x.npy 2>&1 | FileCheck --check-prefix=INPUT %s
// INPUT: --calibrate: the program has no input 'y'
// RUN: %python %S/Inputs/exit_code.py 2 zenith-translate %t/m.mlir -o %t/q.onnx --quantize=int8 --calibrate x=%t/f32/0.npy 2>&1 | FileCheck --check-prefix=SHAPE %s
// SHAPE: samples of input 'x' are f32[40x32], expected samples x 64

graph.param @w : tensor<64x32xf32> = #graph.external<"w.raw", 0, 8192>
graph.param @v : tensor<32x32xf32> = #graph.external<"w.raw", 8192, 4096>
func.func @main(%x: tensor<?x64xf32> {graph.dims = ["n", "64"], graph.name = "x"}) -> tensor<?x32xf32> {
  %w = graph.get_param @w : tensor<64x32xf32>
  %v = graph.get_param @v : tensor<32x32xf32>
  %h = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x32xf32>) -> tensor<?x32xf32> loc("first")
  %n = graph.dim %x, 0 : tensor<?x64xf32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %zeros = graph.broadcast %zero [] [%n] : tensor<f32> -> tensor<?x32xf32>
  %r = graph.max %h, %zeros : tensor<?x32xf32>
  %y = graph.dot_general %r, %v <batching = [] x [], contracting = [1] x [0]> : (tensor<?x32xf32>, tensor<32x32xf32>) -> tensor<?x32xf32> loc("second")
  return %y : tensor<?x32xf32>
}
