// The schedule of every kind of kernel, for processors with vectors of 8, 16 and 4 floats; nothing runs.
//
// RUN: zenith-opt %s --from=schedule --to=schedule --target=cpu:x86-64-v3 | FileCheck %s
// RUN: zenith-opt %s --from=schedule --to=schedule --target=cpu:znver4 | FileCheck %s --check-prefix=ZEN4
// RUN: zenith-opt %s --from=schedule --to=schedule --target-model=neoverse-v2 | FileCheck %s --check-prefix=NEOVERSE

// CHECK-LABEL: func.func @chain(
// CHECK: schedule = #sched.elements<on = task, block = 4096, lanes = 16, shares = {{\[\[}}0, 0]]>}
// ZEN4-LABEL: func.func @chain(
// ZEN4: schedule = #sched.choice<["33554433 <= 32*batch" : #sched.elements<on = task, block = 4096, lanes = 32, shares = {{\[\[}}0, 0]], store = streaming>, else : #sched.elements<on = task, block = 4096, lanes = 32, shares = {{\[\[}}0, 0]]>]>}
// NEOVERSE-LABEL: func.func @chain(
// NEOVERSE: schedule = #sched.elements<on = task, block = 4096, lanes = 8, shares = {{\[\[}}0, 0]]>}
func.func @chain(%x: tensor<?x4xf32> {graph.dims = ["batch", "4"]}) -> tensor<?x4xf32> {
  %0 = graph.fusion pointwise (%a = %x : tensor<?x4xf32>) -> tensor<?x4xf32> {
    %1 = graph.exp %a : tensor<?x4xf32>
    graph.yield %1 : tensor<?x4xf32>
  }
  return %0 : tensor<?x4xf32>
}

// Long computation: fewer elements are a task.
// CHECK-LABEL: func.func @long_chain(
// CHECK: schedule = #sched.elements<on = task, block = 1024, lanes = 16, shares = {{\[\[}}0, 0]]>}
// ZEN4-LABEL: func.func @long_chain(
// ZEN4: schedule = #sched.elements<on = task, block = 1024, lanes = 64, shares = {{\[\[}}0, 0]]>}
// NEOVERSE-LABEL: func.func @long_chain(
// NEOVERSE: schedule = #sched.elements<on = task, block = 1024, lanes = 16, shares = {{\[\[}}0, 0]]>}
func.func @long_chain(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = graph.fusion pointwise (%a = %x : tensor<64x128xf32>) -> tensor<64x128xf32> {
    %1 = graph.tanh %a : tensor<64x128xf32>
    %2 = graph.exp %1 : tensor<64x128xf32>
    %3 = graph.log %2 : tensor<64x128xf32>
    graph.yield %3 : tensor<64x128xf32>
  }
  return %0 : tensor<64x128xf32>
}

// Reads across are squares of a vector's lanes; no element is read by the task that writes it.
// CHECK-LABEL: func.func @transposed(
// CHECK: schedule = #sched.elements<on = task, block = 4096, tile = [8, 8], piece = 256, item = 2, lanes = 8>}
// ZEN4-LABEL: func.func @transposed(
// ZEN4: schedule = #sched.elements<on = task, block = 4096, tile = [16, 16], piece = 16, item = 2, lanes = 16>}
// NEOVERSE-LABEL: func.func @transposed(
// NEOVERSE: schedule = #sched.elements<on = task, block = 4096, tile = [4, 4], piece = 256, item = 2, lanes = 4>}
func.func @transposed(%x: tensor<64x128xf32>) -> tensor<128x64xf32> {
  %0 = graph.fusion pointwise (%a = %x : tensor<64x128xf32>) -> tensor<128x64xf32> {
    %1 = graph.transpose %a [1, 0] : tensor<64x128xf32> -> tensor<128x64xf32>
    graph.yield %1 : tensor<128x64xf32>
  }
  return %0 : tensor<128x64xf32>
}

