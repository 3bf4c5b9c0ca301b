// A question as a value: everything that the counts depend on, so that other machines can answer it, each for its own
// users. Its keys are the keys of the fields of its kind of request.

import Folding
import PermissionAnalysis
public import PermissionEvents
import ReportRendering

/// A question to several logs, or to several machines: a report, a comparison, a report of flows or an audit, with the
/// moment to look from and the clock changes of its time zone. The machine that answers it has no influence on it.
///
/// Two questions with the same options and the same `now` are the same bytes on all machines whose zone files agree.
///
/// For example:
///
/// ```swift
/// var request = ReportRequest()
/// request.scope.asOf = .startOf(CivilDate(year: 2026, month: 4, day: 1))
/// let question = try Question(request)
/// let copy = try Question(question.encoded, name: "copy")  // the same question
/// ```
public struct Question: Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    case report, compare, flow, audit
  }

  /// The request with its moments as times, and without the options that are chosen when sums are read.
  let request: any CountedRequest
  let zone: ZoneTable
  /// The moment to look from, in milliseconds since 1970.
  public let asOf: Milliseconds
  /// The clock for the limits of timestamps, in milliseconds since 1970.
  public let now: Milliseconds
  /// The question as canonical JSON, without a line feed at the end (docs/schemas/question-1.json).
  public let encoded: [UInt8]

  /// The question of a request. Options that do not affect the counts are chosen when the sums are read. For a report
  /// these are charts and how many values get rows of their own; for a comparison the metric, the split, how users who
  /// saw several messages count, and the rule of decision; for flows the permission of the tables; for an audit the
  /// thresholds, the permission and Info.plists.
  /// - Parameter now: the clock for the limits of timestamps; nil for the clock of this machine.
  /// - Throws: `usage` if the request has no moment to look from, contradicts itself, or is a comparison without a
  ///   permission.
  public init(_ request: some QuestionRequest, now: Milliseconds? = nil) throws(PermlogError) {
    self = try request.question(now: now)
  }

  /// - Parameter zone: if it is given, no zone file is read.
  /// - Throws: `usage` if the question has more bytes, or names of another length, than a file of questions may have.
  init<Request: CountedRequest>(
    counting request: Request, in zone: ZoneTable? = nil, now: Milliseconds? = nil
  ) throws(PermlogError) {
    try request.checkFields()
    guard request.scope.without.files.isEmpty else {
      throw .usage(
        "users are left out where their events are counted: name the file when the sums are made", .withoutUsers)
    }
    let shared = try request.shared(in: zone)
    try Self.checkSpelling(of: request.names)
    var asked = Request()
    for field in Request.fields { try field.counted?.copy(request, &asked, shared.zone) }
    asked.scope.timeZone = request.scope.timeZone
    self.request = asked
    self.zone = shared.zone
    asOf = shared.windows.asOf
    self.now = now ?? SystemClock.now
    // A written question must be readable again.
    guard
      ZoneTable(
        checking: shared.zone.name, initialOffset: shared.zone.initialOffset, transitions: shared.zone.transitions)
        != nil
    else {
      throw .usage("no known zone has the clock changes of this zone; use another one", .timeZone)
    }
    guard Self.times.contains(self.now) else { throw .usage("the clock is not in the years 1970 to 2100") }
    encoded = Self.encoded(asked.values(in: shared.zone, now: self.now))
    guard encoded.count <= Self.longest else {
      throw .usage("the question has more than \(Self.longest >> 10) KiB: give fewer or shorter conditions")
    }
  }

  /// Names must have as many bytes as names of events may have: others occur in no log. Values that are not text would
  /// change in a file.
  private static func checkSpelling(of names: [AskedName]) throws(PermlogError) {
    for name in names {
      if name.argument == .conditions {
        guard String(validating: name.name, as: UTF8.self) == nil else { continue }
        throw .usage("a value of \(name.field.name) is not UTF-8", .conditions)
      }
      guard (1...StringField.maximumLength).contains(name.name.count) else {
        let argument: PermlogError.Argument =
          name.argument
          ?? (name.field == .permission ? .permission : name.field == .experiment ? .experiment : .messages)
        throw .usage("a name has 1 to \(StringField.maximumLength) bytes", argument)
      }
    }
  }

  static let longest = 1 << 20
  static let times: ClosedRange<Milliseconds> = 0...Timestamp.latest + 366 * millisecondsPerDay

  public var kind: Kind { type(of: request).kind }
  /// XXH3 of 64 bits of `encoded`, as 16 hexadecimal digits: the name of the question.
  public var checksum: String { Checksum.text(of: encoded) }
  /// The IANA name of the zone of days and weeks.
  public var timeZone: String { zone.name }

  /// Whether its sums have user ids: an audit may ask for examples.
  package var asksForUserIDs: Bool { (request as? AuditRequest)?.examples ?? 0 > 0 }
}

