// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The topics of remarks, which --explain selects by.

#ifndef ZENITH_IR_REMARKS_REMARKTOPIC_H
#define ZENITH_IR_REMARKS_REMARKTOPIC_H

#include "llvm/ADT/StringRef.h"

namespace zenith::remarks {

enum class Topic {
#define ZENITH_REMARK_TOPIC(topic, word) topic,
#include "ir/remarks/RemarkCodes.def"
};

/// The word that --explain takes: "fusion".
llvm::StringRef topicWord(Topic topic);

} // namespace zenith::remarks

#endif // ZENITH_IR_REMARKS_REMARKTOPIC_H
