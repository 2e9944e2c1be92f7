// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which texts of dim_param are expressions over other dimensions and which are
// just names.

#ifndef ZENITH_FRONTENDS_ONNX_DIMNAMES_H
#define ZENITH_FRONTENDS_ONNX_DIMNAMES_H

#include "ir/dims/DimExpr.h"
#include <set>
#include <string>

namespace zenith::onnx {

/// ONNX gives dim_param no grammar: "batch size", "past+seq" and "unk-12" all
/// occur. An expression helps only if each name in it is the size of an
/// argument's dimension; every other text is a name, opaque but equal to
/// itself.
class DimNames {
public:
  /// Must be called for every dimension of every argument first.
  void add(const std::string &dimParam);
  /// Text for graph.dims, empty if none is possible.
  std::string textOf(const std::string &dimParam) const;

private:
  std::set<std::string> names;
};

/// dim_param for an entry of graph.dims.
std::string dimParamOf(const std::string &text);

/// False for expressions that no real model has: in a hostile model they grow
/// with every node until nothing can compute with them.
bool simpleEnough(const graph::DimExpr &expr);
/// Below the limit of simpleEnough by enough that the next few operators stay
/// below it too.
bool speaksForItself(const graph::DimExpr &expr);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_DIMNAMES_H
