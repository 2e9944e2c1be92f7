// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-score-first{explain}))' --verify-diagnostics --split-input-file | FileCheck %s
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-score-first{without=score-first}))' --split-input-file | FileCheck --check-prefix=WITHOUT %s

// The three swaps of neighbouring positions: a layer is compared with the target that each of them takes back.
// CHECK-LABEL: func.func @swaps
// CHECK: graph.while %{{.*}}, %{{.*}}, %[[TRIES:.*]] cond
// CHECK: graph.constant dense<{{\[\[}}1, 0, 2, 3], [0, 2, 1, 3], [0, 1, 3, 2]]> : tensor<3x4xui8>
// CHECK: graph.compare ne, {{.*}} : tensor<?x3x4xui8> -> tensor<?x3x4xi1>
// CHECK: %[[SCORES:.*]] = graph.reshape {{.*}} : tensor<?x3xui8> -> tensor<?xui8>
// CHECK: graph.while
// CHECK: graph.top_k %[[SCORES]], %{{.*}} 0 smallest
// CHECK: graph.unique
// CHECK-NOT: graph.unique
// CHECK-NOT: graph.top_k
// CHECK: return
// WITHOUT-LABEL: func.func @swaps
// WITHOUT-COUNT-1: graph.while
// WITHOUT-NOT: graph.while
// WITHOUT: return
func.func @swaps() -> (tensor<?x4xui8>, tensor<i64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %last = graph.constant dense<4> : tensor<i64>
  %width = graph.constant dense<2> : tensor<i64>
  %count = graph.constant dense<3> : tensor<i64>
  %target = graph.constant dense<[0, 1, 2, 3]> : tensor<4xui8>
  %start = graph.constant dense<[[3, 2, 1, 0]]> : tensor<1x4xui8>
  %moves = graph.constant dense<[[1], [0], [2], [3], [0], [2], [1], [3], [0], [1], [3], [2]]> : tensor<12x1xi64>
  %r:2 = graph.while %start, %zero cond {
    ^bb0(%layer: tensor<?x4xui8>, %depth: tensor<i64>):
      %more = graph.compare lt, %depth, %last : tensor<i64> -> tensor<i1>
      graph.yield %more : tensor<i1>
    } do {
    ^bb0(%layer: tensor<?x4xui8>, %depth: tensor<i64>):
      %n = graph.dim %layer, 0 : tensor<?x4xui8>
      %m = graph.mul %n, %count : tensor<i64>
      %wide = graph.gather %layer, %moves <offset = [0], collapsed = [1], batching = [] x [], index_map = [1], index_vector_dim = 1> sizes [-1, 1] : (tensor<?x4xui8>, tensor<12x1xi64>) -> tensor<?x12xui8>
      %next = graph.reshape %wide [%m] : tensor<?x12xui8> -> tensor<?x4xui8>
      // expected-remark@below {{search: SEA301: all neighbours are scored, and only the best ones are deduplicated: equal states have equal scores}}
      %u, %f, %v, %c = graph.unique %next : tensor<?x4xui8> -> tensor<?x4xui8>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
      %size = graph.dim %u, 0 : tensor<?x4xui8>
      %wanted = graph.broadcast %target [1] [%size] : tensor<4xui8> -> tensor<?x4xui8>
      %differs = graph.compare ne, %u, %wanted : tensor<?x4xui8> -> tensor<?x4xi1>
      %parts = graph.convert %differs : tensor<?x4xi1> -> tensor<?x4xui8>
      %scores = graph.reduce sum, %parts [1] : tensor<?x4xui8> -> tensor<?xui8>
      %kept = graph.min %size, %width : tensor<i64>
      %values, %indices = graph.top_k %scores, %kept 0 smallest : (tensor<?xui8>, tensor<i64>) -> (tensor<?xui8>, tensor<?xi64>)
      %k = graph.dim %indices, 0 : tensor<?xi64>
      %places = graph.reshape %indices [%k] : tensor<?xi64> -> tensor<?x1xi64>
      %best = graph.gather %u, %places <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 4] : (tensor<?x4xui8>, tensor<?x1xi64>) -> tensor<?x4xui8>
      %d = graph.add %depth, %one : tensor<i64>
      graph.yield %best, %d : tensor<?x4xui8>, tensor<i64>
    } : (tensor<1x4xui8>, tensor<i64>) -> (tensor<?x4xui8>, tensor<i64>)
  return %r#0, %r#1 : tensor<?x4xui8>, tensor<i64>
}

