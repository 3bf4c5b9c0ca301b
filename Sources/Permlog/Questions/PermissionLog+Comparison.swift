// Messages against the first of them: names checked, the fold run on all threads.

import EventLog
import PermissionAnalysis
import PermissionEvents

extension PermissionLog {
  /// Compares messages with the control, by the rule of the request.
  /// - Parameter onUnknown: told of what a later version has put into the log, which is left out of the figures.
  /// - Throws: `usage` if the log does not have a name of the request, or it asks for what cannot be; `notFound` if the
  ///   log is empty.
  public func compare(
    _ request: ComparisonRequest, onUnknown: ((UnknownVocabulary) -> Void)? = nil
  ) throws(PermlogError) -> ComparisonSet {
    try compare(request, recorded: nil, onUnknown: onUnknown)
  }

  /// - Parameter record: the looks that were recorded, if any were.
  func compare(
    _ request: ComparisonRequest, recorded record: LookRecord?, onUnknown: ((UnknownVocabulary) -> Void)?
  ) throws(PermlogError) -> ComparisonSet {
    try request.check()
    return try translating {
      var source = try ComparisonSource(
        self, request.scope, permission: request.permission, experiment: request.experiment,
        comparing: request.comparedProperty, by: request.property, adjust: request.adjust, where: request.conditions,
        variants: request.variants, onUnknown: onUnknown)
      request.apply(to: &source.question)
      if let record {
        let question = source.question
        source.question.recorded = record.arms(through: question.zone.lastBegunDay(at: question.windows.asOf) - 1)
      }
      var set = try source.compare()
      set.plan = request.plan
      return set
    }
  }
}

struct ComparisonSource {
  /// Names are those of the log; the rest is the caller's to set.
  var question: ComparisonQuestion
  private let snapshot: LogSnapshot
  private let scan: HistoryScan
  private let threads: Int
  private let age: DataAge?

  /// - Parameters:
  ///   - isExperimentToCome: an experiment that the log does not have yet means all screens.
  ///   - variants: control first; nil is one arm of all journeys.
  init(
    _ log: PermissionLog, _ scope: QuestionScope, permission: String?, experiment: String?,
    isExperimentToCome: Bool = false, comparing compared: StringField = .variant, by: StringField? = nil,
    adjust: [StringField] = [], where conditions: [ExposureCondition] = [], variants: [String]?,
    onUnknown: ((UnknownVocabulary) -> Void)?
  ) throws {
    let snapshot = try LogSnapshot(log.directory)
    snapshot.tellUnknown(onUnknown)
    guard let times = snapshot.timeRange else {
      throw PermlogError(.notFound, "the log at \(log.path) is empty", .fillLog)
    }
    self.snapshot = snapshot
    let now = log.clock()
    let base = try scope.question(times, clock: now)
    age = try scope.age(of: snapshot, clock: now, threads: log.threads)
    scan = try HistoryScan(
      snapshot,
      selection: ComparisonQuestion.selection(comparing: compared, by: by, adjust: adjust, where: conditions))
    try KnownNames.check(conditions, in: snapshot)
    for variant in variants ?? [] { try KnownNames.check(variant, compared, in: snapshot) }
    var experiment = experiment
    if let name = experiment, isExperimentToCome, !KnownNames.isKnown(name, .experiment, in: snapshot) {
      experiment = nil
    }
    if let experiment { try KnownNames.check(experiment, .experiment, in: snapshot) }
    let messages = compared == .variant ? variants : nil
    let permission = try permission ?? Self.onlyPermission(scan.contexts, messages, experiment)
    try KnownNames.check(permission, .permission, in: snapshot)
    question = ComparisonQuestion(
      windows: base.windows, zone: base.zone, permission: permission, variants: variants, experiment: experiment)
    question.comparedProperty = compared
    question.by = by
    question.adjust = adjust
    question.conditions = conditions
    threads = log.threads
  }

  /// What the sums of all users say, and what has changed in the log since it could first be read.
  func compare() throws -> ComparisonSet {
    let sums = try fold()
    var question = question
    question.reading = CallReading(sums.calls)
    var set = try ComparisonSet(sums, question)
    set.age = age
    set.noteChanges(of: snapshot)
    set.noteExperiments(of: sums, question)
    return set
  }

  /// The rate of one message in the last 28 days; nil if nobody who saw it first has an outcome.
  func baseline(of variant: String) throws -> PlanBaseline? {
    guard KnownNames.isKnown(variant, .variant, in: snapshot) else { return nil }
    var source = self
    source.question.variants = [variant]
    source.question.split = [1]
    return try PlanBaseline(source.fold(), source.question)
  }

  /// The sums of all users.
  func fold() throws -> ComparisonSums {
    let question = question
    var (sums, calls) = try snapshot.foldRead(question.windows, scan.selection, threads: threads) {
      ComparisonFold(question, contexts: $0)
    }
    sums.calls = calls
    return sums
  }

  /// The only permission that has these variants.
  private static func onlyPermission(
    _ contexts: HistoryContexts, _ variants: [String]?, _ experiment: String?
  ) throws(PermlogError) -> String {
    let variantCodes = variants?.map { contexts.variants.firstIndex(of: Array($0.utf8)) }
    let experimentCode = experiment.map { contexts.experiments.firstIndex(of: Array($0.utf8)) }
    let codes = Set(
      contexts.contexts.filter { context in
        context.permission != 0 && variantCodes?.contains(Int(context.variant)) != false
          && (experimentCode == nil || experimentCode == Int(context.experiment))
      }.map(\.permission))
    let names = codes.map { String(decoding: contexts.permissions[Int($0)], as: UTF8.self) }.sorted()
    if names.count == 1 { return names[0] }
    guard names.isEmpty else {
      throw PermlogError(
        .usage, "several permissions have \(variants == nil ? "events" : "these messages")", .choosePermission(names))
    }
    let what = variants.map { "the messages \($0.joined(separator: " and "))" } ?? "any events"
    throw PermlogError(.usage, "no permission has \(what)")
  }
}

extension ComparisonSet {
  /// Messages of one name may be those of several experiments, unless one of them was asked for.
  mutating func noteExperiments(of sums: ComparisonSums, _ question: ComparisonQuestion) {
    guard question.experiment == nil, question.comparedProperty == .variant else { return }
    let names = sums.experiments
    if names.count > 1 { addCautions { _ in [.severalExperiments(names)] } }
  }
}
