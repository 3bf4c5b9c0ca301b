// How the values of fields are written: as texts from outside, and in a saved question.

import EventImport
import EventMapping
import PermissionAnalysis
import PermissionEvents

/// The ways in which the value of a field is written and read.
struct FieldCodec<Value: Sendable>: Sendable {
  let shape: FieldDescription.Shape
  let values: FieldDescription.Values
  /// Reads the given texts. Errors describe the problem; the caller adds the name of the field.
  let parse: @Sendable ([String]) throws(PermlogError) -> Value
  /// The texts that give the value again; empty for no value.
  let texts: @Sendable (Value) -> [String]
  /// The form in a saved question; nil for fields that are never saved.
  var saved: SavedCodec<Value>?
  let ignoresOrder: Bool
  let separator: String?

  init(
    _ values: FieldDescription.Values, _ shape: FieldDescription.Shape = .value, saved: SavedCodec<Value>? = nil,
    ignoresOrder: Bool = false, separator: String? = nil,
    parse: @escaping @Sendable ([String]) throws(PermlogError) -> Value,
    texts: @escaping @Sendable (Value) -> [String]
  ) {
    (self.values, self.shape, self.saved, self.parse, self.texts) = (values, shape, saved, parse, texts)
    (self.ignoresOrder, self.separator) = (ignoresOrder, separator)
  }

  /// For a field with one text.
  init(
    _ values: FieldDescription.Values, saved: SavedCodec<Value>? = nil, ignoresOrder: Bool = false,
    separator: String? = nil, one: @escaping @Sendable (String) throws(PermlogError) -> Value,
    text: @escaping @Sendable (Value) -> String?
  ) {
    self.init(
      values, saved: saved, ignoresOrder: ignoresOrder, separator: separator,
      parse: { texts throws(PermlogError) in try one(texts.last ?? "") },
      texts: { text($0).map { [$0] } ?? [] })
  }
}

struct SavedCodec<Value: Sendable>: Sendable {
  let value: @Sendable (Value) -> SavedValue?
  let read: @Sendable (inout PlanFields, String) throws(PermlogError) -> Value
  /// The value as it is saved: a date becomes a time of the zone.
  var fixed: @Sendable (Value, ZoneTable) throws(PermlogError) -> Value = { value, _ throws(PermlogError) in value }
}

private func refused(_ problem: String) -> PermlogError { PermlogError.usage(problem) }

// MARK: Names

extension FieldCodec where Value == String? {
  /// A name that logs may have.
  static func name(_ field: StringField) -> Self {
    Self(
      .names(field),
      saved: SavedCodec(
        value: { $0.map { .text($0) } },
        read: { fields, key throws(PermlogError) in try fields.optionalText(key) }),
      one: { text throws(PermlogError) in text }, text: { $0 })
  }
}

extension FieldCodec where Value == String {
  /// The IANA name of a zone. A saved question also has the zone's clock changes, which are written elsewhere.
  static var zone: Self { Self(.zone, one: { text throws(PermlogError) in text }, text: { $0 }) }
}

extension FieldCodec where Value == [String] {
  private static let saved = SavedCodec<[String]>(
    value: { .list($0) }, read: { fields, key throws(PermlogError) in try fields.texts(key) })

