// Each constraint of schedules once. What types and ops alone say is found by the verifier, the rest by the schedule phase
// (schedule-refused.mlir).
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics

func.func @c1_kind(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{schedule: kind: got gemm, expected elements (sched_c1)}}
  %0 = graph.fusion pointwise (%a = %x : tensor<64x128xf32>) -> tensor<64x128xf32> attributes {schedule = #sched.gemm<on = task, tile = [14, 32], lanes = 16>} {
    %1 = graph.tanh %a : tensor<64x128xf32>
    graph.yield %1 : tensor<64x128xf32>
  }
  return %0 : tensor<64x128xf32>
}

// -----
func.func @c2_no_group(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{schedule: group: got none, expected sizes along x, y and z with on = group (sched_c2)}}
  %0 = graph.fusion pointwise (%a = %x : tensor<64x128xf32>) -> tensor<64x128xf32> attributes {schedule = #sched.elements<on = group, block = 4>} {
    %1 = graph.tanh %a : tensor<64x128xf32>
    graph.yield %1 : tensor<64x128xf32>
  }
  return %0 : tensor<64x128xf32>
}

// -----
func.func @c2_large_group(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{schedule: group: got [64, 64, 1], expected three sizes, together 1 to 1024 items (sched_c2)}}
  %0 = graph.fusion pointwise (%a = %x : tensor<64x128xf32>) -> tensor<64x128xf32> attributes {schedule = #sched.elements<on = group, group = [64, 64, 1], block = 4>} {
    %1 = graph.tanh %a : tensor<64x128xf32>
    graph.yield %1 : tensor<64x128xf32>
  }
  return %0 : tensor<64x128xf32>
}

