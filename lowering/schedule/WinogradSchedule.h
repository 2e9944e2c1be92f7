// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions as products of values at points (ir/encodings/Winograd.h): tiles
// of the image are evaluated, multiplied point by point with windows that were
// evaluated before, and results interpolated.

#ifndef ZENITH_LOWERING_SCHEDULE_WINOGRADSCHEDULE_H
#define ZENITH_LOWERING_SCHEDULE_WINOGRADSCHEDULE_H

#include "ir/encodings/Winograd.h"
#include "lowering/builder/KernelBuilder.h"
#include "lowering/microkernels/WinogradTransforms.h"
#include "lowering/schedule/ContractionSpace.h"

namespace zenith::kernels {

/// Images are planes of lines of pixels; several planes whose results sum over
/// neighbouring ones are a volume. An image of two dimensions is a plane of a
/// batch that is one volume, one of a single dimension a plane of one line.
struct WinogradConvolution {
  graph::WinogradFilter window{graph::WinogradTransform(1),
                               graph::WinogradTransform(1), 1};
  /// Rows and columns of the result as of any convolution, panels of the
  /// windows' values; the depth is a feature.
  ContractionSpace space;
  /// The image, channels last: distances of volumes, planes, lines and pixels,
  /// sizes of the last three.
  Source image;
  graph::DimExpr strides[4] = {0, 0, 0, 0}, extents[3] = {1, 1, 1};
  int64_t lineElements = 16; ///< f32 of a cache line
  int64_t low[3] = {0, 0, 0}, dilation[3] = {1, 1, 1};
  /// Of the results. Pixels of a tile lie as far apart as the dilation says;
  /// tiles of all phases follow each other.
  graph::DimExpr volumes = 1, planes = 1, lines = 1;
  graph::DimExpr tileLines = 1, tilesPerLine; ///< of a plane
  /// Tasks are blocks of neighbouring units of a layer: lines of tiles, or
  /// pieces of long ones. A layer is all of a volume; or a plane, where blocks
  /// hold the same units of several.
  graph::DimExpr tilesOfUnit = 1, unitsOfBlock = 1, unitsPerLine;
  int64_t tilesOfBlock = 24;                         ///< about
  int64_t mostTilesOfUnit = 1, mostTilesOfBlock = 1; ///< of a layer
  bool planesAreLayers = false;
  int64_t layersOfBlock = 1;
  /// Blocks evaluate their own tiles; else all of the image is evaluated first,
  /// into scratch `values`.
  bool inTasks = false;
  unsigned values = 0;
  /// 1 where results are of a size that is computed so, else 0.
  graph::DimExpr taken = 1;

