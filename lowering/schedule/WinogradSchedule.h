// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Winograd convolutions as loops (ir/encodings/Winograd.h): where input, filter
// and result lie, and how output tiles are divided among tasks.

#ifndef ZENITH_LOWERING_SCHEDULE_WINOGRADSCHEDULE_H
#define ZENITH_LOWERING_SCHEDULE_WINOGRADSCHEDULE_H

#include "ir/encodings/Winograd.h"
#include "lowering/schedule/ContractionSpace.h"
#include "lowering/schedule/Schedule.h"

namespace zenith::kernels {

/// A convolution F(m, r) by tiles: the input transform of each tile, a GEMM of
/// tiles by the transformed filter at each point, and the output transform.
///
/// Feature maps are planes of rows of positions. A volume has several planes,
/// whose results sum over neighbouring planes. With two spatial dimensions, the
/// batch is the planes of one volume; with one, each plane is a single row.
struct WinogradSchedule {
  graph::WinogradFilter filter{graph::WinogradTransform(1),
                               graph::WinogradTransform(1), 1};
  /// Rows and columns of the result as of any convolution; B is the transformed
  /// filter in panels, and K the input features.
  ContractionSpace space;
  /// The input, channels last. `strides` are those of volumes, planes, rows and
  /// positions, in elements; `extents` the sizes of the last three.
  OperandSource input;
  graph::DimExpr strides[4] = {0, 0, 0, 0}, extents[3] = {1, 1, 1};
  int64_t lineElements = 16; ///< f32 of a cache line
  int64_t low[3] = {0, 0, 0}, dilation[3] = {1, 1, 1};
  /// Sizes of the result.
  graph::DimExpr volumes = 1, planes = 1, rows = 1;
  /// Tiles of a plane. With dilation d, each of the d phases is tiled
  /// separately: positions of a tile are d apart, and the tiles of all phases
  /// follow each other.
  graph::DimExpr tileRows = 1, tilesPerRow;
  /// A task is a block of neighbouring units of a layer. A unit is a row of
  /// tiles, or a part of a long one. A layer is all of a volume; or a plane,
  /// where a block has the same units of several planes.
  graph::DimExpr tilesOfUnit = 1, unitsOfBlock = 1, unitsPerRow;
  int64_t tilesOfBlock = 24; ///< aimed at
  /// Upper bounds for a block's tiles of a layer.
  int64_t mostTilesOfUnit = 1, mostTilesOfBlock = 1;
  bool planesAreLayers = false;
  int64_t layersOfBlock = 1;
  /// Panels are divided among tasks where blocks are fewer than this.
  int64_t fewestTasks = 1;
  int64_t tilesPerTransform = 1; ///< of a task that only transforms the input
  /// Register tiles prefetch the transformed filter at the next point.
  bool prefetchesNextPoint = false;
  /// Tasks transform the input tiles that they need; otherwise a launch of its
  /// own transforms all of the input into scratch buffer `transformed`.
  bool transformsInTasks = false;
  unsigned transformed = 0;
  /// 1 where the run has sizes that this variant is for, else 0.
  graph::DimExpr guard = 1;

  graph::DimExpr features() const { return space.kAxis.size; }
  /// Rows of a panel for a point: features of each plane of the filter.
  graph::DimExpr kOfPoint() const {
    return features() * graph::DimExpr(filter.planes);
  }
  /// Rows of a panel: all stored points, then the filter itself.
  graph::DimExpr kOfPanel() const {
    return kOfPoint() * graph::DimExpr(filter.storedPoints() + filter.taps());
  }
  graph::DimExpr tilesOfPlane() const { return tileRows * tilesPerRow; }
  /// Further planes of the input that the results of some planes need.
  int64_t haloPlanes() const { return (filter.planes - 1) * dilation[0]; }
  graph::DimExpr inputPlanes() const {
    return planes + graph::DimExpr(haloPlanes());
  }
  /// Input tiles.
  graph::DimExpr tiles() const {
    return volumes * inputPlanes() * tilesOfPlane();
  }
  graph::DimExpr layers() const { return planesAreLayers ? planes : 1; }
  graph::DimExpr tilesOfLayer() const {
    return planesAreLayers ? tilesOfPlane() : planes * tilesOfPlane();
  }
  graph::DimExpr unitsOfLayer() const {
    return (planesAreLayers ? 1 : planes) * tileRows * unitsPerRow;
  }
  /// Blocks along the layers of a volume, and along the units of a layer.
  graph::DimExpr blocksOfLayers() const {
    return graph::DimExpr::ceilDiv(layers(), layersOfBlock);
  }
  graph::DimExpr blocksOfUnits() const {
    return graph::DimExpr::ceilDiv(unitsOfLayer(), unitsOfBlock);
  }
  graph::DimExpr blocks() const {
    return volumes * blocksOfLayers() * blocksOfUnits();
  }
  /// Input planes of a block that transforms its own: one after the other for
  /// each tile, so that the planes of a filter are one run.
  int64_t planesOfBlock() const { return layersOfBlock + haloPlanes(); }
  int64_t inputTilesOfBlock() const {
    return mostTilesOfBlock * planesOfBlock();
  }
  int64_t points() const { return filter.points(); }
  /// Distance of neighbouring points in a transformed input of `tiles` tiles,
  /// in elements: not a power of two, whose cache lines would evict each other.
  graph::DimExpr pointStride(const graph::DimExpr &tiles) const {
    return tiles * features() + graph::DimExpr(lineElements);
  }
  /// Divides rows of tiles into units and blocks; `wholeRows`: into whole rows.
  void divideRows(bool wholeRows);
  /// Blocks of so many tiles of so many planes, and who transforms their input.
  void setBlocks(int64_t tiles, int64_t planesOfBlock, bool inTasks);
  /// Bytes of a task's arrays.
  double taskBytes() const;
};

/// Variants of the fusion's convolution, of which a run takes at most one, by
/// its sizes: those of `schedule`, or, where it is null or leaves their blocks
/// open, those that sizes and target choose. None where the convolution has no
/// transformed filter, or where the target's panels have another width.
std::vector<WinogradSchedule> winogradSchedules(graph::FusionOp fusion,
                                                graph::DimAnalysis &dims,
                                                const TargetModel &target,
                                                mlir::Attribute schedule);

/// Bytes of each scratch buffer that the kernels of the variant use.
llvm::SmallVector<graph::DimExpr>
winogradScratchBytes(const WinogradSchedule &schedule);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_WINOGRADSCHEDULE_H
