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

#endif // ZENITH_IR_OPS_RANDOM_TD
