// What a product asks memory for ahead of its use, what it finishes at once and mirrors, is said before anything is emitted, for
// processors with vectors of 8, 16 and 4 floats.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v3 | FileCheck %s
// RUN: zenith-opt %s --to=schedule --target=cpu:znver4 -o %t.mlir
// RUN: FileCheck %s --check-prefix=ZEN4 < %t.mlir
// RUN: zenith-opt %t.mlir --from=schedule --to=schedule --target=cpu:znver4 | FileCheck %s --check-prefix=ZEN4
// RUN: zenith-opt %s --to=schedule --target-model=neoverse-v2 | FileCheck %s --check-prefix=NEOVERSE
//
// What is left out is decided again; what is given stays, also that nothing is asked for.
// RUN: sed '/"n <= 28"/!s/, prefetch = [a-z]*\(<[0-9, ]*>\)*//; s/, finish = \[[^]]*\]//; s/mirror = 64, //; s/fewest_tasks = [0-9]*, input_tiles = [0-9]*, //' %t.mlir > %t-open.mlir
// RUN: zenith-opt %t-open.mlir --from=schedule --to=schedule --target=cpu:znver4 | FileCheck %s --check-prefix=ZEN4
// RUN: sed 's/prefetch = [a-z]*\(<[0-9, ]*>\)*/prefetch = none/; s/prefetch = \[[^]]*\]/prefetch = [none, none]/; s/finish = \[[^]]*\]/finish = [3, 32]/; s/mirror = 64/mirror = 16/; s/input_tiles = [0-9]*/input_tiles = 5/; s/fewest_tasks = 16/fewest_tasks = 3/' %t.mlir > %t-given.mlir
// RUN: zenith-opt %t-given.mlir --from=schedule --to=schedule --target=cpu:znver4 -o %t-kept.mlir
// RUN: FileCheck %s --check-prefix=GIVEN < %t-kept.mlir
//
// Emission reads: it asks for nothing where the schedule doesn't, but for the results that it stores by columns.
// RUN: zenith-opt %t-kept.mlir --from=schedule --to=kernels --target=cpu:znver4 | FileCheck %s --check-prefix=NONE
// NONE-LABEL: func.func @k0_contraction
// NONE-NOT: memref.prefetch
// NONE: func.func @k2_contraction
//
// How far ahead it asks, too.
// RUN: sed 's/lines<3, 2048>/lines<3, 640>/g' %t.mlir | zenith-opt --from=schedule --to=kernels --target=cpu:znver4 | FileCheck %s --check-prefix=NEAR
// RUN: sed 's/lines<3, 2048>/lines<3, 640>/g' %t.mlir > %t-near.mlir
// RUN: zenith-run %t-near.mlir --from=schedule --target=cpu:znver4 --entry=panels --dim=n=5 --random-inputs --compare=interp --print=0 --rtol=1e-4 --atol=1e-3
// NEAR: func.func private @uk_f32_14x2x16{{.*}}_prefetch640(
// NEAR: %[[BYTES:.*]] = arith.constant 160 : index
// NEAR: memref.prefetch

// Many rows share the next panel; what the last ones leave reads half panels, a little ahead.
// CHECK-LABEL: func.func @panels(
// CHECK: schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, operands = [rows, panels<16>], block = [16, 1], k_loop = whole, prefetch = panel, heights = [6, 4, 2]>}
// ZEN4-LABEL: func.func @panels(
// ZEN4: schedule = #sched.choice<["n <= 28" : #sched.gemm<on = task, tile = [14, 32], lanes = 16, operands = [rows, panels<32>], block = [512, 1], k_loop = whole, prefetch = lines<3, 2048>, heights = [14, 10, 2]>, else : #sched.gemm<on = task, tile = [6, 64], lanes = 16, operands = [rows, panels<32>], block = [16, 1], k_loop = whole, prefetch = [panel, lines<3, 2048>], heights = [10, 2]>]>}
// NEOVERSE-LABEL: func.func @panels(
// NEOVERSE: schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 4, operands = [rows, panels<16>], block = [33, 1], k_loop = whole, prefetch = panel, heights = [6, 4, 2]>}
// GIVEN-LABEL: func.func @panels(
// GIVEN: schedule = #sched.choice<["n <= 28" : #sched.gemm<on = task, tile = [14, 32], lanes = 16, operands = [rows, panels<32>], block = [512, 1], k_loop = whole, prefetch = none, heights = [14, 10, 2]>, else : #sched.gemm<on = task, tile = [6, 64], lanes = 16, operands = [rows, panels<32>], block = [16, 1], k_loop = whole, prefetch = [none, none], heights = [10, 2]>]>}
func.func @panels(%x: tensor<?x1024xf32> {graph.dims = ["n", "1024"]}) -> (tensor<?x1024xf32> {graph.dims = ["n", "1024"]}) {
  %w = graph.get_param @w : tensor<1024x1024xf32>
  %0 = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x1024xf32>, tensor<1024x1024xf32>) -> tensor<?x1024xf32>
  return %0 : tensor<?x1024xf32>
}
graph.param @w : tensor<1024x1024xf32> = dense<0.1> : tensor<1024x1024xf32>

