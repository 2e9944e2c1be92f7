// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named grids of devices and the way in which a value is dealt over them.

#ifndef ZENITH_IR_ATTRIBUTES_SHARDINGATTRS_TD
#define ZENITH_IR_ATTRIBUTES_SHARDINGATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "ir/GraphDialect.td"

class Graph_ShardingPart<string name, string attrMnemonic> : AttrDef<Graph_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}

def Graph_MeshAxisAttr : Graph_ShardingPart<"MeshAxis", "mesh_axis"> {
  let summary = "one axis of a mesh: its name and its size";
  let description = [{
    Constraints:
    - mesh_axis_c1: the name is not empty and the size is positive.

    Example: `#graph.mesh_axis<"data"=2>`
  }];
  let parameters = (ins StringRefParameter<"">:$name, "int64_t":$size);
  let genVerifyDecl = 1;
}

def Graph_MeshAttr : Graph_ShardingPart<"Mesh", "mesh"> {
  let summary = "a grid of devices with named axes, the first axis varying slowest";
  let description = [{
    `device_ids` says which device stands at each position in row-major order; absent, position and device are equal. A mesh
    without axes is one device.

    Constraints:
    - mesh_c1: no two axes have one name; the product of the sizes fits 31 bits.
    - mesh_c2: `device_ids` is a permutation of the positions; without axes it has at most one id, which is not negative.

    Example: `graph.mesh @mesh = <["data"=2, "model"=4], device_ids = [0, 2, 4, 6, 1, 3, 5, 7]>`
  }];
  let parameters = (ins OptionalArrayRefParameter<"::zenith::graph::MeshAxisAttr">:$axes, OptionalArrayRefParameter<"int64_t">:$deviceIds);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Size of an axis; nullopt if the mesh has none of this name.
    std::optional<int64_t> sizeOf(::llvm::StringRef axis) const;
    /// Number of devices: the product of the sizes.
    int64_t numDevices() const;
  }];
}

def Graph_AxisRefAttr : Graph_ShardingPart<"AxisRef", "axis"> {
  let summary = "an axis of a mesh, or one factor of it";
  let description = [{
    `"y":(p)n` is the factor of n positions of axis y with p positions before it: with sizes p x n x rest, row-major. A `size` of 0 is the
    whole axis.

    Constraints:
    - axis_c1: the name is not empty; a factor has a positive pre-size and a size of at least 2.

    Example: `#graph.axis<"y":(1)2>`
  }];
  let parameters = (ins StringRefParameter<"">:$name, DefaultValuedParameter<"int64_t", "1">:$preSize,
                        DefaultValuedParameter<"int64_t", "0">:$size);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isWhole() const { return getSize() == 0; }
    /// `y` or `y:(1)2`.
    std::string text() const;
  }];
}

def Graph_DimShardingAttr : Graph_ShardingPart<"DimSharding", "dim_sharding"> {
  let summary = "the axes over which one dimension is dealt, from major to minor";
  let description = [{
    An open dimension may get more axes, as minor ones. Propagation looks at dimensions with a lower `priority` first.

    Constraints:
    - dim_sharding_c1: a closed dimension without axes has no priority; priorities are not negative.

    Example: `#graph.dim_sharding<{"x", ?}p1>`
  }];
  let parameters = (ins OptionalArrayRefParameter<"::zenith::graph::AxisRefAttr">:$axes, "bool":$open,
                        DefaultValuedParameter<"int64_t", "0">:$priority);
  let genVerifyDecl = 1;
}

def Graph_ShardingAttr : Graph_ShardingPart<"Sharding", "sharding"> {
  let summary = "how a value is dealt over the devices of a mesh";
  let description = [{
    Each dimension is cut into equal blocks, ceil(size / shards) long, the last ones shorter or empty. Axes that no dimension names have
    copies; those of `replicated` must keep them; along those of `unreduced` the devices hold terms of a sum. Written on arguments,
    results and ops as `graph.sharding`, on ops as a list with an entry, or unit, for each result.

    Constraints:
    - sharding_c1: axes and factors of one axis don't overlap and, where neighbours, are not one larger factor.
    - sharding_c2: the mesh exists and has these axes; factors divide their axis and are smaller than it.
    - sharding_c3: it has as many dimensions as the value.

    Example: `#graph.sharding<@mesh, [{"data", ?}, {"x", "y":(1)2}p1], replicated = {"z"}, unreduced = {"w"}>`
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$mesh, OptionalArrayRefParameter<"::zenith::graph::DimShardingAttr">:$dims,
                        OptionalArrayRefParameter<"::zenith::graph::AxisRefAttr">:$replicated,
                        OptionalArrayRefParameter<"::zenith::graph::AxisRefAttr">:$unreduced);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getDims().size(); }
    /// Rank `rank`, no axes, all dimensions open.
    static ShardingAttr open(::mlir::FlatSymbolRefAttr mesh, int64_t rank);
    /// All axes that the sharding names, those of dimensions first.
    ::llvm::SmallVector<::zenith::graph::AxisRefAttr> allAxes() const;
  }];
}

#endif // ZENITH_IR_ATTRIBUTES_SHARDINGATTRS_TD
