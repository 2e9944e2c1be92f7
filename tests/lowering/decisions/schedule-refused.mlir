// What only the sizes and operands of a fusion say: the schedule phase compares a given schedule with what it leaves open.
//
// RUN: zenith-opt %s --from=schedule --to=schedule --target=cpu:x86-64-v3 --split-input-file --verify-diagnostics

func.func @c3_nothing_across(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{schedule: tile: got [8, 8], expected none: nothing is read across (sched_c3)}}
  %0 = graph.fusion pointwise (%a = %x : tensor<64x128xf32>) -> tensor<64x128xf32> attributes {schedule = #sched.elements<on = task, tile = [8, 8], lanes = 8>} {
    %1 = graph.tanh %a : tensor<64x128xf32>
    graph.yield %1 : tensor<64x128xf32>
  }
  return %0 : tensor<64x128xf32>
}

// -----
func.func @c12_piece_of_nothing(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{schedule: piece: got 64, expected none without a tile (sched_c12)}}
  %0 = graph.fusion pointwise (%a = %x : tensor<64x128xf32>) -> tensor<64x128xf32> attributes {schedule = #sched.elements<on = task, piece = 64, lanes = 8>} {
    %1 = graph.tanh %a : tensor<64x128xf32>
    graph.yield %1 : tensor<64x128xf32>
  }
  return %0 : tensor<64x128xf32>
}

// -----
func.func @c3_piece(%x: tensor<64x128xf32>) -> tensor<128x64xf32> {
  // expected-error @below {{schedule: piece: got 12, expected a multiple of 8 columns (sched_c3)}}
  %0 = graph.fusion copy (%a = %x : tensor<64x128xf32>) -> tensor<128x64xf32> attributes {schedule = #sched.elements<on = task, tile = [8, 8], piece = 12, lanes = 8>} {
    %1 = graph.transpose %a [1, 0] : tensor<64x128xf32> -> tensor<128x64xf32>
    graph.yield %1 : tensor<128x64xf32>
  }
  return %0 : tensor<128x64xf32>
}

// -----
func.func @c8_tasks(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{schedule: tasks: got "3", expected "1" (sched_c8)}}
  %0 = graph.fusion pointwise (%a = %x : tensor<64x128xf32>) -> tensor<64x128xf32> attributes {schedule = #sched.elements<on = task, block = 4096, tasks = "3">} {
    %1 = graph.neg %a : tensor<64x128xf32>
    graph.yield %1 : tensor<64x128xf32>
  }
  return %0 : tensor<64x128xf32>
}

