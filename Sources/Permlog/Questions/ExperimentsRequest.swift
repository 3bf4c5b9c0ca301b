// Every experiment of a log with the result of its comparison.

import EventLog
import PermissionAnalysis
import PermissionEvents
import ReportRendering
import Threads

/// The request of a list of experiments.
///
/// For example:
///
/// ```swift
/// var request = ExperimentsRequest()
/// request.permission = "notifications"
/// ```
public struct ExperimentsRequest: FieldedRequest, Hashable {
  public var scope = QuestionScope()
  /// Only experiments of this permission are listed; nil for all.
  public var permission: String?
  /// All experiments are compared, not only those with the most users (`ExperimentList.mostCompared`).
  public var comparesAll = false
  /// Declared splits of experiments, each in all permissions. Of the others an even split is assumed.
  public var splits: [ExperimentSplit] = []
  /// First days of experiments, each in all permissions: who saw a message before is left out.
  public var starts: [ExperimentStart] = []

  public init() {}

  public static let fields = Field.list(
    Field.scope, [.permission(\.permission, "Only experiments of this permission.")],
    [
      Field(
        .split, \.splits, .splits, "name=a:b",
        "Planned split of an experiment's users, messages in the order of the list; repeatable (default: even, as an assumption). With changes on days: 'name=90:10; from 2026-01-12 50:50'."
      ),
      Field(
        .from, \.starts, .starts, "name=date",
        "First day of an experiment's exposures, in the time zone; repeatable. Users who saw a message before are left out."
      ),
    ])
}

/// What a request says of one experiment.
protocol ExperimentSetting {
  var experiment: String { get }
}

extension Array where Element: ExperimentSetting {
  /// The first of an experiment. Names are equal byte for byte.
  func of(_ name: String) -> Element? { first { $0.experiment.utf8.elementsEqual(name.utf8) } }
}

/// The declared split of an experiment.
public struct ExperimentSplit: ExperimentSetting, Sendable, Hashable {
  public var experiment: String
  /// Positive shares of the users in any unit, the control first, the others in the order of their names' bytes.
  public var split: MessageSplit

  public init(experiment: String, split: MessageSplit) {
    (self.experiment, self.split) = (experiment, split)
  }
}

/// The first day of an experiment.
public struct ExperimentStart: ExperimentSetting, Sendable, Hashable {
  public var experiment: String
  public var from: CivilDate

  public init(experiment: String, from: CivilDate) {
    (self.experiment, self.from) = (experiment, from)
  }
}

extension PermissionLog {
  /// Every experiment of the log, one for each name and permission: its messages and users, its days, and the
  /// comparison of the messages with default options. If no screens carry it, but Settings prompts do, these are
  /// compared. The control is the message called control, baseline, original, default, a, 0 or off, else the first
  /// message bytewise. An empty log has no experiments.
  /// - Parameters:
  ///   - onUnknown: called with kinds, permissions and columns of a later version, which are left out of the figures.
  ///   - onProgress: called with the number of experiments that are compared so far, and of all, from several threads.
  /// - Throws: `usage` if the log does not have the permission.
  public func experiments(
    _ request: ExperimentsRequest = ExperimentsRequest(), onUnknown: ((UnknownVocabulary) -> Void)? = nil,
    onProgress: (@Sendable (_ done: Int, _ of: Int) -> Void)? = nil
  ) throws(PermlogError) -> ExperimentList {
    var list = try translating {
      let snapshot = try asked(request.scope.without)
      snapshot.tellUnknown(onUnknown)
      return try Self.list(request, snapshot, threads: threads, clock: clock())
    }
    guard let asOf = list.asOf else { return list }
    let compared = list.experiments.indices.filter { list.experiments[$0].notCompared == nil }
    // A fixed moment, so that events that arrive meanwhile do not change it.
    let requests = compared.map { list.experiments[$0].request(request, asOf: asOf) }
    for (index, set) in zip(compared, try compare(requests, onProgress)) { list.experiments[index].take(set) }
    return list
  }

  /// The first experiments of the list that are wanted and can be compared, each with its comparison.
  func experiments(
    _ request: ExperimentsRequest, most: Int, where isWanted: (ExperimentSummary) -> Bool
  ) throws(PermlogError) -> [ExperimentSummary] {
    let list = try translating {
      try Self.list(request, asked(request.scope.without), threads: threads, clock: clock())
    }
    guard let asOf = list.asOf else { return [] }
    var wanted = Array(list.experiments.filter { $0.notCompared == nil && isWanted($0) }.prefix(most))
    let sets = try compare(wanted.map { $0.request(request, asOf: asOf) }, nil)
    for (index, set) in zip(wanted.indices, sets) { wanted[index].take(set) }
    return wanted
  }

  /// Most experiments that one walk over the log counts: their counters are in memory together, on each thread.
  private static let mostInAWalk = 500

