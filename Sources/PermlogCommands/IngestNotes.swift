// What is said of an import on standard error.

import Permlog
import ReportRendering

enum IngestNotes {
  private static let shownReasons = 12

  /// How many lines were refused for what, and where the first one is.
  /// - Parameters:
  ///   - rejectsFile: the file that has them all.
  ///   - canKeep: the command has the option that keeps the lines.
  static func show(_ rejections: RejectionSummary, rejectsFile: String? = nil, canKeep: Bool = true) {
    let (groups, count) = (rejections.groups, rejections.count)
    for group in groups.prefix(shownReasons) { Output.message(text(group)) }
    if groups.count > shownReasons { Output.message("and \(groups.count - shownReasons) more reasons") }
    if canKeep, count > groups.count || groups.count > shownReasons {
      Output.message(
        rejectsFile.map { "all of them are in \($0)" } ?? "--rejects FILE keeps every rejected line with its reason")
    }
  }

  private static func text(_ group: RejectionSummary.Group) -> String {
    let place = "\(group.first.file):\(group.first.line)"
    if group.count == 1 { return "\(place): \(group.first.reason)" }
    let summary = "\(grouped(group.count)) lines: \(group.first.group), first at \(place)"
    return group.first.reason == group.first.group ? summary : summary + "\n    " + group.first.reason
  }

  /// Files that were read otherwise than they might have been.
  static func show(converted: ConvertedFiles, partial: [PermlogError]) {
    for note in converted.messages { Output.message(note) }
    for error in partial { Output.message(error.commandText) }
  }

  /// Says loudly that a permission has answers of one side alone: rarely the truth.
  static func warn(_ oneSided: [AnswerCount]) {
    for count in oneSided {
      let (found, missing) = count.granted > 0 ? ("granted", "denied") : ("denied", "granted")
      Output.message(
        "WARNING: of \(count.permission) these files have \(counted(max(count.granted, count.denied), found, found)) and not one \(missing). "
          + "Check that the export holds both, and with permlog mapping check what became of each name and answer.")
    }
  }
}