extension Question: Hashable {
  public static func == (a: Question, b: Question) -> Bool { a.encoded == b.encoded }
  public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }
}

extension Question.Kind {
  /// The requests of this kind, and the noun for their answers.
  private var row: (request: any CountedRequest.Type, noun: String) {
    switch self {
    case .report: (ReportRequest.self, "a report")
    case .compare: (ComparisonRequest.self, "a comparison")
    case .flow: (FlowRequest.self, "a report of flows")
    case .audit: (AuditRequest.self, "an audit")
    }
  }

  var request: any CountedRequest.Type { row.request }
  package var noun: String { row.noun }
  /// The name and version of the sums.
  var fold: String { request.nameOfSums }

  var noSums: any QuestionSums { request.noSums }
}

extension CountedRequest {
  static var nameOfSums: String { Sums.name }
  static var noSums: any QuestionSums { Sums() }
  /// Reads back the content of tables. They may come from an untrusted file.
  static func sums(_ tables: [SumTable]) throws(SumsError) -> any QuestionSums { try Sums(tables: tables) }
}

// MARK: Keys and values

/// The keys of a saved question, in the order of the file.
enum QuestionKey: String, CaseIterable {
  case kind, fold
  case asOf = "as_of"
  case timeZone = "time_zone"
  case from, to
  case conditions = "where"
  case permission, by, variants, experiment, property, adjust, steps
  case logStart = "log_start"
  case atOnce = "at_once_ms"
  case responseWindow = "response_window_ms"
  case followUp = "follow_up_ms"
  case settingsWindow = "settings_window_ms"
  case examples, now
  // Only in questions that give them: they were added later than the others.
  case messageSource = "variant_from"
  case weekStart = "week_start"
  case screen
  case splitFrom = "split_from"

  var isOptional: Bool { [.messageSource, .weekStart, .screen, .splitFrom].contains(self) }

  /// For people: the value has its unit.
  var noun: String { rawValue.hasSuffix("_ms") ? String(rawValue.dropLast(3)) : rawValue }
}

enum SavedValue {
  case text(String)
  case list([String])
  case number(Int)
  case moment(Milliseconds)
  case duration(Milliseconds)
  case zone(ZoneTable)
}

extension Question {
  static let schema = "permlog.question/1"
  /// The fixed window of the kinds that follow journeys.
  static let settingsWindow = AnalysisWindows(asOf: 0).settings

  /// The value of each key that was given and has a meaning for the kind of question; the others are null in the file.
  var values: [QuestionKey: SavedValue] { request.values(in: zone, now: now) }

  /// Canonical JSON, on one line.
  private static func encoded(_ values: [QuestionKey: SavedValue]) -> [UInt8] {
    var json = JSONWriter(isCompact: true)
    json.object { json in
      json.member("schema", schema)
      for key in QuestionKey.allCases {
        if key.isOptional, values[key] == nil { continue }
        let value: any JSONWritable = values[key].map(\.json) ?? String?.none
        json.member(named: key.rawValue, value)
      }
    }
    return json.take()
  }

  /// The same question without its clock.
  var encodedWithoutClock: [UInt8] {
    var values = values
    values[.now] = .moment(0)
    return Self.encoded(values)
  }