  /// Names in their order, joined by commas. Spaces around a comma do not belong to a name.
  static func list(_ field: StringField) -> Self {
    Self(
      .names(field), saved: saved, separator: ",",
      one: { text throws(PermlogError) in
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map { name in
          String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        guard !names.contains("") else { throw refused("it needs names of permissions, joined by commas") }
        return names
      }, text: { $0.isEmpty ? nil : $0.joined(separator: ",") })
  }

  /// Names, given without the name of the field.
  static func operands(_ field: StringField) -> Self {
    Self(
      .names(field), .operands, saved: saved,
      parse: { texts throws(PermlogError) in texts }, texts: { $0 == [""] ? [] : $0 })
  }

  static var files: Self {
    Self(
      .file, .values,
      parse: { texts throws(PermlogError) in
        guard !texts.contains(where: { $0.isEmpty || $0 == "-" }) else { throw refused("needs the name of a file") }
        return texts
      }, texts: { $0 })
  }
}

// MARK: Properties and conditions

package enum DidYouMean {
  /// `; did you mean os_version?`: the only name that has the text as a word, or the name that is a letter or two away. Empty without one.
  package static func text(_ text: String, _ names: [String]) -> String {
    let word = Array(text.utf8)
    let having = names.filter { $0.utf8.split(separator: 0x5F).contains { $0.elementsEqual(word) } }
    let name = having.count == 1 ? having.first : Suggestion.nearest(text.utf8, names)
    return name.map { "; did you mean \($0)?" } ?? ""
  }
}

enum PropertyNames {
  static let all = ExposureCondition.fields.map(\.name)
  static let listed = all.joined(separator: ", ")

  static func field(
    _ name: String, among fields: [StringField] = ExposureCondition.fields
  ) throws(PermlogError) -> StringField {
    guard let field = fields.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      let names = fields.map(\.name)
      throw refused("\(name) is not one of \(names.joined(separator: ", "))\(DidYouMean.text(name, names))")
    }
    return field
  }
}

extension FieldCodec where Value == StringField {
  static var property: Self {
    Self(
      .choice(PropertyNames.all),
      saved: SavedCodec(
        value: { .text($0.name) },
        read: { fields, key throws(PermlogError) in
          let name = try fields.text(key)
          guard let field = StringField.allCases.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
            throw fields.refuse(key, "it is not a property of the exposure")
          }
          return field
        }),
      one: { text throws(PermlogError) in try PropertyNames.field(text) }, text: { $0.name })
  }
}

extension FieldCodec where Value == StringField? {
  static var property: Self {
    Self(
      .choice(PropertyNames.all),
      saved: SavedCodec(
        value: { .list($0.map { [$0.name] } ?? []) },
        read: { fields, key throws(PermlogError) in
          let found = try fields.properties(key)
          guard found.count <= 1 else { throw fields.refuse(key, "a comparison has at most one") }
          return found.first
        }),
      one: { text throws(PermlogError) in try PropertyNames.field(text) }, text: { $0?.name })
  }
}

extension FieldCodec where Value == [StringField] {
  private static let saved = SavedCodec<[StringField]>(
    value: { .list($0.map(\.name)) },
    read: { fields, key throws(PermlogError) in try fields.properties(key) })

  /// Each given by itself.
  static var properties: Self {
    Self(
      .choice(PropertyNames.all), .values, saved: saved,
      parse: { texts throws(PermlogError) in
        try texts.map { text throws(PermlogError) in try PropertyNames.field(text) }
      }, texts: { $0.map(\.name) })
  }

  /// Some of these, joined by commas.
  static func joined(_ known: [StringField]) -> Self {
    Self(
      .choice(known.map(\.name)), saved: saved, ignoresOrder: true, separator: ",",
      one: { text throws(PermlogError) in
        let fields = try text.split(separator: ",", omittingEmptySubsequences: false).map {
          name throws(PermlogError) in try PropertyNames.field(String(name), among: known)
        }
        guard Set(fields).count == fields.count else { throw refused("\(text) has a property twice") }
        return fields
      }, text: { $0.isEmpty ? nil : $0.map(\.name).joined(separator: ",") })
  }
}

extension FieldCodec where Value == [ExposureCondition] {
  static var conditions: Self {
    Self(
      .condition, .values,
      saved: SavedCodec(
        value: { .list($0.map(\.description)) },
        read: { fields, key throws(PermlogError) in try fields.conditions(key) }), ignoresOrder: true,
      parse: { texts throws(PermlogError) in
        try texts.map { text throws(PermlogError) in
          do throws(ConditionError) { return try ExposureCondition(parsing: text) } catch {
            throw refused(TextStyle().legible(error.description))
          }
        }
      }, texts: { $0.map(\.description) })
  }
}

// MARK: Time