  /// Compares several experiments of the same scope. Some hundreds of them are counted in one walk, and then answered on all threads.
  /// - Returns: nil for those of a permission without answers in the log.
  private func compare(
    _ requests: [ComparisonRequest], _ onProgress: (@Sendable (Int, Int) -> Void)?
  ) throws(PermlogError) -> [ComparisonSet?] {
    guard let scope = requests.first?.scope else { return [] }
    return try ComparisonRequest.translatingLimits {
      let snapshot = try asked(scope.without)
      guard let times = snapshot.timeRange else { return requests.map { _ in nil } }
      var log = AskedLog(snapshot, times, clock: clock(), threads: threads)
      log.zone = try scope.windows(log).zone
      var sets: [ComparisonSet?] = []
      while sets.count < requests.count {
        let next = Array(requests[sets.count..<min(requests.count, sets.count + Self.mostInAWalk)])
        let done = sets.count
        sets += try compareInAWalk(next, snapshot, log) { onProgress?(done + $0, requests.count) }
      }
      return sets
    }
  }

  private func compareInAWalk(
    _ requests: [ComparisonRequest], _ snapshot: LogSnapshot, _ log: AskedLog,
    _ onProgress: @escaping @Sendable (Int) -> Void
  ) throws -> [ComparisonSet?] {
    let questions = try requests.map { request in
      try request.checkFields()
      return try request.asked(of: log)
    }
    guard let first = questions.first else { return [] }
    let (counted, calls) = try snapshot.readAll(first.windows, threads: threads) { walk in
      try walk.fold(first.selection) { ComparisonListFold(questions, contexts: $0) }
    }
    let sums = counted.sums
    let source = AnswerSource(snapshot: snapshot, logPath: path, reading: CallReading(calls), isEmpty: false)
    let sets = Mutex<[Int: ComparisonSet?]>([:])
    let tasks = Workers.Tasks(count: requests.count)
    try Workers.run(threads: min(threads, requests.count)) { _ throws(PermlogError) in
      while let number = tasks.claim() {
        var set: ComparisonSet?
        do throws(PermlogError) {
          set = try ComparisonRequest.translatingLimits {
            var sums = sums[number]
            sums.calls = calls
            return try requests[number].answer(sums, questions[number], source)
          }
          set?.leftOutUsers = snapshot.leftOut.counted
        } catch {
          // Without answers the metric is unknown: the others are compared all the same.
          guard error.argument == .metric else { throw error }
          set = nil
        }
        let done = sets.withLock { sets in
          sets.updateValue(set, forKey: number)
          return sets.count
        }
        onProgress(done)
      }
    }
    return sets.withLock { sets in requests.indices.map { sets[$0] ?? nil } }
  }

  private static func list(
    _ request: ExperimentsRequest, _ snapshot: LogSnapshot, threads: Int, clock: Milliseconds
  ) throws -> ExperimentList {
    let scope = request.scope
    guard let times = snapshot.timeRange else {
      let zone = try SystemZones.table(scope.timeZone, over: Timestamp.earliest...Timestamp.earliest)
      var empty = ExperimentList(
        asOf: nil, zone: zone, responseWindow: scope.responseWindow, followUp: scope.followUp,
        permission: request.permission)
      empty.leftOutUsers = snapshot.leftOut.counted
      return empty
    }
    let permission = request.permission
    if let permission { try KnownNames.require([AskedName(.permission, permission)], in: snapshot) }
    try KnownNames.require(
      request.splits.map { AskedName(.experiment, $0.experiment, .split) }
        + request.starts.map { AskedName(.experiment, $0.experiment, .from) }, in: snapshot)
    let (windows, zone) = try scope.windows(AskedLog(snapshot, times, clock: clock, threads: threads))
    let asOf = windows.asOf
    let sums = try snapshot.readAll(windows, threads: threads) { walk in
      try walk.fold(ExperimentFold.selection) {
        ExperimentFold(windows, zone: zone, permission: permission, contexts: $0)
      }
    }.sums
    var list = ExperimentList(
      asOf: asOf, zone: zone, responseWindow: scope.responseWindow, followUp: scope.followUp, permission: permission,
      experiments: sums.summaries(asOfDay: zone.lastBegunDay(at: asOf), comparesAll: request.comparesAll))
    for experiment in list.experiments { try experiment.check(request.splits) }
    list.leftOutUsers = snapshot.leftOut.counted
    list.age = try scope.age(of: snapshot, clock: clock, threads: threads)
    return list
  }
}

extension ExperimentSummary {
  fileprivate mutating func take(_ set: ComparisonSet?) {
    comparison = set
    if set == nil { notCompared = screen == .settings ? .noReturns : .noAnswers }
  }

  /// Throws if its messages are compared and are not as many as the shares of its split.
  fileprivate func check(_ splits: [ExperimentSplit]) throws(PermlogError) {
    guard notCompared == nil || notCompared == .tooManyExperiments,
      let split = splits.of(experiment), split.split.parts.count != messages.count
    else { return }
    let names = listed(messages.map { TextStyle().legible($0.variant) }, most: 16)
    throw .usage(
      "\(TextStyle().legible(experiment)) has \(messages.count) messages of \(permission), so its split needs \(messages.count) numbers: \(names)",
      .split)
  }

  /// The request of the comparison: all options but the scope and the split are defaults.
  fileprivate func request(_ list: ExperimentsRequest, asOf: Milliseconds) -> ComparisonRequest {
    var request = ComparisonRequest(control: control ?? "", treatments: messages.dropFirst().map(\.variant))
    request.scope = list.scope
    request.split = list.splits.of(experiment)?.split
    request.from = list.starts.of(experiment)?.from
    request.scope.asOf = .time(asOf)
    request.permission = permission
    request.experiment = experiment
    request.screen = screen
    request.isBrief = true
    return request
  }
}
