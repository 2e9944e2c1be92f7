// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every op and attribute of the host dialect parses, prints, and goes through bytecode.
//
// RUN: zenith-opt %s | FileCheck %s
// RUN: zenith-opt %s | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --emit-bytecode | zenith-opt | FileCheck %s

module @kernels {
  func.func @k(%x: memref<8xf32>, %y: memref<8xf32>, %n: index, %begin: index, %end: index) {
    return
  }
}

// CHECK-LABEL: host.program @steps arguments
// CHECK-SAME: [#host.value<"x", tensor<?x4xf32>, ["n", "4"]>, #host.value<"", tensor<i64>, []>]
// CHECK-SAME: results [#host.value<"y", tensor<?x4xf32>, ["n", "4"]>] arena "64*n + 64"
// CHECK-SAME: classes = {inputs = #graph.dim<"16*n + 8">}
// CHECK-SAME: donations = array<i64: 0, 0>
// CHECK-SAME: guards = [#host.shape_guard<"n - 1", "too few">]
// CHECK-SAME: scalars = ["", "%i0"]
host.program @steps arguments [#host.value<"x", tensor<?x4xf32>, ["n", "4"]>, #host.value<"", tensor<i64>, []>]
    results [#host.value<"y", tensor<?x4xf32>, ["n", "4"]>] arena "64 + n*64"
    attributes {scalars = ["", "%i0"], donations = array<i64: 0, 0>, guards = [#host.shape_guard<"n - 1", "too few">],
                constants = [dense<1.0> : tensor<8xf32>], classes = {inputs = #graph.dim<"16*n + 8">}} {
  // CHECK: host.launch @kernels::@k pointers [#host.buffer<argument, 0, "0">, #host.buffer<arena, 0, "64*n">] sizes ["n"]
  // CHECK-SAME: tasks "floordiv(n, 8)" cost 6.400000e+01 {host.bytes = #graph.dim<"32*n">, host.flops = #graph.dim<"4*n">}
  host.launch @kernels::@k pointers [#host.buffer<argument, 0, "0">, #host.buffer<arena, 0, "64*n">] sizes ["n"]
    tasks "floordiv(n, 8)" cost 64.0 {host.flops = #graph.dim<"4*n">, host.bytes = #graph.dim<"32*n">}
  // CHECK: host.launch @kernels::@k pointers [#host.buffer<constant, 0, "0">, #host.buffer<derived, 1, "128">]
  // CHECK-SAME: sizes ["n"] tasks "n" cost 1.000000e+00 when "min(1, n)"
  // CHECK-SAME: {host_only, pointer_bytes = [#graph.dim<"32">, #graph.dim<"32">], written = array<i64: 1>}
  host.launch @kernels::@k pointers [#host.buffer<constant, 0, "0">, #host.buffer<derived, 1, "128">] sizes ["n"]
    tasks "n" cost 1.0 when "min(1, n)"
    {host_only, pointer_bytes = [#graph.dim<"32">, #graph.dim<"32">], written = array<i64: 1>}
  // CHECK: host.copy <param, 3, "0"> to <result, 0, "0"> bytes "16*n"
  host.copy <param, 3, "0"> to <result, 0, "0"> bytes "16*n"
  // CHECK: host.copy <arena, 0, "0"> to <file, 0, "64"> bytes "16"
  host.copy <arena, 0, "0"> to <file, 0, "64"> bytes "16"
  // CHECK: host.await 1 <arena, 0, "0">
  host.await 1 <arena, 0, "0">
  // CHECK: host.scalar "2*n" to <cell, 0, "0"> : i64
  host.scalar "n + n" to <cell, 0, "0"> : i64
  // CHECK: host.fetch "%0" from <cell, 0, "0"> : i64
  host.fetch "%0" from <cell, 0, "0"> : i64
  // CHECK: host.alloc <slot, 0, "0"> bytes "4*%0"
  host.alloc <slot, 0, "0"> bytes "4*%0"
  // CHECK: host.dealloc 0
  host.dealloc 0
  // CHECK: host.eval "%h0" = "compare.lt" ["%0", "-9223372036854775808"] : i64 to i1
  host.eval "%h0" = "compare.lt" ["%0", "-9223372036854775808"] : i64 to i1
  // CHECK: host.guard "%0 - 4" "graph.slice: start is negative"
  host.guard "%0 - 4" "graph.slice: start is negative"
  // CHECK: host.assert "%h0" "sizes differ: {0}" ["%0"] at "model.mlir:3:5"
  host.assert "%h0" "sizes differ: {0}" ["%0"] at "model.mlir:3:5"
  // CHECK: host.if "%h0" to [@inner, @inner] arguments {{\[\[}}"%0"], ["4"]] results ["%h1"] boolean arena <arena, 0, "0">
  host.if "%h0" to [@inner, @inner] arguments [["%0"], ["4"]] results ["%h1"] boolean arena <arena, 0, "0">
  // CHECK: host.while @condition([]) do @body([#host.argument<<arena, 0, "0">, ["n"]>])
  // CHECK-SAME: inits ["0", #host.argument<<arena, 0, "0">, ["n"]>, #host.argument<<argument, 0, "0">, ["n"]>]
  // CHECK-SAME: results ["%h2", #host.outcome<<arena, 0, "0">, ["n"], "4*n", second <arena, 0, "64">>,
  // CHECK-SAME: #host.outcome<<slot, 1, "0">, ["%1"], "4*%1", allocated>] in_place []
  host.while @condition([]) do @body([#host.argument<<arena, 0, "0">, ["n"]>])
    inits ["0", #host.argument<<arena, 0, "0">, ["n"]>, #host.argument<<argument, 0, "0">, ["n"]>]
    results ["%h2", #host.outcome<<arena, 0, "0">, ["n"], "4*n", second <arena, 0, "64">>,
             #host.outcome<<slot, 1, "0">, ["%1"], "4*%1", allocated>] in_place []
  // CHECK: host.yield {{\[\[}}"n", "4"]]
  host.yield [["n", "4"]]
}

// CHECK-LABEL: host.program @inner
// CHECK-SAME: attributes {inner, scalars = ["%i0"]}
// CHECK-NEXT: host.yield ["%i0 + 1"]
host.program @inner arguments [#host.value<"", tensor<i64>, []>] results [#host.value<"", tensor<i64>, []>] arena "0"
    attributes {inner, scalars = ["%i0"]} {
  host.yield ["%i0 + 1"]
}

host.program @condition arguments [#host.value<"", tensor<i64>, []>, #host.value<"", tensor<?xf32>, ["n"]>,
    #host.value<"", tensor<?xf32>, ["m"]>] results [#host.value<"", tensor<i1>, []>] arena "0"
    attributes {inner, scalars = ["%i0", "", ""]} {
  host.yield ["%i0"]
}

// CHECK-LABEL: host.program @body
// CHECK: host.yield ["%i0", unit, ["m"]]
host.program @body arguments [#host.value<"", tensor<i64>, []>, #host.value<"", tensor<?xf32>, ["n"]>,
    #host.value<"", tensor<?xf32>, ["m"]>, #host.value<"", tensor<?xf32>, ["n"]>]
    results [#host.value<"", tensor<i64>, []>, #host.value<"", tensor<?xf32>, ["n"]>, #host.value<"", tensor<?xf32>, ["m"]>]
    arena "0" attributes {inner, scalars = ["%i0", "", "", ""]} {
  host.yield ["%i0", unit, ["m"]]
}

// CHECK-LABEL: host.program @shares
// CHECK: host.if "n" to [@reader] arguments {{\[\[}}]] results [] shares [#host.buffer<arena, 0, "64*n">, "n"] as [0, 2]
// CHECK: host.while @false([]) do @none([]) inits [] results [] in_place [] shares ["n", #host.buffer<arena, 0, "0">] as [2, 0]
host.program @shares arguments [#host.value<"x", tensor<?xf32>, ["n"]>] results [] arena "64 + n*64" {
  host.if "n" to [@reader] arguments [[]] results [] shares [#host.buffer<arena, 0, "64*n">, "n"] as [0, 2]
  host.while @false([]) do @none([]) inits [] results [] in_place [] shares ["n", #host.buffer<arena, 0, "0">] as [2, 0]
}

host.program @false arguments [] results [#host.value<"", tensor<i1>, []>] arena "0" attributes {inner} {
  host.yield ["0"]
}

// What is shared comes through programs that say nothing of it.
host.program @none arguments [] results [] arena "0" attributes {inner} {
  host.if "1" to [@reader] arguments [[]] results []
}

// CHECK-LABEL: host.program @reader
// CHECK: host.fetch "%i0" from <shared, 2, "0"> : i64
// CHECK: host.copy <shared, 0, "0"> to <arena, 0, "0"> bytes "4"
host.program @reader arguments [] results [] arena "4" attributes {inner} {
  host.fetch "%i0" from <shared, 2, "0"> : i64
  host.copy <shared, 0, "0"> to <arena, 0, "0"> bytes "4"
}

// CHECK-LABEL: func.func @control
// CHECK: host.branch %{{.*}}, (%{{.*}}) to [@f, @f] counts [1, 1] dims {{\[\[}}"4"]] boolean
// CHECK: host.loop(%{{.*}}) while @g() do @h(%{{.*}}) dims {{\[\[}}#host.unknown_dim<0>]]
// CHECK: host.loop(%{{.*}}) while @g() do @h(%{{.*}}) dims {{\[\[}}#host.operand_dim<0, 0>]]
// CHECK: host.branch %{{.*}}, () to [@s] counts [0] dims [] shares(%{{.*}}, %{{.*}}) as [4, 0]
// CHECK: host.loop(%{{.*}}) while @g() do @t() dims {{\[\[}}#host.operand_dim<0, 0>]] shares(%{{.*}}, %{{.*}}) as [0, 4]
func.func @control(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<?xf32>) {
  %a = host.branch %p, (%x, %x) to [@f, @f] counts [1, 1] dims [["4"]] boolean
    : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = host.loop(%y) while @g() do @h(%x) dims [[#host.unknown_dim<0>]] : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
  %c = host.loop(%y) while @g() do @h(%x) dims [[#host.operand_dim<0, 0>]] : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
  host.branch %p, () to [@s] counts [0] dims [] shares (%p, %x) as [4, 0] : (tensor<i1>, tensor<i1>, tensor<4xf32>) -> ()
  %d = host.loop(%y) while @g() do @t() dims [[#host.operand_dim<0, 0>]] shares (%x, %p) as [0, 4]
    : (tensor<?xf32>, tensor<4xf32>, tensor<i1>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: func.func private @s
// CHECK: host.shared 4 dims [] : tensor<i1>
// CHECK: host.shared 0 dims ["4"] : tensor<4xf32>
func.func private @s() attributes {host.nested} {
  %p = host.shared 4 dims [] : tensor<i1>
  %x = host.shared 0 dims ["4"] : tensor<4xf32>
  return
}
// CHECK-LABEL: func.func private @rows
func.func private @rows(%i: tensor<i32>) attributes {host.nested} {
  // CHECK: %[[X:.*]] = host.load_row %{{.*}} of tensor<8x4xf32> at 64 : tensor<i32> -> tensor<1x4xf32>
  %x = host.load_row %i of tensor<8x4xf32> at 64 : tensor<i32> -> tensor<1x4xf32>
  // CHECK: host.store_row %[[X]][%{{.*}}] of tensor<8x4xf32> at 64 : tensor<1x4xf32>, tensor<i32>
  host.store_row %x[%i] of tensor<8x4xf32> at 64 : tensor<1x4xf32>, tensor<i32>
  return
}
func.func private @t(%y: tensor<?xf32>) -> tensor<?xf32> attributes {host.nested} {
  %p = host.shared 4 dims [] : tensor<i1>
  host.branch %p, () to [@s] counts [0] dims [] : (tensor<i1>) -> ()
  return %y : tensor<?xf32>
}
func.func private @f(tensor<4xf32>) -> tensor<4xf32>
func.func private @g(tensor<?xf32>) -> tensor<i1>
func.func private @h(tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
