// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows that read planes where they lie.

#ifndef ZENITH_LOWERING_KERNELS_INPLACEWINDOW_H
#define ZENITH_LOWERING_KERNELS_INPLACEWINDOW_H

#include "lowering/kernels/PlaneWindow.h"

namespace zenith::kernels {

/// Results of a tile from the plane itself: by vectors of a column, of which
/// all rows have the same padding.
void reduceInPlace(PlaneWindow &window, llvm::ArrayRef<LaneIndex> loopIndex,
                   llvm::ArrayRef<LaneIndex> index);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_INPLACEWINDOW_H
