// The keys of a question in their order, with what each says: one list, from which the file, the facts and the names of differences
// come.

import PermissionAnalysis
import PermissionEvents
import ReportRendering

/// What a question says, key by key.
struct QuestionFields {
  static let schema = "permlog.question/1"
  private static var null: any JSONWritable { String?.none }

  /// In the order of the file.
  enum Key: String, CaseIterable {
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

    /// For people: the value says its unit.
    var noun: String { rawValue.hasSuffix("_ms") ? String(rawValue.dropLast(3)) : rawValue }
  }

  enum Value {
    case text(String)
    case list([String])
    case number(Int)
    case moment(Milliseconds)
    case duration(Milliseconds)
    case zone(ZoneTable)
  }

  /// Those that have a meaning for the kind of question, and were given; the others are null in the file.
  private(set) var values: [Key: Value]

  subscript(_ key: Key) -> Value? { values[key] }
}

extension QuestionFields {
  init(_ asked: Question.Asked, in zone: ZoneTable, now: Milliseconds) {
    func moment(_ moment: Moment?) -> Value? { if case .time(let time) = moment { .moment(time) } else { nil } }
    func texts(_ conditions: [ExposureCondition]) -> Value { .list(conditions.map(\.description)) }
    func names(_ properties: [StringField]) -> Value { .list(properties.map(\.name)) }
    let scope = asked.scope
    values = [
      .kind: .text(asked.kind.rawValue), .fold: .text(asked.kind.fold), .timeZone: .zone(zone), .now: .moment(now),
    ]
    values[.asOf] = moment(scope.asOf)
    values[.atOnce] = .duration(scope.atOnce)
    if asked.kind != .audit { values[.responseWindow] = .duration(scope.responseWindow) }
    if asked.kind == .report || asked.kind == .compare {
      values[.followUp] = .duration(scope.followUp)
      values[.settingsWindow] = .duration(AnalysisWindows(asOf: 0).settings)
    }
    switch asked {
    case .report(let request):
      set(request.from, request.to)
      values[.conditions] = texts(request.conditions)
      values[.permission] = request.permission.map { .text($0) }
      values[.by] = names(request.properties)
      values[.logStart] = moment(request.logStart)
    case .compare(let request):
      values[.conditions] = texts(request.conditions)
      values[.permission] = request.permission.map { .text($0) }
      values[.by] = names(request.property.map { [$0] } ?? [])
      values[.variants] = .list(request.variants)
      values[.experiment] = request.experiment.map { .text($0) }
      values[.property] = .text(request.comparedProperty.name)
      values[.adjust] = names(request.adjust)
    case .flow(let request):
      set(request.from, request.to)
      values[.conditions] = texts(request.conditions)
      values[.steps] = .list(request.steps)
    case .audit(let request):
      set(request.from, request.to)
      values[.conditions] = texts(request.conditions)
      values[.logStart] = moment(request.logStart)
      values[.examples] = .number(request.examples)
    }
  }

  private mutating func set(_ from: CivilDate?, _ to: CivilDate?) {
    values[.from] = from.map { .text($0.text) }
    values[.to] = to.map { .text($0.text) }
  }

  /// Canonical JSON, on one line.
  var encoded: [UInt8] {
    var json = JSONWriter(.compact)
    json.object { json in
      json.member("schema", Self.schema)
      for key in Key.allCases {
        let value: any JSONWritable = self[key].map(\.json) ?? Self.null
        json.member(named: key.rawValue, value)
      }
    }
    return json.take()
  }

  /// What each key says, as text; nothing for those that are null or empty.
  var facts: [String: String] {
    var facts: [String: String] = [:]
    for (key, value) in values {
      facts[key.rawValue] = value.text
      if case .zone(let zone) = value { facts[key.rawValue + "_transitions"] = zone.transitionsText }
    }
    return facts
  }
}

extension QuestionFields.Value {
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
  fileprivate var text: String? {
    switch self {
    case .text(let text): text
    case .list(let items): items.isEmpty ? nil : items.joined(separator: ", ")
    case .number(let number): String(number)
    case .moment(let time): Timestamp.text(time)
    case .duration(let time): String(time)
    case .zone(let zone): zone.name
    }
  }

  /// What two values are compared by, byte by byte: names that only look alike are others. Nil for an empty list.
  var bytes: [[UInt8]]? {
    if case .list(let items) = self { return items.isEmpty ? nil : items.map { Array($0.utf8) } }
    return text.map { [Array($0.utf8)] }
  }

  /// For people. A moment that begins a day of the zone is that date: so it was most likely given.
  func shown(in zone: ZoneTable) -> String? {
    switch self {
    case .moment(let time): zone.shown(time)
    case .duration(let time): PlanText.duration(time)
    default: text
    }
  }
}

extension ZoneTable {
  /// A moment as its date if it begins a day here, else as a time in UTC.
  fileprivate func shown(_ time: Milliseconds) -> String {
    let day = day(of: time)
    return firstMoment(of: day) == time ? CivilDate(day).text : Timestamp.text(time)
  }
}

extension Question {
  var fields: QuestionFields { QuestionFields(asked, in: zone, now: now) }

  /// A moment for people: a date if it begins a day in the question's zone, else a time in UTC.
  package func shown(_ time: Milliseconds) -> String { zone.shown(time) }
}