// -----

// How many distinct neighbours there are is a result: they are counted without being made, and no other that equals one before it is
// chosen.
// CHECK-LABEL: func.func @counted
// CHECK: graph.while
// CHECK: ^bb0(%[[LAYER:.*]]: tensor<?x4xui8>, %[[TOTAL:.*]]: tensor<i64>):
// CHECK: ^bb0(%[[LAYER:.*]]: tensor<?x4xui8>, %[[TOTAL:.*]]: tensor<i64>):
// CHECK: %[[MOVES:.*]] = graph.constant dense<{{\[\[}}1, 0, 2, 3], [0, 2, 1, 3], [0, 1, 3, 2], [2, 1, 0, 3], [3, 1, 2, 0]]> : tensor<5x4xui32>
// CHECK: %[[FORMED:.*]], %[[FRESH:.*]], %[[FIRSTS:.*]] = search.count_neighbours %[[LAYER]] moved by %[[MOVES]] : (tensor<?x4xui8>, tensor<5x4xui32>) -> (tensor<i64>, tensor<i64>, tensor<?xi1>)
// CHECK: %[[SCORES:.*]] = graph.select %[[FIRSTS]]
// CHECK: %[[KEPT:.*]] = graph.min %[[FRESH]]
// CHECK: graph.top_k %[[SCORES]], %[[KEPT]]
// CHECK-NOT: graph.while
// CHECK: graph.add %[[TOTAL]], %[[FRESH]]
// CHECK: return
// WITHOUT-LABEL: func.func @counted
// WITHOUT-NOT: search.count_neighbours
func.func @counted() -> (tensor<?x4xui8>, tensor<i64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %last = graph.constant dense<20> : tensor<i64>
  %width = graph.constant dense<2> : tensor<i64>
  %count = graph.constant dense<5> : tensor<i64>
  %target = graph.constant dense<[0, 1, 2, 3]> : tensor<4xui8>
  %start = graph.constant dense<[[3, 2, 1, 0]]> : tensor<1x4xui8>
  %moves = graph.constant dense<[[1], [0], [2], [3], [0], [2], [1], [3], [0], [1], [3], [2], [2], [1], [0], [3], [3], [1], [2], [0]]> : tensor<20x1xi64>
  %r:2 = graph.while %start, %zero cond {
    ^bb0(%layer: tensor<?x4xui8>, %total: tensor<i64>):
      %more = graph.compare lt, %total, %last : tensor<i64> -> tensor<i1>
      graph.yield %more : tensor<i1>
    } do {
    ^bb0(%layer: tensor<?x4xui8>, %total: tensor<i64>):
      %n = graph.dim %layer, 0 : tensor<?x4xui8>
      %m = graph.mul %n, %count : tensor<i64>
      %wide = graph.gather %layer, %moves <offset = [0], collapsed = [1], batching = [] x [], index_map = [1], index_vector_dim = 1> sizes [-1, 1] : (tensor<?x4xui8>, tensor<20x1xi64>) -> tensor<?x20xui8>
      %next = graph.reshape %wide [%m] : tensor<?x20xui8> -> tensor<?x4xui8>
      // expected-remark@below {{search: SEA301: all neighbours are scored, and only the best ones are deduplicated: equal states have equal scores}}
      %u, %f, %v, %c = graph.unique %next : tensor<?x4xui8> -> tensor<?x4xui8>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
      %size = graph.dim %u, 0 : tensor<?x4xui8>
      %wanted = graph.broadcast %target [1] [%size] : tensor<4xui8> -> tensor<?x4xui8>
      %differs = graph.compare ne, %u, %wanted : tensor<?x4xui8> -> tensor<?x4xi1>
      %parts = graph.convert %differs : tensor<?x4xi1> -> tensor<?x4xui8>
      %scores = graph.reduce sum, %parts [1] : tensor<?x4xui8> -> tensor<?xui8>
      %kept = graph.min %size, %width : tensor<i64>
      %values, %indices = graph.top_k %scores, %kept 0 smallest : (tensor<?xui8>, tensor<i64>) -> (tensor<?xui8>, tensor<?xi64>)
      %k = graph.dim %indices, 0 : tensor<?xi64>
      %places = graph.reshape %indices [%k] : tensor<?xi64> -> tensor<?x1xi64>
      %best = graph.gather %u, %places <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 4] : (tensor<?x4xui8>, tensor<?x1xi64>) -> tensor<?x4xui8>
      %t = graph.add %total, %size : tensor<i64>
      graph.yield %best, %t : tensor<?x4xui8>, tensor<i64>
    } : (tensor<1x4xui8>, tensor<i64>) -> (tensor<?x4xui8>, tensor<i64>)
  return %r#0, %r#1 : tensor<?x4xui8>, tensor<i64>
}