// Short rows of a tall A.
// CHECK-LABEL: func.func @rows(
// CHECK: schedule = #sched.gemm<on = task, tile = [12, 16], lanes = 8, operands = [rows, rows], block = [129, 1], k_loop = whole, prefetch = rows<64>>}
// ZEN4-LABEL: func.func @rows(
// ZEN4: schedule = #sched.gemm<on = task, tile = [12, 64], lanes = 16, operands = [rows, copied<64>], block = [129, 1], k_loop = whole, prefetch = rows<64>, scratch = ["8192"]>}
// NEOVERSE-LABEL: func.func @rows(
// NEOVERSE: schedule = #sched.gemm<on = task, tile = [12, 16], lanes = 4, operands = [rows, rows], block = [278, 1], k_loop = whole, prefetch = rows<64>>}
// GIVEN-LABEL: func.func @rows(
// GIVEN: schedule = #sched.gemm<on = task, tile = [12, 64], lanes = 16, operands = [rows, copied<64>], block = [129, 1], k_loop = whole, prefetch = none, scratch = ["8192"]>}
func.func @rows(%x: tensor<40000x32xf32>, %w: tensor<32x8xf32>) -> tensor<40000x8xf32> {
  %0 = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<40000x32xf32>, tensor<32x8xf32>) -> tensor<40000x8xf32>
  return %0 : tensor<40000x8xf32>
}

// Rows of the result are contiguous.
// CHECK-LABEL: func.func @columns(
// CHECK: schedule = #sched.conv<on = task, form = direct, tile = [6, 16], lanes = 8, operands = [rows, copied<16>], block = [7, 4], k_loop = whole, finish = [20, 16], scratch = ["73728"]>}
// ZEN4-LABEL: func.func @columns(
// ZEN4: schedule = #sched.conv<on = task, form = direct, tile = [6, 64], lanes = 16, operands = [rows, copied<64>], block = [24, 1], k_loop = whole, finish = [20, 16], scratch = ["73728"]>}
// NEOVERSE-LABEL: func.func @columns(
// NEOVERSE: schedule = #sched.conv<on = task, form = direct, tile = [6, 16], lanes = 4, operands = [rows, copied<16>], block = [14, 4], k_loop = whole, finish = [20, 16], scratch = ["73728"]>}
// GIVEN-LABEL: func.func @columns(
// GIVEN: schedule = #sched.conv<on = task, form = direct, tile = [6, 64], lanes = 16, operands = [rows, copied<64>], block = [24, 1], k_loop = whole, finish = [3, 32], scratch = ["73728"]>}
func.func @columns(%x: tensor<1x30x30x32xf32>, %w: tensor<3x3x32x64xf32>) -> tensor<1x64x28x28xf32> {
  %0 = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : (tensor<1x30x30x32xf32>, tensor<3x3x32x64xf32>) -> tensor<1x28x28x64xf32>
  %1 = graph.transpose %0 [0, 3, 1, 2] : tensor<1x28x28x64xf32> -> tensor<1x64x28x28xf32>
  return %1 : tensor<1x64x28x28xf32>
}

// CHECK-LABEL: func.func @squares(
// CHECK: schedule = #sched.gemm<on = task, mirror = 64, tile = [6, 16], lanes = 8, operands = [rows, copied<16>], block = [50, 1], k_loop = whole, scratch = ["77824"]>}
// ZEN4-LABEL: func.func @squares(
// ZEN4: schedule = #sched.gemm<on = task, mirror = 64, tile = [6, 64], lanes = 16, operands = [rows, copied<64>], block = [50, 1], k_loop = whole, scratch = ["81920"]>}
// NEOVERSE-LABEL: func.func @squares(
// NEOVERSE: schedule = #sched.gemm<on = task, mirror = 64, tile = [6, 16], lanes = 4, operands = [rows, copied<16>], block = [50, 1], k_loop = whole, scratch = ["77824"]>}
// GIVEN-LABEL: func.func @squares(
// GIVEN: schedule = #sched.gemm<on = task, mirror = 16, tile = [6, 64], lanes = 16, operands = [rows, copied<64>], block = [50, 1], k_loop = whole, scratch = ["81920"]>}
func.func @squares(%x: tensor<300x64xf32>) -> tensor<300x300xf32> {
  %0 = graph.dot_general %x, %x <batching = [] x [], contracting = [1] x [1]> : (tensor<300x64xf32>, tensor<300x64xf32>) -> tensor<300x300xf32>
  return %0 : tensor<300x300xf32>
}

// The transformed filter of the next point; panels are divided where blocks are few.
// CHECK-LABEL: func.func @winograd(
// CHECK: schedule = #sched.conv<on = task, form = winograd<4>, fewest_tasks = 16, input_tiles = 1, tile = [6, 16], lanes = 8, operands = [rows, panels<16>], block = [24, 1], scratch = ["592128"]>}
// ZEN4-LABEL: func.func @winograd(
// ZEN4: schedule = #sched.conv<on = task, form = winograd<4>, fewest_tasks = 16, input_tiles = 1, tile = [6, 64], lanes = 16, operands = [rows, panels<64>], block = [56, 1], prefetch = panel, scratch = ["592128"]>}
// NEOVERSE-LABEL: func.func @winograd(
// NEOVERSE: schedule = #sched.conv<on = task, form = winograd<4>, fewest_tasks = 16, input_tiles = 3, tile = [6, 16], lanes = 4, operands = [rows, panels<16>], block = [24, 1], scratch = ["592128"]>}
// GIVEN-LABEL: func.func @winograd(
// GIVEN: schedule = #sched.conv<on = task, form = winograd<4>, fewest_tasks = 3, input_tiles = 5, tile = [6, 64], lanes = 16, operands = [rows, panels<64>], block = [56, 1], prefetch = none, scratch = ["592128"]>}
func.func @winograd(%x: tensor<1x14x14x256xf32>) -> tensor<1x14x14x256xf32> {
  %w = graph.get_param @f : tensor<3x3x256x256xf32>
  %0 = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : (tensor<1x14x14x256xf32>, tensor<3x3x256x256xf32>) -> tensor<1x14x14x256xf32>
  return %0 : tensor<1x14x14x256xf32>
}
graph.param @f : tensor<3x3x256x256xf32> = dense<0.1> : tensor<3x3x256x256xf32>
