// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-choose-state-keys{explain}))' --verify-diagnostics --split-input-file | FileCheck %s
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-choose-state-keys{dense-bytes=1000000 without=bit-rows}))' --split-input-file | FileCheck --check-prefix=DENSE %s
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-choose-state-keys{dense-bytes=1000000}))' --split-input-file | FileCheck --check-prefix=ROWS %s
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-choose-state-keys{dense-bytes=1000000 without=bit-rows,dense-index}))' --split-input-file | FileCheck --check-prefix=MARKS %s

// A cycle of three positions, its inverse and a swap; position 3 never moves. Two bits
// a position, and a mask of inverse generators.
// CHECK-LABEL: func.func @three_cycle
// CHECK: graph.constant dense<36> : tensor<1xui64>
// CHECK: graph.while {{.*}} cond
// CHECK: search.dedup(%{{.*}}, %{{.*}}, %{{.*}}) known(%{{.*}}) key [63] absent -1
// CHECK-NOT: graph.unique
// ROWS-LABEL: func.func @three_cycle
// ROWS: search.coset_bit_rows {{.*}} : (tensor<1x1xui64>, tensor<1x1xui64>, tensor<1x3xui32>, tensor<1x3xui16>, tensor<3x6xui16>) -> (tensor<1x1xui64>, tensor<1x1xui64>, tensor<i64>)
// MARKS-LABEL: func.func @three_cycle
// Marked indices carry which of three generators is the inverse, or none.
// MARKS: search.test_and_set %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}) tags 2 : (tensor<1xui64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>) -> (tensor<?xui64>, tensor<1xui64>)
// DENSE-LABEL: func.func @three_cycle
// DENSE: search.bit_positions %{{.*}} : tensor<1xui64> -> tensor<?xui64>
// DENSE: search.bitset_difference %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<1xui64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>) -> (tensor<1xui64>, tensor<i64>)
func.func @three_cycle() -> (tensor<i64>, tensor<i64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %count = graph.constant dense<3> : tensor<i64>
  %start = graph.constant dense<[[0, 1, 2, 9]]> : tensor<1x4xui8>
  %none = graph.constant dense<> : tensor<0x4xui8>
  %moves = graph.constant dense<[[1], [2], [0], [3], [2], [0], [1], [3], [1], [0], [2], [3]]> : tensor<12x1xi64>
  %states = graph.dim %start, 0 : tensor<1x4xui8>
  // expected-remark@below {{search: SEA001: keys have 1 words: 3 fields of 2 bits for 4 positions}}
  // expected-remark@below {{search: SEA002: 3 bits mask inverse generators; layers kept for comparison: 1}}
  %r:4 = graph.while %start, %none, %zero, %states cond {
    ^bb0(%layer: tensor<?x4xui8>, %old: tensor<?x4xui8>, %depth: tensor<i64>, %total: tensor<i64>):
      %n = graph.dim %layer, 0 : tensor<?x4xui8>
      %some = graph.compare gt, %n, %zero : tensor<i64> -> tensor<i1>
      graph.yield %some : tensor<i1>
    } do {
    ^bb0(%layer: tensor<?x4xui8>, %old: tensor<?x4xui8>, %depth: tensor<i64>, %total: tensor<i64>):
      %n = graph.dim %layer, 0 : tensor<?x4xui8>
      %m = graph.mul %n, %count : tensor<i64>
      %wide = graph.gather %layer, %moves <offset = [0], collapsed = [1], batching = [] x [], index_map = [1], index_vector_dim = 1> sizes [-1, 1] : (tensor<?x4xui8>, tensor<12x1xi64>) -> tensor<?x12xui8>
      %all_next = graph.reshape %wide [%m] : tensor<?x12xui8> -> tensor<?x4xui8>
      %u, %f, %v, %c = graph.unique %all_next : tensor<?x4xui8> -> tensor<?x4xui8>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
      %i = graph.is_in %u, %old : (tensor<?x4xui8>, tensor<?x4xui8>) -> tensor<?xi1>
      %j = graph.is_in %u, %layer : (tensor<?x4xui8>, tensor<?x4xui8>) -> tensor<?xi1>
      %known = graph.or %i, %j : tensor<?xi1>
      %new = graph.not %known : tensor<?xi1>
      %fresh = graph.compact %new, %u : (tensor<?xi1>, tensor<?x4xui8>) -> tensor<?x4xui8>
      %size = graph.dim %fresh, 0 : tensor<?x4xui8>
      %d = graph.add %depth, %one : tensor<i64>
      %t = graph.add %total, %size : tensor<i64>
      graph.yield %fresh, %layer, %d, %t : tensor<?x4xui8>, tensor<?x4xui8>, tensor<i64>, tensor<i64>
    } : (tensor<1x4xui8>, tensor<0x4xui8>, tensor<i64>, tensor<i64>) -> (tensor<?x4xui8>, tensor<?x4xui8>, tensor<i64>, tensor<i64>)
  return %r#2, %r#3 : tensor<i64>, tensor<i64>
}

