// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of meshes and shardings that need nothing but the attribute.

#include "ir/attributes/ShardingAttrs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace zenith::graph {

bool overlap(AxisRefAttr lhs, AxisRefAttr rhs) {
  if (lhs.getName() != rhs.getName())
    return false;
  if (lhs.isWhole() || rhs.isWhole())
    return true;
  return lhs.getPreSize() < rhs.getPreSize() * rhs.getSize() &&
         rhs.getPreSize() < lhs.getPreSize() * lhs.getSize();
}

AxisRefAttr axisPart(AxisRefAttr axis, int64_t before, int64_t size,
                     int64_t fullSize) {
  if (before == 1 && size == fullSize)
    return AxisRefAttr::get(axis.getContext(), axis.getName(), 1, 0);
  return AxisRefAttr::get(axis.getContext(), axis.getName(), before, size);
}

LogicalResult MeshAxisAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef name, int64_t size) {
  if (!name.empty() && size > 0)
    return success();
  return emitError() << "axis of a mesh: got \"" << name << "\"=" << size
                     << ", expected a name and a positive size (mesh_axis_c1)";
}

static LogicalResult
verifyDeviceIds(function_ref<InFlightDiagnostic()> emitError, bool hasAxes,
                ArrayRef<int64_t> ids, int64_t devices) {
  if (ids.empty())
    return success();
  if (!hasAxes) {
    if (ids.size() == 1 && ids.front() >= 0)
      return success();
    return emitError() << "device_ids: got " << ids.size()
                       << " ids without axes, expected one that is not "
                          "negative (mesh_c2)";
  }
  std::vector<int64_t> sorted(ids.begin(), ids.end());
  llvm::sort(sorted);
  bool permutes = int64_t(sorted.size()) == devices;
  for (size_t i = 0; permutes && i < sorted.size(); ++i)
    permutes = sorted[i] == int64_t(i);
  if (permutes)
    return success();
  auto error = emitError() << "device_ids: got [";
  llvm::interleaveComma(ids, error);
  return error << "], expected a permutation of [0, " << devices
               << ") (mesh_c2)";
}

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<MeshAxisAttr> axes,
                               ArrayRef<int64_t> deviceIds) {
  llvm::StringSet<> names;
  int64_t devices = 1;
  for (MeshAxisAttr axis : axes) {
    if (!names.insert(axis.getName()).second)
      return emitError() << "axes: got \"" << axis.getName()
                         << "\" twice, expected distinct names (mesh_c1)";
    if (__builtin_mul_overflow(devices, axis.getSize(), &devices) ||
        devices > INT32_MAX)
      return emitError() << "axes: got sizes whose product is larger, expected "
                            "at most 2147483647 devices (mesh_c1)";
  }
  return verifyDeviceIds(emitError, !axes.empty(), deviceIds, devices);
}

std::optional<int64_t> MeshAttr::sizeOf(StringRef name) const {
  for (MeshAxisAttr axis : getAxes())
    if (axis.getName() == name)
      return axis.getSize();
  return std::nullopt;
}

int64_t MeshAttr::numDevices() const {
  int64_t devices = 1;
  for (MeshAxisAttr axis : getAxes())
    devices *= axis.getSize();
  return devices;
}

LogicalResult AxisRefAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  StringRef name, int64_t preSize,
                                  int64_t size) {
  bool isWhole = size == 0 && preSize == 1;
  // The product names the positions before what follows the factor.
  int64_t product;
  bool isFactor = preSize > 0 && size > 1 &&
                  !__builtin_mul_overflow(preSize, size, &product);
  if (!name.empty() && (isWhole || isFactor))
    return success();
  return emitError() << "axis: got \"" << name << "\":(" << preSize << ")"
                     << size
                     << ", expected a name, a positive pre-size and a size of "
                        "at least 2 (axis_c1)";
}

std::string AxisRefAttr::text() const {
  if (isWhole())
    return getName().str();
  return (getName() + ":(" + Twine(getPreSize()) + ")" + Twine(getSize()))
      .str();
}

LogicalResult
DimShardingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        ArrayRef<AxisRefAttr> axes, bool open,
                        int64_t priority) {
  if (priority < 0)
    return emitError() << "priority: got " << priority
                       << ", expected at least 0 (dim_sharding_c1)";
  if (axes.empty() && !open && priority != 0)
    return emitError() << "priority: got " << priority
                       << " on a closed dimension without axes, expected none "
                          "(dim_sharding_c1)";
  return success();
}

// `second` continues the factor `first`, so that both are one.
static bool continues(AxisRefAttr first, AxisRefAttr second) {
  return first.getName() == second.getName() && !first.isWhole() &&
         !second.isWhole() &&
         first.getPreSize() * first.getSize() == second.getPreSize();
}

LogicalResult ShardingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   FlatSymbolRefAttr mesh,
                                   ArrayRef<DimShardingAttr> dims,
                                   ArrayRef<AxisRefAttr> replicated,
                                   ArrayRef<AxisRefAttr> unreduced) {
  if (!mesh)
    return emitError() << "sharding: got no mesh, expected @name";
  SmallVector<AxisRefAttr> seen;
  auto check = [&](ArrayRef<AxisRefAttr> axes) -> LogicalResult {
    for (auto [i, axis] : llvm::enumerate(axes)) {
      for (AxisRefAttr other : seen)
        if (overlap(axis, other))
          return emitError()
                 << "sharding: got axes " << other.text() << " and "
                 << axis.text() << ", expected no overlap (sharding_c1)";
      if (i > 0 && continues(axes[i - 1], axis))
        return emitError() << "sharding: got neighbours " << axes[i - 1].text()
                           << " and " << axis.text()
                           << ", expected one larger factor (sharding_c1)";
      seen.push_back(axis);
    }
    return success();
  };
  for (DimShardingAttr dim : dims)
    if (failed(check(dim.getAxes())))
      return failure();
  return failure(failed(check(replicated)) || failed(check(unreduced)));
}

ShardingAttr ShardingAttr::open(FlatSymbolRefAttr mesh, int64_t rank) {
  MLIRContext *context = mesh.getContext();
  SmallVector<DimShardingAttr> dims(
      rank, DimShardingAttr::get(context, {}, /*open=*/true, /*priority=*/0));
  return get(context, mesh, dims, {}, {});
}

SmallVector<AxisRefAttr> ShardingAttr::allAxes() const {
  SmallVector<AxisRefAttr> axes;
  for (DimShardingAttr dim : getDims())
    llvm::append_range(axes, dim.getAxes());
  llvm::append_range(axes, getReplicated());
  llvm::append_range(axes, getUnreduced());
  return axes;
}

} // namespace zenith::graph