  /// The values of the keys as text, by the names of the keys; null and empty values are left out. Sums of questions
  /// with different facts cannot be added.
  var facts: [String: String] {
    var facts: [String: String] = [:]
    for (key, value) in values {
      facts[key.rawValue] = value.text
      if case .zone(let zone) = value { facts[key.rawValue + "_transitions"] = zone.transitionsText }
    }
    return facts
  }
}

extension CountedRequest {
  fileprivate func values(in zone: ZoneTable, now: Milliseconds) -> [QuestionKey: SavedValue] {
    var values: [QuestionKey: SavedValue] = [
      .kind: .text(Self.kind.rawValue), .fold: .text(Sums.name), .timeZone: .zone(zone), .now: .moment(now),
    ]
    for field in Self.fields.compactMap(\.counted) { values[field.key] = field.saved(self) }
    if Self.followsJourneys { values[.settingsWindow] = .duration(Question.settingsWindow) }
    return values
  }

  /// Whether the follow-up of this kind can be chosen: such kinds know the events after a Settings prompt.
  static var followsJourneys: Bool { fields.contains { $0.counted?.key == .followUp } }
}

extension SavedValue {
  fileprivate var json: any JSONWritable {
    switch self {
    case .text(let text): return text
    case .list(let items): return items
    case .number(let number): return number
    case .moment(let time): return Timestamp.text(time)
    case .duration(let time): return Int(time)
    case .zone(let zone):
      // The first offset holds from the beginning of time.
      let first = (at: Milliseconds?.none, offset: zone.initialOffset)
      let changes = [first] + zone.transitions.map { (at: $0.at, offset: $0.offset) }
      return [
        "name": zone.name,
        "transitions": changes.map {
          ["at": $0.at.map(Timestamp.text), "offset_s": Int($0.offset / 1000)] as JSONMembers
        },
      ] as JSONMembers
    }
  }

  /// Nil for an empty list.
  var text: String? {
    switch self {
    case .text(let text): text
    case .list(let items): items.isEmpty ? nil : items.joined(separator: ", ")
    case .number(let number): String(number)
    case .moment(let time): Timestamp.text(time)
    case .duration(let time): String(time)
    case .zone(let zone): zone.name
    }
  }

  /// The bytes for comparing two values: names that only look alike are different. Nil for an empty list.
  var bytes: [[UInt8]]? {
    if case .list(let items) = self { return items.isEmpty ? nil : items.map { Array($0.utf8) } }
    return text.map { [Array($0.utf8)] }
  }

  /// For people. If a moment begins a day of the zone, it is shown as a date, as it was most likely given.
  func shown(in zone: ZoneTable) -> String? {
    switch self {
    case .moment(let time): zone.shown(time)
    case .duration(let time): PlanText.duration(time)
    default: text
    }
  }
}

// MARK: For people

extension ZoneTable {
  /// A moment as its date if it begins a day here, else as a time in UTC.
  fileprivate func shown(_ time: Milliseconds) -> String {
    firstMoment(of: day(of: time)) == time ? CivilDate(day(of: time)).text : Timestamp.text(time)
  }
}

extension Question {
  package func shown(_ time: Milliseconds) -> String { zone.shown(time) }

  /// A summary: the kind, then each key with a value, except for keys that only a machine needs.
  /// - Parameter withClock: adds the clock for the limits of timestamps, in case questions differ in nothing else.
  package func summary(withClock: Bool) -> String {
    var hidden: Set<QuestionKey> = [.kind, .fold, .settingsWindow]
    if !withClock { hidden.insert(.now) }
    let values = values
    let said = QuestionKey.allCases.filter { !hidden.contains($0) }.compactMap { key in
      values[key]?.shown(in: zone).map { "\(key.noun) \($0)" }
    }
    return "\(kind.rawValue) \(checksum) (\(said.joined(separator: ", ")))"
  }