// -----

// Swaps alternate between even and odd states: no layer is known.
// CHECK-LABEL: func.func @swaps
// CHECK: search.dedup(%{{.*}}, %{{.*}}) key [63] absent -1
func.func @swaps() -> (tensor<i64>, tensor<i64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %count = graph.constant dense<2> : tensor<i64>
  %start = graph.constant dense<[[5, 7, 6]]> : tensor<1x3xui8>
  %none = graph.constant dense<> : tensor<0x3xui8>
  %moves = graph.constant dense<[[1], [0], [2], [0], [2], [1]]> : tensor<6x1xi64>
  %states = graph.dim %start, 0 : tensor<1x3xui8>
  // expected-remark@below {{search: SEA001: keys have 1 words: 3 fields of 2 bits for 3 positions}}
  // expected-remark@below {{search: SEA002: 2 bits mask inverse generators; layers kept for comparison: 0}}
  %r:4 = graph.while %start, %none, %zero, %states cond {
    ^bb0(%layer: tensor<?x3xui8>, %old: tensor<?x3xui8>, %depth: tensor<i64>, %total: tensor<i64>):
      %n = graph.dim %layer, 0 : tensor<?x3xui8>
      %some = graph.compare gt, %n, %zero : tensor<i64> -> tensor<i1>
      graph.yield %some : tensor<i1>
    } do {
    ^bb0(%layer: tensor<?x3xui8>, %old: tensor<?x3xui8>, %depth: tensor<i64>, %total: tensor<i64>):
      %n = graph.dim %layer, 0 : tensor<?x3xui8>
      %m = graph.mul %n, %count : tensor<i64>
      %wide = graph.gather %layer, %moves <offset = [0], collapsed = [1], batching = [] x [], index_map = [1], index_vector_dim = 1> sizes [-1, 1] : (tensor<?x3xui8>, tensor<6x1xi64>) -> tensor<?x6xui8>
      %all_next = graph.reshape %wide [%m] : tensor<?x6xui8> -> tensor<?x3xui8>
      %u, %f, %v, %c = graph.unique %all_next : tensor<?x3xui8> -> tensor<?x3xui8>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
      %i = graph.is_in %u, %old : (tensor<?x3xui8>, tensor<?x3xui8>) -> tensor<?xi1>
      %j = graph.is_in %u, %layer : (tensor<?x3xui8>, tensor<?x3xui8>) -> tensor<?xi1>
      %known = graph.or %i, %j : tensor<?xi1>
      %new = graph.not %known : tensor<?xi1>
      %fresh = graph.compact %new, %u : (tensor<?xi1>, tensor<?x3xui8>) -> tensor<?x3xui8>
      %size = graph.dim %fresh, 0 : tensor<?x3xui8>
      %d = graph.add %depth, %one : tensor<i64>
      %t = graph.add %total, %size : tensor<i64>
      graph.yield %fresh, %layer, %d, %t : tensor<?x3xui8>, tensor<?x3xui8>, tensor<i64>, tensor<i64>
    } : (tensor<1x3xui8>, tensor<0x3xui8>, tensor<i64>, tensor<i64>) -> (tensor<?x3xui8>, tensor<?x3xui8>, tensor<i64>, tensor<i64>)
  return %r#2, %r#3 : tensor<i64>, tensor<i64>
}

// -----