// CHECK-LABEL: func.func @rows(
// CHECK: schedule = #sched.reduce<on = task, rows = 32, sums = [4], lanes = 16>}
// ZEN4-LABEL: func.func @rows(
// ZEN4: schedule = #sched.reduce<on = task, rows = 32, sums = [2], lanes = 32>}
// NEOVERSE-LABEL: func.func @rows(
// NEOVERSE: schedule = #sched.reduce<on = task, rows = 32, sums = [8], lanes = 8>}
func.func @rows(%x: tensor<64x128xf32>) -> tensor<64xf32> {
  %0 = graph.fusion reduction (%a = %x : tensor<64x128xf32>) -> tensor<64xf32> {
    %1 = graph.reduce sum, %a [1] : tensor<64x128xf32> -> tensor<64xf32>
    graph.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// Sums of long columns have slots.
// CHECK-LABEL: func.func @columns(
// CHECK: schedule = #sched.reduce<on = task, slots = 32, chunk = 256, sums = [4], lanes = 16, scratch = ["16384"]>}
// ZEN4-LABEL: func.func @columns(
// ZEN4: schedule = #sched.reduce<on = task, slots = 32, chunk = 256, sums = [2], lanes = 32, scratch = ["16384"]>}
// NEOVERSE-LABEL: func.func @columns(
// NEOVERSE: schedule = #sched.reduce<on = task, slots = 32, chunk = 256, sums = [8], lanes = 8, scratch = ["16384"]>}
func.func @columns(%x: tensor<8192x128xf32>) -> tensor<128xf32> {
  %0 = graph.fusion reduction (%a = %x : tensor<8192x128xf32>) -> tensor<128xf32> {
    %1 = graph.reduce sum, %a [0] : tensor<8192x128xf32> -> tensor<128xf32>
    graph.yield %1 : tensor<128xf32>
  }
  return %0 : tensor<128xf32>
}

// CHECK-LABEL: func.func @product(
// CHECK: schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, operands = [rows, copied<16>], block = [11, 1], k_loop = whole>}
// ZEN4-LABEL: func.func @product(
// ZEN4: schedule = #sched.gemm<on = task, tile = [6, 64], lanes = 16, operands = [rows, rows], block = [11, 1], k_loop = whole>}
// NEOVERSE-LABEL: func.func @product(
// NEOVERSE: schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 4, operands = [rows, copied<16>], block = [11, 1], k_loop = whole>}
func.func @product(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// CHECK-LABEL: func.func @convolution(
// CHECK: schedule = #sched.conv<on = task, form = direct, tile = [6, 16], lanes = 8, operands = [rows, rows], block = [42, 1], k_loop = whole>}
// ZEN4-LABEL: func.func @convolution(
// ZEN4: schedule = #sched.conv<on = task, form = direct, tile = [12, 64], lanes = 16, operands = [rows, rows], block = [28, 1], k_loop = whole>}
// NEOVERSE-LABEL: func.func @convolution(
// NEOVERSE: schedule = #sched.conv<on = task, form = direct, tile = [6, 16], lanes = 4, operands = [rows, rows], block = [42, 1], k_loop = whole>}
func.func @convolution(%x: tensor<1x14x14x8xf32>, %w: tensor<3x3x8x16xf32>) -> tensor<1x14x14x16xf32> {
  %0 = graph.fusion contraction (%a = %x : tensor<1x14x14x8xf32>, %b = %w : tensor<3x3x8x16xf32>) -> tensor<1x14x14x16xf32> {
    %1 = graph.convolution %a, %b <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : (tensor<1x14x14x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x14x14x16xf32>
    graph.yield %1 : tensor<1x14x14x16xf32>
  }
  return %0 : tensor<1x14x14x16xf32>
}

// CHECK-LABEL: func.func @depthwise(
// CHECK: schedule = #sched.conv<on = task, form = depthwise<channels>, tile = [8, 8], lanes = 8, block = [6060, 32768]>}
// ZEN4-LABEL: func.func @depthwise(
// ZEN4: schedule = #sched.conv<on = task, form = depthwise<channels>, tile = [8, 16], lanes = 16, block = [12121, 32768]>}
// NEOVERSE-LABEL: func.func @depthwise(
// NEOVERSE: schedule = #sched.conv<on = task, form = depthwise<channels>, tile = [8, 4], lanes = 4, block = [6060, 65536]>}
func.func @depthwise(%x: tensor<1x14x14x16xf32>, %w: tensor<3x3x1x16xf32>) -> tensor<1x14x14x16xf32> {
  %0 = graph.fusion window (%a = %x : tensor<1x14x14x16xf32>, %b = %w : tensor<3x3x1x16xf32>) -> tensor<1x14x14x16xf32> {
    %1 = graph.convolution %a, %b <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 16 : (tensor<1x14x14x16xf32>, tensor<3x3x1x16xf32>) -> tensor<1x14x14x16xf32>
    graph.yield %1 : tensor<1x14x14x16xf32>
  }
  return %0 : tensor<1x14x14x16xf32>
}

// CHECK-LABEL: func.func @pooling(
// CHECK: schedule = #sched.window<on = task, form = channels, tile = [8, 8], block = [8695, 32768], lanes = 8>}
// ZEN4-LABEL: func.func @pooling(
// ZEN4: schedule = #sched.window<on = task, form = channels, tile = [8, 16], block = [17391, 32768], lanes = 16>}
// NEOVERSE-LABEL: func.func @pooling(
// NEOVERSE: schedule = #sched.window<on = task, form = channels, tile = [8, 4], block = [8695, 65536], lanes = 4>}
func.func @pooling(%x: tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32> {
  %0 = graph.fusion window (%a = %x : tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32> {
    %1 = graph.reduce_window max, %a window [1, 2, 2, 1] strides [1, 2, 2, 1] low [0, 0, 0, 0] high [0, 0, 0, 0] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x8x8x16xf32> -> tensor<1x4x4x16xf32>
    graph.yield %1 : tensor<1x4x4x16xf32>
  }
  return %0 : tensor<1x4x4x16xf32>
}

// CHECK-LABEL: func.func @pooling_rows(
// CHECK: schedule = #sched.window<on = task, form = rows, tile = [1, 32], block = [4096], lanes = 8>}
// ZEN4-LABEL: func.func @pooling_rows(
// ZEN4: schedule = #sched.window<on = task, form = rows, tile = [1, 64], block = [4096], lanes = 16>}
// NEOVERSE-LABEL: func.func @pooling_rows(
// NEOVERSE: schedule = #sched.window<on = task, form = rows, tile = [1, 16], block = [4096], lanes = 4>}
func.func @pooling_rows(%x: tensor<1x8x100x100xf32>) -> tensor<1x8x100x100xf32> {
  %0 = graph.fusion window (%a = %x : tensor<1x8x100x100xf32>) -> tensor<1x8x100x100xf32> {
    %1 = graph.reduce_window max, %a window [1, 1, 3, 3] strides [1, 1, 1, 1] low [0, 0, 1, 1] high [0, 0, 1, 1] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x8x100x100xf32> -> tensor<1x8x100x100xf32>
    graph.yield %1 : tensor<1x8x100x100xf32>
  }
  return %0 : tensor<1x8x100x100xf32>
}

// Planes of sizes that only a run knows: rows of large ones are read where they lie, others are copied by tiles, or
// interleaved where rows are short and as many planes as lanes lie side by side.
// CHECK-LABEL: func.func @pooling_planes(
// CHECK: schedule = #sched.choice<["1 <= min(1, max(0, h*w - 7))*min(1, max(0, -w + 5))*min(1, max(0, -3*w + 1025))" : #sched.window<on = task, form = interleaved, tile = [2, 8], block = [1024], lanes = 8>, "1 <= min(1099511627776, min(1, min(1, max(0, 2*h + h*w + 2*w - 8188)) + min(1, max(0, w - 31)))*min(1, max(0, max(w - 1, 1) - 8))*min(1, max(0, w - 7))*min(1, max(0, -w + max(w - 1, 1) + 9)))" : #sched.window<on = task, form = rows, tile = [1, 32], block = [4096], lanes = 8>, else : #sched.window<on = task, form = planes, block = [3, 32, 32], keep = 8, lanes = 8>]>}
// ZEN4-LABEL: func.func @pooling_planes(
// ZEN4: schedule = #sched.choice<["1 <= min(1099511627776, min(1, min(1, max(0, 2*h + h*w + 2*w - 8188)) + min(1, max(0, w - 63)))*min(1, max(0, max(w - 1, 1) - 16))*min(1, max(0, w - 15))*min(1, max(0, -w + max(w - 1, 1) + 17)))" : #sched.window<on = task, form = rows, tile = [1, 64], block = [4096], lanes = 16>, else : #sched.window<on = task, form = planes, block = [3, 32, 64], keep = 8, lanes = 16>]>}
// NEOVERSE-LABEL: func.func @pooling_planes(
// NEOVERSE: schedule = #sched.choice<["1 <= min(1099511627776, min(1, min(1, max(0, 2*h + h*w + 2*w - 16380)) + min(1, max(0, w - 15)))*min(1, max(0, max(w - 1, 1) - 4))*min(1, max(0, w - 3))*min(1, max(0, -w + max(w - 1, 1) + 5)))" : #sched.window<on = task, form = rows, tile = [1, 16], block = [4096], lanes = 4>, else : #sched.window<on = task, form = planes, block = [7, 32, 16], keep = 8, lanes = 4>]>}
func.func @pooling_planes(%x: tensor<1x8x?x?xf32> {graph.dims = ["1", "8", "h", "w"]}) -> tensor<1x8x?x?xf32> {
  %0 = graph.fusion window (%a = %x : tensor<1x8x?x?xf32>) -> tensor<1x8x?x?xf32> {
    %1 = graph.reduce_window max, %a window [1, 1, 3, 3] strides [1, 1, 1, 1] low [0, 0, 1, 1] high [0, 0, 1, 1] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x8x?x?xf32> -> tensor<1x8x?x?xf32>
    graph.yield %1 : tensor<1x8x?x?xf32>
  }
  return %0 : tensor<1x8x?x?xf32>
}

// Bounds of sizes say which of these forms a run can take.
// ZEN4-LABEL: func.func @pooling_narrow_planes(
// ZEN4: schedule = #sched.window<on = task, form = interleaved, tile = [2, 16], block = [512], lanes = 16>}
func.func @pooling_narrow_planes(%x: tensor<1x16x?x?xf32> {graph.dims = ["1", "16", "h", "w"]}) -> tensor<1x16x?x?xf32> attributes {graph.dim_bounds = {h = #graph.bounds<4 to 64>, w = #graph.bounds<4 to 8>}} {
  %0 = graph.fusion window (%a = %x : tensor<1x16x?x?xf32>) -> tensor<1x16x?x?xf32> {
    %1 = graph.reduce_window max, %a window [1, 1, 3, 3] strides [1, 1, 1, 1] low [0, 0, 1, 1] high [0, 0, 1, 1] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x16x?x?xf32> -> tensor<1x16x?x?xf32>
    graph.yield %1 : tensor<1x16x?x?xf32>
  }
  return %0 : tensor<1x16x?x?xf32>
}

// ZEN4-LABEL: func.func @pooling_wide_planes(
// ZEN4: schedule = #sched.window<on = task, form = planes, block = {{.*}}, keep = 8, lanes = 16>}
func.func @pooling_wide_planes(%x: tensor<1x16x?x?xf32> {graph.dims = ["1", "16", "h", "w"]}) -> tensor<1x16x?x?xf32> attributes {graph.dim_bounds = {w = #graph.bounds<32 to 64>}} {
  %0 = graph.fusion window (%a = %x : tensor<1x16x?x?xf32>) -> tensor<1x16x?x?xf32> {
    %1 = graph.reduce_window max, %a window [1, 1, 5, 5] strides [1, 1, 2, 2] low [0, 0, 2, 2] high [0, 0, 2, 2] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x16x?x?xf32> -> tensor<1x16x?x?xf32>
    graph.yield %1 : tensor<1x16x?x?xf32>
  }
  return %0 : tensor<1x16x?x?xf32>
}

// CHECK-LABEL: func.func @depthwise_planes(
// CHECK: schedule = #sched.conv<on = task, form = depthwise<planes>, keep = 8, lanes = 8, block = [2]>}
// ZEN4-LABEL: func.func @depthwise_planes(
// ZEN4: schedule = #sched.conv<on = task, form = depthwise<planes>, keep = 8, lanes = 16, block = [4]>}
// NEOVERSE-LABEL: func.func @depthwise_planes(
// NEOVERSE: schedule = #sched.conv<on = task, form = depthwise<planes>, keep = 8, lanes = 4, block = [2]>}
func.func @depthwise_planes(%x: tensor<1x16x30x30xf32>, %w: tensor<16x1x5x5xf32>) -> tensor<1x16x30x30xf32> {
  %0 = graph.fusion window (%a = %x : tensor<1x16x30x30xf32>, %b = %w : tensor<16x1x5x5xf32>) -> tensor<1x16x30x30xf32> {
    %1 = graph.convolution %a, %b <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])> strides [1, 1] low [2, 2] high [2, 2] input_dilation [1, 1] kernel_dilation [1, 1] groups 16 : (tensor<1x16x30x30xf32>, tensor<16x1x5x5xf32>) -> tensor<1x16x30x30xf32>
    graph.yield %1 : tensor<1x16x30x30xf32>
  }
  return %0 : tensor<1x16x30x30xf32>
}

// Windows that do not overlap have no loops of their own where lanes do not fill rows.
// CHECK-LABEL: func.func @pooling_apart(
// CHECK: schedule = #sched.elements<on = task, block = 4096, lanes = 16>}
// ZEN4-LABEL: func.func @pooling_apart(
// ZEN4: schedule = #sched.elements<on = task, block = 4096, lanes = 32>}
// NEOVERSE-LABEL: func.func @pooling_apart(
// NEOVERSE: schedule = #sched.elements<on = task, block = 4096, lanes = 8>}
func.func @pooling_apart(%x: tensor<1x8x60x60xf32>) -> tensor<1x8x20x20xf32> {
  %0 = graph.fusion window (%a = %x : tensor<1x8x60x60xf32>) -> tensor<1x8x20x20xf32> {
    %1 = graph.reduce_window max, %a window [1, 1, 3, 3] strides [1, 1, 3, 3] low [0, 0, 0, 0] high [0, 0, 0, 0] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x8x60x60xf32> -> tensor<1x8x20x20xf32>
    graph.yield %1 : tensor<1x8x20x20xf32>
  }
  return %0 : tensor<1x8x20x20xf32>
}

// CHECK-LABEL: func.func @running(
// CHECK: schedule = #sched.scan<on = task, block = 4096, lanes = 1>}
// ZEN4-LABEL: func.func @running(
// ZEN4: schedule = #sched.scan<on = task, block = 4096, lanes = 1>}
// NEOVERSE-LABEL: func.func @running(
// NEOVERSE: schedule = #sched.scan<on = task, block = 4096, lanes = 1>}
func.func @running(%x: tensor<4x100xf32>) -> tensor<4x100xf32> {
  %0 = graph.fusion reduction (%a = %x : tensor<4x100xf32>) -> tensor<4x100xf32> {
    %1 = graph.cumulative sum, %a 1 : tensor<4x100xf32>
    graph.yield %1 : tensor<4x100xf32>
  }
  return %0 : tensor<4x100xf32>
}

// CHECK-LABEL: func.func @running_rows(
// CHECK: schedule = #sched.scan<on = task, tile = [1, 1024], block = 1024, lanes = 16>}
// ZEN4-LABEL: func.func @running_rows(
// ZEN4: schedule = #sched.scan<on = task, tile = [1, 1024], block = 1024, lanes = 32>}
// NEOVERSE-LABEL: func.func @running_rows(
// NEOVERSE: schedule = #sched.scan<on = task, tile = [1, 1024], block = 1024, lanes = 8>}
func.func @running_rows(%x: tensor<100x4096xf32>) -> tensor<100x4096xf32> {
  %0 = graph.fusion reduction (%a = %x : tensor<100x4096xf32>) -> tensor<100x4096xf32> {
    %1 = graph.cumulative sum, %a 0 : tensor<100x4096xf32>
    graph.yield %1 : tensor<100x4096xf32>
  }
  return %0 : tensor<100x4096xf32>
}

// CHECK-LABEL: func.func @updates(
// CHECK: schedule = #sched.scatter<on = task, lanes = 8, shares = {{\[\[}}0, 0]]>}
// ZEN4-LABEL: func.func @updates(
// ZEN4: schedule = #sched.scatter<on = task, lanes = 16, shares = {{\[\[}}0, 0]]>}
// NEOVERSE-LABEL: func.func @updates(
// NEOVERSE: schedule = #sched.scatter<on = task, lanes = 4, shares = {{\[\[}}0, 0]]>}
func.func @updates(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) -> tensor<10x4xf32> {
  %0 = graph.fusion scatter (%a = %x : tensor<10x4xf32>, %b = %i : tensor<3x1xi64>, %c = %u : tensor<3x4xf32>) -> tensor<10x4xf32> {
    %1 = graph.scatter sum, %a, %b, %c <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
    graph.yield %1 : tensor<10x4xf32>
  }
  return %0 : tensor<10x4xf32>
}

// CHECK-LABEL: func.func @wide_updates(
// CHECK: schedule = #sched.scatter<on = task, block = 256, lanes = 8, shares = {{\[\[}}0, 0]]>}
// ZEN4-LABEL: func.func @wide_updates(
// ZEN4: schedule = #sched.scatter<on = task, block = 256, lanes = 16, shares = {{\[\[}}0, 0]]>}
// NEOVERSE-LABEL: func.func @wide_updates(
// NEOVERSE: schedule = #sched.scatter<on = task, block = 256, lanes = 4, shares = {{\[\[}}0, 0]]>}
func.func @wide_updates(%x: tensor<10x600xf32>, %i: tensor<3x1xi64>, %u: tensor<3x600xf32>) -> tensor<10x600xf32> {
  %0 = graph.fusion scatter (%a = %x : tensor<10x600xf32>, %b = %i : tensor<3x1xi64>, %c = %u : tensor<3x600xf32>) -> tensor<10x600xf32> {
    %1 = graph.scatter sum, %a, %b, %c <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x600xf32>, tensor<3x1xi64>, tensor<3x600xf32>) -> tensor<10x600xf32>
    graph.yield %1 : tensor<10x600xf32>
  }
  return %0 : tensor<10x600xf32>
}

// CHECK-LABEL: func.func @many_updates(
// CHECK: schedule = #sched.scatter<on = task, parts = 4, lanes = 8, shares = {{\[\[}}0, 0]]>}
// ZEN4-LABEL: func.func @many_updates(
// ZEN4: schedule = #sched.scatter<on = task, parts = 4, lanes = 16, shares = {{\[\[}}0, 0]]>}
// NEOVERSE-LABEL: func.func @many_updates(
// NEOVERSE: schedule = #sched.scatter<on = task, parts = 4, lanes = 4, shares = {{\[\[}}0, 0]]>}
func.func @many_updates(%x: tensor<100x64xf32>, %i: tensor<600x1xi64>, %u: tensor<600x64xf32>) -> tensor<100x64xf32> {
  %0 = graph.fusion scatter (%a = %x : tensor<100x64xf32>, %b = %i : tensor<600x1xi64>, %c = %u : tensor<600x64xf32>) -> tensor<100x64xf32> {
    %1 = graph.scatter sum, %a, %b, %c <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<100x64xf32>, tensor<600x1xi64>, tensor<600x64xf32>) -> tensor<100x64xf32>
    graph.yield %1 : tensor<100x64xf32>
  }
  return %0 : tensor<100x64xf32>
}

// CHECK-LABEL: func.func @attention(
// CHECK: schedule = #sched.attention<on = task, rows = 42, keys = 64, tile = [6, 16], lanes = 8, operands = [copied<16>, rows], scratch = ["8192"]>}
// ZEN4-LABEL: func.func @attention(
// ZEN4: schedule = #sched.attention<on = task, rows = 40, keys = 64, tile = [20, 16], lanes = 16, operands = [copied<16>, rows], scratch = ["8192"]>}
// NEOVERSE-LABEL: func.func @attention(
// NEOVERSE: schedule = #sched.attention<on = task, rows = 42, keys = 64, tile = [6, 16], lanes = 4, operands = [copied<16>, rows], scratch = ["8192"]>}
func.func @attention(%q: tensor<2x40x16xf32>, %k: tensor<2x60x16xf32>, %v: tensor<2x60x16xf32>) -> tensor<2x40x16xf32> {
  %0 = graph.fusion attention (%a = %q : tensor<2x40x16xf32>, %b = %k : tensor<2x60x16xf32>, %c = %v : tensor<2x60x16xf32>) -> tensor<2x40x16xf32> {
    %1 = graph.attention %a, %b, %c {scale = 0.25 : f64} : (tensor<2x40x16xf32>, tensor<2x60x16xf32>, tensor<2x60x16xf32>) -> tensor<2x40x16xf32>
    graph.yield %1 : tensor<2x40x16xf32>
  }
  return %0 : tensor<2x40x16xf32>
}

// CHECK-LABEL: func.func @sorted(
// CHECK: schedule = #sched.sort<on = host, scratch = ["4800"]>}
// ZEN4-LABEL: func.func @sorted(
// ZEN4: schedule = #sched.sort<on = host, scratch = ["4800"]>}
// NEOVERSE-LABEL: func.func @sorted(
// NEOVERSE: schedule = #sched.sort<on = host, scratch = ["4800"]>}
func.func @sorted(%x: tensor<100xf32>) -> tensor<100xf32> {
  %0 = graph.fusion routine (%a = %x : tensor<100xf32>) -> tensor<100xf32> {
    %1 = graph.sort %a 0 keys 1 : (tensor<100xf32>) -> (tensor<100xf32>)
    graph.yield %1 : tensor<100xf32>
  }
  return %0 : tensor<100xf32>
}

// CHECK-LABEL: func.func @largest(
// CHECK: schedule = #sched.top_k<on = host, scratch = ["1056"]>}
// ZEN4-LABEL: func.func @largest(
// ZEN4: schedule = #sched.top_k<on = host, scratch = ["1056"]>}
// NEOVERSE-LABEL: func.func @largest(
// NEOVERSE: schedule = #sched.top_k<on = host, scratch = ["1056"]>}
func.func @largest(%x: tensor<2x80xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>) {
  %0:2 = graph.fusion routine (%a = %x : tensor<2x80xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>) {
    %1, %2 = graph.top_k %a 1 : (tensor<2x80xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
    graph.yield %1, %2 : tensor<2x3xf32>, tensor<2x3xi64>
  }
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi64>
}

// CHECK-LABEL: func.func @distinct(
// CHECK: schedule = #sched.set<on = host, scratch = ["424"]>}
// ZEN4-LABEL: func.func @distinct(
// ZEN4: schedule = #sched.set<on = host, scratch = ["424"]>}
// NEOVERSE-LABEL: func.func @distinct(
// NEOVERSE: schedule = #sched.set<on = host, scratch = ["424"]>}
func.func @distinct(%x: tensor<8x3xui8>) -> tensor<?x3xui8> {
  %0:4 = graph.fusion routine (%a = %x : tensor<8x3xui8>) -> (tensor<?x3xui8>, tensor<?xi64>, tensor<8xi64>, tensor<?xi64>) {
    %r, %f, %i, %c = graph.unique %a : tensor<8x3xui8> -> tensor<?x3xui8>, tensor<?xi64>, tensor<8xi64>, tensor<?xi64>
    graph.yield %r, %f, %i, %c : tensor<?x3xui8>, tensor<?xi64>, tensor<8xi64>, tensor<?xi64>
  }
  return %0#0 : tensor<?x3xui8>
}

// CHECK-LABEL: func.func @transformed(
// CHECK: schedule = #sched.routine<"fourier", on = host, scratch = ["128", "256"]>}
// ZEN4-LABEL: func.func @transformed(
// ZEN4: schedule = #sched.routine<"fourier", on = host, scratch = ["128", "256"]>}
// NEOVERSE-LABEL: func.func @transformed(
// NEOVERSE: schedule = #sched.routine<"fourier", on = host, scratch = ["128", "256"]>}
func.func @transformed(%x: tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>> {
  %0 = graph.fusion routine (%a = %x : tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>> {
    %1 = graph.fourier r2c, %a [8] : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
    graph.yield %1 : tensor<2x5xcomplex<f32>>
  }
  return %0 : tensor<2x5xcomplex<f32>>
}

// Regions that say how elements combine.
// CHECK-LABEL: func.func @combined(
// CHECK: schedule = #sched.reduce<on = task, lanes = 16>}
// ZEN4-LABEL: func.func @combined(
// ZEN4: schedule = #sched.reduce<on = task, lanes = 32>}
// NEOVERSE-LABEL: func.func @combined(
// NEOVERSE: schedule = #sched.reduce<on = task, lanes = 8>}
func.func @combined(%x: tensor<40x60xf32>) -> tensor<40xf32> {
  %0 = graph.fusion reduction (%a = %x : tensor<40x60xf32>) -> tensor<40xf32> {
    %z = graph.constant dense<0.0> : tensor<f32>
    %1 = graph.reduce_with (%a), (%z) [1] {
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %2 = graph.sub %p, %q : tensor<f32>
      graph.yield %2 : tensor<f32>
    } : (tensor<40x60xf32>, tensor<f32>) -> tensor<40xf32>
    graph.yield %1 : tensor<40xf32>
  }
  return %0 : tensor<40xf32>
}

// Few rows: B is read along its rows, once.
// CHECK-LABEL: func.func @few_rows(
// CHECK: schedule = #sched.gemm<on = task, tile = [6, 16, 8], lanes = 8, operands = [rows, rows], block = [1, 32], k_loop = sweep<1>, joined = panels<2>>}
// ZEN4-LABEL: func.func @few_rows(
// ZEN4: schedule = #sched.gemm<on = task, tile = [6, 64, 8], lanes = 16, operands = [rows, rows], block = [1, 8], k_loop = sweep<1>, joined = panels<2>>}
// NEOVERSE-LABEL: func.func @few_rows(
// NEOVERSE: schedule = #sched.gemm<on = task, tile = [6, 16, 8], lanes = 4, operands = [rows, rows], block = [1, 32], k_loop = sweep<1>, joined = panels<4>>}
func.func @few_rows(%x: tensor<4x700xf32>, %w: tensor<700x640xf32>) -> tensor<4x640xf32> {
  %0 = graph.fusion contraction (%a = %x : tensor<4x700xf32>, %b = %w : tensor<700x640xf32>) -> tensor<4x640xf32> {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<4x700xf32>, tensor<700x640xf32>) -> tensor<4x640xf32>
    graph.yield %1 : tensor<4x640xf32>
  }
  return %0 : tensor<4x640xf32>
}

// A long K, with rows of A strided along it: packed rows meet blocks of K.
// CHECK-LABEL: func.func @gradient(
// CHECK: schedule = #sched.gemm<on = task, tile = [6, 16, 373], lanes = 8, operands = [copied, copied<16>], block = [29, 16], k_loop = packed<8>, prefetch = panel, scratch = ["12582912"]>}
// ZEN4-LABEL: func.func @gradient(
// ZEN4: schedule = #sched.gemm<on = task, tile = [6, 64, 373], lanes = 16, operands = [copied, copied<64>], block = [10, 12], k_loop = packed<8>, prefetch = panel, scratch = ["12582912"]>}
// NEOVERSE-LABEL: func.func @gradient(
// NEOVERSE: schedule = #sched.gemm<on = task, tile = [6, 16, 373], lanes = 4, operands = [copied, copied<16>], block = [29, 16], k_loop = packed<8>, prefetch = panel, scratch = ["12582912"]>}
func.func @gradient(%x: tensor<4096x512xf32>, %w: tensor<4096x768xf32>) -> tensor<512x768xf32> {
  %0 = graph.fusion contraction (%a = %x : tensor<4096x512xf32>, %b = %w : tensor<4096x768xf32>) -> tensor<512x768xf32> {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [0] x [0]> : (tensor<4096x512xf32>, tensor<4096x768xf32>) -> tensor<512x768xf32>
    graph.yield %1 : tensor<512x768xf32>
  }
  return %0 : tensor<512x768xf32>
}

// Results past the caches.
// CHECK-LABEL: func.func @large_copy(
// CHECK: schedule = #sched.elements<on = task, block = 4096, tile = [8, 8], piece = 256, item = 2, lanes = 8>}
// ZEN4-LABEL: func.func @large_copy(
// ZEN4: schedule = #sched.elements<on = task, block = 4096, tile = [16, 16], piece = 16, item = 2, lanes = 16, store = streaming>}
// NEOVERSE-LABEL: func.func @large_copy(
// NEOVERSE: schedule = #sched.elements<on = task, block = 4096, tile = [4, 4], piece = 256, item = 2, lanes = 4>}
func.func @large_copy(%x: tensor<4096x8192xf32>) -> tensor<8192x4096xf32> {
  %0 = graph.fusion copy (%a = %x : tensor<4096x8192xf32>) -> tensor<8192x4096xf32> {
    %1 = graph.transpose %a [1, 0] : tensor<4096x8192xf32> -> tensor<8192x4096xf32>
    graph.yield %1 : tensor<8192x4096xf32>
  }
  return %0 : tensor<8192x4096xf32>
}
