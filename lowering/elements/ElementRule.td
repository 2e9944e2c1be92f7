// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The question: given index values, what is this element (or group of lanes) in terms of the operands' elements?

#ifndef ZENITH_LOWERING_ELEMENTS_ELEMENTRULE_TD
#define ZENITH_LOWERING_ELEMENTS_ELEMENTRULE_TD

include "mlir/IR/OpBase.td"

def ElementRule : OpInterface<"ElementRule"> {
  let cppNamespace = "::zenith::kernels";
  let description = [{
    What every kernel asks of the ops inside of it: one element of the result at an index, or a group of lanes of it.
    Answered per family in <Family>Elements.cpp. Ops that are a kernel or a routine of their own have no answer, and are
    refused by name where a kernel asks for one of their elements.
  }];
  let methods = [
    InterfaceMethod<[{Emits the lanes of the result at `index` from elements of the operands, which `emitter` emits; the register
type is `registerType` of the element type. A scalar result means that all lanes agree. Null after an unsupported op, which
has been reported.}],
                    "::mlir::Value", "emitElement",
                    (ins "::zenith::kernels::ElementEmitter &":$emitter,
                         "::llvm::ArrayRef<::zenith::kernels::LaneIndex>":$index)>
  ];
}

#endif // ZENITH_LOWERING_ELEMENTS_ELEMENTRULE_TD