// One way round: every layer stays known, in a list with an index. Small layers are looked up as they are, others once.
// CHECK-LABEL: func.func @one_way
// CHECK: search.append_new
// CHECK: graph.while {{.*}} cond
// CHECK: ^bb0(%{{.*}}: tensor<?xui64>, %{{.*}}: tensor<i64>, %{{.*}}: tensor<?xui64>, %{{.*}}: tensor<?xui64>, %[[COUNT:.*]]: tensor<i64>,
// CHECK: search.dedup(%{{.*}}) key [-1] :
// CHECK: search.append_new %{{.*}}, (%{{.*}}), (%{{.*}}) count %{{.*}} rows
// CHECK: graph.slice
func.func @one_way() -> (tensor<i64>, tensor<i64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %count = graph.constant dense<1> : tensor<i64>
  %start = graph.constant dense<[[0, 0, 0, 1, 0], [0, 1, 1, 0, 0]]> : tensor<2x5xui8>
  %none = graph.constant dense<> : tensor<0x5xui8>
  %moves = graph.constant dense<[[1], [2], [3], [4], [0]]> : tensor<5x1xi64>
  %states = graph.dim %start, 0 : tensor<2x5xui8>
  // expected-remark@below {{search: SEA001: keys have 1 words: 5 fields of 1 bits for 5 positions}}
  // expected-remark@below {{search: SEA102: no mask of inverse generators: a generator has no inverse of its own}}
  // expected-remark@below {{search: SEA012: known states, as keys, are found by an index that is kept from step to step}}
  %r:4 = graph.while %start, %start, %zero, %states cond {
    ^bb0(%layer: tensor<?x5xui8>, %old: tensor<?x5xui8>, %depth: tensor<i64>, %total: tensor<i64>):
      %n = graph.dim %layer, 0 : tensor<?x5xui8>
      %some = graph.compare gt, %n, %zero : tensor<i64> -> tensor<i1>
      graph.yield %some : tensor<i1>
    } do {
    ^bb0(%layer: tensor<?x5xui8>, %old: tensor<?x5xui8>, %depth: tensor<i64>, %total: tensor<i64>):
      %n = graph.dim %layer, 0 : tensor<?x5xui8>
      %m = graph.mul %n, %count : tensor<i64>
      %wide = graph.gather %layer, %moves <offset = [0], collapsed = [1], batching = [] x [], index_map = [1], index_vector_dim = 1> sizes [-1, 1] : (tensor<?x5xui8>, tensor<5x1xi64>) -> tensor<?x5xui8>
      %all_next = graph.reshape %wide [%m] : tensor<?x5xui8> -> tensor<?x5xui8>
      %u, %f, %v, %c = graph.unique %all_next : tensor<?x5xui8> -> tensor<?x5xui8>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
      %known = graph.is_in %u, %old : (tensor<?x5xui8>, tensor<?x5xui8>) -> tensor<?xi1>
      %new = graph.not %known : tensor<?xi1>
      %fresh = graph.compact %new, %u : (tensor<?xi1>, tensor<?x5xui8>) -> tensor<?x5xui8>
      %size = graph.dim %fresh, 0 : tensor<?x5xui8>
      %d = graph.add %depth, %one : tensor<i64>
      %t = graph.add %total, %size : tensor<i64>
      %all = graph.concat 0, %old, %fresh : (tensor<?x5xui8>, tensor<?x5xui8>) -> tensor<?x5xui8>
      graph.yield %fresh, %all, %d, %t : tensor<?x5xui8>, tensor<?x5xui8>, tensor<i64>, tensor<i64>
    } : (tensor<2x5xui8>, tensor<2x5xui8>, tensor<i64>, tensor<i64>) -> (tensor<?x5xui8>, tensor<?x5xui8>, tensor<i64>, tensor<i64>)
  return %r#2, %r#3 : tensor<i64>, tensor<i64>
}

// -----

