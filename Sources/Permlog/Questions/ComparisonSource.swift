// The log as a comparison reads it: names resolved, the fold run on all threads.

import EventLog
import PermissionAnalysis
import PermissionEvents

struct ComparisonSource {
  let permission: String
  /// Names are resolved; the rest is the caller's to set.
  var question: ComparisonQuestion
  private let scan: HistoryScan
  private let threads: Int

  /// - Parameter variants: control first; nil is one arm of all journeys.
  init(
    _ log: PermissionLog, _ scope: QuestionScope, permission: String?, experiment: String?, by: StringField? = nil,
    variants: [String]?
  ) throws {
    let snapshot = try LogSnapshot(log.directory)
    guard let times = snapshot.timeRange else {
      throw PermlogError(.notFound, "the log at \(log.path) is empty", .fillLog)
    }
    let base = try scope.question(times)
    // What is asked of the log depends on the property alone, and the names on what the log has.
    var question = ComparisonQuestion(
      windows: base.windows, zone: base.zone, logTimes: times, permission: 0, variants: variants.map { _ in [] },
      experiment: nil)
    question.by = by
    let scan = try HistoryScan(snapshot, selection: question.selection)
    let contexts = scan.contexts
    let known = snapshot.information.values
    question.variants = try variants?.map {
      try KnownNames.code($0, contexts.variants, "variant", known[.variant])
    }
    question.experiment = try experiment.map {
      try KnownNames.code($0, contexts.experiments, "experiment", known[.experiment])
    }
    self.permission = try permission ?? Self.onlyPermission(contexts, question, variants)
    question.permission = try KnownNames.code(
      self.permission, contexts.permissions, "permission", known[.permission])
    self.question = question
    self.scan = scan
    threads = log.threads
  }

  /// The sums of all users.
  func fold() throws -> ComparisonFold {
    let folds = (0..<threads).map { _ in ComparisonFold(question, contexts: scan.contexts) }
    try scan.run(folds)
    for other in folds.dropFirst() { folds[0].merge(other) }
    return folds[0]
  }

  /// The only permission that has these variants.
  private static func onlyPermission(
    _ contexts: HistoryContexts, _ question: ComparisonQuestion, _ variants: [String]?
  ) throws(PermlogError) -> String {
    let codes = Set(
      contexts.contexts.filter { context in
        context.permission != 0 && question.variants?.contains(context.variant) != false
          && (question.experiment == nil || context.experiment == question.experiment)
      }.map(\.permission))
    let names = codes.map { String(decoding: contexts.permissions[Int($0)], as: UTF8.self) }.sorted()
    if names.count == 1 { return names[0] }
    guard names.isEmpty else {
      throw PermlogError(
        .usage, "several permissions have \(variants == nil ? "events" : "these variants")", .choosePermission(names))
    }
    let what = variants.map { "the variants \($0.joined(separator: " and "))" } ?? "any events"
    throw PermlogError(.usage, "no permission has \(what)")
  }
}
