// The rows of journeys: which journeys, and the moment to look from.

import EventLog
import Folding
import PermissionAnalysis
import PermissionEvents
import ReportRendering

/// Which journeys are written as rows. The default is all of the log.
///
/// For example:
///
/// ```swift
/// var request = JourneyRequest()
/// request.permission = "notifications"
/// request.conditions = [try ExposureCondition(parsing: "country=DE")]
/// ```
public struct JourneyRequest: FilteredRequest, Hashable {
  public var scope = QuestionScope()
  public var from: CivilDate?
  public var to: CivilDate?
  public var permission: String?
  public var conditions: [ExposureCondition] = []

  public init() {}

  public static let fields = Field.list(
    [.permission(\.permission, "With `journeys`: only this permission.")], Field.filter + Field.scope)

  /// The question for the log: its journeys are the journeys of the report.
  func asked(of log: AskedLog) throws(PermlogError) -> JourneyQuestion {
    let (windows, zone) = try windows(log)
    var question = JourneyQuestion(windows: windows, zone: zone)
    (question.from, question.to) = try interval(in: zone)
    (question.permission, question.conditions) = (permission, conditions)
    return question
  }
}

// MARK: One row for each user and permission, in the log's order: the rows that the figures of a report count

extension PermissionLog {
  /// Writes a row for each journey with an exposure, also for pending and restricted journeys: one row for each user
  /// and permission. Sums over the rows are the counts of a report of the same request. docs/csv.md has the
  /// columns.
  ///
  /// Rows are in the log's order of users, and for each user by the bytes of the permissions' names. They are the same
  /// for any number of threads, and never all in memory.
  /// - Parameters:
  ///   - request: which journeys, and the moment to look from.
  ///   - format: the format of the rows. In CSV an empty cell is null: something did not happen or is not known.
  ///   - isForSpreadsheets: as in ``export(as:isForSpreadsheets:to:)``.
  ///   - onUnknown: called with kinds, permissions and columns of a later version, which are left out.
  ///   - write: as in ``export(as:isForSpreadsheets:to:)``. CSV of an empty log is its heading.
  /// - Throws: `usage` if the log does not have the permission or a value of a condition, or the interval is empty.
  public func exportJourneys(
    _ request: JourneyRequest = JourneyRequest(), as format: EventFormat = .ndjson, isForSpreadsheets: Bool = false,
    onUnknown: ((UnknownVocabulary) -> Void)? = nil, to write: ([UInt8]) throws -> Void
  ) throws(PermlogError) {
    try exportJourneys(
      request, as: format, isForSpreadsheets: isForSpreadsheets, onUnknown: onUnknown,
      of: { try asked(request.scope.without) }, to: write)
  }

  /// - Parameter open: the log, perhaps without some users.
  func exportJourneys(
    _ request: JourneyRequest = JourneyRequest(), as format: EventFormat = .ndjson, isForSpreadsheets: Bool = false,
    onUnknown: ((UnknownVocabulary) -> Void)? = nil, of open: () throws -> LogSnapshot,
    to write: ([UInt8]) throws -> Void
  ) throws(PermlogError) {
    try request.checkDays()
    return try translating {
      let snapshot = try open()
      snapshot.tellUnknown(onUnknown)
      let form = JourneyForm(format: format, isForSpreadsheets: isForSpreadsheets)
      guard let times = snapshot.timeRange else { return try write(form.heading) }
      var question = try request.asked(of: AskedLog(snapshot, times, clock: clock(), threads: threads))
      try KnownNames.require(request.names, in: snapshot)
      question.hasFeatures = !(snapshot.information.values[.feature] ?? []).isEmpty
      question.missing = try Self.engagement(of: snapshot, asOf: question.windows.asOf, threads: threads).missing
      question.reading = CallReading(try snapshot.calls(question.windows, threads: threads))
      let asked = question
      try write(form.heading)
      try HistoryScan(snapshot, selection: asked.selection).forEachPiece(threads: threads) {
        JourneyLines(asked, form, $0)
      } _: { rows in
        if !rows.isEmpty { try write(rows) }
        return true
      }
    }
  }