// Forty positions of six bits each take four words, and the mask of inverse generators a fifth. The cycle
// and its inverse trade places where positions are mirrored: a state or its image is kept, and
// layers are counted.
// CHECK-LABEL: func.func @wide
// CHECK: graph.while {{.*}} cond
// CHECK: graph.compare lt, {{.*}} : tensor<?xui64> -> tensor<?xi1>
// CHECK: search.dedup({{.*}}) known(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) key [-1, -1, -1, 1152921504606846975] absent -1
// CHECK: %[[OWN:.*]] = graph.reduce sum, {{.*}} : tensor<?xui64> -> tensor<ui64>
// CHECK: graph.convert %[[OWN]] : tensor<ui64> -> tensor<i64>
func.func @wide() -> (tensor<i64>, tensor<i64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %count = graph.constant dense<3> : tensor<i64>
  %start = graph.constant dense<[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]]> : tensor<1x40xui8>
  %none = graph.constant dense<> : tensor<0x40xui8>
  %moves = graph.constant dense<[[1], [2], [3], [4], [5], [6], [7], [0], [8], [9], [10], [11], [12], [13], [14], [15], [16], [17], [18], [19], [20], [21], [22], [23], [24], [25], [26], [27], [28], [29], [30], [31], [32], [33], [34], [35], [36], [37], [38], [39], [7], [0], [1], [2], [3], [4], [5], [6], [8], [9], [10], [11], [12], [13], [14], [15], [16], [17], [18], [19], [20], [21], [22], [23], [24], [25], [26], [27], [28], [29], [30], [31], [32], [33], [34], [35], [36], [37], [38], [39], [0], [1], [2], [3], [4], [5], [6], [7], [9], [8], [11], [10], [13], [12], [15], [14], [17], [16], [19], [18], [21], [20], [23], [22], [25], [24], [27], [26], [29], [28], [31], [30], [33], [32], [35], [34], [37], [36], [39], [38]]> : tensor<120x1xi64>
  %states = graph.dim %start, 0 : tensor<1x40xui8>
  // expected-remark@below {{search: SEA008: the graph has an involutive symmetry: of two states that it exchanges only one is kept}}
  // expected-remark@below {{search: SEA001: keys have 4 words: 40 fields of 6 bits for 40 positions}}
  // expected-remark@below {{search: SEA002: 3 bits mask inverse generators; layers kept for comparison: 1}}
  %r:4 = graph.while %start, %none, %zero, %states cond {
    ^bb0(%layer: tensor<?x40xui8>, %old: tensor<?x40xui8>, %depth: tensor<i64>, %total: tensor<i64>):
      %n = graph.dim %layer, 0 : tensor<?x40xui8>
      %some = graph.compare gt, %n, %zero : tensor<i64> -> tensor<i1>
      graph.yield %some : tensor<i1>
    } do {
    ^bb0(%layer: tensor<?x40xui8>, %old: tensor<?x40xui8>, %depth: tensor<i64>, %total: tensor<i64>):
      %n = graph.dim %layer, 0 : tensor<?x40xui8>
      %m = graph.mul %n, %count : tensor<i64>
      %wide = graph.gather %layer, %moves <offset = [0], collapsed = [1], batching = [] x [], index_map = [1], index_vector_dim = 1> sizes [-1, 1] : (tensor<?x40xui8>, tensor<120x1xi64>) -> tensor<?x120xui8>
      %all_next = graph.reshape %wide [%m] : tensor<?x120xui8> -> tensor<?x40xui8>
      %u, %f, %v, %c = graph.unique %all_next : tensor<?x40xui8> -> tensor<?x40xui8>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
      %i = graph.is_in %u, %old : (tensor<?x40xui8>, tensor<?x40xui8>) -> tensor<?xi1>
      %j = graph.is_in %u, %layer : (tensor<?x40xui8>, tensor<?x40xui8>) -> tensor<?xi1>
      %known = graph.or %i, %j : tensor<?xi1>
      %new = graph.not %known : tensor<?xi1>
      %fresh = graph.compact %new, %u : (tensor<?xi1>, tensor<?x40xui8>) -> tensor<?x40xui8>
      %size = graph.dim %fresh, 0 : tensor<?x40xui8>
      %d = graph.add %depth, %one : tensor<i64>
      %t = graph.add %total, %size : tensor<i64>
      graph.yield %fresh, %layer, %d, %t : tensor<?x40xui8>, tensor<?x40xui8>, tensor<i64>, tensor<i64>
    } : (tensor<1x40xui8>, tensor<0x40xui8>, tensor<i64>, tensor<i64>) -> (tensor<?x40xui8>, tensor<?x40xui8>, tensor<i64>, tensor<i64>)
  return %r#2, %r#3 : tensor<i64>, tensor<i64>
}

// -----

