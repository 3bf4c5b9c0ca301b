// Every experiment of a log with the result of its comparison.

import EventLog
import PermissionAnalysis
import PermissionEvents

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

  public init() {}

  public static let fields = Field.list(
    Field.scope, [.permission(\.permission, "Only experiments of this permission.")])
}

extension PermissionLog {
  /// Every experiment of the log, one for each name and permission: its messages and users, its days, and the
  /// comparison of the messages with default options. The control is the message called control, baseline, original,
  /// default, a, 0 or off, else the first message bytewise. An empty log has no experiments.
  /// - Parameter onUnknown: called with kinds, permissions and columns of a later version, which are left out of the
  ///   figures.
  /// - Throws: `usage` if the log does not have the permission.
  public func experiments(
    _ request: ExperimentsRequest = ExperimentsRequest(), onUnknown: ((UnknownVocabulary) -> Void)? = nil
  ) throws(PermlogError) -> ExperimentList {
    var list = try translating {
      let snapshot = try LogSnapshot(directory)
      snapshot.tellUnknown(onUnknown)
      return try Self.list(request, snapshot, threads: threads, clock: clock())
    }
    guard let asOf = list.asOf else { return list }
    for index in list.experiments.indices where list.experiments[index].notCompared == nil {
      let found = list.experiments[index]
      // A fixed moment, so that events that arrive meanwhile do not change it.
      list.experiments[index].comparison = try compare(found.request(request.scope, asOf: asOf))
    }
    return list
  }

  private static func list(
    _ request: ExperimentsRequest, _ snapshot: LogSnapshot, threads: Int, clock: Milliseconds
  ) throws -> ExperimentList {
    let scope = request.scope
    guard let times = snapshot.timeRange else {
      let zone = try SystemZones.table(scope.timeZone, over: Timestamp.earliest...Timestamp.earliest)
      return ExperimentList(
        asOf: nil, zone: zone, responseWindow: scope.responseWindow, followUp: scope.followUp,
        permission: request.permission)
    }
    let permission = request.permission
    if let permission { try KnownNames.require([AskedName(.permission, permission)], in: snapshot) }
    let (windows, zone) = try scope.windows(AskedLog(times, clock: clock))
    let asOf = windows.asOf
    let sums = try snapshot.readAll(windows, threads: threads) { walk in
      try walk.fold(ExperimentFold.selection) {
        ExperimentFold(asOf: asOf, zone: zone, permission: permission, contexts: $0)
      }
    }.sums
    var list = ExperimentList(
      asOf: asOf, zone: zone, responseWindow: scope.responseWindow, followUp: scope.followUp, permission: permission,
      experiments: sums.summaries(asOfDay: zone.lastBegunDay(at: asOf)))
    list.age = try scope.age(of: snapshot, clock: clock, threads: threads)
    return list
  }
}

extension ExperimentSummary {
  /// The request of the comparison: all options but the scope are defaults.
  fileprivate func request(_ scope: QuestionScope, asOf: Milliseconds) -> ComparisonRequest {
    var request = ComparisonRequest(control: control ?? "", treatments: messages.dropFirst().map(\.variant))
    request.scope = scope
    request.scope.asOf = .time(asOf)
    request.permission = permission
    request.experiment = experiment
    return request
  }
}