package enum GivenTime {
  private static let years: ClosedRange<Int64> = 2008...2100

  /// - Parameter argument: the subject of an error; nil if the caller adds it.
  package static func date(
    _ text: String, of argument: PermlogError.Argument? = nil
  ) throws(PermlogError) -> CivilDate {
    guard let date = CivilDate(parsing: text), years.contains(date.year) else {
      throw .usage("\(text) is not a date from 2008 to 2100 like 2026-04-05", argument)
    }
    return date
  }

  /// A date, for its first moment in the zone, or an RFC 3339 time.
  package static func moment(_ text: String, of argument: PermlogError.Argument? = nil) throws(PermlogError) -> Moment {
    let time = Array(text.utf8).withUnsafeBytes { Timestamp.parse(rfc3339: $0) }
    if let time, Question.times.contains(time) { return .time(time) }
    guard let date = CivilDate(parsing: text), years.contains(date.year) else {
      throw .usage(
        "\(text) is neither a date like 2026-04-05 nor a time with a zone like 2026-04-05T12:00:00Z", argument)
    }
    return .startOf(date)
  }

  static func text(_ moment: Moment) -> String {
    switch moment {
    case .time(let time): Timestamp.text(time)
    case .startOf(let date): date.text
    }
  }
}

extension FieldCodec where Value == CivilDate? {
  static var date: Self {
    Self(
      .date,
      saved: SavedCodec(
        value: { $0.map { .text($0.text) } },
        read: { fields, key throws(PermlogError) in try fields.optionalDay(key).map { CivilDate($0) } }),
      one: { text throws(PermlogError) in try GivenTime.date(text) }, text: { $0?.text })
  }
}

extension FieldCodec where Value == Moment? {
  static var moment: Self {
    Self(
      .moment,
      saved: SavedCodec(
        value: { if case .time(let time) = $0 { .moment(time) } else { nil } },
        read: { fields, key throws(PermlogError) in try fields.optionalMoment(key).map { .time($0) } },
        fixed: { moment, zone throws(PermlogError) in
          guard let moment else { return nil }
          return .time(try moment.time(in: zone))
        }),
      one: { text throws(PermlogError) in try GivenTime.moment(text) }, text: { $0.map { GivenTime.text($0) } })
  }
}

/// Durations as they are written: a number with `ms`, `s`, `m`, `h` or `d`, in whole milliseconds.
package enum DurationText {
  static let units: [(suffix: String, length: Milliseconds)] = [
    ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", millisecondsPerDay),
  ]

  /// Nil if the text is not a duration, or if it is longer than ten years.
  package static func milliseconds(_ text: String) -> Milliseconds? {
    if text == "0" { return 0 }
    for unit in units where text.hasSuffix(unit.suffix) {
      if let value = milliseconds(text.dropLast(unit.suffix.count), unit.length) { return value }
    }
    return nil
  }

  /// The milliseconds of a decimal number of units; nil if the text is not a number, not a whole number of
  /// milliseconds, or too large.
  private static func milliseconds(_ text: Substring, _ unit: Milliseconds) -> Milliseconds? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count),
      parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0 >= 48 && $0 <= 57 } }),
      parts[0].utf8.count <= 13, let whole = Milliseconds(parts[0])
    else { return nil }
    var total = whole.multipliedReportingOverflow(by: unit)
    if parts.count == 2 {
      guard parts[1].utf8.count <= 9, let digits = Milliseconds(parts[1]) else { return nil }
      var scale: Milliseconds = 1
      for _ in parts[1].utf8 { scale *= 10 }
      guard digits * unit % scale == 0 else { return nil }
      total = total.partialValue.addingReportingOverflow(digits * unit / scale)
    }
    return !total.overflow && total.partialValue <= AnalysisWindows.longest ? total.partialValue : nil
  }
}

extension FieldCodec where Value == Milliseconds {
  /// - Parameter longest: the limit in a saved question.
  static func duration(longest: Milliseconds = AnalysisWindows.longest) -> Self {
    Self(
      .duration,
      saved: SavedCodec(
        value: { .duration($0) },
        read: { fields, key throws(PermlogError) in Milliseconds(try fields.integer(key, in: 0...Int(longest))) }),
      one: { text throws(PermlogError) in
        guard let value = DurationText.milliseconds(text) else {
          throw refused("\(text) is not a duration: give a number with ms, s, m, h or d, up to ten years")
        }
        return value
      }, text: { PlanText.duration($0) })
  }
}

