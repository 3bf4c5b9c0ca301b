// Takes apart an object of a plan's file or of its record of looks: every key once, no key missing, no key left over. A
// misread key would silently change the decision.

import EventImport
import PermissionAnalysis
import PermissionEvents
import ReportRendering

struct PlanFields {
  /// Makes the error for a problem of the file. The problem follows the file's name and the key.
  typealias Complaint = (_ problem: String) -> PermlogError

  private var members: [JSONTree.Member]
  /// The path of the object, before a key: empty or like `guardrails[0].`.
  private let path: String
  let complaint: Complaint

  init(_ tree: JSONTree, path: String = "", _ complaint: @escaping Complaint) throws(PermlogError) {
    self.path = path
    self.complaint = complaint
    guard case .object(let members) = tree else { throw complaint("\(path.dropLast()): it is not an object") }
    self.members = members
  }

  func refuse(_ key: String, _ problem: String) -> PermlogError { complaint("\(path)\(key): \(problem)") }

  /// The value of a key, which may be null.
  mutating func take(_ key: String) throws(PermlogError) -> JSONTree {
    // Byte by byte: keys that only look alike are others.
    func isKey(_ member: JSONTree.Member) -> Bool { member.key.utf8.elementsEqual(key.utf8) }
    guard let index = members.firstIndex(where: isKey) else { throw refuse(key, "it is missing") }
    let value = members.remove(at: index).value
    guard !members.contains(where: isKey) else { throw refuse(key, "it occurs twice") }
    return value
  }

  /// Whether a key is present that older files do not have.
  func has(_ key: String) -> Bool { members.contains { $0.key.utf8.elementsEqual(key.utf8) } }

  /// Ends the object: no key may be left.
  func finish() throws(PermlogError) {
    if let first = members.first { throw refuse(first.key, "this version does not know this key") }
  }

  /// A value or null.
  mutating func optional<Value>(
    _ key: String, _ read: (JSONTree, String) throws(PermlogError) -> Value
  ) throws(PermlogError) -> Value? {
    let value = try take(key)
    return value == .null ? nil : try read(value, key)
  }

  mutating func text(_ key: String) throws(PermlogError) -> String { try text(take(key), key) }

  mutating func optionalText(_ key: String) throws(PermlogError) -> String? { try optional(key, text) }

  private func text(_ value: JSONTree, _ key: String) throws(PermlogError) -> String {
    guard case .text(let text) = value else { throw refuse(key, "it is not a text") }
    guard (1...StringField.maximumLength).contains(text.utf8.count) else {
      throw refuse(key, "it does not have 1 to \(StringField.maximumLength) bytes")
    }
    return text
  }

