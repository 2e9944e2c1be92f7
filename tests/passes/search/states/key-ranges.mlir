// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-choose-state-keys{memory-bytes=1000 explain}))' --verify-diagnostics | FileCheck %s
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-choose-state-keys{memory-bytes=1000 without=key-ranges}))' | FileCheck --check-prefix=WHOLE %s
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-choose-state-keys{memory-bytes=1000000}))' | FileCheck --check-prefix=WHOLE %s

// The 24 states of four positions might take 96 bytes each: layers of more than ten go by ranges of hashes, in blocks of two.
// CHECK-LABEL: func.func @adjacent_swaps
// CHECK: graph.while
// CHECK: graph.compare le,
// CHECK: graph.if
// CHECK: search.dedup(%{{.*}}, %{{.*}}, %{{.*}}) key [255] absent -1
// CHECK: } else {
// CHECK: graph.while
// CHECK: graph.while
// CHECK: graph.slice
// CHECK: graph.select
// CHECK: %[[PART:.*]] = search.dedup(%{{.*}}, %{{.*}}, %{{.*}}) key [255] absent -1
// CHECK: graph.concat 0, %{{.*}}, %[[PART]]
// CHECK: %[[RANGE:.*]] = search.dedup(%{{[^,]*}}) key [255] :
// CHECK: graph.concat 0, %{{.*}}, %[[RANGE]]
// WHOLE-LABEL: func.func @adjacent_swaps
// WHOLE-COUNT-1: graph.while
// WHOLE-NOT: graph.while
// WHOLE: return
func.func @adjacent_swaps() -> (tensor<i64>, tensor<i64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %count = graph.constant dense<3> : tensor<i64>
  %start = graph.constant dense<[[0, 1, 2, 3]]> : tensor<1x4xui8>
  %none = graph.constant dense<> : tensor<0x4xui8>
  %moves = graph.constant dense<[[1], [0], [2], [3], [0], [2], [1], [3], [0], [1], [3], [2]]> : tensor<12x1xi64>
  %states = graph.dim %start, 0 : tensor<1x4xui8>
  // expected-remark@below {{search: SEA001: keys have 1 words: 4 fields of 2 bits for 4 positions}}
  // expected-remark@below {{search: SEA002: 3 bits mask inverse generators; layers kept for comparison: 0}}
  // expected-remark@below {{search: SEA007: layers of more than 10 states are expanded in blocks, by ranges of hashes}}
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