// MARK: Numbers and choices

/// The text that gives a number again: a short one if possible.
/// - Parameter points: the number is given in percentage points.
private func shortText(_ number: Double, points: Bool = false) -> String {
  let scale = points ? 100.0 : 1
  let short = PlanText.number(number * scale)
  return Double(short).map { $0 / scale } == number ? short : (number * scale).description
}

extension FieldCodec where Value == Int {
  static func number(_ range: ClosedRange<Int>, isCounted: Bool = false) -> Self {
    let saved = SavedCodec<Int>(
      value: { .number($0) },
      read: { fields, key throws(PermlogError) in try fields.integer(key, in: range) })
    return Self(
      .number, saved: isCounted ? saved : nil,
      one: { text throws(PermlogError) in
        guard let number = Int(text), range.contains(number) else {
          let end = range.upperBound == .max ? "on" : "to \(range.upperBound)"
          throw refused("it needs a whole number from \(range.lowerBound) \(end), not \(text)")
        }
        return number
      }, text: { String($0) })
  }
}

extension FieldCodec where Value == Double {
  /// - Parameter points: a share of 1 that is given in percentage points.
  static func number(
    _ range: String, points: Bool = false, where isRight: @escaping @Sendable (Double) -> Bool
  ) -> Self {
    Self(
      .number,
      one: { text throws(PermlogError) in
        guard let number = Double(text), isRight(number) else { throw refused("it needs \(range), not \(text)") }
        return points ? number / 100 : number
      }, text: { shortText($0, points: points) })
  }
}

extension FieldCodec {
  /// The same for a value that may be missing.
  func optional() -> FieldCodec<Value?> {
    FieldCodec<Value?>(
      values, shape,
      parse: { texts throws(PermlogError) in try parse(texts) }, texts: { $0.map { texts($0) } ?? [] })
  }
}

extension FieldCodec where Value: RawRepresentable<String> & CaseIterable & Equatable & Sendable {
  /// One of the names of an enumeration. A saved question has it only if it is not the usual one.
  static func choice(unless usual: Value) -> Self {
    var codec = choice
    codec.saved = SavedCodec(
      value: { $0 == usual ? nil : .text($0.rawValue) },
      read: { fields, key throws(PermlogError) in try fields.choice(key) })
    return codec
  }
}

extension FieldCodec where Value: RawRepresentable<String> & CaseIterable {
  /// One of the names of an enumeration.
  static var choice: Self {
    let names = Value.allCases.map(\.rawValue)
    return Self(
      .choice(names),
      one: { text throws(PermlogError) in
        guard let value = Value(rawValue: text) else {
          throw refused("\(text) is not one of \(names.joined(separator: ", "))")
        }
        return value
      }, text: { $0.rawValue })
  }
}

extension RequestField where Request: DesignedRequest {
  /// Counts depend on the days on which it changes; the shares are chosen when they are read.
  static func split(_ path: WritableKeyPath<Request, MessageSplit?> & Sendable) -> Self {
    let key = QuestionKey.splitFrom
    return Self(
      description: FieldDescription(
        argument: .split, shape: .value, values: .text, separator: nil, placeholder: "a:b",
        help:
          "Split of the users, control first (default: even, as an assumption). With changes on days: '90:10; from 2026-01-12 50:50'.",
        isCounted: false),
      counted: CountedField(
        key: key, noun: "split", ignoresOrder: false,
        saved: { request in
          let days = request[keyPath: path]?.changes.map { CivilDate($0.from).text } ?? []
          return days.isEmpty ? nil : .list(days)
        },
        read: { request, fields throws(PermlogError) in
          let days = try fields.texts(key.rawValue, orNo: "not a date like 2026-03-02") { CivilDate(parsing: $0) }
          request[keyPath: path] = MessageSplit(
            [], changes: days.map { MessageSplit.Change(from: $0.dayNumber, parts: []) })
        },
        copy: { from, to, _ throws(PermlogError) in
          let changes = from[keyPath: path]?.changes ?? []
          to[keyPath: path] =
            changes.isEmpty
            ? nil : MessageSplit([], changes: changes.map { MessageSplit.Change(from: $0.from, parts: []) })
        }),
      apply: { request, texts throws(PermlogError) in request[keyPath: path] = try MessageSplit(texts.last ?? "") },
      texts: { $0[keyPath: path].map { [$0.text] } ?? [] })
  }
}