  mutating func integer(_ key: String, in range: ClosedRange<Int>) throws(PermlogError) -> Int {
    guard case .number(let digits) = try take(key), let value = Int(digits), range.contains(value) else {
      throw refuse(key, "it is not a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  mutating func number(_ key: String, _ range: String, where isRight: (Double) -> Bool) throws(PermlogError) -> Double {
    try number(take(key), key, range, where: isRight)
  }

  mutating func optionalNumber(_ key: String) throws(PermlogError) -> Double? {
    let value = try take(key)
    return value == .null ? nil : try number(value, key, "that is finite") { _ in true }
  }

  private func number(
    _ value: JSONTree, _ key: String, _ range: String, where isRight: (Double) -> Bool
  ) throws(PermlogError) -> Double {
    guard case .number(let digits) = value, let number = Double(digits), number.isFinite, isRight(number) else {
      throw refuse(key, "it is not a number \(range)")
    }
    return number
  }

  /// One of the names of an enumeration.
  mutating func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ key: String, of type: Value.Type = Value.self
  ) throws(PermlogError) -> Value {
    guard case .text(let name) = try take(key), let value = Value(rawValue: name) else {
      throw refuse(key, "it is not one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return value
  }

  /// A time like `2026-03-02T10:00:00.000Z`.
  mutating func time(_ key: String) throws(PermlogError) -> Milliseconds {
    guard let time = Self.time(try take(key), in: 0...Timestamp.latest) else {
      throw refuse(key, "it is not a time like 2026-03-02T10:00:00Z")
    }
    return time
  }

  static func time(_ value: JSONTree, in range: ClosedRange<Milliseconds>) -> Milliseconds? {
    guard case .text(let text) = value else { return nil }
    let time = Array(text.utf8).withUnsafeBytes { Timestamp.parse(rfc3339: $0) }
    return time.flatMap { range.contains($0) ? $0 : nil }
  }

  /// A date like `2026-03-02`.
  mutating func day(_ key: String) throws(PermlogError) -> DayNumber { try day(take(key), key) }

  mutating func optionalDay(_ key: String) throws(PermlogError) -> DayNumber? { try optional(key, day) }

  private func day(_ value: JSONTree, _ key: String) throws(PermlogError) -> DayNumber {
    guard case .text(let text) = value, let date = CivilDate(parsing: text), (2000...2101).contains(date.year)
    else { throw refuse(key, "it is not a date like 2026-03-02") }
    return date.dayNumber
  }

  /// The items of a list, each with its path.
  mutating func list<Item>(
    _ key: String, _ read: (_ item: JSONTree, _ path: String) throws(PermlogError) -> Item
  ) throws(PermlogError) -> [Item] {
    guard case .list(let values) = try take(key) else { throw refuse(key, "it is not a list") }
    return try values.enumerated().map { (index, value) throws(PermlogError) in
      try read(value, "\(path)\(key)[\(index)]")
    }
  }

  /// The same of objects.
  mutating func objects<Item>(
    _ key: String, _ read: (PlanFields) throws(PermlogError) -> Item
  ) throws(PermlogError) -> [Item] {
    let complaint = complaint
    return try list(key) { (item, path) throws(PermlogError) in
      try read(PlanFields(item, path: path + ".", complaint))
    }
  }

  /// The items of a list of texts.
  /// - Parameter what: completes the sentence "it is …" about a wrong item.
  mutating func texts<Item>(
    _ key: String, orNo what: String, _ read: (String) -> Item?
  ) throws(PermlogError) -> [Item] {
    let complaint = complaint
    return try list(key) { (item, path) throws(PermlogError) in
      guard case .text(let text) = item, let value = read(text) else { throw complaint("\(path): it is \(what)") }
      return value
    }
  }

  mutating func texts(_ key: String) throws(PermlogError) -> [String] {
    try texts(key, orNo: "not a text of 1 to \(StringField.maximumLength) bytes") { text in
      (1...StringField.maximumLength).contains(text.utf8.count) ? text : nil
    }
  }
}

// MARK: Reads a saved plan strictly: a plan that is only half understood fixes nothing

extension SavedPlan {
  var encoded: [UInt8] { JSONWriter.document(SavedPlanFile(self)) }

  /// The plan in the bytes of a file (docs/reading-a-comparison.md).
  /// - Parameter name: the file, for messages.
  /// - Throws: `newerFormat` for a schema of a later version; `usage`, with the key, for anything else that is not a
  ///   plan.
  public init(_ bytes: [UInt8], name: String) throws(PermlogError) {
    func complain(_ problem: String) -> PermlogError {
      .usage("\(name): \(problem). Save the plan again, or undo the change.", .plan)
    }
    guard let tree = JSONTree(document: bytes) else {
      throw .usage(
        "\(name): it is not a plan, because it is not a JSON object. Name a file that a plan was saved to.", .plan)
    }
    var fields = try PlanFields(tree, schema: Self.schema, name, "a plan", argument: .plan, complain)
    self.init(
      permission: try fields.text("permission"), variants: try fields.texts("variants"),
      split: MessageSplit(try Self.split(&fields, "split")),
      plannedUsers: try fields.integer("planned_n", in: 2...1_000_000_000),
      effect: try fields.share("effect"), baseline: try fields.number("baseline", "from 0 to 1") { 0...1 ~= $0 },
      power: try fields.number("power", "from 0.06 to 0.999") { 0.06...0.999 ~= $0 },
      savedAt: try fields.time("saved_at"))
    try read(&fields)
    try fields.finish()
    try checkAgreement(fields)
  }

  /// Reads the values that have defaults.
  private mutating func read(_ fields: inout PlanFields) throws(PermlogError) {
    experiment = try fields.optionalText("experiment")
    if fields.has("split_changes") {
      split.changes = try fields.objects("split_changes") { (change) throws(PermlogError) in
        var fields = change
        let day = try fields.day("from")
        let parts = try Self.split(&fields, "split")
        try fields.finish()
        return MessageSplit.Change(from: day, parts: parts)
      }
    }
    if fields.has("from") { from = try fields.optionalDay("from") }
    if fields.has("to") { to = try fields.optionalDay("to") }
    if fields.has("screen") { screen = try fields.choice("screen") }
    metric = try fields.choice("metric")
    timeZone = try fields.text("time_zone")
    if fields.has("at_once_ms") {
      atOnce = Milliseconds(try fields.integer("at_once_ms", in: 0...Int(AnalysisWindows.longestAtOnce)))
    }
    responseWindow = Milliseconds(try fields.integer("response_window_ms", in: 0...Int(AnalysisWindows.longest)))
    let longest = Double(AnalysisWindows.longest) / Double(millisecondsPerDay)
    let days = try fields.number("follow_up_days", "from 0 to \(Int(longest))") { 0...longest ~= $0 }
    followUp = Milliseconds((days * Double(millisecondsPerDay)).rounded())
    let settings = Self.settingsWindowDays
    _ = try fields.integer("settings_window_days", in: settings...settings)
    exponent = try fields.number("exponent", "from 1 to 10") { 1...10 ~= $0 }
    alpha = try fields.number("alpha", "equal to \(Self.familyAlpha), by which this version decides") {
      $0 == Self.familyAlpha
    }
    let adjustable = ComparisonQuestion.adjustable
    adjust = try fields.texts("adjust", orNo: "not one of \(adjustable.map(\.name).joined(separator: ", "))") { name in
      adjustable.first { $0.name == name }
    }
    contaminated = try fields.choice("contaminated")
    minimumEffect = try fields.share("minimum_effect")
    guardrails = try fields.objects("guardrails") { (guardrail) throws(PermlogError) in
      var fields = guardrail
      let metric: ComparisonMetric = try fields.choice("metric")
      let margin = try fields.share("margin")
      try fields.finish()
      return GuardrailQuestion(metric: metric, margin: margin)
    }
  }

  private static func split(_ fields: inout PlanFields, _ key: String) throws(PermlogError) -> [Double] {
    let complain = fields.complaint
    return try fields.list(key) { (item, path) throws(PermlogError) in
      guard case .number(let digits) = item, let part = Double(digits), part.isFinite, part > 0 else {
        throw complain("\(path): it is not a number above 0")
      }
      return part
    }
  }

  /// Checks that several keys fit together.
  private func checkAgreement(_ fields: PlanFields) throws(PermlogError) {
    guard (2...ComparisonRequest.mostVariants).contains(variants.count) else {
      throw fields.refuse("variants", "there must be 2 to \(ComparisonRequest.mostVariants)")
    }
    guard Set(variants.map { Array($0.utf8) }).count == variants.count else {
      throw fields.refuse("variants", "one occurs twice")
    }
    guard split.periods.allSatisfy({ $0.count == variants.count }) else {
      throw fields.refuse("split", "it must have one number for each variant")
    }
    guard split.periods.allSatisfy(MessageSplit.isSplit) else {
      throw fields.refuse("split", "one part is more than a million times another")
    }
    guard zip(split.changes, split.changes.dropFirst()).allSatisfy({ $0.from < $1.from }),
      split.changes.count < MessageSplit.mostPeriods
    else { throw fields.refuse("split_changes", "its days do not follow each other, or are too many") }
    if let from, let to, from >= to { throw fields.refuse("to", "it is not after the first day") }
    guard Set(adjust).count == adjust.count else { throw fields.refuse("adjust", "one occurs twice") }
    let known = screen.metrics.map(\.rawValue).joined(separator: ", ")
    guard screen.metrics.contains(metric) else { throw fields.refuse("metric", "it is not one of \(known)") }
    guard guardrails.allSatisfy({ screen.metrics.contains($0.metric) }) else {
      throw fields.refuse("guardrails", "a metric is not one of \(known)")
    }
  }
}

extension PlanFields {
  /// The members of a whole file, without its schema.
  /// - Parameter what: the kind of file, for sentences.
  /// - Throws: if the schema is missing, of a later version, or of another file.
  init(
    _ tree: JSONTree, schema: String, _ name: String, _ what: String, argument: PermlogError.Argument? = nil,
    _ complaint: @escaping Complaint
  ) throws(PermlogError) {
    var found = ""
    if case .object(let members) = tree, let member = members.first(where: { $0.key == "schema" }),
      case .text(let text) = member.value
    {
      found = text
    }
    let family = schema.prefix { $0 != "/" } + "/"
    if found != schema, found.hasPrefix(family), let number = Int(found.dropFirst(family.count)), number > 1 {
      throw PermlogError(
        .newerFormat, "\(name): its schema is \(found), but this version reads \(schema). Use a newer permlog.",
        argument: argument)
    }
    guard found == schema else {
      throw .usage(
        "\(name): it is not \(what): its schema is \(found.isEmpty ? "missing" : found), not \(schema).", argument)
    }
    try self.init(tree, complaint)
    _ = try text("schema")
  }

  /// A number above 0 and below 1.
  mutating func share(_ key: String) throws(PermlogError) -> Double {
    try number(key, "between 0 and 1") { $0 > 0 && $0 < 1 }
  }
}