// -----

// All neighbours and those that are not in the layer.
// CHECK-LABEL: func.func @left_out
// CHECK: ^bb0(%[[LAYER:.*]]: tensor<?x4xui8>, %[[TOTAL:.*]]: tensor<i64>):
// CHECK: ^bb0(%[[LAYER:.*]]: tensor<?x4xui8>, %[[TOTAL:.*]]: tensor<i64>):
// CHECK: %[[FORMED:.*]], %[[FRESH:.*]], %[[FIRSTS:.*]] = search.count_neighbours %[[LAYER]] moved by %{{.*}} without(%[[LAYER]]) : (tensor<?x4xui8>, tensor<5x4xui32>, tensor<?x4xui8>) -> (tensor<i64>, tensor<i64>, tensor<?xi1>)
// CHECK: %[[BOTH:.*]] = graph.add %[[FORMED]], %[[FRESH]]
// CHECK: graph.add %[[TOTAL]], %[[BOTH]]
// WITHOUT-LABEL: func.func @left_out
func.func @left_out() -> (tensor<?x4xui8>, tensor<i64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %last = graph.constant dense<20> : tensor<i64>
  %width = graph.constant dense<2> : tensor<i64>
  %count = graph.constant dense<5> : tensor<i64>
  %target = graph.constant dense<[0, 1, 2, 3]> : tensor<4xui8>
  %start = graph.constant dense<[[3, 2, 1, 0]]> : tensor<1x4xui8>
  %moves = graph.constant dense<[[1], [0], [2], [3], [0], [2], [1], [3], [0], [1], [3], [2], [2], [1], [0], [3], [3], [1], [2], [0]]> : tensor<20x1xi64>
  %r:2 = graph.while %start, %zero cond {
    ^bb0(%layer: tensor<?x4xui8>, %total: tensor<i64>):
      %more = graph.compare lt, %total, %last : tensor<i64> -> tensor<i1>
      graph.yield %more : tensor<i1>
    } do {
    ^bb0(%layer: tensor<?x4xui8>, %total: tensor<i64>):
      %n = graph.dim %layer, 0 : tensor<?x4xui8>
      %m = graph.mul %n, %count : tensor<i64>
      %wide = graph.gather %layer, %moves <offset = [0], collapsed = [1], batching = [] x [], index_map = [1], index_vector_dim = 1> sizes [-1, 1] : (tensor<?x4xui8>, tensor<20x1xi64>) -> tensor<?x20xui8>
      %next = graph.reshape %wide [%m] : tensor<?x20xui8> -> tensor<?x4xui8>
      // expected-remark@below {{search: SEA301: all neighbours are scored, and only the best ones are deduplicated: equal states have equal scores}}
      %u, %f, %v, %c = graph.unique %next : tensor<?x4xui8> -> tensor<?x4xui8>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
      %formed = graph.dim %u, 0 : tensor<?x4xui8>
      %known = graph.is_in %u, %layer : (tensor<?x4xui8>, tensor<?x4xui8>) -> tensor<?xi1>
      %new = graph.not %known : tensor<?xi1>
      %x = graph.compact %new, %u : (tensor<?xi1>, tensor<?x4xui8>) -> tensor<?x4xui8>
      %size = graph.dim %x, 0 : tensor<?x4xui8>
      %wanted = graph.broadcast %target [1] [%size] : tensor<4xui8> -> tensor<?x4xui8>
      %differs = graph.compare ne, %x, %wanted : tensor<?x4xui8> -> tensor<?x4xi1>
      %parts = graph.convert %differs : tensor<?x4xi1> -> tensor<?x4xui8>
      %scores = graph.reduce sum, %parts [1] : tensor<?x4xui8> -> tensor<?xui8>
      %kept = graph.min %size, %width : tensor<i64>
      %values, %indices = graph.top_k %scores, %kept 0 smallest : (tensor<?xui8>, tensor<i64>) -> (tensor<?xui8>, tensor<?xi64>)
      %k = graph.dim %indices, 0 : tensor<?xi64>
      %places = graph.reshape %indices [%k] : tensor<?xi64> -> tensor<?x1xi64>
      %best = graph.gather %x, %places <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 4] : (tensor<?x4xui8>, tensor<?x1xi64>) -> tensor<?x4xui8>
      %both = graph.add %formed, %size : tensor<i64>
      %t = graph.add %total, %both : tensor<i64>
      graph.yield %best, %t : tensor<?x4xui8>, tensor<i64>
    } : (tensor<1x4xui8>, tensor<i64>) -> (tensor<?x4xui8>, tensor<i64>)
  return %r#0, %r#1 : tensor<?x4xui8>, tensor<i64>
}