// Rows that are asked for stay rows, which an index finds; the list's first rows are the result.
// CHECK-LABEL: func.func @asked_for
// CHECK: %[[R:.*]]:6 = graph.while
// CHECK: graph.unique
// CHECK: search.append_new
// CHECK-NOT: graph.is_in
// CHECK: graph.slice %[[R]]#1
func.func @asked_for() -> (tensor<?x3xui8>, tensor<i64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %count = graph.constant dense<2> : tensor<i64>
  %start = graph.constant dense<[[0, 1, 2]]> : tensor<1x3xui8>
  %none = graph.constant dense<> : tensor<0x3xui8>
  %moves = graph.constant dense<[[1], [0], [2], [0], [2], [1]]> : tensor<6x1xi64>
  %states = graph.dim %start, 0 : tensor<1x3xui8>
  // expected-remark@below {{search: SEA101: the loop keeps rows of integers: states are used for more than being counted}}
  // expected-remark@below {{search: SEA012: known states, as rows, are found by an index that is kept from step to step}}
  %r:4 = graph.while %start, %start, %zero, %states cond {
    ^bb0(%layer: tensor<?x3xui8>, %old: tensor<?x3xui8>, %depth: tensor<i64>, %total: tensor<i64>):
      %n = graph.dim %layer, 0 : tensor<?x3xui8>
      %some = graph.compare gt, %n, %zero : tensor<i64> -> tensor<i1>
      graph.yield %some : tensor<i1>
    } do {
    ^bb0(%layer: tensor<?x3xui8>, %old: tensor<?x3xui8>, %depth: tensor<i64>, %total: tensor<i64>):
      %n = graph.dim %layer, 0 : tensor<?x3xui8>
      %m = graph.mul %n, %count : tensor<i64>
      %wide = graph.gather %layer, %moves <offset = [0], collapsed = [1], batching = [] x [], index_map = [1], index_vector_dim = 1> sizes [-1, 1] : (tensor<?x3xui8>, tensor<6x1xi64>) -> tensor<?x6xui8>
      %all_next = graph.reshape %wide [%m] : tensor<?x6xui8> -> tensor<?x3xui8>
      %u, %f, %v, %c = graph.unique %all_next : tensor<?x3xui8> -> tensor<?x3xui8>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
      %known = graph.is_in %u, %old : (tensor<?x3xui8>, tensor<?x3xui8>) -> tensor<?xi1>
      %new = graph.not %known : tensor<?xi1>
      %fresh = graph.compact %new, %u : (tensor<?xi1>, tensor<?x3xui8>) -> tensor<?x3xui8>
      %size = graph.dim %fresh, 0 : tensor<?x3xui8>
      %d = graph.add %depth, %one : tensor<i64>
      %t = graph.add %total, %size : tensor<i64>
      %all = graph.concat 0, %old, %fresh : (tensor<?x3xui8>, tensor<?x3xui8>) -> tensor<?x3xui8>
      graph.yield %fresh, %all, %d, %t : tensor<?x3xui8>, tensor<?x3xui8>, tensor<i64>, tensor<i64>
    } : (tensor<1x3xui8>, tensor<1x3xui8>, tensor<i64>, tensor<i64>) -> (tensor<?x3xui8>, tensor<?x3xui8>, tensor<i64>, tensor<i64>)
  return %r#1, %r#3 : tensor<?x3xui8>, tensor<i64>
}

// -----

