// Who transforms the input of a Winograd convolution, and what attention copies, for three models: a large input is transformed
// by the tasks that need it, a small one by a launch before them; values are copied where tiles take parts of their lines.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v3 | FileCheck %s
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v4 | FileCheck %s --check-prefix=AVX512
// RUN: zenith-opt %s --to=schedule --target-model=neoverse-v2 | FileCheck %s --check-prefix=NEOVERSE
//
// More queries read them so where the schedule says it, and one may have copies.
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v3 -o %t.mlir
// RUN: sed 's/operands = \[copied<16>, rows\], scratch = [^]]*\]/operands = [rows, rows]/; /rows = 1,/s/operands = \[rows, rows\]>/operands = [copied, rows]>/; s/in_place = 4/in_place = 50/' %t.mlir > %t-given.mlir
// RUN: zenith-opt %t-given.mlir --from=schedule --to=schedule --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=GIVEN
// RUN: zenith-opt %t-given.mlir --from=schedule --to=kernels --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=KERNELS
// RUN: zenith-run %t-given.mlir --from=schedule --entry=narrow_heads --random-inputs --compare=interp --print=0 --rtol=1e-4 --atol=1e-5
// RUN: zenith-run %t-given.mlir --from=schedule --entry=decoding --random-inputs --compare=interp --print=0 --rtol=1e-4 --atol=1e-5
// RUN: zenith-run %t-given.mlir --from=schedule --entry=any_queries --dim=n=50 --random-inputs --compare=interp --print=0 --rtol=1e-4 --atol=1e-5
// RUN: zenith-run %t-given.mlir --from=schedule --entry=any_queries --dim=n=51 --random-inputs --compare=interp --print=0 --rtol=1e-4 --atol=1e-5

// CHECK-LABEL: func.func @large
// CHECK: schedule = #sched.conv<on = task, form = winograd<4>, tile = [6, 16], lanes = 8, operands = [copied, panels<16>], block = [24, 1]>
// AVX512-LABEL: func.func @large
// AVX512: schedule = #sched.conv<on = task, form = winograd<4>, tile = [6, 64], lanes = 16, operands = [copied, panels<64>], block = [24, 1], prefetch = panel>
// NEOVERSE-LABEL: func.func @large
// NEOVERSE: schedule = #sched.conv<on = task, form = winograd<4>, tile = [6, 16], lanes = 4, operands = [copied, panels<16>], block = [24, 1]>
graph.param @k : tensor<3x3x32x64xf32> = dense<0.1> : tensor<3x3x32x64xf32>
func.func @large(%x: tensor<1x224x224x32xf32>) -> tensor<1x224x224x64xf32> {
  %k = graph.get_param @k : tensor<3x3x32x64xf32>
  %a = graph.convolution %x, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : (tensor<1x224x224x32xf32>, tensor<3x3x32x64xf32>) -> tensor<1x224x224x64xf32>
  return %a : tensor<1x224x224x64xf32>
}

// CHECK-LABEL: func.func @small
// CHECK: schedule = #sched.conv<on = task, form = winograd<4>, fewest_tasks = 16, input_tiles = 14, tile = [6, 16], lanes = 8, operands = [rows, panels<16>], block = [24, 1], scratch
// AVX512-LABEL: func.func @small
// AVX512: schedule = #sched.conv<on = task, form = winograd<4>, fewest_tasks = 16, input_tiles = {{[0-9]+}}, tile = [6, 64], lanes = 16, operands = [rows, panels<64>], block = [56, 1], prefetch = panel, scratch
// NEOVERSE-LABEL: func.func @small
// NEOVERSE: schedule = #sched.conv<on = task, form = winograd<4>, fewest_tasks = 16, input_tiles = {{[0-9]+}}, tile = [6, 16], lanes = 4, operands = [rows, panels<16>], block = [24, 1], scratch
func.func @small(%x: tensor<1x28x28x32xf32>) -> tensor<1x28x28x64xf32> {
  %k = graph.get_param @k : tensor<3x3x32x64xf32>
  %a = graph.convolution %x, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : (tensor<1x28x28x32xf32>, tensor<3x3x32x64xf32>) -> tensor<1x28x28x64xf32>
  return %a : tensor<1x28x28x64xf32>
}