  /// The question as pairs of a name and a value. Clock changes and the clock are left out: people seldom look for
  /// them.
  package var shownFacts: [(name: String, value: String)] {
    let keys: [QuestionKey] = [
      .asOf, .timeZone, .from, .to, .permission, .by, .variants, .experiment, .property, .adjust, .messageSource,
      .screen, .steps, .weekStart, .conditions,
      .logStart, .examples, .atOnce, .responseWindow, .followUp,
    ]
    let values = values
    return keys.compactMap { key in
      guard let value = values[key] else { return nil }
      if case .moment(let time) = value { return (key.noun, shownInZone(time)) }
      return value.shown(in: zone).map { (key.noun, $0) }
    }
  }

  /// A moment by the clocks of the question's zone: a day if it begins there.
  private func shownInZone(_ time: Milliseconds) -> String {
    guard zone.name != "UTC" else { return Timestamp.text(time) }
    let day = zone.day(of: time)
    if zone.firstMoment(of: day) == time { return "\(CivilDate(day).text) in \(zone.name)" }
    return "\(Timestamp.text(time + zone.offset(at: time)).dropLast()) in \(zone.name)"
  }
}

// MARK: Differences

extension Question {
  /// Whether this question asks for less than another: both have the same moment, zone, start of the log and windows,
  /// and the other has all options of this one and more.
  package func asksLess(than other: Question) -> Bool {
    zone.name == other.zone.name && zone.transitionsText == other.zone.transitionsText
      && request.asksLess(than: other.request)
  }

  /// Throws unless a request matches the counts.
  func checkAgreement<Request: CountedRequest>(of request: Request) throws(PermlogError) {
    guard let own = self.request as? Request else {
      throw .usage("the sums answer a question of \(kind.noun), not of \(Request.kind.noun)")
    }
    // The clock changes of the other zone are not known here, and are not read from files.
    guard zone.name.utf8.elementsEqual(request.scope.timeZone.utf8) else {
      throw Self.difference(.timeZone, "time zone", zone.name, request.scope.timeZone)
    }
    guard let asked = try Question(counting: request, in: zone, now: now).request as? Request else { return }
    for field in Request.fields {
      guard let counted = field.counted, counted.compared(own) != counted.compared(asked) else { continue }
      throw Self.difference(
        field.argument, own.noun(of: field.argument) ?? counted.noun,
        counted.saved(own)?.shown(in: zone) ?? field.texts(own).last,
        counted.saved(asked)?.shown(in: zone) ?? field.texts(asked).last)
    }
  }

  private static func difference(
    _ argument: PermlogError.Argument, _ noun: String, _ counted: String?, _ asked: String?
  ) -> PermlogError {
    .usage(
      "the sums were counted with the \(noun) \(counted ?? "none"), not with \(asked ?? "none"). Leave it out, or "
        + "count again for another question.", argument)
  }

  /// The request of a question of the right kind, which its caller has chosen.
  package func request<Request: FieldedRequest>(of kind: Request.Type) throws(PermlogError) -> Request {
    guard let request = request as? Request else { throw .usage("this is a question of \(self.kind.noun)", .sums) }
    return request
  }
}

extension CountedRequest {
  fileprivate func asksLess(than other: any CountedRequest) -> Bool {
    guard let other = other as? Self else { return false }
    let nothing = Self()
    // A value that equals the default counts as not given.
    func given(_ field: CountedField<Self>, _ request: Self) -> [[UInt8]]? {
      let value = field.compared(request)
      return value == field.compared(nothing) ? nil : value
    }
    let fixed: [QuestionKey] = [.asOf, .logStart, .atOnce, .responseWindow, .followUp]
    let differing = Self.fields.compactMap(\.counted).filter { given($0, self) != given($0, other) }
    return !differing.isEmpty && differing.allSatisfy { !fixed.contains($0.key) && given($0, self) == nil }
  }
}

extension CountedField {
  /// The value that is compared with another question's.
  fileprivate func compared(_ request: Request) -> [[UInt8]]? {
    guard let bytes = saved(request)?.bytes else { return nil }
    // The order and the repetition do not matter: the same journeys meet the conditions.
    return ignoresOrder ? Set(bytes).sorted { $0.lexicographicallyPrecedes($1) } : bytes
  }
}