// Rows from before the loop are looked up in each layer by their keys, without the mask of inverse generators, or by their bits.
// CHECK-LABEL: func.func @looked_up
// CHECK: %[[KEYS:.*]] = graph.reduce sum, %{{.*}} [0] : tensor<3x?xui64> -> tensor<?xui64>
// CHECK: graph.while
// CHECK: search.dedup
// CHECK: %[[LAYER:.*]] = graph.and {{.*}} : tensor<?xui64>
// CHECK: graph.is_in %[[KEYS]], %[[LAYER]] : (tensor<?xui64>, tensor<?xui64>) -> tensor<?xi1>
// ROWS-LABEL: func.func @looked_up
// ROWS: %[[BITS:.*]] = search.coset_bits
// ROWS: graph.while
// ROWS: %[[NEXT:[^,]*]], %{{.*}} = search.coset_bit_rows
// ROWS-NOT: graph.is_in
// ROWS: %[[ALL:.*]] = graph.reshape %[[NEXT]]
// ROWS: search.test_bits %[[ALL]] at
func.func @looked_up(%rows: tensor<?x4xui8>) -> (tensor<i64>, tensor<?xi1>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %count = graph.constant dense<3> : tensor<i64>
  %start = graph.constant dense<[[0, 1, 2, 9]]> : tensor<1x4xui8>
  %none = graph.constant dense<> : tensor<0x4xui8>
  %moves = graph.constant dense<[[1], [2], [0], [3], [2], [0], [1], [3], [1], [0], [2], [3]]> : tensor<12x1xi64>
  %seen = graph.is_in %rows, %start : (tensor<?x4xui8>, tensor<1x4xui8>) -> tensor<?xi1>
  // expected-remark@below {{search: SEA001: keys have 1 words: 3 fields of 2 bits for 4 positions}}
  // expected-remark@below {{search: SEA002: 3 bits mask inverse generators; layers kept for comparison: 1}}
  %r:4 = graph.while %start, %none, %zero, %seen cond {
    ^bb0(%layer: tensor<?x4xui8>, %old: tensor<?x4xui8>, %total: tensor<i64>, %found: tensor<?xi1>):
      %n = graph.dim %layer, 0 : tensor<?x4xui8>
      %some = graph.compare gt, %n, %zero : tensor<i64> -> tensor<i1>
      graph.yield %some : tensor<i1>
    } do {
    ^bb0(%layer: tensor<?x4xui8>, %old: tensor<?x4xui8>, %total: tensor<i64>, %found: tensor<?xi1>):
      %n = graph.dim %layer, 0 : tensor<?x4xui8>
      %m = graph.mul %n, %count : tensor<i64>
      %wide = graph.gather %layer, %moves <offset = [0], collapsed = [1], batching = [] x [], index_map = [1], index_vector_dim = 1> sizes [-1, 1] : (tensor<?x4xui8>, tensor<12x1xi64>) -> tensor<?x12xui8>
      %all_next = graph.reshape %wide [%m] : tensor<?x12xui8> -> tensor<?x4xui8>
      %u, %f, %v, %c = graph.unique %all_next : tensor<?x4xui8> -> tensor<?x4xui8>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
      %i = graph.is_in %u, %old : (tensor<?x4xui8>, tensor<?x4xui8>) -> tensor<?xi1>
      %j = graph.is_in %u, %layer : (tensor<?x4xui8>, tensor<?x4xui8>) -> tensor<?xi1>
      %known = graph.or %i, %j : tensor<?xi1>
      %new = graph.not %known : tensor<?xi1>
      %fresh = graph.compact %new, %u : (tensor<?xi1>, tensor<?x4xui8>) -> tensor<?x4xui8>
      %size = graph.dim %fresh, 0 : tensor<?x4xui8>
      %t = graph.add %total, %size : tensor<i64>
      %in = graph.is_in %rows, %fresh : (tensor<?x4xui8>, tensor<?x4xui8>) -> tensor<?xi1>
      %both = graph.or %found, %in : tensor<?xi1>
      graph.yield %fresh, %layer, %t, %both : tensor<?x4xui8>, tensor<?x4xui8>, tensor<i64>, tensor<?xi1>
    } : (tensor<1x4xui8>, tensor<0x4xui8>, tensor<i64>, tensor<?xi1>) -> (tensor<?x4xui8>, tensor<?x4xui8>, tensor<i64>, tensor<?xi1>)
  return %r#2, %r#3 : tensor<i64>, tensor<?xi1>
}

// -----