// -----
func.func @c3_item(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: item: got [3, 2], expected divisors of tile [32, 32, 16] (sched_c3)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = group, group = [16, 16, 1], tile = [32, 32, 16], item = [3, 2], operands = [local, local]>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
func.func @c3_columns(%q: tensor<2x40x16xf32>, %k: tensor<2x60x16xf32>, %v: tensor<2x60x16xf32>) -> tensor<2x40x16xf32> {
  // expected-error @below {{schedule: tile: got [4, 48], expected a power of two of columns (sched_c3)}}
  %0 = graph.fusion attention (%a = %q : tensor<2x40x16xf32>, %b = %k : tensor<2x60x16xf32>, %c = %v : tensor<2x60x16xf32>) -> tensor<2x40x16xf32> attributes {schedule = #sched.attention<on = task, rows = 12, keys = 384, tile = [4, 48], lanes = 16>} {
    %1 = graph.attention %a, %b, %c {scale = 0.25 : f64} : (tensor<2x40x16xf32>, tensor<2x60x16xf32>, tensor<2x60x16xf32>) -> tensor<2x40x16xf32>
    graph.yield %1 : tensor<2x40x16xf32>
  }
  return %0 : tensor<2x40x16xf32>
}

// -----
func.func @c3_vectors(%x: tensor<64x128xf32>) -> tensor<64xf32> {
  // expected-error @below {{schedule: item: got 3, expected a power of two, at most 16 (sched_c3)}}
  %0 = graph.fusion reduction (%a = %x : tensor<64x128xf32>) -> tensor<64xf32> attributes {schedule = #sched.reduce<on = task, rows = 8, item = 3, lanes = 16>} {
    %1 = graph.reduce sum, %a [1] : tensor<64x128xf32> -> tensor<64xf32>
    graph.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----
func.func @c4_group(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: group: got 128 items, expected 256, which fill the tile (sched_c4)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = group, group = [8, 16, 1], tile = [32, 32, 16], item = [2, 2], operands = [local, local]>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
func.func @c5_local(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: local memory: got 67584 bytes, expected at most 49152 (sched_c5)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = group, group = [16, 16, 1], tile = [128, 128, 32], item = [8, 8], operands = [local<pad = 4>, local<pad = 4>], stages = 2>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
func.func @c6_lanes(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{schedule: lanes: got 12, expected a power of two, at most 64 (sched_c6)}}
  %0 = graph.fusion pointwise (%a = %x : tensor<64x128xf32>) -> tensor<64x128xf32> attributes {schedule = #sched.elements<on = task, block = 4096, lanes = 12>} {
    %1 = graph.tanh %a : tensor<64x128xf32>
    graph.yield %1 : tensor<64x128xf32>
  }
  return %0 : tensor<64x128xf32>
}

// -----
func.func @c7_panels(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: operand B: got panels, expected another form: the operand is not packed (sched_c7)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = task, tile = [14, 32], lanes = 16, operands = [rows, panels<32>]>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
func.func @c8_tasks(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{schedule: tasks: got "2*", expected an expression over dimensions (sched_c8)}}
  %0 = graph.fusion pointwise (%a = %x : tensor<64x128xf32>) -> tensor<64x128xf32> attributes {schedule = #sched.elements<on = task, block = 4096, lanes = 16, tasks = "2*">} {
    %1 = graph.tanh %a : tensor<64x128xf32>
    graph.yield %1 : tensor<64x128xf32>
  }
  return %0 : tensor<64x128xf32>
}

// -----
func.func @c8_group_tasks(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: tasks: got "7", expected "6" (sched_c8)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = group, group = [16, 16, 1], tile = [32, 32, 16], item = [2, 2], operands = [local, local], tasks = "7">} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
func.func @c9_scratch(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{schedule: scratch: got ["64"], expected none for elements (sched_c9)}}
  %0 = graph.fusion pointwise (%a = %x : tensor<64x128xf32>) -> tensor<64x128xf32> attributes {schedule = #sched.elements<on = task, block = 4096, scratch = ["64"]>} {
    %1 = graph.tanh %a : tensor<64x128xf32>
    graph.yield %1 : tensor<64x128xf32>
  }
  return %0 : tensor<64x128xf32>
}

// -----
func.func @c10_range(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{schedule: shares: got [0, 3], expected a result below 1 and an operand below 1 (sched_c10)}}
  %0 = graph.fusion pointwise (%a = %x : tensor<64x128xf32>) -> tensor<64x128xf32> attributes {schedule = #sched.elements<on = task, block = 4096, shares = [[0, 3]]>} {
    %1 = graph.tanh %a : tensor<64x128xf32>
    graph.yield %1 : tensor<64x128xf32>
  }
  return %0 : tensor<64x128xf32>
}

// -----
func.func @c10_moved(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{schedule: shares: got [0, 0], expected an operand of the result's type, each element of which the task that writes it has read (sched_c10)}}
  %0 = graph.fusion pointwise (%a = %x : tensor<64x64xf32>) -> tensor<64x64xf32> attributes {schedule = #sched.elements<on = task, block = 4096, shares = [[0, 0]]>} {
    %1 = graph.transpose %a [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----
func.func @c11_no_else(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{schedule: choice: got guard "64 <= 28", expected else for the last variant (sched_c11)}}
  %0 = graph.fusion pointwise (%a = %x : tensor<64x128xf32>) -> tensor<64x128xf32> attributes {schedule = #sched.choice<["64 <= 28" : #sched.elements<on = task, block = 64>]>} {
    %1 = graph.tanh %a : tensor<64x128xf32>
    graph.yield %1 : tensor<64x128xf32>
  }
  return %0 : tensor<64x128xf32>
}

// -----
func.func @c11_nested(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{expected a schedule that is no choice (sched_c11)}}
  %0 = graph.fusion pointwise (%a = %x : tensor<64x128xf32>) -> tensor<64x128xf32> attributes {schedule = #sched.choice<[else : #sched.choice<[else : #sched.elements<on = task, block = 64>]>]>} {
    %1 = graph.tanh %a : tensor<64x128xf32>
    graph.yield %1 : tensor<64x128xf32>
  }
  return %0 : tensor<64x128xf32>
}

// -----
func.func @c11_names(%x: tensor<?x128xf32> {graph.dims = ["n", "128"]}) -> tensor<?x128xf32> {
  // expected-error @below {{schedule: choice: got 'm', expected a dimension that the function names (sched_c11)}}
  %0 = graph.fusion pointwise (%a = %x : tensor<?x128xf32>) -> tensor<?x128xf32> attributes {schedule = #sched.choice<["m <= 28" : #sched.elements<on = task, block = 64>, else : #sched.elements<on = task, block = 128>]>} {
    %1 = graph.tanh %a : tensor<?x128xf32>
    graph.yield %1 : tensor<?x128xf32>
  }
  return %0 : tensor<?x128xf32>
}

// -----
func.func @c12_registers(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: item: got 288 registers, expected at most 255 (sched_c12)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = group, group = [2, 2, 1], tile = [32, 32, 4], item = [16, 16], operands = [local, local]>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
func.func @c13_host(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{schedule: on: got host, expected task or group for what is no routine (sched_c13)}}
  %0 = graph.fusion pointwise (%a = %x : tensor<64x128xf32>) -> tensor<64x128xf32> attributes {schedule = #sched.elements<on = host, block = 4096>} {
    %1 = graph.tanh %a : tensor<64x128xf32>
    graph.yield %1 : tensor<64x128xf32>
  }
  return %0 : tensor<64x128xf32>
}

// -----
func.func @c14_slots(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: k_slices: got 2 without scratch, expected a slot in scratch for each (sched_c14)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = task, tile = [14, 32], lanes = 16, k_slices = 2>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
func.func @c14_none(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: k_slices: got 0, expected at least 1 (sched_c14)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = task, tile = [14, 32], lanes = 16, k_slices = 0>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
func.func @c3_window(%x: tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32> {
  // expected-error @below {{schedule: tile: got [0, 16], expected positive sizes (sched_c3)}}
  %0 = graph.fusion window (%a = %x : tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32> attributes {schedule = #sched.window<on = task, form = channels, tile = [0, 16], lanes = 8>} {
    %1 = graph.reduce_window max, %a window [1, 2, 2, 1] strides [1, 2, 2, 1] low [0, 0, 0, 0] high [0, 0, 0, 0] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x8x8x16xf32> -> tensor<1x4x4x16xf32>
    graph.yield %1 : tensor<1x4x4x16xf32>
  }
  return %0 : tensor<1x4x4x16xf32>
}

// -----
func.func @c3_window_keep(%x: tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32> {
  // expected-error @below {{schedule: keep: got -1, expected at least 1 (sched_c3)}}
  %0 = graph.fusion window (%a = %x : tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32> attributes {schedule = #sched.window<on = task, form = planes, keep = -1, lanes = 8>} {
    %1 = graph.reduce_window max, %a window [1, 2, 2, 1] strides [1, 2, 2, 1] low [0, 0, 0, 0] high [0, 0, 0, 0] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x8x8x16xf32> -> tensor<1x4x4x16xf32>
    graph.yield %1 : tensor<1x4x4x16xf32>
  }
  return %0 : tensor<1x4x4x16xf32>
}

// -----
func.func @c3_depthwise(%x: tensor<1x14x14x16xf32>, %w: tensor<3x3x1x16xf32>) -> tensor<1x14x14x16xf32> {
  // expected-error @below {{schedule: block: got [-4], expected positive sizes (sched_c3)}}
  %0 = graph.fusion window (%a = %x : tensor<1x14x14x16xf32>, %b = %w : tensor<3x3x1x16xf32>) -> tensor<1x14x14x16xf32> attributes {schedule = #sched.conv<on = task, form = depthwise<rows>, lanes = 8, block = [-4]>} {
    %1 = graph.convolution %a, %b <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 16 : (tensor<1x14x14x16xf32>, tensor<3x3x1x16xf32>) -> tensor<1x14x14x16xf32>
    graph.yield %1 : tensor<1x14x14x16xf32>
  }
  return %0 : tensor<1x14x14x16xf32>
}

// -----
func.func @c3_depthwise_keep(%x: tensor<1x14x14x16xf32>, %w: tensor<3x3x1x16xf32>) -> tensor<1x14x14x16xf32> {
  // expected-error @below {{schedule: keep: got 8, expected a positive number, for planes only (sched_c3)}}
  %0 = graph.fusion window (%a = %x : tensor<1x14x14x16xf32>, %b = %w : tensor<3x3x1x16xf32>) -> tensor<1x14x14x16xf32> attributes {schedule = #sched.conv<on = task, form = depthwise<channels>, keep = 8, lanes = 8>} {
    %1 = graph.convolution %a, %b <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 16 : (tensor<1x14x14x16xf32>, tensor<3x3x1x16xf32>) -> tensor<1x14x14x16xf32>
    graph.yield %1 : tensor<1x14x14x16xf32>
  }
  return %0 : tensor<1x14x14x16xf32>
}

// -----
func.func @c3_parts(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) -> tensor<10x4xf32> {
  // expected-error @below {{schedule: parts: got -1, expected at least 1 (sched_c3)}}
  %0 = graph.fusion scatter (%a = %x : tensor<10x4xf32>, %b = %i : tensor<3x1xi64>, %c = %u : tensor<3x4xf32>) -> tensor<10x4xf32> attributes {schedule = #sched.scatter<on = task, parts = -1, lanes = 8>} {
    %1 = graph.scatter sum, %a, %b, %c <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
    graph.yield %1 : tensor<10x4xf32>
  }
  return %0 : tensor<10x4xf32>
}

// -----
func.func @c7_attention(%q: tensor<2x40x16xf32>, %k: tensor<2x60x16xf32>, %v: tensor<2x60x16xf32>) -> tensor<2x40x16xf32> {
  // expected-error @below {{expected rows or copied (sched_c7)}}
  %0 = graph.fusion attention (%a = %q : tensor<2x40x16xf32>, %b = %k : tensor<2x60x16xf32>, %c = %v : tensor<2x60x16xf32>) -> tensor<2x40x16xf32> attributes {schedule = #sched.attention<on = task, rows = 12, keys = 64, tile = [4, 16], lanes = 8, operands = [panels<16>, rows]>} {
    %1 = graph.attention %a, %b, %c {scale = 0.25 : f64} : (tensor<2x40x16xf32>, tensor<2x60x16xf32>, tensor<2x60x16xf32>) -> tensor<2x40x16xf32>
    graph.yield %1 : tensor<2x40x16xf32>
  }
  return %0 : tensor<2x40x16xf32>
}

// -----
func.func @c3_finish(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<96x64xf32> {
  // expected-error @below {{schedule: finish: got [4, 0], expected tiles and rows, both positive (sched_c3)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<96x64xf32> attributes {schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, finish = [4, 0]>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    %2 = graph.transpose %1 [1, 0] : tensor<64x96xf32> -> tensor<96x64xf32>
    graph.yield %2 : tensor<96x64xf32>
  }
  return %0 : tensor<96x64xf32>
}

// -----
func.func @c3_prefetch(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: prefetch: got 3, expected 1 to 65536 for lines and rows, and only there (sched_c3)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, prefetch = [rows<2>, panel<3>]>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
func.func @c3_sums(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: sums: got 3, expected 1, 2 or 4 (sched_c3)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, sums = 3>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
func.func @c3_mirror(%x: tensor<64x128xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{schedule: mirror: got -8, expected at least 1 (sched_c3)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>) -> tensor<64x64xf32> attributes {schedule = #sched.gemm<on = task, mirror = -8, tile = [6, 16], lanes = 8>} {
    %1 = graph.dot_general %a, %a <batching = [] x [], contracting = [1] x [1]> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----
func.func @c12_keys_of_tasks(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: prefetch, heights, finish, sums, mirror: got keys of tasks, expected none for a group (sched_c12)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = group, group = [16, 16, 1], tile = [32, 32, 16], item = [2, 2], operands = [local, local], prefetch = panel>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
func.func @c3_sums(%x: tensor<64x128xf32>) -> tensor<64xf32> {
  // expected-error @below {{schedule: sums: got [3], expected powers of two, at most 16 (sched_c3)}}
  %0 = graph.fusion reduction (%a = %x : tensor<64x128xf32>) -> tensor<64xf32> attributes {schedule = #sched.reduce<on = task, rows = 8, sums = [3], lanes = 16>} {
    %1 = graph.reduce sum, %a [1] : tensor<64x128xf32> -> tensor<64xf32>
    graph.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----
func.func @c3_heights(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: heights: got [4, 6], expected positive sizes, the highest first (sched_c3)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, heights = [4, 6]>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
func.func @c3_bytes_of_rows(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: prefetch: got 2048, expected bytes ahead for lines only (sched_c3)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, prefetch = rows<4, 2048>>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
func.func @c3_packed(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: k_loop: got -1, expected panels of a step for sweep, at most 65536 k ahead for packed, and only there (sched_c3)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, k_loop = packed<-1>>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
func.func @c3_ahead(%x: tensor<64x128xi8>) -> tensor<64xi8> {
  // expected-error @below {{schedule: ahead: got 9999999, expected 1 to 1048576 bytes ahead (sched_c3)}}
  %0 = graph.fusion reduction (%a = %x : tensor<64x128xi8>) -> tensor<64xi8> attributes {schedule = #sched.reduce<on = task, rows = 8, streams = [0], ahead = 9999999, lanes = 16>} {
    %1 = graph.reduce sum, %a [1] : tensor<64x128xi8> -> tensor<64xi8>
    graph.yield %1 : tensor<64xi8>
  }
  return %0 : tensor<64xi8>
}

// -----
func.func @c7_padded(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: operand B: got padded, expected a form that B has (sched_c7)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, operands = [rows, padded]>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}