// -----
func.func @c9_scratch(%x: tensor<64x128xf32>) -> tensor<64xf32> {
  // expected-error @below {{schedule: scratch: got ["64"], expected none (sched_c9)}}
  %0 = graph.fusion reduction (%a = %x : tensor<64x128xf32>) -> tensor<64xf32> attributes {schedule = #sched.reduce<on = task, rows = 8, scratch = ["64"]>} {
    %1 = graph.reduce sum, %a [1] : tensor<64x128xf32> -> tensor<64xf32>
    graph.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----
func.func @c11_choice(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{or one of its variants for all sizes (sched_c11)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.choice<["64 <= 28" : #sched.gemm<on = task, tile = [4, 16], lanes = 8>, else : #sched.gemm<on = task, tile = [6, 16], lanes = 8>]>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
func.func @c11_elements(%x: tensor<?x128xf32> {graph.dims = ["n", "128"]}) -> tensor<?x128xf32> {
  // expected-error @below {{or one of its variants for all sizes (sched_c11)}}
  %0 = graph.fusion pointwise (%a = %x : tensor<?x128xf32>) -> tensor<?x128xf32> attributes {schedule = #sched.choice<["n <= 28" : #sched.elements<on = task, block = 64>, else : #sched.elements<on = task, block = 128>]>} {
    %1 = graph.tanh %a : tensor<?x128xf32>
    graph.yield %1 : tensor<?x128xf32>
  }
  return %0 : tensor<?x128xf32>
}

// -----
func.func @c12_store(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{schedule: store: got streaming, expected plain: no result goes to the caller alone, in whole lines (sched_c12)}}
  %0 = graph.fusion pointwise (%a = %x : tensor<64x128xf32>) -> tensor<64x128xf32> attributes {schedule = #sched.elements<on = task, block = 4096, store = streaming>} {
    %1 = graph.tanh %a : tensor<64x128xf32>
    graph.yield %1 : tensor<64x128xf32>
  }
  return %0 : tensor<64x128xf32>
}

// -----
func.func @c13_task(%x: tensor<100xf32>) -> tensor<100xf32> {
  // expected-error @below {{schedule: on: got task, expected host: a routine computes it (sched_c13)}}
  %0 = graph.fusion routine (%a = %x : tensor<100xf32>) -> tensor<100xf32> attributes {schedule = #sched.sort<on = task>} {
    %1 = graph.sort %a 0 keys 1 : (tensor<100xf32>) -> (tensor<100xf32>)
    graph.yield %1 : tensor<100xf32>
  }
  return %0 : tensor<100xf32>
}

// -----
func.func @c3_loop(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: k_loop: got #sched.gemm<on = task, tile = [6, 16], lanes = 8, k_loop = sweep<2>>, expected #sched.gemm<on = task, tile = [6, 16], lanes = 8, operands = [rows, copied<16>], block = [11, 1], k_loop = whole> (sched_c3)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, k_loop = sweep<2>>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
func.func @c3_joined(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: joined: got}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, joined = rows<4>>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
func.func @c3_scan_of_lanes_apart(%x: tensor<4x100xf32>) -> tensor<4x100xf32> {
  // expected-error @below {{schedule: tile: got [1, 64], expected none: the state of the scan has no row of a result (sched_c3)}}
  %0 = graph.fusion reduction (%a = %x : tensor<4x100xf32>) -> tensor<4x100xf32> attributes {schedule = #sched.scan<on = task, tile = [1, 64]>} {
    %1 = graph.cumulative sum, %a 1 : tensor<4x100xf32>
    graph.yield %1 : tensor<4x100xf32>
  }
  return %0 : tensor<4x100xf32>
}

// -----
func.func @c3_scan_of_many_rows(%x: tensor<100x4096xf32>) -> tensor<100x4096xf32> {
  // expected-error @below {{schedule: tile: got [2, 64], expected a row, and the columns of a block (sched_c3)}}
  %0 = graph.fusion reduction (%a = %x : tensor<100x4096xf32>) -> tensor<100x4096xf32> attributes {schedule = #sched.scan<on = task, tile = [2, 64], lanes = 8>} {
    %1 = graph.cumulative sum, %a 0 : tensor<100x4096xf32>
    graph.yield %1 : tensor<100x4096xf32>
  }
  return %0 : tensor<100x4096xf32>
}

// -----
func.func @c3_scan_of_other_blocks(%x: tensor<100x4096xf32>) -> tensor<100x4096xf32> {
  // expected-error @below {{schedule: tile: got [1, 64], expected a row, and the columns of a block (sched_c3)}}
  %0 = graph.fusion reduction (%a = %x : tensor<100x4096xf32>) -> tensor<100x4096xf32> attributes {schedule = #sched.scan<on = task, tile = [1, 64], block = 128, lanes = 8>} {
    %1 = graph.cumulative sum, %a 0 : tensor<100x4096xf32>
    graph.yield %1 : tensor<100x4096xf32>
  }
  return %0 : tensor<100x4096xf32>
}

// -----
func.func @c6_scan_of_one_lane(%x: tensor<4x100xf32>) -> tensor<4x100xf32> {
  // expected-error @below {{schedule: lanes: got 8, expected 1: results are not contiguous beside the scan (sched_c6)}}
  %0 = graph.fusion reduction (%a = %x : tensor<4x100xf32>) -> tensor<4x100xf32> attributes {schedule = #sched.scan<on = task, lanes = 8>} {
    %1 = graph.cumulative sum, %a 1 : tensor<4x100xf32>
    graph.yield %1 : tensor<4x100xf32>
  }
  return %0 : tensor<4x100xf32>
}

// -----
func.func @c1_form(%x: tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32> {
  // expected-error @below {{expected another one, or elements (sched_c1)}}
  %0 = graph.fusion window (%a = %x : tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32> attributes {schedule = #sched.window<on = task, form = rows, lanes = 8>} {
    %1 = graph.reduce_window max, %a window [1, 2, 2, 1] strides [1, 2, 2, 1] low [0, 0, 0, 0] high [0, 0, 0, 0] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x8x8x16xf32> -> tensor<1x4x4x16xf32>
    graph.yield %1 : tensor<1x4x4x16xf32>
  }
  return %0 : tensor<1x4x4x16xf32>
}

// -----
func.func @c3_sizes(%x: tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32> {
  // expected-error @below {{schedule: tile: got [4], expected two sizes (sched_c3)}}
  %0 = graph.fusion window (%a = %x : tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32> attributes {schedule = #sched.window<on = task, form = channels, tile = [4], lanes = 8>} {
    %1 = graph.reduce_window max, %a window [1, 2, 2, 1] strides [1, 2, 2, 1] low [0, 0, 0, 0] high [0, 0, 0, 0] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x8x8x16xf32> -> tensor<1x4x4x16xf32>
    graph.yield %1 : tensor<1x4x4x16xf32>
  }
  return %0 : tensor<1x4x4x16xf32>
}

// -----
func.func @c3_tasks(%x: tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32> {
  // expected-error @below {{schedule: block: got [4], expected two sizes (sched_c3)}}
  %0 = graph.fusion window (%a = %x : tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32> attributes {schedule = #sched.window<on = task, form = channels, block = [4], lanes = 8>} {
    %1 = graph.reduce_window max, %a window [1, 2, 2, 1] strides [1, 2, 2, 1] low [0, 0, 0, 0] high [0, 0, 0, 0] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x8x8x16xf32> -> tensor<1x4x4x16xf32>
    graph.yield %1 : tensor<1x4x4x16xf32>
  }
  return %0 : tensor<1x4x4x16xf32>
}

// -----
func.func @c6_columns(%x: tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32> {
  // expected-error @below {{schedule: tile: got [4, 24], expected a power of two of columns, a multiple of 8 lanes (sched_c6)}}
  %0 = graph.fusion window (%a = %x : tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32> attributes {schedule = #sched.window<on = task, form = channels, tile = [4, 24], lanes = 8>} {
    %1 = graph.reduce_window max, %a window [1, 2, 2, 1] strides [1, 2, 2, 1] low [0, 0, 0, 0] high [0, 0, 0, 0] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x8x8x16xf32> -> tensor<1x4x4x16xf32>
    graph.yield %1 : tensor<1x4x4x16xf32>
  }
  return %0 : tensor<1x4x4x16xf32>
}

// -----
func.func @c12_sums(%x: tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32> {
  // expected-error @below {{schedule: tile: got [65, 8], expected at most 64 vectors of sums (sched_c12)}}
  %0 = graph.fusion window (%a = %x : tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32> attributes {schedule = #sched.window<on = task, form = channels, tile = [65, 8], lanes = 8>} {
    %1 = graph.reduce_window max, %a window [1, 2, 2, 1] strides [1, 2, 2, 1] low [0, 0, 0, 0] high [0, 0, 0, 0] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x8x8x16xf32> -> tensor<1x4x4x16xf32>
    graph.yield %1 : tensor<1x4x4x16xf32>
  }
  return %0 : tensor<1x4x4x16xf32>
}

// -----
func.func @c12_depthwise(%x: tensor<1x14x14x16xf32>, %w: tensor<3x3x1x16xf32>) -> tensor<1x14x14x16xf32> {
  // expected-error @below {{expected none for a depthwise convolution (sched_c12)}}
  %0 = graph.fusion window (%a = %x : tensor<1x14x14x16xf32>, %b = %w : tensor<3x3x1x16xf32>) -> tensor<1x14x14x16xf32> attributes {schedule = #sched.conv<on = task, form = depthwise<channels>, lanes = 8, operands = [rows, rows]>} {
    %1 = graph.convolution %a, %b <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 16 : (tensor<1x14x14x16xf32>, tensor<3x3x1x16xf32>) -> tensor<1x14x14x16xf32>
    graph.yield %1 : tensor<1x14x14x16xf32>
  }
  return %0 : tensor<1x14x14x16xf32>
}

// -----
func.func @c3_scatter(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) -> tensor<10x4xf32> {
  // expected-error @below {{schedule: block, parts: got [2, 2], expected one of them (sched_c3)}}
  %0 = graph.fusion scatter (%a = %x : tensor<10x4xf32>, %b = %i : tensor<3x1xi64>, %c = %u : tensor<3x4xf32>) -> tensor<10x4xf32> attributes {schedule = #sched.scatter<on = task, parts = 2, block = 2, lanes = 8>} {
    %1 = graph.scatter sum, %a, %b, %c <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
    graph.yield %1 : tensor<10x4xf32>
  }
  return %0 : tensor<10x4xf32>
}

// -----
func.func @c7_keys(%q: tensor<2x40x16xf32>, %k: tensor<2x60x16xf32>, %v: tensor<2x60x16xf32>) -> tensor<2x40x16xf32> {
  // expected-error @below {{expected keys and values as rows where their number of queries is known, else keys that are copied, in panels as wide as the tile (sched_c7)}}
  %0 = graph.fusion attention (%a = %q : tensor<2x40x16xf32>, %b = %k : tensor<2x60x16xf32>, %c = %v : tensor<2x60x16xf32>) -> tensor<2x40x16xf32> attributes {schedule = #sched.attention<on = task, rows = 12, keys = 64, tile = [4, 16], lanes = 8, operands = [rows, copied]>} {
    %1 = graph.attention %a, %b, %c {scale = 0.25 : f64} : (tensor<2x40x16xf32>, tensor<2x60x16xf32>, tensor<2x60x16xf32>) -> tensor<2x40x16xf32>
    graph.yield %1 : tensor<2x40x16xf32>
  }
  return %0 : tensor<2x40x16xf32>
}

// -----
func.func @c7_unknown_queries(%q: tensor<2x?x16xf32> {graph.dims = ["2", "n", "16"]}, %k: tensor<2x60x16xf32>, %v: tensor<2x60x16xf32>) -> tensor<2x?x16xf32> {
  // expected-error @below {{expected keys and values as rows where their number of queries is known, else keys that are copied, in panels as wide as the tile (sched_c7)}}
  %0 = graph.fusion attention (%a = %q : tensor<2x?x16xf32>, %b = %k : tensor<2x60x16xf32>, %c = %v : tensor<2x60x16xf32>) -> tensor<2x?x16xf32> attributes {schedule = #sched.attention<on = task, operands = [rows, rows]>} {
    %1 = graph.attention %a, %b, %c {scale = 0.25 : f64} : (tensor<2x?x16xf32>, tensor<2x60x16xf32>, tensor<2x60x16xf32>) -> tensor<2x?x16xf32>
    graph.yield %1 : tensor<2x?x16xf32>
  }
  return %0 : tensor<2x?x16xf32>
}

// -----
func.func @c12_in_place(%q: tensor<2x40x16xf32>, %k: tensor<2x60x16xf32>, %v: tensor<2x60x16xf32>) -> tensor<2x40x16xf32> {
  // expected-error @below {{schedule: in_place: got 4, expected none for a known number of queries (sched_c12)}}
  %0 = graph.fusion attention (%a = %q : tensor<2x40x16xf32>, %b = %k : tensor<2x60x16xf32>, %c = %v : tensor<2x60x16xf32>) -> tensor<2x40x16xf32> attributes {schedule = #sched.attention<on = task, in_place = 4>} {
    %1 = graph.attention %a, %b, %c {scale = 0.25 : f64} : (tensor<2x40x16xf32>, tensor<2x60x16xf32>, tensor<2x60x16xf32>) -> tensor<2x40x16xf32>
    graph.yield %1 : tensor<2x40x16xf32>
  }
  return %0 : tensor<2x40x16xf32>
}

// -----
func.func @c1_planes_of_one_lane(%x: tensor<1x8x30x30xf32>) -> tensor<1x8x30x30xf32> {
  // expected-error @below {{expected another one, or elements (sched_c1)}}
  %0 = graph.fusion window (%a = %x : tensor<1x8x30x30xf32>) -> tensor<1x8x30x30xf32> attributes {schedule = #sched.window<on = task, form = planes, lanes = 1>} {
    %1 = graph.reduce_window max, %a window [1, 1, 5, 5] strides [1, 1, 1, 1] low [0, 0, 2, 2] high [0, 0, 2, 2] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x8x30x30xf32> -> tensor<1x8x30x30xf32>
    graph.yield %1 : tensor<1x8x30x30xf32>
  }
  return %0 : tensor<1x8x30x30xf32>
}

// -----
func.func @c11_one_variant(%q: tensor<2x40x16xf32>, %k: tensor<2x60x16xf32>, %v: tensor<2x60x16xf32>) -> tensor<2x40x16xf32> {
  // expected-error @below {{or one of its variants for all sizes (sched_c11)}}
  %0 = graph.fusion attention (%a = %q : tensor<2x40x16xf32>, %b = %k : tensor<2x60x16xf32>, %c = %v : tensor<2x60x16xf32>) -> tensor<2x40x16xf32> attributes {schedule = #sched.choice<[else : #sched.attention<on = task, rows = 12, keys = 64, tile = [4, 16], lanes = 8>]>} {
    %1 = graph.attention %a, %b, %c {scale = 0.25 : f64} : (tensor<2x40x16xf32>, tensor<2x60x16xf32>, tensor<2x60x16xf32>) -> tensor<2x40x16xf32>
    graph.yield %1 : tensor<2x40x16xf32>
  }
  return %0 : tensor<2x40x16xf32>
}

// -----
func.func @c3_finish(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: finish: got [4, 16], expected none for these results (sched_c3)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, finish = [4, 16]>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
// Vectors of rows are finished at once.
func.func @c3_rows_of_finish(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<96x64xf32> {
  // expected-error @below {{schedule: finish: got [4, 12], expected [16, 16] for these results (sched_c3)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<96x64xf32> attributes {schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, finish = [4, 12]>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    %2 = graph.transpose %1 [1, 0] : tensor<64x96xf32> -> tensor<96x64xf32>
    graph.yield %2 : tensor<96x64xf32>
  }
  return %0 : tensor<96x64xf32>
}

// -----
func.func @c3_mirror(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: mirror: got 64, expected none for this product (sched_c3)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = task, mirror = 64, tile = [6, 16], lanes = 8>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
// Lanes along K are the partial sums.
func.func @c3_sums(%x: tensor<64x128xf32>, %w: tensor<5x128xf32>) -> tensor<64x5xf32> {
  // expected-error @below {{schedule: sums: got 2, expected none for this product (sched_c3)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<5x128xf32>) -> tensor<64x5xf32> attributes {schedule = #sched.gemm<on = task, sums = 2>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [1]> : (tensor<64x128xf32>, tensor<5x128xf32>) -> tensor<64x5xf32>
    graph.yield %1 : tensor<64x5xf32>
  }
  return %0 : tensor<64x5xf32>
}

// -----
func.func @c3_lanes_of_mirror(%x: tensor<300x64xf32>) -> tensor<300x300xf32> {
  // expected-error @below {{schedule: mirror: got 12, expected a multiple of the lanes (sched_c3)}}
  %0 = graph.fusion contraction (%a = %x : tensor<300x64xf32>) -> tensor<300x300xf32> attributes {schedule = #sched.gemm<on = task, mirror = 12, tile = [6, 16], lanes = 8>} {
    %1 = graph.dot_general %a, %a <batching = [] x [], contracting = [1] x [1]> : (tensor<300x64xf32>, tensor<300x64xf32>) -> tensor<300x300xf32>
    graph.yield %1 : tensor<300x300xf32>
  }
  return %0 : tensor<300x300xf32>
}

// -----
// Columns of a row-major B are no panel.
func.func @c12_prefetch(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: prefetch: got #sched.gemm<on = task, tile = [6, 16], lanes = 8, operands = [rows, rows], prefetch = panel>, expected #sched.gemm<on = task, tile = [6, 16], lanes = 8, operands = [rows, rows], block = [11, 1], k_loop = whole> (sched_c12)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, operands = [rows, rows], prefetch = panel>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
func.func @c3_passes(%x: tensor<64x128xf32>) -> tensor<64xf32> {
  // expected-error @below {{schedule: sums: got [4, 4], expected one number for each of 1 passes (sched_c3)}}
  %0 = graph.fusion reduction (%a = %x : tensor<64x128xf32>) -> tensor<64xf32> attributes {schedule = #sched.reduce<on = task, rows = 8, sums = [4, 4], lanes = 16>} {
    %1 = graph.reduce sum, %a [1] : tensor<64x128xf32> -> tensor<64xf32>
    graph.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----
// Columns are reduced side by side anyhow.
func.func @c3_together(%x: tensor<64x128xf32>) -> tensor<128xf32> {
  // expected-error @below {{schedule: together: got 4, expected 1, or at most 16 for whole rows of which nothing is kept (sched_c3)}}
  %0 = graph.fusion reduction (%a = %x : tensor<64x128xf32>) -> tensor<128xf32> attributes {schedule = #sched.reduce<on = task, together = 4, lanes = 16>} {
    %1 = graph.reduce sum, %a [0] : tensor<64x128xf32> -> tensor<128xf32>
    graph.yield %1 : tensor<128xf32>
  }
  return %0 : tensor<128xf32>
}

// -----
func.func @c12_second_pass(%x: tensor<64x128xf32>) -> tensor<64xf32> {
  // expected-error @below {{expected rows for a second pass over rows of known length, or none (sched_c12)}}
  %0 = graph.fusion reduction (%a = %x : tensor<64x128xf32>) -> tensor<64xf32> attributes {schedule = #sched.reduce<on = task, rows = 8, prefetch = rows<1>, lanes = 16>} {
    %1 = graph.reduce sum, %a [1] : tensor<64x128xf32> -> tensor<64xf32>
    graph.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----
func.func @c12_streams(%x: tensor<64x128xf32>) -> tensor<64xf32> {
  // expected-error @below {{schedule: streams: got 0, expected an operand of int8 elements, on a target that prefetches (sched_c12)}}
  %0 = graph.fusion reduction (%a = %x : tensor<64x128xf32>) -> tensor<64xf32> attributes {schedule = #sched.reduce<on = task, rows = 8, streams = [0], lanes = 16>} {
    %1 = graph.reduce sum, %a [1] : tensor<64x128xf32> -> tensor<64xf32>
    graph.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----
func.func @c3_heights_of_known_rows(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: heights: got [6, 4], expected none: M says them (sched_c3)}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, heights = [6, 4]>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// -----
func.func @c12_ahead_of_nothing(%x: tensor<64x128xf32>) -> tensor<64xf32> {
  // expected-error @below {{schedule: ahead: got 64, expected none without streams (sched_c12)}}
  %0 = graph.fusion reduction (%a = %x : tensor<64x128xf32>) -> tensor<64xf32> attributes {schedule = #sched.reduce<on = task, rows = 8, ahead = 64, lanes = 16>} {
    %1 = graph.reduce sum, %a [1] : tensor<64x128xf32> -> tensor<64xf32>
    graph.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----
func.func @c7_widened(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  // expected-error @below {{schedule: operands: got #sched.gemm<on = task, tile = [6, 16], lanes = 8, operands = [widened, rows]>}}
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, operands = [widened, rows]>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}
