// `permlog compare`: one message against another.

import ArgumentParser
import EventLog
import PermissionAnalysis
import PermissionEvents
import ReportRendering

extension ComparisonMetric: ExpressibleByArgument {}
extension ContaminationPolicy: ExpressibleByArgument {}

struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare two messages: B against A, the control.",
    discussion: """
      Decides by an always-valid confidence sequence, so that it can be read again and again. The exit status is 0
      whatever the decision.

      Example:
        permlog compare A B --permission notifications --experiment notification_copy_v1
      """)

  @Argument(help: ArgumentHelp("Variant shown as the control.", valueName: "A"))
  var control: String

  @Argument(help: ArgumentHelp("Variant to compare with it.", valueName: "B"))
  var treatment: String

  @OptionGroup var log: LogOptions
  @OptionGroup var windows: WindowOptions

  @Option(
    help: ArgumentHelp("The permission; needed where the log has several with these variants.", valueName: "name"))
  var permission: String?

  @Option(help: ArgumentHelp("Only screens of this experiment.", valueName: "name"))
  var experiment: String?

  @Option(help: "The metric: \(ComparisonMetric.allCases.map(\.rawValue).joined(separator: ", ")).")
  var metric: ComparisonMetric = .grantRate

  @Option(help: ArgumentHelp("Planned split of the users, control first.", valueName: "a:b"))
  var split = "50:50"

  @Option(help: "Users who saw both messages: first (count for the first), exclude.")
  var contaminated: ContaminationPolicy = .first

  @Option(help: ArgumentHelp("Smallest difference that matters, in percentage points.", valueName: "points"))
  var minimumEffect = 1.0

  @Option(help: ArgumentHelp("Users in both arms together at which a decision is expected.", valueName: "n"))
  var plannedN = 5000

  @Option(help: "Form of the comparison: text, json.")
  var format: ReportFormat = .text

  func validate() throws {
    guard !control.utf8.elementsEqual(treatment.utf8) else { throw ValidationError("name two different variants") }
    guard minimumEffect > 0, minimumEffect < 100 else {
      throw ValidationError("--minimum-effect takes percentage points between 0 and 100")
    }
    guard (2...1_000_000_000).contains(plannedN) else {
      throw ValidationError("--planned-n takes a number of users from 2 to 1000000000")
    }
    _ = try weights()
  }

  private func weights() throws -> [Double] {
    let parts = split.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
    guard parts.count == 2, let a = parts[0], let b = parts[1], a > 0, b > 0, a.isFinite, b.isFinite else {
      throw ValidationError("--split takes two positive numbers like 50:50")
    }
    // As shares of the larger: their sum is finite then.
    return [a / max(a, b), b / max(a, b)]
  }

  func run() throws {
    let rendered = try CommandFailure.wrap {
      let comparison = try compare()
      switch format {
      case .json: return ComparisonJSON.render(comparison)
      case .text: return ComparisonText.render(comparison, TextStyle.current(toFile: false))
      }
    }
    try Output.result(rendered)
  }

  private func compare() throws -> Comparison {
    let snapshot = try LogSnapshot(log.directory)
    let scan = try HistoryScan(snapshot, selection: HistorySelection(variants: true))
    guard let times = snapshot.timeRange else {
      throw CommandFailure.failed("the log at \(log.directory.path) is empty. Fill it with `permlog ingest FILE`.")
    }
    let base = try windows.question(times)
    let contexts = scan.contexts
    let information = snapshot.information
    let variants = try [control, treatment].map {
      try code($0, in: contexts.variants, "variant", information.values[.variant])
    }
    let experimentCode = try experiment.map {
      try code($0, in: contexts.experiments, "experiment", information.values[.experiment])
    }
    let name = try permissionName(contexts, variants: variants, experiment: experimentCode, information)
    var question = ComparisonQuestion(
      windows: base.windows, zone: base.zone,
      permission: try code(name, in: contexts.permissions, "permission", information.values[.permission]),
      variants: variants, experiment: experimentCode)
    question.metric = metric
    question.split = try weights()
    question.policy = contaminated
    question.minimumEffect = minimumEffect / 100
    question.plannedUsers = plannedN
    let settled = question
    let folds = (0..<log.threadCount).map { _ in ComparisonFold(settled, contexts: contexts) }
    try scan.run(folds)
    for other in folds.dropFirst() { folds[0].merge(other) }
    return try Comparison(folds[0], permission: name, variants: [control, treatment], experiment: experiment)
  }

  private func code(_ name: String, in values: [[UInt8]], _ what: String, _ known: [String]?) throws -> UInt32 {
    let known = known ?? []
    guard known.contains(name), let code = values.firstIndex(of: Array(name.utf8)) else {
      throw KnownNames.unknown(what, name, known)
    }
    return UInt32(code)
  }

  /// The permission that was named, or the only one that has these variants.
  private func permissionName(
    _ contexts: HistoryContexts, variants: [UInt32], experiment: UInt32?, _ information: LogInformation
  ) throws -> String {
    if let permission { return permission }
    let codes = Set(
      contexts.contexts.filter {
        $0.permission != 0 && variants.contains($0.variant) && (experiment == nil || $0.experiment == experiment)
      }.map(\.permission))
    let names = codes.map { String(decoding: contexts.permissions[Int($0)], as: UTF8.self) }.sorted()
    guard names.count == 1 else {
      throw CommandFailure.usage(
        names.isEmpty
          ? "no permission has the variants \(control) and \(treatment)"
          : "several permissions have these variants: choose one with --permission: \(names.joined(separator: ", "))")
    }
    return names[0]
  }
}