// A list of the numbers of steps is noted by bits: a place for each different row, and one more.
// ROWS-LABEL: func.func @noted
// ROWS: %[[BITS:.*]] = search.coset_bits
// ROWS: %[[PLACES:.*]], %[[COUNTS:.*]], %[[WORDS:.*]], %[[MASKS:.*]], %[[FIRSTS:.*]] = search.index_bits %{{.*}} words 1 :
// ROWS: %[[SIZE:.*]] = graph.dim %[[COUNTS]], 0
// ROWS: graph.broadcast %{{.*}} [] [%[[SIZE]]]
// ROWS: %[[LOOP:.*]]:6 = graph.while
// ROWS-NOT: graph.select
// ROWS: %[[LIST:.*]], %[[HITS:.*]] = search.note_bits %{{.*}} at(%[[WORDS]], %[[MASKS]], %[[FIRSTS]]) counts %[[COUNTS]] into
// ROWS: graph.sub %{{.*}}, %[[HITS]]
// ROWS: graph.gather %[[LOOP]]#5, %
func.func @noted(%rows: tensor<7x4xui8>) -> (tensor<i64>, tensor<7xi64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %count = graph.constant dense<3> : tensor<i64>
  %start = graph.constant dense<[[0, 1, 2, 9]]> : tensor<1x4xui8>
  %none = graph.constant dense<> : tensor<0x4xui8>
  %moves = graph.constant dense<[[1], [2], [0], [3], [2], [0], [1], [3], [1], [0], [2], [3]]> : tensor<12x1xi64>
  %k = graph.dim %rows, 0 : tensor<7x4xui8>
  %first = graph.broadcast %zero [] : tensor<i64> -> tensor<7xi64>
  // expected-remark@below {{search: SEA001: keys have 1 words: 3 fields of 2 bits for 4 positions}}
  // expected-remark@below {{search: SEA002: 3 bits mask inverse generators; layers kept for comparison: 1}}
  %r:5 = graph.while %start, %none, %k, %zero, %first cond {
    ^bb0(%layer: tensor<?x4xui8>, %old: tensor<?x4xui8>, %open: tensor<i64>, %depth: tensor<i64>, %found: tensor<7xi64>):
      %size = graph.dim %layer, 0 : tensor<?x4xui8>
      %more = graph.compare gt, %size, %zero : tensor<i64> -> tensor<i1>
      %some = graph.compare gt, %open, %zero : tensor<i64> -> tensor<i1>
      %both = graph.and %more, %some : tensor<i1>
      graph.yield %both : tensor<i1>
    } do {
    ^bb0(%layer: tensor<?x4xui8>, %old: tensor<?x4xui8>, %open: tensor<i64>, %depth: tensor<i64>, %found: tensor<7xi64>):
      %n = graph.dim %layer, 0 : tensor<?x4xui8>
      %m = graph.mul %n, %count : tensor<i64>
      %wide = graph.gather %layer, %moves <offset = [0], collapsed = [1], batching = [] x [], index_map = [1], index_vector_dim = 1> sizes [-1, 1] : (tensor<?x4xui8>, tensor<12x1xi64>) -> tensor<?x12xui8>
      %all_next = graph.reshape %wide [%m] : tensor<?x12xui8> -> tensor<?x4xui8>
      %u, %f, %v, %c = graph.unique %all_next : tensor<?x4xui8> -> tensor<?x4xui8>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
      %i = graph.is_in %u, %old : (tensor<?x4xui8>, tensor<?x4xui8>) -> tensor<?xi1>
      %j = graph.is_in %u, %layer : (tensor<?x4xui8>, tensor<?x4xui8>) -> tensor<?xi1>
      %known = graph.or %i, %j : tensor<?xi1>
      %new = graph.not %known : tensor<?xi1>
      %fresh = graph.compact %new, %u : (tensor<?xi1>, tensor<?x4xui8>) -> tensor<?x4xui8>
      %d = graph.add %depth, %one : tensor<i64>
      %in = graph.is_in %rows, %fresh : (tensor<7x4xui8>, tensor<?x4xui8>) -> tensor<7xi1>
      %ds = graph.broadcast %d [] : tensor<i64> -> tensor<7xi64>
      %now = graph.select %in, %ds, %found : tensor<7xi1>, tensor<7xi64>
      %ones = graph.convert %in : tensor<7xi1> -> tensor<7xi64>
      %hits = graph.reduce sum, %ones [0] : tensor<7xi64> -> tensor<i64>
      %left = graph.sub %open, %hits : tensor<i64>
      graph.yield %fresh, %layer, %left, %d, %now : tensor<?x4xui8>, tensor<?x4xui8>, tensor<i64>, tensor<i64>, tensor<7xi64>
    } : (tensor<1x4xui8>, tensor<0x4xui8>, tensor<i64>, tensor<i64>, tensor<7xi64>) -> (tensor<?x4xui8>, tensor<?x4xui8>, tensor<i64>, tensor<i64>, tensor<7xi64>)
  return %r#2, %r#4 : tensor<i64>, tensor<7xi64>
}

// -----

