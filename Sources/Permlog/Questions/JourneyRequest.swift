// The rows of journeys: which are wanted, and from when they are looked at.

import PermissionAnalysis
import PermissionEvents

/// Which journeys are written as rows. The default is all of the log.
///
/// For example:
///
/// ```swift
/// var request = JourneyRequest()
/// request.permission = "notifications"
/// request.conditions = [try ExposureCondition(parsing: "country=DE")]
/// ```
public struct JourneyRequest: FieldedRequest, FilteredRequest, Hashable {
  public var scope = QuestionScope()
  /// First day of exposures, in the zone; nil for the first of the log.
  public var from: CivilDate?
  /// The day after the last, in the zone; nil for the last of the log.
  public var to: CivilDate?
  /// The only permission whose journeys are written.
  public var permission: String?
  /// Conditions on the exposure, which must all hold.
  public var conditions: [ExposureCondition] = []

  public init() {}

  private typealias Field = RequestField<JourneyRequest>

  public static let fields: [RequestField<JourneyRequest>] = Field.list(
    [.permission(\.permission, "Only journeys of this permission.")], Field.filter + Field.scope)

  public static let rules: [FieldRule] = [.oneInterval]

  var names: [AskedName] {
    AskedName.values(conditions) + (permission.map { [AskedName(.permission, $0)] } ?? [])
  }

  /// The question that a log is asked: the journeys are those of the report.
  func asked(of log: AskedLog) throws(PermlogError) -> JourneyQuestion {
    let (windows, zone) = try scope.windows(log, dates: try days().compactMap { $0 })
    var question = JourneyQuestion(windows: windows, zone: zone)
    (question.from, question.to) = try interval(in: zone)
    (question.permission, question.conditions) = (permission, conditions)
    return question
  }
}
