// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axes cut into parts, and layouts read from shardings.

#include "passes/sharding/partition/Layout.h"

#include "ir/program/Shardings.h"
#include <set>

using namespace mlir;
using namespace zenith;
using namespace zenith::sharding;

using graph::AxisRefAttr;
using graph::MeshAttr;
using graph::ShardingAttr;

int64_t zenith::sharding::bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  int64_t bits = 8;
  if (auto complex = dyn_cast<ComplexType>(element))
    bits = 2 * complex.getElementType().getIntOrFloatBitWidth();
  else if (!element.isInteger(1))
    bits = element.getIntOrFloatBitWidth();
  return llvm::divideCeil(tensor.getNumElements() * bits, 8);
}

bool Layout::isWhole() const {
  return partial.empty() &&
         llvm::all_of(dims, [](const Atoms &dim) { return dim.empty(); });
}

bool Layout::uses(unsigned atom) const {
  return llvm::is_contained(partial, atom) ||
         llvm::any_of(dims, [&](const Atoms &dim) {
           return llvm::is_contained(dim, atom);
         });
}

bool Layout::operator==(const Layout &other) const {
  return dims == other.dims && partial == other.partial &&
         (partial.empty() || fold == other.fold);
}

static llvm::Error crossing(StringRef axis) {
  return makeError(ErrorCode::Unsupported,
                   "shardings that cut axis \"" + axis +
                       "\" at places that don't nest are not supported");
}

llvm::Expected<DeviceAxes> DeviceAxes::make(MeshAttr mesh,
                                            FlatSymbolRefAttr name,
                                            ArrayRef<ShardingAttr> shardings) {
  DeviceAxes axes(mesh, name);
  for (graph::MeshAxisAttr axis : mesh.getAxes()) {
    std::set<int64_t> cuts = {1, axis.getSize()};
    for (ShardingAttr sharding : shardings)
      for (AxisRefAttr ref : sharding.allAxes())
        if (ref.getName() == axis.getName() && !ref.isWhole()) {
          cuts.insert(ref.getPreSize());
          cuts.insert(ref.getPreSize() * ref.getSize());
        }
    int64_t before = 1;
    for (int64_t cut : cuts) {
      if (cut == 1)
        continue;
      if (cut % before != 0)
        return crossing(axis.getName());
      bool isWhole = before == 1 && cut == axis.getSize();
      axes.atoms.push_back(AxisRefAttr::get(mesh.getContext(), axis.getName(),
                                            before,
                                            isWhole ? 0 : cut / before));
      before = cut;
    }
  }
  return axes;
}

int64_t DeviceAxes::size(unsigned atom) const {
  return graph::axisSize(atoms[atom], mesh);
}

int64_t DeviceAxes::size(ArrayRef<unsigned> list) const {
  int64_t product = 1;
  for (unsigned atom : list)
    product *= size(atom);
  return product;
}

Atoms DeviceAxes::atomsOf(AxisRefAttr axis) const {
  int64_t from = axis.isWhole() ? 1 : axis.getPreSize();
  int64_t to = from * graph::axisSize(axis, mesh);
  Atoms list;
  for (auto [number, atom] : llvm::enumerate(atoms))
    if (atom.getName() == axis.getName() && atom.getPreSize() >= from &&
        atom.getPreSize() < to)
      list.push_back(unsigned(number));
  return list;
}

Layout DeviceAxes::layoutOf(ShardingAttr sharding) const {
  Layout layout = Layout::whole(sharding.getRank());
  for (auto [dim, atomList] : llvm::zip_equal(sharding.getDims(), layout.dims))
    for (AxisRefAttr axis : dim.getAxes())
      llvm::append_range(atomList, atomsOf(axis));
  for (AxisRefAttr axis : sharding.getUnreduced())
    llvm::append_range(layout.partial, atomsOf(axis));
  llvm::sort(layout.partial);
  return layout;
}

SmallVector<AxisRefAttr> DeviceAxes::refsOf(ArrayRef<unsigned> list) const {
  SmallVector<AxisRefAttr> refs;
  for (unsigned number : list) {
    AxisRefAttr atom = atoms[number];
    int64_t own = size(number);
    if (!refs.empty() && refs.back().getName() == atom.getName() &&
        !refs.back().isWhole() &&
        refs.back().getPreSize() * refs.back().getSize() == atom.getPreSize()) {
      int64_t joined = refs.back().getSize() * own;
      int64_t before = refs.back().getPreSize();
      bool isWhole = before == 1 && joined == *mesh.sizeOf(atom.getName());
      refs.back() = AxisRefAttr::get(mesh.getContext(), atom.getName(), before,
                                     isWhole ? 0 : joined);
      continue;
    }
    refs.push_back(atom);
  }
  return refs;
}

ShardingAttr DeviceAxes::shardingOf(const Layout &layout) const {
  SmallVector<graph::DimShardingAttr> dims;
  for (const Atoms &dim : layout.dims)
    dims.push_back(graph::DimShardingAttr::get(mesh.getContext(), refsOf(dim),
                                               /*open=*/false, /*priority=*/0));
  return ShardingAttr::get(mesh.getContext(), name, dims, {},
                           refsOf(layout.partial));
}

ArrayAttr DeviceAxes::axesAttr(ArrayRef<unsigned> list) const {
  SmallVector<Attribute> texts;
  for (AxisRefAttr axis : refsOf(list))
    texts.push_back(StringAttr::get(mesh.getContext(), axis.text()));
  return ArrayAttr::get(mesh.getContext(), texts);
}

Atoms DeviceAxes::inMeshOrder(ArrayRef<unsigned> list) const {
  Atoms sorted(list);
  llvm::sort(sorted);
  return sorted;
}

int64_t DeviceAxes::blockAt(ArrayRef<unsigned> list, int64_t position) const {
  SmallVector<AxisRefAttr> refs;
  for (unsigned atom : list)
    refs.push_back(atoms[atom]);
  return graph::positionAlong(mesh, refs, position);
}

RankedTensorType DeviceAxes::blockType(RankedTensorType whole,
                                       const Layout &layout) const {
  SmallVector<int64_t> shape(whole.getShape());
  for (auto [size, dim] : llvm::zip_equal(shape, layout.dims))
    if (!ShapedType::isDynamic(size))
      size = blockSize(size, dim);
  return RankedTensorType::get(shape, whole.getElementType());
}
