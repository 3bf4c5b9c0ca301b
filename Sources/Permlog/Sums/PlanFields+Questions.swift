// What only questions have among the values of small files.

import EventImport
import PermissionAnalysis
import PermissionEvents

extension PlanFields {
  /// A key that has no meaning here.
  mutating func null(_ key: String) throws(PermlogError) {
    guard try take(key) == .null else { throw refuse(key, "it has no meaning for this kind of question") }
  }

  /// A time like `2026-03-02T10:00:00.000Z`.
  mutating func moment(_ key: String) throws(PermlogError) -> Milliseconds {
    guard let time = try optionalMoment(key) else { throw refuse(key, "it is missing") }
    return time
  }

  /// A time or null.
  mutating func optionalMoment(
    _ key: String, in range: ClosedRange<Milliseconds> = Question.times
  ) throws(PermlogError) -> Milliseconds? {
    let value = try take(key)
    if value == .null { return nil }
    guard case .text(let text) = value, let time = Array(text.utf8).withUnsafeBytes({ Timestamp.parse(rfc3339: $0) }),
      range.contains(time)
    else { throw refuse(key, "it is no time like 2026-03-02T10:00:00.000Z") }
    return time
  }

  /// A date or null.
  mutating func date(_ key: String) throws(PermlogError) -> CivilDate? { try optionalDay(key).map { CivilDate($0) } }

  /// A duration of a question, in milliseconds.
  mutating func window(_ key: String) throws(PermlogError) -> Milliseconds {
    Milliseconds(try integer(key, in: 0...Int(AnalysisWindows.longest)))
  }

  /// Under which answers come at once.
  mutating func atOnce() throws(PermlogError) -> Milliseconds {
    Milliseconds(try integer("at_once_ms", in: 0...Int(AnalysisWindows.longestAtOnce)))
  }

  /// The window that nobody chooses.
  mutating func settingsWindow() throws(PermlogError) {
    let settings = Int(AnalysisWindows(asOf: 0).settings)
    _ = try integer("settings_window_ms", in: settings...settings)
  }

  mutating func conditions(_ complain: @escaping Complaint) throws(PermlogError) -> [ExposureCondition] {
    try list("where") { (item, place) throws(PermlogError) in
      guard case .text(let text) = item else { throw complain("\(place): it is no text") }
      do throws(ConditionError) { return try ExposureCondition(parsing: text) } catch {
        throw complain("\(place): \(error.description)")
      }
    }
  }

  /// Properties of the exposure.
  mutating func properties(_ key: String, _ complain: @escaping Complaint) throws(PermlogError) -> [StringField] {
    try list(key) { (item, place) throws(PermlogError) in
      guard case .text(let name) = item,
        let field = ExposureCondition.fields.first(where: { $0.name.utf8.elementsEqual(name.utf8) })
      else { throw complain("\(place): it is no property of the exposure") }
      return field
    }
  }
}