  /// Searched for in the log's order, up to the first users who have it.
  private static func engagement(of snapshot: LogSnapshot, asOf: Milliseconds, threads: Int) throws -> EngagementSeen {
    var seen = EngagementSeen()
    try HistoryScan(snapshot, selection: HistorySelection()).forEachPiece(threads: threads) { _ in
      EngagementFinder(asOf: asOf)
    } _: { found in
      seen.add(found)
      return !seen.isAll
    }
    return seen
  }
}

private struct EngagementFinder: HistoryPieceMaker {
  let asOf: Milliseconds
  private var seen = EngagementSeen()

  init(asOf: Milliseconds) { self.asOf = asOf }

  mutating func add(_ batch: HistoryBatch) { seen.add(batch, asOf: asOf) }
  func take() -> EngagementSeen { seen }
}

// MARK: Journeys as lines of NDJSON or CSV

struct JourneyForm: Sendable {
  var format: EventFormat
  var isForSpreadsheets: Bool

  var heading: [UInt8] {
    var lines = CSVLines(isForSpreadsheets: isForSpreadsheets)
    if format == .csv { lines.heading(JourneyRow.columns) }
    return lines.bytes
  }
}

/// Makes the lines of some users' journeys. Owned by one thread.
struct JourneyLines: HistoryPieceMaker, ~Copyable {
  private var reader: JourneyReader
  private let lines: Lines

  init(_ question: JourneyQuestion, _ form: JourneyForm, _ contexts: HistoryContexts) {
    reader = JourneyReader(question, contexts: contexts)
    lines = Lines(JourneyRow(question, contexts), form)
  }

  mutating func add(_ batch: HistoryBatch) { reader.read(batch, lines) }

  mutating func take() -> [UInt8] { lines.take() }

  private final class Lines: JourneyRecords {
    // Unchecked: one thread owns them, and an access lasts no longer than a call.
    @exclusivity(unchecked) private var row: JourneyRow
    @exclusivity(unchecked) private var json = JSONWriter(isCompact: true)
    @exclusivity(unchecked) private var csv: CSVLines
    private let format: EventFormat

    init(_ row: JourneyRow, _ form: JourneyForm) {
      self.row = row
      csv = CSVLines(isForSpreadsheets: form.isForSpreadsheets)
      format = form.format
    }

    func append(_ record: JourneyRecord, of user: [UInt8]) {
      switch format {
      case .ndjson:
        json.object { row.write(record, of: user, to: &$0) }
        json.endLine()
      case .csv:
        row.write(record, of: user, to: &csv)
        csv.endLine()
      }
    }

    func take() -> [UInt8] { format == .csv ? csv.take() : json.take() }
  }
}

// MARK: The columns of a journey's row, in the one order that CSV and NDJSON share

protocol JourneyCells: ~Copyable {
  /// - Parameter text: UTF-8; empty for null.
  mutating func text(_ column: StaticString, _ text: [UInt8])
  mutating func number(_ column: StaticString, _ number: Int?)
  mutating func flag(_ column: StaticString, _ flag: Bool?)
}

/// Writes rows under the codes of one walk. Owned by one thread.
struct JourneyRow {
  let contexts: HistoryContexts
  /// The value that all rows share.
  private let asOf: [UInt8]
  /// The index of each attribute in the selection; nil for an attribute that was not selected.
  private let indices: [Int?]
  private var scratch: [UInt8] = []

  static let columns = [
    "user_id", "permission", "t0", "variant", "experiment", "surface", "app_version", "os_version", "platform",
    "locale", "country", "outcome", "partial", "answer_at", "first_prompt_at", "enabled_at", "revoked_at",
    "settings_prompt_at", "settings_opened_at", "active_days", "retained_1", "retained_7", "retained_30",
    "begins_with", "feature", "found_on_at", "found_on_partial", "enabled_partial", "upgraded_at", "feature_events",
    "as_of",
  ]

