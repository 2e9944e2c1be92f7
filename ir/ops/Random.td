// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers as functions of a key: counter-based, the same on every target.

#ifndef ZENITH_IR_OPS_RANDOM_TD
#define ZENITH_IR_OPS_RANDOM_TD

include "ir/GraphBase.td"

def Graph_RandomBitsOp : Graph_PureOp<"random_bits", "Random"> {
  let summary = "uniform random bits from a key, and the key for the next call";
  let description = [{
    `threefry` is Threefry-2x32 with 20 rounds on a state of two ui64 (key, counter); `philox` is Philox-4x32 with 10 rounds on two or
    three (key, counter low, counter high; with two the key is the counter's upper half). Counters and the order of words are those of XLA's RngBitGenerator, so that both give the same bits.
    c1: the state is ui64 of 2 elements, or of 3 with philox; c2: the new state has its type; c3: bits are static integers of 8 to 64 bits.
    Example: `%s, %b = graph.random_bits threefry, %state : tensor<2xui64> -> tensor<2xui64>, tensor<4x8xui32>`
  }];
  let arguments = (ins Graph_RandomKindAttr:$algorithm, RankedTensorOf<[UI64]>:$state);
  let results = (outs RankedTensorOf<[UI64]>:$new_state, Graph_IntTensor:$bits);
  let assemblyFormat = "custom<EnumWord>($algorithm) `,` $state attr-dict `:` type($state) `->` type($new_state) `,` type($bits)";
}

def Graph_Key : RankedTensorOf<[UI32]>;

// Random values as functions of a key: composites over integer arithmetic, whose formulas are in
// ir/ops/RandomFormulas.h. A key of two words is Threefry-2x32's, and gives the bits of jax.random with
// jax_threefry_partitionable; one of four words gives those of random_bits philox, and splits by halves, as JAX's rbg does.
class Graph_RandomOp<string mnemonic, list<Trait> traits = []>
    : Graph_PureOp<mnemonic, "Random", traits>;

// An op that fills a result of any shape with values from one key.
class Graph_SampleOp<string mnemonic, dag parameters, Type element> : Graph_RandomOp<mnemonic> {
  let arguments = !con((ins Graph_Key:$key, Variadic<Graph_IndexScalar>:$sizes), parameters);
  let results = (outs element:$result);
  let assemblyFormat = "$key (` ` `[` $sizes^ `]`)? attr-dict `:` type($key) `->` type($result)";
}

def Graph_SplitKeyOp : Graph_RandomOp<"split_key"> {
  let summary = "keys of which each gives values of its own, from one key";
  let description = [{
    Row i is Threefry of the key and the counter i. The key itself is used up.
    c1: the key is ui32 of 2 or 4 elements; c2: the result is static, of shape [count, size of the key].
    Example: `%r = graph.split_key %key : tensor<2xui32> -> tensor<3x2xui32>`
  }];
  let arguments = (ins Graph_Key:$key);
  let results = (outs Graph_Key:$result);
  let assemblyFormat = "$key attr-dict `:` type($key) `->` type($result)";
}

def Graph_FoldInOp : Graph_RandomOp<"fold_in", [AllTypesMatch<["key", "result"]>]> {
  let summary = "the key of an integer, from one key";
  let description = [{
    Threefry of the key and the counter that JAX makes of 32 bits of the integer as of a seed; different integers give keys of their own.
    c1: the key is ui32 of 2 or 4 elements; c2: the integer is a scalar.
    Example: `%r = graph.fold_in %key, %step : tensor<2xui32>, tensor<i64>`
  }];
  let arguments = (ins Graph_Key:$key, Graph_IntTensor:$data);
  let results = (outs Graph_Key:$result);
  let assemblyFormat = "$key `,` $data attr-dict `:` type($key) `,` type($data)";
}

def Graph_RandomFloatTensor : RankedTensorOf<[F16, BF16, F32, F64]>;

def Graph_RandomUniformOp : Graph_SampleOp<"random_uniform",
    (ins DefaultValuedAttr<F64Attr, "0.0">:$low, DefaultValuedAttr<F64Attr, "1.0">:$high), Graph_RandomFloatTensor> {
  let summary = "uniform floats in [low, high)";
  let description = [{
    As many random bits as the type's mantissa has, times high - low, plus low; where rounding leaves the interval, low.
    c1: the key is ui32 of 2 or 4 elements; c2: one `sizes` operand for each dynamic dimension of the result; c3: low and high are
    finite and low <= high.
    Example: `%r = graph.random_uniform %key [%n] {low = -1.0 : f64} : tensor<2xui32> -> tensor<?x3xf32>`
  }];
}

def Graph_RandomNormalOp : Graph_SampleOp<"random_normal", (ins), Graph_RandomFloatTensor> {
  let summary = "normally distributed floats of mean 0 and variance 1";
  let description = [{
    sqrt(2) * erf_inv(u), u uniform in (-1, 1).
    c1: the key is ui32 of 2 or 4 elements; c2: one `sizes` operand for each dynamic dimension of the result.
    Example: `%r = graph.random_normal %key : tensor<2xui32> -> tensor<4x3xf32>`
  }];
}

def Graph_RandomTruncatedNormalOp : Graph_SampleOp<"random_truncated_normal",
    (ins F64Attr:$lower, F64Attr:$upper), Graph_RandomFloatTensor> {
  let summary = "normally distributed floats between two bounds";
  let description = [{
    sqrt(2) * erf_inv(u), u uniform in [erf(lower / sqrt 2), erf(upper / sqrt 2)), clipped to the open interval (lower, upper).
    c1: the key is ui32 of 2 or 4 elements; c2: one `sizes` operand for each dynamic dimension of the result; c3: lower < upper.
    Example: `%r = graph.random_truncated_normal %key {lower = -2.0 : f64, upper = 2.0 : f64} : tensor<2xui32> -> tensor<4x3xf32>`
  }];
}

def Graph_RandomBernoulliOp : Graph_SampleOp<"random_bernoulli", (ins F64Attr:$probability), Graph_BoolTensor> {
  let summary = "booleans that are true with a probability";
  let description = [{
    u < probability, u uniform f32 in [0, 1).
    c1: the key is ui32 of 2 or 4 elements; c2: one `sizes` operand for each dynamic dimension of the result; c3: 0 <= probability <= 1.
    Example: `%r = graph.random_bernoulli %key {probability = 0.25 : f64} : tensor<2xui32> -> tensor<4x3xi1>`
  }];
}

def Graph_RandomPermutationOp : Graph_RandomOp<"random_permutation"> {
  let summary = "the integers from 0 on in random order";
  let description = [{
    Rounds of stable sorts by 32 random bits, each with a key of its own: as many as make equal strings of bits unlikely.
    c1: the key is ui32 of 2 or 4 elements; c2: the result is a static vector; c3: its element type holds its indices.
    Example: `%r = graph.random_permutation %key : tensor<2xui32> -> tensor<10xi32>`
  }];
  let arguments = (ins Graph_Key:$key);
  let results = (outs Graph_IntTensor:$result);
  let assemblyFormat = "$key attr-dict `:` type($key) `->` type($result)";
}

def Graph_RandomCategoricalOp : Graph_RandomOp<"random_categorical"> {
  let summary = "indices along a dimension, drawn with probability softmax(logits)";
  let description = [{
    The index of the largest logits + g, g = -log(-log(u)), u uniform above 0.
    c1: the key is ui32 of 2 or 4 elements; c2: axis is in range; c3: the result has the shape of the logits without axis.
    Example: `%r = graph.random_categorical %key, %logits {axis = 1 : i64} : (tensor<2xui32>, tensor<4x3xf32>) -> tensor<4xi32>`
  }];
  let arguments = (ins Graph_Key:$key, Graph_RandomFloatTensor:$logits, I64Attr:$axis);
  let results = (outs Graph_IntTensor:$result);
  let assemblyFormat = "$key `,` $logits attr-dict `:` functional-type(operands, results)";
}

def Graph_DropoutOp : Graph_RandomOp<"dropout", [AllTypesMatch<["operand", "result"]>]> {
  let summary = "elements divided by 1 - rate, or 0 with probability rate";
  let description = [{
    An element is kept where random_bernoulli of the same key and probability 1 - rate is true. Linear in the operand.
    c1: the key is ui32 of 2 or 4 elements; c2: 0 <= rate < 1.
    Example: `%r = graph.dropout %x, %key {rate = 0.1 : f64} : tensor<4x3xf32>, tensor<2xui32>`
  }];
  let arguments = (ins Graph_RandomFloatTensor:$operand, Graph_Key:$key, F64Attr:$rate);
  let results = (outs Graph_RandomFloatTensor:$result);
  let assemblyFormat = "$operand `,` $key attr-dict `:` type($operand) `,` type($key)";
}

#endif // ZENITH_IR_OPS_RANDOM_TD
