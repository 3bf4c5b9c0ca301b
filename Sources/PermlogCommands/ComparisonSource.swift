// The log as a comparison reads it: names resolved, the fold run on all threads.

import EventLog
import PermissionAnalysis
import PermissionEvents

struct ComparisonSource {
  /// Names are those of the log; the rest is the caller's to set.
  var question: ComparisonQuestion
  private let scan: HistoryScan
  private let threads: Int

  /// - Parameter variants: control first; nil is one arm of all journeys.
  init(
    _ log: LogOptions, _ windows: WindowOptions, permission: String?, experiment: String?, by: StringField? = nil,
    variants: [String]?
  ) throws {
    let snapshot = try LogSnapshot(log.directory)
    guard let times = snapshot.timeRange else {
      throw CommandFailure.failed("the log at \(log.directory.path) is empty. Fill it with `permlog ingest FILE`.")
    }
    let base = try windows.question(times)
    let scan = try HistoryScan(snapshot, selection: ComparisonQuestion.selection(by: by))
    let known = snapshot.information.values
    func check(_ name: String, _ what: String, _ field: StringField) throws {
      let known = known[field] ?? []
      guard known.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
        throw KnownNames.unknown(what, name, known)
      }
    }
    try variants?.forEach { try check($0, "variant", .variant) }
    if let experiment { try check(experiment, "experiment", .experiment) }
    let permission = try permission ?? Self.onlyPermission(scan.contexts, variants: variants, experiment: experiment)
    try check(permission, "permission", .permission)
    question = ComparisonQuestion(
      windows: base.windows, zone: base.zone, permission: permission, variants: variants, experiment: experiment)
    question.by = by
    self.scan = scan
    threads = log.threadCount
  }

  /// The sums of all users.
  func fold() throws -> ComparisonCounts {
    let question = question
    return try scan.fold(threads: threads) { ComparisonFold(question, contexts: $0) }
  }

  /// The only permission that has these variants.
  private static func onlyPermission(
    _ contexts: HistoryContexts, variants: [String]?, experiment: String?
  ) throws -> String {
    let variantCodes = variants?.map { contexts.variants.firstIndex(of: Array($0.utf8)) }
    let experimentCode = experiment.map { contexts.experiments.firstIndex(of: Array($0.utf8)) }
    let codes = Set(
      contexts.contexts.filter { context in
        context.permission != 0 && variantCodes?.contains(Int(context.variant)) != false
          && (experiment == nil || experimentCode == Int(context.experiment))
      }.map(\.permission))
    let names = codes.map { String(decoding: contexts.permissions[Int($0)], as: UTF8.self) }.sorted()
    guard names.count != 1 else { return names[0] }
    let what = variants.map { "the variants \($0.joined(separator: " and "))" } ?? "any events"
    throw CommandFailure.usage(
      names.isEmpty
        ? "no permission has \(what)"
        : "several permissions have \(variants == nil ? "events" : "these variants"): choose one with --permission: \(names.joined(separator: ", "))"
    )
  }
}
