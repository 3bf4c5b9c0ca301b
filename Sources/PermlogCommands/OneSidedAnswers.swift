// A permission that has answers of one side alone: rarely the truth, so it is said loudly.

import EventImport
import ReportRendering

/// Says loudly that a permission has answers of one side alone.
enum OneSidedAnswers {
  static func warn(_ counts: [AnswerCount]) {
    for count in counts where count.isOneSided {
      let (found, missing) = count.granted > 0 ? ("granted", "denied") : ("denied", "granted")
      Output.message(
        "WARNING: of \(count.permission) these files have \(counted(max(count.granted, count.denied), found, found)) and not one \(missing). "
          + "Check that the export holds both, and with permlog mapping check what became of each name and answer.")
    }
  }
}
