// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms of poolings and depthwise convolutions, by their shapes and the target:
// which ones there are, which one is best, and its tiles and tasks.

#ifndef ZENITH_LOWERING_SCHEDULE_WINDOWS_WINDOWFORMS_H
#define ZENITH_LOWERING_SCHEDULE_WINDOWS_WINDOWFORMS_H

#include "lowering/schedule/Schedule.h"
#include "lowering/schedule/windows/InterleavedPlanes.h"

namespace zenith::kernels {

/// What a schedule says of a window (Schedule.td, #sched.window); open keys are
/// 0 or empty.
struct WindowKeys {
  sched::WindowForm form = sched::WindowForm::Open;
  int64_t lanes = 0; ///< of all vectors that are computed at a time
  llvm::SmallVector<int64_t, 3> tile, block;
  int64_t keep = 0;
};
/// Nothing for null, a choice, or schedules of other kinds.
WindowKeys windowKeys(mlir::Attribute schedule);

/// A form, for some sizes.
struct WindowVariant {
  sched::WindowForm form;
  graph::DimExpr guard; ///< 1 where a run takes it, else 0
  int64_t lanes = 0;    ///< of narrower vectors than others have; 0: the same
};

class WindowForms {
public:
  /// With vectors of `given` lanes; 0: by elements and target.
  WindowForms(graph::FusionOp fusion, graph::DimAnalysis &dims,
              const TargetModel &target, const WindowLoops &loops,
              int64_t given);

  bool supports(sched::WindowForm form) const;
  /// By their sizes, the last one for all that others leave; none where the
  /// results are rather computed one by one.
  llvm::SmallVector<WindowVariant, 2> chosen() const;
  /// All keys of a form that is supported, those of `given` where it has them.
  WindowKeys keysOf(sched::WindowForm form, const WindowKeys &given) const;
  /// The same for a variant of `chosen`.
  WindowKeys keysOf(const WindowVariant &variant,
                    const WindowKeys &given) const;

  int64_t lanesOf(sched::WindowForm form) const;
  /// The planes of `planes`, with the tile of these keys.
  std::optional<PlaneGeometry> planes(const WindowKeys &keys) const;
  int64_t copiedBytes(const PlaneGeometry &planes) const;
  /// Planes side by side in a copy of as many positions as the given keys or
  /// the caches say.
  std::optional<InterleavedPlanes> interleaved(const WindowKeys &given) const;
  int64_t copiedBytes(const InterleavedPlanes &planes) const;

private:
  bool copiesPlanes() const;
  bool copyPaysOff() const;
  graph::DimExpr fillsVectors() const;
  graph::DimExpr readsRowsInPlace() const;
  std::optional<WindowVariant> narrowVariant() const;
  std::optional<WindowVariant> interleavedVariant() const;
  void addChannels(WindowKeys &keys) const;
  void addPlanes(WindowKeys &keys) const;
  int64_t bytesOfInput() const;
  int64_t planesOfTask(const PlaneGeometry &tile) const;

  graph::FusionOp fusion;
  const TargetModel &target;
  const WindowLoops &loops;
  int64_t lanes;
  bool mayUseDots;
  std::optional<PlaneGeometry> geometry;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_WINDOWS_WINDOWFORMS_H
