// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-grow-lists))' | FileCheck %s
// RUN: zenith-opt %s --to=kernels --target=cpu:x86-64-v3 | FileCheck --check-prefix=KERNELS %s
// RUN: zenith-run %s --entry=squares --print=0 --compare=interp
// RUN: zenith-run %s --entry=rows --print=0 --compare=interp

// A hundred numbers, one a step: the list and how many of its rows count are carried.
// CHECK-LABEL: func.func @squares
// CHECK: %[[R:.*]]:3 = graph.while
// CHECK: ^bb0(%[[LIST:.*]]: tensor<?xi64>, %{{.*}}: tensor<i64>, %[[COUNT:.*]]: tensor<i64>):
// CHECK: ^bb0(%[[LIST:.*]]: tensor<?xi64>, %{{.*}}: tensor<i64>, %[[COUNT:.*]]: tensor<i64>):
// CHECK: %[[NEED:.*]] = graph.add %[[COUNT]]
// CHECK: %{{.*}}, %[[MORE:.*]], %{{.*}} = search.append_new %{{.*}}, (%[[LIST]]), (%{{.*}}) count %[[COUNT]] rows %{{.*}} cells %{{.*}} compared 0
// CHECK: graph.yield %[[MORE]], %{{.*}}, %[[NEED]]
// CHECK: graph.slice %[[R]]#0 [%{{.*}}] [%[[R]]#2] [1]
//
// The body takes the list's memory over.
// KERNELS: host.program @squares_while0_body
// KERNELS: host.alloc <result, 0, "0"> bytes {{.*}} reuses
func.func @squares() -> tensor<?xi64> {
  %n = graph.constant dense<100> : tensor<i64>
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %none = graph.constant dense<> : tensor<0xi64>
  %r:2 = graph.while %none, %zero cond {
    ^bb0(%l: tensor<?xi64>, %k: tensor<i64>):
      %more = graph.compare lt, %k, %n : tensor<i64> -> tensor<i1>
      graph.yield %more : tensor<i1>
    } do {
    ^bb0(%l: tensor<?xi64>, %k: tensor<i64>):
      %square = graph.mul %k, %k : tensor<i64>
      %row = graph.reshape %square : tensor<i64> -> tensor<1xi64>
      %longer = graph.concat 0, %l, %row : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
      %next = graph.add %k, %one : tensor<i64>
      graph.yield %longer, %next : tensor<?xi64>, tensor<i64>
    } : (tensor<0xi64>, tensor<i64>) -> (tensor<?xi64>, tensor<i64>)
  return %r#0 : tensor<?xi64>
}

// Rows of several numbers, of a first value that the caller keeps, in steps that add more than there is.
// CHECK-LABEL: func.func @rows
// CHECK: search.append_new {{.*}} compared 0 : (tensor<0xui64>, tensor<?x2xui8>, tensor<3x2xui8>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xui64>, tensor<?x2xui8>, tensor<i64>)
func.func @rows() -> (tensor<?x2xui8>, tensor<1x2xui8>) {
  %n = graph.constant dense<9> : tensor<i64>
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %first = graph.constant dense<7> : tensor<1x2xui8>
  %more = graph.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xui8>
  %r:2 = graph.while %first, %zero cond {
    ^bb0(%l: tensor<?x2xui8>, %k: tensor<i64>):
      %go = graph.compare lt, %k, %n : tensor<i64> -> tensor<i1>
      graph.yield %go : tensor<i1>
    } do {
    ^bb0(%l: tensor<?x2xui8>, %k: tensor<i64>):
      %longer = graph.concat 0, %l, %more : (tensor<?x2xui8>, tensor<3x2xui8>) -> tensor<?x2xui8>
      %next = graph.add %k, %one : tensor<i64>
      graph.yield %longer, %next : tensor<?x2xui8>, tensor<i64>
    } : (tensor<1x2xui8>, tensor<i64>) -> (tensor<?x2xui8>, tensor<i64>)
  return %r#0, %first : tensor<?x2xui8>, tensor<1x2xui8>
}

// A list that a step reads stays as it is, and so do floats.
// CHECK-LABEL: func.func @read
// CHECK-NOT: search.append_new
// CHECK: return
func.func @read() -> (tensor<?xi64>, tensor<?xf32>) {
  %n = graph.constant dense<5> : tensor<i64>
  %one = graph.constant dense<[1]> : tensor<1xi64>
  %half = graph.constant dense<0.5> : tensor<1xf32>
  %r:2 = graph.while %one, %half cond {
    ^bb0(%l: tensor<?xi64>, %f: tensor<?xf32>):
      %size = graph.dim %l, 0 : tensor<?xi64>
      %more = graph.compare lt, %size, %n : tensor<i64> -> tensor<i1>
      graph.yield %more : tensor<i1>
    } do {
    ^bb0(%l: tensor<?xi64>, %f: tensor<?xf32>):
      %longer = graph.concat 0, %l, %one : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
      %floats = graph.concat 0, %f, %half : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
      graph.yield %longer, %floats : tensor<?xi64>, tensor<?xf32>
    } : (tensor<1xi64>, tensor<1xf32>) -> (tensor<?xi64>, tensor<?xf32>)
  return %r#0, %r#1 : tensor<?xi64>, tensor<?xf32>
}
