// The columns of a journey's row, in the one order that CSV and NDJSON share.

import PermissionAnalysis
import PermissionEvents
import ReportRendering

/// What takes the cells of a row.
protocol JourneyCells: ~Copyable {
  /// - Parameter text: UTF-8; empty for null.
  mutating func text(_ column: StaticString, _ text: [UInt8])
  mutating func number(_ column: StaticString, _ number: Int?)
  mutating func flag(_ column: StaticString, _ flag: Bool?)
}

/// Writes rows under the codes of one walk. Owned by one thread.
struct JourneyRow {
  let contexts: HistoryContexts
  /// What all rows have.
  private let asOf: [UInt8]
  /// Places of the attributes among those that were selected; nil for one that was not.
  private let places: [Int?]
  /// The time that is being written.
  private var scratch: [UInt8] = []

  static let columns = [
    "user_id", "permission", "t0", "variant", "experiment", "surface", "app_version", "os_version", "platform",
    "locale", "country", "outcome", "partial", "answer_at", "first_prompt_at", "enabled_at", "revoked_at",
    "settings_prompt_at", "settings_opened_at", "active_days", "retained_1", "retained_7", "retained_30",
    "begins_with", "feature", "found_on_at", "found_on_partial", "enabled_partial", "upgraded_at", "feature_events",
    "as_of",
  ]

  /// By raw value.
  private static let outcomes = Outcome.allCases.map { Array($0.name.utf8) }
  private static let explanation = Array("explanation".utf8)
  private static let prompt = Array("prompt".utf8)

  init(_ question: JourneyQuestion, _ contexts: HistoryContexts) {
    self.contexts = contexts
    asOf = Array(Timestamp.text(question.windows.asOf).utf8)
    let selected = question.selection.attributes
    places = AttributeTuple.fields.map { selected.firstIndex(of: $0) }
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
    // What the sums of a report need beside these.
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
    guard let place = places[number] else { return [] }
    return contexts.attributeValues[place][Int(contexts.attributes[row.attributes][place])]
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

/// A row of CSV.
struct JourneyCSVCells: JourneyCells {
  var isForSpreadsheets = false
  private(set) var bytes: [UInt8] = []

  mutating func text(_ column: StaticString, _ text: [UInt8]) {
    if isForSpreadsheets { CSVText.writeHarmless(text, into: &bytes) } else { CSVText.write(text, into: &bytes) }
    bytes.append(0x2C)
  }

  mutating func number(_ column: StaticString, _ number: Int?) {
    if let number { bytes += String(number).utf8 }
    bytes.append(0x2C)
  }

  mutating func flag(_ column: StaticString, _ flag: Bool?) {
    if let flag { bytes += (flag ? "true" : "false").utf8 }
    bytes.append(0x2C)
  }

  mutating func endLine() {
    // In place of the last comma.
    bytes.removeLast()
    bytes += [0x0D, 0x0A]
  }

  mutating func take() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }
}
