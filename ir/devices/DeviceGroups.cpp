// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of devices from axes of a mesh and from tables.

#include "ir/devices/DeviceGroups.h"

#include "ir/CollectiveOps.h"
#include "ir/LLVMError.h"
#include "ir/LocationText.h"
#include "ir/attributes/ShardingAttrs.h"
#include "ir/program/Shardings.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::graph;

DeviceList graph::devicesOf(MeshAttr mesh) {
  DeviceList devices(mesh.getDeviceIds());
  if (devices.empty())
    for (int64_t position = 0; position < mesh.numDevices(); ++position)
      devices.push_back(position);
  return devices;
}

int64_t graph::positionAlong(MeshAttr mesh, ArrayRef<AxisRefAttr> axes,
                             int64_t position) {
  int64_t along = 0;
  for (AxisRefAttr axis : axes) {
    int64_t after = 1; // positions of the axes after this one
    int64_t full = 1;
    for (MeshAxisAttr other : llvm::reverse(mesh.getAxes())) {
      full = other.getSize();
      if (other.getName() == axis.getName())
        break;
      after *= full;
    }
    int64_t coordinate = position / after % full;
    int64_t size = axisSize(axis, mesh);
    int64_t rest = axis.isWhole() ? 1 : full / (axis.getPreSize() * size);
    along = along * size + coordinate / rest % size;
  }
  return along;
}

std::vector<DeviceList> graph::axisGroups(MeshAttr mesh,
                                          ArrayRef<AxisRefAttr> axes) {
  DeviceList devices = devicesOf(mesh);
  int64_t size = 1;
  for (AxisRefAttr axis : axes)
    size *= axisSize(axis, mesh);
  // The first position of a group has coordinate 0 in all of its axes.
  std::vector<DeviceList> groups;
  llvm::DenseMap<int64_t, size_t> groupAt;
  auto others = [&](int64_t position) {
    // The position with the group's coordinates set to 0.
    int64_t key = position;
    for (AxisRefAttr axis : axes) {
      int64_t after = 1, full = 1;
      for (MeshAxisAttr other : llvm::reverse(mesh.getAxes())) {
        full = other.getSize();
        if (other.getName() == axis.getName())
          break;
        after *= full;
      }
      int64_t own = axisSize(axis, mesh);
      int64_t rest = axis.isWhole() ? 1 : full / (axis.getPreSize() * own);
      key -= positionAlong(mesh, axis, position) * rest * after;
    }
    return key;
  };
  for (int64_t position = 0; position < int64_t(devices.size()); ++position) {
    auto [at, isNew] = groupAt.try_emplace(others(position), groups.size());
    if (isNew)
      groups.emplace_back(DeviceList(size, -1));
    groups[at->second][positionAlong(mesh, axes, position)] = devices[position];
  }
  return groups;
}

AxisRefAttr graph::parseAxis(MeshAttr mesh, StringRef text) {
  auto [name, part] = text.split(":(");
  std::optional<int64_t> full = mesh.sizeOf(name);
  if (!full)
    return {};
  if (part.empty())
    return AxisRefAttr::get(mesh.getContext(), name, 1, 0);
  auto [before, size] = part.split(')');
  int64_t preSize = 0, ownSize = 0;
  if (before.getAsInteger(10, preSize) || size.getAsInteger(10, ownSize) ||
      preSize < 1 || ownSize < 2 || *full % (preSize * ownSize) != 0)
    return {};
  return AxisRefAttr::get(mesh.getContext(), name, preSize, ownSize);
}

static llvm::Error mistake(Operation *op, const Twine &message) {
  return makeError(ErrorCode::Invalid,
                   "'" + op->getName().getStringRef() + "' " + message,
                   placeOf(op->getLoc()));
}

static llvm::Expected<std::vector<DeviceList>>
meshGroups(Operation *op, FlatSymbolRefAttr name, ArrayAttr axes,
           int64_t devices) {
  MeshAttr mesh = meshOf(op, name);
  if (!mesh)
    return mistake(op, "names @" + name.getValue() + ", which is no mesh");
  if (mesh.numDevices() != devices)
    return mistake(op, "is over a mesh of " + Twine(mesh.numDevices()) +
                           " devices, the program runs on " + Twine(devices));
  SmallVector<AxisRefAttr> parsed;
  for (auto text : axes.getAsRange<StringAttr>()) {
    parsed.push_back(parseAxis(mesh, text.getValue()));
    if (!parsed.back())
      return mistake(op, "is over axis " + text.getValue() + ", which mesh @" +
                             name.getValue() + " does not have");
    for (AxisRefAttr other : ArrayRef(parsed).drop_back())
      if (overlap(other, parsed.back()))
        return mistake(op, "is over axis " + other.text() + " and over " +
                               text.getValue() + ", which overlap");
  }
  return axisGroups(mesh, parsed);
}

static llvm::Expected<std::vector<DeviceList>>
rowsOf(Operation *op, DenseIntElementsAttr table, int64_t devices) {
  std::vector<DeviceList> rows;
  auto values = table.getValues<int64_t>();
  int64_t width = table.getType().getDimSize(1);
  for (int64_t row = 0; row < table.getType().getDimSize(0); ++row) {
    rows.emplace_back();
    for (int64_t i = 0; i < width; ++i) {
      int64_t device = values[row * width + i];
      if (device >= devices)
        return mistake(op, "names device " + Twine(device) + " of " +
                               Twine(devices));
      if (device >= 0)
        rows.back().push_back(device);
    }
  }
  return rows;
}

llvm::Expected<std::vector<DeviceList>> graph::groupsOf(Operation *op,
                                                        int64_t devices) {
  auto name = op->getAttrOfType<FlatSymbolRefAttr>("mesh");
  std::vector<DeviceList> groups;
  if (name) {
    auto found =
        meshGroups(op, name, op->getAttrOfType<ArrayAttr>("axes"), devices);
    if (!found)
      return found.takeError();
    groups = std::move(*found);
  } else if (auto table = op->getAttrOfType<DenseIntElementsAttr>("groups")) {
    return rowsOf(op, table, devices);
  }
  auto permute = dyn_cast<CollectivePermuteOp>(op);
  if (!permute)
    return groups;
  auto pairs = cast<DenseIntElementsAttr>(permute.getPairs());
  if (!name)
    return rowsOf(op, pairs, devices);
  std::vector<DeviceList> moved;
  auto values = llvm::to_vector(pairs.getValues<int64_t>());
  for (const DeviceList &group : groups)
    for (size_t i = 0; i + 1 < values.size(); i += 2) {
      if (std::max(values[i], values[i + 1]) >= int64_t(group.size()))
        return mistake(op, "has a pair beyond its groups of " +
                               Twine(group.size()) + " devices");
      moved.push_back({group[values[i]], group[values[i + 1]]});
    }
  return moved;
}