  private static let outcomes = Outcome.allCases.map { Array($0.name.utf8) }
  private static let explanation = Array("explanation".utf8)
  private static let prompt = Array("prompt".utf8)

  init(_ question: JourneyQuestion, _ contexts: HistoryContexts) {
    self.contexts = contexts
    asOf = Array(Timestamp.text(question.windows.asOf).utf8)
    let selected = question.selection.attributes
    indices = AttributeTuple.fields.map { selected.firstIndex(of: $0) }
  }

  mutating func write(_ row: JourneyRecord, of user: [UInt8], to cells: inout some JourneyCells & ~Copyable) {
    let context = contexts.contexts[row.context]
    cells.text("user_id", user)
    cells.text("permission", contexts.permissions[Int(row.permission)])
    time("t0", row.start, &cells)
    cells.text("variant", contexts.variants[Int(context.variant)])
    cells.text("experiment", contexts.experiments[Int(context.experiment)])
    cells.text("surface", contexts.surfaces[Int(context.surface)])
    cells.text("app_version", attribute(0, row))
    cells.text("os_version", attribute(1, row))
    cells.text("platform", attribute(2, row))
    cells.text("locale", attribute(3, row))
    cells.text("country", attribute(4, row))
    cells.text("outcome", Self.outcomes[row.outcome.rawValue])
    cells.flag("partial", row.isPartial)
    time("answer_at", row.answer, &cells)
    time("first_prompt_at", row.firstPrompt, &cells)
    time("enabled_at", row.enabled, &cells)
    time("revoked_at", row.revoked, &cells)
    time("settings_prompt_at", row.settingsPrompt, &cells)
    time("settings_opened_at", row.settingsOpened, &cells)
    cells.number("active_days", row.activeDays)
    cells.flag("retained_1", row.retained.0)
    cells.flag("retained_7", row.retained.1)
    cells.flag("retained_30", row.retained.2)
    // Other columns that the sums of a report need.
    cells.text("begins_with", row.beginsWithExplanation ? Self.explanation : row.beginsWithPrompt ? Self.prompt : [])
    cells.text("feature", contexts.properties[row.feature])
    time("found_on_at", row.foundOn, &cells)
    cells.flag("found_on_partial", row.isFoundOnInPart)
    cells.flag("enabled_partial", row.isEnabledInPart)
    time("upgraded_at", row.upgraded, &cells)
    cells.number("feature_events", row.featureEvents)
    cells.text("as_of", asOf)
  }

  private func attribute(_ number: Int, _ row: JourneyRecord) -> [UInt8] {
    guard let index = indices[number] else { return [] }
    return contexts.attributeValues[index][Int(contexts.attributes[row.attributes][index])]
  }

  private mutating func time(
    _ column: StaticString, _ time: Milliseconds?, _ cells: inout some JourneyCells & ~Copyable
  ) {
    scratch.removeAll(keepingCapacity: true)
    if let time { Timestamp.write(time, into: &scratch) }
    cells.text(column, scratch)
  }
}

// MARK: The forms

extension JSONWriter: JourneyCells {
  mutating func text(_ column: StaticString, _ text: [UInt8]) {
    if text.isEmpty { member(column, String?.none) } else { member(column, utf8: text) }
  }
  mutating func number(_ column: StaticString, _ number: Int?) { member(column, number) }
  mutating func flag(_ column: StaticString, _ flag: Bool?) { member(column, flag) }
}

extension CSVLines: JourneyCells {
  mutating func text(_ column: StaticString, _ text: [UInt8]) { cell(text) }
  mutating func number(_ column: StaticString, _ number: Int?) { plain(number.map { String($0) } ?? "") }
  mutating func flag(_ column: StaticString, _ flag: Bool?) { plain(flag.map { $0 ? "true" : "false" } ?? "") }
}