extension MessageSplit {
  /// `90:10`, or `90:10; from 2026-01-12 50:50`.
  init(_ text: String) throws(PermlogError) {
    // 0, which is not a valid share, replaces a text that is not a number.
    func parts(_ text: some StringProtocol) -> [Double] {
      text.split(separator: ":", omittingEmptySubsequences: false).map { part in
        Double(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed().map(String.init).joined()) ?? 0
      }
    }
    let periods = text.split(separator: ";", omittingEmptySubsequences: false)
    self.init(parts(periods[0]))
    for period in periods.dropFirst() {
      let words = period.split(separator: " ")
      guard words.count == 3, words[0] == "from", let day = CivilDate(parsing: String(words[1])) else {
        throw .usage(
          "after each `;` there must be a day and the shares from it on, like '90:10; from 2026-01-12 50:50'", .split)
      }
      changes.append(Change(from: day.dayNumber, parts: parts(words[2])))
    }
  }

  /// The text that gives it again.
  package var text: String {
    func text(_ parts: [Double]) -> String { parts.map { shortText($0) }.joined(separator: ":") }
    return ([text(parts)] + changes.map { "from \(CivilDate($0.from).text) \(text($0.parts))" }).joined(separator: "; ")
  }
}

extension FieldCodec where Value == [ExperimentSplit] {
  /// Each as `push_copy=50:50`. A name may have a `=`, and shares have none.
  static var splits: Self {
    Self(
      .text, .values, separator: "=",
      parse: { texts throws(PermlogError) in
        try settings(texts, "a positive number for each message, like push_copy=50:50") {
          (name, value) throws(PermlogError) in
          let split = try MessageSplit(value)
          guard split.parts.count > 1, (try? split.check(split.parts.count, for: "message")) != nil else { return nil }
          return ExperimentSplit(experiment: name, split: split)
        }
      },
      texts: { splits in splits.map { $0.experiment + "=" + $0.split.text } })
  }
}

extension FieldCodec where Value == [ExperimentStart] {
  /// Each as `push_copy=2026-03-02`.
  static var starts: Self {
    Self(
      .text, .values, separator: "=",
      parse: { texts throws(PermlogError) in
        try settings(texts, "a date, like push_copy=2026-03-02") { (name, value) throws(PermlogError) in
          guard let date = CivilDate(parsing: value), (try? date.checkedDay()) != nil else { return nil }
          return ExperimentStart(experiment: name, from: date)
        }
      },
      texts: { starts in starts.map { "\($0.experiment)=\($0.from.text)" } })
  }
}

/// Values of experiments, each as `name=value`: cut at the last `=`, since a name may have others.
/// - Parameters:
///   - noun: what the value is, with an example.
///   - setting: nil for a value that is not one.
private func settings<Setting: ExperimentSetting>(
  _ texts: [String], _ noun: String, _ setting: (String, String) throws(PermlogError) -> Setting?
) throws(PermlogError) -> [Setting] {
  var settings: [Setting] = []
  for text in texts {
    let end = text.utf8.lastIndex(of: UInt8(ascii: "=")) ?? text.startIndex
    let name = String(text[..<end])
    guard let found = try setting(name, String(text[end...].dropFirst(name.isEmpty ? 0 : 1))), !name.isEmpty else {
      throw refused("\(TextStyle().legible(text)) is not an experiment with \(noun)")
    }
    guard settings.of(name) == nil else { throw refused("\(TextStyle().legible(name)) was given twice") }
    settings.append(found)
  }
  return settings
}