// -----

// Candidates that are no permutations of rows have to be told apart to be counted.
// CHECK-LABEL: func.func @counted_sums
// CHECK-COUNT-1: graph.while
// CHECK-NOT: graph.while
// CHECK: return
// WITHOUT-LABEL: func.func @counted_sums
func.func @counted_sums() -> (tensor<?x4xui8>, tensor<i64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %last = graph.constant dense<20> : tensor<i64>
  %width = graph.constant dense<2> : tensor<i64>
  %target = graph.constant dense<[0, 1, 2, 3]> : tensor<4xui8>
  %start = graph.constant dense<[[3, 2, 1, 0]]> : tensor<1x4xui8>
  %one = graph.constant dense<1> : tensor<ui8>
  %r:2 = graph.while %start, %zero cond {
    ^bb0(%layer: tensor<?x4xui8>, %total: tensor<i64>):
      %more = graph.compare lt, %total, %last : tensor<i64> -> tensor<i1>
      graph.yield %more : tensor<i1>
    } do {
    ^bb0(%layer: tensor<?x4xui8>, %total: tensor<i64>):
      %n = graph.dim %layer, 0 : tensor<?x4xui8>
      %ones = graph.broadcast %one [] [%n] : tensor<ui8> -> tensor<?x4xui8>
      %next = graph.add %layer, %ones : tensor<?x4xui8>
      // expected-remark@below {{search: SEA401: neighbours are deduplicated before they are scored: the program counts the different ones}}
      %u, %f, %v, %c = graph.unique %next : tensor<?x4xui8> -> tensor<?x4xui8>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
      %size = graph.dim %u, 0 : tensor<?x4xui8>
      %wanted = graph.broadcast %target [1] [%size] : tensor<4xui8> -> tensor<?x4xui8>
      %differs = graph.compare ne, %u, %wanted : tensor<?x4xui8> -> tensor<?x4xi1>
      %parts = graph.convert %differs : tensor<?x4xi1> -> tensor<?x4xui8>
      %scores = graph.reduce sum, %parts [1] : tensor<?x4xui8> -> tensor<?xui8>
      %kept = graph.min %size, %width : tensor<i64>
      %values, %indices = graph.top_k %scores, %kept 0 smallest : (tensor<?xui8>, tensor<i64>) -> (tensor<?xui8>, tensor<?xi64>)
      %k = graph.dim %indices, 0 : tensor<?xi64>
      %places = graph.reshape %indices [%k] : tensor<?xi64> -> tensor<?x1xi64>
      %best = graph.gather %u, %places <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 4] : (tensor<?x4xui8>, tensor<?x1xi64>) -> tensor<?x4xui8>
      %t = graph.add %total, %size : tensor<i64>
      graph.yield %best, %t : tensor<?x4xui8>, tensor<i64>
    } : (tensor<1x4xui8>, tensor<i64>) -> (tensor<?x4xui8>, tensor<i64>)
  return %r#0, %r#1 : tensor<?x4xui8>, tensor<i64>
}