  graph::DimExpr features() const { return space.depth.size; }
  /// Rows of the panels for a point: features of each plane of the window.
  graph::DimExpr depthOfPoint() const {
    return features() * graph::DimExpr(window.planes);
  }
  graph::DimExpr depthOfPanel() const {
    return depthOfPoint() * graph::DimExpr(points() + window.taps());
  }
  graph::DimExpr tilesOfPlane() const { return tileLines * tilesPerLine; }
  /// Planes that are evaluated beside those of so many results.
  int64_t planesBeside() const { return (window.planes - 1) * dilation[0]; }
  graph::DimExpr valuePlanes() const {
    return planes + graph::DimExpr(planesBeside());
  }
  /// That are evaluated.
  graph::DimExpr tiles() const {
    return volumes * valuePlanes() * tilesOfPlane();
  }
  graph::DimExpr layers() const { return planesAreLayers ? planes : 1; }
  graph::DimExpr tilesOfLayer() const {
    return planesAreLayers ? tilesOfPlane() : planes * tilesOfPlane();
  }
  graph::DimExpr unitsOfLayer() const {
    return (planesAreLayers ? 1 : planes) * tileLines * unitsPerLine;
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
  /// Planes of a block that evaluates its own: one behind the other for each
  /// tile, so that those of a window are one run.
  int64_t planesOfBlock() const { return layersOfBlock + planesBeside(); }
  int64_t valuesOfBlock() const { return mostTilesOfBlock * planesOfBlock(); }
  int64_t points() const { return window.points(); }
  /// From a point's values to the next one's, where so many tiles lie side by
  /// side: not a power of two, whose lines push each other out of a cache.
  graph::DimExpr pointStride(const graph::DimExpr &tiles) const {
    return tiles * features() + graph::DimExpr(lineElements);
  }
  /// Cuts lines into pieces, or none.
  void cutLines(bool wholeLines);
};

/// Where a tile's first result lies, or its first pixel.
struct TilePixels {
  mlir::Value volume, plane, line, pixel;
};
/// The first result of a tile, by its number among those of so many planes.
TilePixels pixelsOfTile(KernelBuilder &kernel, const WinogradConvolution &what,
                        mlir::Value number, const graph::DimExpr &planes);

/// Ways to compute the fusion's convolution of which the run takes one at most,
/// by its sizes: none where it has no transformed window, or the target doesn't
/// multiply by its panels.
std::vector<WinogradConvolution>
winogradConvolutions(graph::FusionOp fusion, graph::DimAnalysis &dims,
                     const TargetModel &target);

/// The image, or its copy; in the entry block.
mlir::Value imageMemory(KernelBuilder &kernel, const WinogradConvolution &what);

/// Writes the values of tiles `first` to `last` to `to`: [point][tile][feature]
/// from `offset` on, points `pointStride` apart, tiles `tileStride`.
class WinogradInput {
public:
  /// In the entry block.
  WinogradInput(KernelBuilder &kernel, const WinogradConvolution &what);
  void evaluate(mlir::Value first, mlir::Value last, mlir::Value to,
                mlir::Value offset, mlir::Value tileStride,
                mlir::Value pointStride);

private:
  void tile(mlir::Value number, mlir::Value to, mlir::Value at,
            mlir::Value pointStride);
  mlir::Value isInside(const TilePixels &pixels);
  void copySquare(mlir::Value base, const TilePixels &pixels);

  KernelBuilder &k;
  const WinogradConvolution &what;
  unsigned lanes;
  mlir::Value image;
  mlir::Value square; ///< pixels of a tile, zeros outside of the image
};

/// Keeps results exact where numbers aren't finite.
class NonFiniteTile {
public:
  /// In the entry block; `panels` of so many columns hold the windows.
  NonFiniteTile(KernelBuilder &kernel, const WinogradConvolution &what,
                mlir::Value panels, int64_t columns);
  /// Computes the results of a tile again, for `width` columns of a panel from
  /// `column` on, unless all of those that were interpolated are finite.
  void recomputeTile(mlir::Value tile, mlir::Value column, int64_t width,
                     const SquarePlace &results);

private:
  mlir::Value isFinite(int64_t width, const SquarePlace &results);
  void compute(mlir::Value tile, mlir::Value column, int64_t width,
               const SquarePlace &results);
  std::pair<mlir::Value, mlir::Value> tapsInside(mlir::Value first,
                                                 unsigned place, int64_t taps);
  mlir::Value sumOf(const SquarePlace &pixels, const TilePixels &first,
                    mlir::Value window);
  mlir::Value at(const SquarePlace &place, mlir::Value line, mlir::Value pixel);

  KernelBuilder &k;
  const WinogradConvolution &what;
  mlir::Value panels;
  int64_t columns;
  mlir::Value image;
  mlir::VectorType type;
};

/// Evaluates the whole image, into scratch `values`.
Launch emitInputTransform(KernelBuilder &kernel,
                          const WinogradConvolution &what);

/// Adds the launches of `plan`; failure has been reported at the op.
mlir::LogicalResult
emitWinogradConvolution(KernelPlan &plan, WinogradConvolution what,
                        graph::FusionOp fusion, graph::DimAnalysis &dims,
                        const TargetModel &target, mlir::ModuleOp kernels,
                        llvm::StringRef name);

/// Scratch that emission asks for.
llvm::SmallVector<graph::DimExpr>
winogradScratchBytes(const WinogradConvolution &what);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_WINOGRADSCHEDULE_H