extension FieldCodec where Value == [GuardrailQuestion] {
  /// Each as `drop_off_rate:1`, the margin in percentage points.
  static var guardrails: Self {
    Self(
      .pair(ComparisonMetric.allCases.map(\.rawValue)), .values, separator: ":",
      parse: { texts throws(PermlogError) in
        var guardrails: [GuardrailQuestion] = []
        for text in texts {
          let parts = text.split(separator: ":", omittingEmptySubsequences: false)
          guard parts.count == 2, let metric = ComparisonMetric(rawValue: String(parts[0])),
            let points = Double(parts[1]), points > 0, points < 100
          else { throw refused("\(text) is not a metric with a margin in percentage points, like drop_off_rate:1") }
          guard !guardrails.contains(where: { $0.metric == metric }) else {
            throw refused("it names \(metric.rawValue) twice: give each metric one margin")
          }
          guardrails.append(GuardrailQuestion(metric: metric, margin: points / 100))
        }
        return guardrails
      }, texts: { $0.map { "\($0.metric.rawValue):\(shortText($0.margin, points: true))" } })
  }
}

extension FieldCodec where Value == [AuditCheck]? {
  /// Ids of checks, joined by commas.
  static var checks: Self {
    Self(
      .choice(AuditCheck.allCases.map(\.rawValue)), separator: ",",
      one: { text throws(PermlogError) in
        var checks: [AuditCheck] = []
        for id in AuditCheck.ids(text) {
          guard let check = AuditCheck(rawValue: id) else { throw refused(AuditCheck.refusal(of: id)) }
          guard !checks.contains(check) else { throw refused("\(id) was given twice") }
          checks.append(check)
        }
        return checks
      }, text: { $0.map { $0.map(\.rawValue).joined(separator: ",") } })
  }
}

extension AuditCheck {
  /// The parts of a list with commas, without the spaces around them.
  package static func ids(_ text: String) -> [String] {
    text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// The sentence about a text that is not an id: with the id that it is a letter or two away from, or with all ids.
  package static func refusal(of text: String) -> String {
    let names = allCases.map(\.rawValue)
    if text.isEmpty { return "it needs ids of checks, joined by commas: " + names.joined(separator: ", ") }
    let way =
      Suggestion.nearest(text.utf8, names).map { "; did you mean \($0)?" }
      ?? ". The ids are: " + names.joined(separator: ", ")
    return "\(TextStyle().legible(text)) is not the id of a check" + way
  }
}

extension FieldCodec where Value == [AuditCheck: AuditThreshold] {
  /// Each as `cold_ask=25`, in per cent.
  static var thresholds: Self {
    let checks = AuditCheck.allCases.filter { $0.threshold != nil }
    let known = AuditRequest.namedThresholds
    return Self(
      .pair(checks.map(\.rawValue)), .values, separator: "=",
      parse: { texts throws(PermlogError) in
        var thresholds: [AuditCheck: AuditThreshold] = [:]
        for text in texts {
          let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
          let id = parts[0]
          guard let check = AuditCheck(rawValue: id), checks.contains(check) else {
            let reason = AuditCheck(rawValue: id) == nil ? "is not the id of a check" : "is reported whenever it occurs"
            throw refused("\(TextStyle().legible(id)) \(reason). These have a share, in per cent: \(known)")
          }
          var percent = parts.count > 1 ? parts[1] : ""
          if percent.hasSuffix("%") { percent.removeLast() }
          guard let threshold = AuditThreshold(percent: percent) else {
            throw refused(
              "\(TextStyle().legible(text)) needs a percentage from 0 to 100, with at most four decimals: \(id)=25, \(id)=0.5"
            )
          }
          guard thresholds.updateValue(threshold, forKey: check) == nil else { throw refused("\(id) was given twice") }
        }
        return thresholds
      },
      texts: { $0.map { "\($0.key.rawValue)=\($0.value.percent)" }.sorted() })
  }
}