// CHECK-LABEL: func.func @heads
// CHECK: schedule = #sched.attention<{{.*}}, operands = [copied<16>, copied<16>], scratch
// AVX512-LABEL: func.func @heads
// AVX512: schedule = #sched.attention<{{.*}}, operands = [copied<16>, copied<16>], scratch
// NEOVERSE-LABEL: func.func @heads
// NEOVERSE: schedule = #sched.attention<{{.*}}, operands = [copied<16>, copied<16>], scratch
func.func @heads(%q: tensor<4x200x64xf32>, %k: tensor<4x200x64xf32>, %v: tensor<4x200x64xf32>) -> tensor<4x200x64xf32> {
  %0 = graph.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<4x200x64xf32>, tensor<4x200x64xf32>, tensor<4x200x64xf32>) -> tensor<4x200x64xf32>
  return %0 : tensor<4x200x64xf32>
}

// CHECK-LABEL: func.func @narrow_heads
// CHECK: schedule = #sched.attention<{{.*}}, operands = [copied<16>, rows], scratch
// AVX512-LABEL: func.func @narrow_heads
// AVX512: schedule = #sched.attention<{{.*}}, operands = [copied<16>, rows], scratch
// NEOVERSE-LABEL: func.func @narrow_heads
// NEOVERSE: schedule = #sched.attention<{{.*}}, operands = [copied<16>, rows], scratch
// GIVEN-LABEL: func.func @narrow_heads
// GIVEN: schedule = #sched.attention<{{.*}}, operands = [rows, rows]>
func.func @narrow_heads(%q: tensor<4x200x16xf32>, %k: tensor<4x200x16xf32>, %v: tensor<4x200x16xf32>) -> tensor<4x200x16xf32> {
  %0 = graph.attention %q, %k, %v {scale = 0.25 : f64} : (tensor<4x200x16xf32>, tensor<4x200x16xf32>, tensor<4x200x16xf32>) -> tensor<4x200x16xf32>
  return %0 : tensor<4x200x16xf32>
}

// Few queries read keys and values where they lie, also where only a run knows that they are few.
// CHECK-LABEL: func.func @decoding
// CHECK: schedule = #sched.attention<{{.*}}, operands = [rows, rows]>
// AVX512-LABEL: func.func @decoding
// AVX512: schedule = #sched.attention<{{.*}}, operands = [rows, rows]>
// NEOVERSE-LABEL: func.func @decoding
// NEOVERSE: schedule = #sched.attention<{{.*}}, operands = [rows, rows]>
// GIVEN-LABEL: func.func @decoding
// GIVEN: schedule = #sched.attention<{{.*}}, operands = [copied<16>, rows], scratch
func.func @decoding(%q: tensor<4x1x64xf32>, %k: tensor<4x200x64xf32>, %v: tensor<4x200x64xf32>) -> tensor<4x1x64xf32> {
  %0 = graph.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<4x1x64xf32>, tensor<4x200x64xf32>, tensor<4x200x64xf32>) -> tensor<4x1x64xf32>
  return %0 : tensor<4x1x64xf32>
}

// CHECK-LABEL: func.func @any_queries
// CHECK: schedule = #sched.attention<{{.*}}, operands = [copied<16>, copied<16>], in_place = 4, scratch
// AVX512-LABEL: func.func @any_queries
// AVX512: schedule = #sched.attention<{{.*}}, operands = [copied<{{[0-9]+}}>, {{.*}}], in_place = 4, scratch
// NEOVERSE-LABEL: func.func @any_queries
// NEOVERSE: schedule = #sched.attention<{{.*}}, operands = [copied<16>, copied<16>], in_place = 4, scratch
// GIVEN-LABEL: func.func @any_queries
// GIVEN: schedule = #sched.attention<{{.*}}, operands = [copied<16>, copied<16>], in_place = 50, scratch
// KERNELS-LABEL: host.program @any_queries
// KERNELS: host.launch @kernels::@{{.*}}_prepare0 {{.*}} when "-min(1, max(0, -n + 51)) + 1"
func.func @any_queries(%q: tensor<4x?x64xf32> {graph.dims = ["4", "n", "64"]}, %k: tensor<4x200x64xf32>, %v: tensor<4x200x64xf32>) -> (tensor<4x?x64xf32> {graph.dims = ["4", "n", "64"]}) {
  %0 = graph.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<4x?x64xf32>, tensor<4x200x64xf32>, tensor<4x200x64xf32>) -> tensor<4x?x64xf32>
  return %0 : tensor<4x?x64xf32>
}