// The loop reads the list for more than that.
// ROWS-LABEL: func.func @list_is_read
// ROWS-NOT: search.index_bits
// ROWS: search.test_bits
// ROWS: graph.select
func.func @list_is_read(%rows: tensor<?x4xui8>) -> (tensor<i64>, tensor<?xi64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %count = graph.constant dense<3> : tensor<i64>
  %start = graph.constant dense<[[0, 1, 2, 9]]> : tensor<1x4xui8>
  %none = graph.constant dense<> : tensor<0x4xui8>
  %moves = graph.constant dense<[[1], [2], [0], [3], [2], [0], [1], [3], [1], [0], [2], [3]]> : tensor<12x1xi64>
  %k = graph.dim %rows, 0 : tensor<?x4xui8>
  %first = graph.broadcast %zero [] [%k] : tensor<i64> -> tensor<?xi64>
  // expected-remark@below {{search: SEA001: keys have 1 words: 3 fields of 2 bits for 4 positions}}
  // expected-remark@below {{search: SEA002: 3 bits mask inverse generators; layers kept for comparison: 1}}
  %r:5 = graph.while %start, %none, %k, %zero, %first cond {
    ^bb0(%layer: tensor<?x4xui8>, %old: tensor<?x4xui8>, %open: tensor<i64>, %depth: tensor<i64>, %found: tensor<?xi64>):
      %size = graph.dim %layer, 0 : tensor<?x4xui8>
      %more = graph.compare gt, %size, %zero : tensor<i64> -> tensor<i1>
      %some = graph.compare gt, %open, %zero : tensor<i64> -> tensor<i1>
      %both = graph.and %more, %some : tensor<i1>
      graph.yield %both : tensor<i1>
    } do {
    ^bb0(%layer: tensor<?x4xui8>, %old: tensor<?x4xui8>, %open: tensor<i64>, %depth: tensor<i64>, %found: tensor<?xi64>):
      %n = graph.dim %layer, 0 : tensor<?x4xui8>
      %m = graph.mul %n, %count : tensor<i64>
      %wide = graph.gather %layer, %moves <offset = [0], collapsed = [1], batching = [] x [], index_map = [1], index_vector_dim = 1> sizes [-1, 1] : (tensor<?x4xui8>, tensor<12x1xi64>) -> tensor<?x12xui8>
      %all_next = graph.reshape %wide [%m] : tensor<?x12xui8> -> tensor<?x4xui8>
      %u, %f, %v, %c = graph.unique %all_next : tensor<?x4xui8> -> tensor<?x4xui8>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
      %i = graph.is_in %u, %old : (tensor<?x4xui8>, tensor<?x4xui8>) -> tensor<?xi1>
      %j = graph.is_in %u, %layer : (tensor<?x4xui8>, tensor<?x4xui8>) -> tensor<?xi1>
      %known = graph.or %i, %j : tensor<?xi1>
      %new = graph.not %known : tensor<?xi1>
      %fresh = graph.compact %new, %u : (tensor<?xi1>, tensor<?x4xui8>) -> tensor<?x4xui8>
      %d = graph.add %depth, %one : tensor<i64>
      %in = graph.is_in %rows, %fresh : (tensor<?x4xui8>, tensor<?x4xui8>) -> tensor<?xi1>
      %l = graph.dim %found, 0 : tensor<?xi64>
      %ds = graph.broadcast %d [] [%l] : tensor<i64> -> tensor<?xi64>
      %now = graph.select %in, %ds, %found : tensor<?xi1>, tensor<?xi64>
      %ones = graph.convert %in : tensor<?xi1> -> tensor<?xi64>
      %hits = graph.reduce sum, %ones [0] : tensor<?xi64> -> tensor<i64>
      %most = graph.reduce max, %found [0] : tensor<?xi64> -> tensor<i64>
      %less = graph.sub %open, %hits : tensor<i64>
      %left = graph.sub %less, %most : tensor<i64>
      graph.yield %fresh, %layer, %left, %d, %now : tensor<?x4xui8>, tensor<?x4xui8>, tensor<i64>, tensor<i64>, tensor<?xi64>
    } : (tensor<1x4xui8>, tensor<0x4xui8>, tensor<i64>, tensor<i64>, tensor<?xi64>) -> (tensor<?x4xui8>, tensor<?x4xui8>, tensor<i64>, tensor<i64>, tensor<?xi64>)
  return %r#2, %r#4 : tensor<i64>, tensor<?xi64>
}
