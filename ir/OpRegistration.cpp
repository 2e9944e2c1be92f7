// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the attributes and ops of the dialect, and makes its constants.

#include "ir/OpRegistration.h"
#include "ir/GraphOps.h"
#include "ir/OpSyntax.h"
#include "ir/attributes/EncodingAttrs.h"
#include "ir/dims/DimAttr.h"
#include "ir/target/TargetModel.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_ATTRDEF_CLASSES
#include "ir/GraphAttrs.cpp.inc"
#include "ir/ScheduleRule.cpp.inc"
#include "ir/ShapeRule.cpp.inc"

namespace zenith::graph {

void GraphDialect::initialize() {
  registerAttributes();
  registerOps();
}

void GraphDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/GraphAttrs.cpp.inc"
      >();
}

void GraphDialect::registerOps() {
  insertElementwiseOps(*this);
  insertMovementOps(*this);
  insertContractionOps(*this);
  insertLinearAlgebraOps(*this);
  insertReductionOps(*this);
  insertIndexingOps(*this);
  insertOrderingOps(*this);
  insertRandomOps(*this);
  insertCompositeOps(*this);
  insertControlOps(*this);
  insertCollectiveOps(*this);
  insertShardingOps(*this);
}

Operation *GraphDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getShapedType() != type)
    return nullptr;
  return builder.create<ConstantOp>(loc, elements);
}

} // namespace zenith::graph
