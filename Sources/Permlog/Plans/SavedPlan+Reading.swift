// A saved plan from its file: strictly, since a plan that is half understood fixes nothing.

import EventImport
import PermissionAnalysis
import PermissionEvents
import ReportRendering

extension SavedPlan {
  /// The file's bytes.
  var encoded: [UInt8] { JSONWriter.document(SavedPlanFile(self)) }

  /// The plan that the bytes of a file hold (docs/reading-a-comparison.md).
  /// - Parameter name: the file, for messages.
  /// - Throws: `newerFormat` for a schema of a later version; `usage` for anything else that is no plan, naming the key.
  public init(_ bytes: [UInt8], name: String) throws(PermlogError) {
    func complain(_ problem: String) -> PermlogError {
      PermlogError(.usage, "\(name): \(problem). Save the plan anew, or take back the change.", argument: .plan)
    }
    guard let tree = JSONTree(document: bytes) else {
      throw PermlogError(
        .usage, "\(name): it is no plan: not an object of valid JSON. Name a file that a plan was saved to.",
        argument: .plan)
    }
    try PlanSchema.check(tree, Self.schema, name, "a plan", argument: .plan)
    var fields = try PlanFields(tree, complain)
    _ = try fields.text("schema")
    self.init(
      permission: try fields.text("permission"), variants: try fields.texts("variants"),
      split: try Self.split(&fields, complain), plannedUsers: try fields.integer("planned_n", in: 2...1_000_000_000),
      effect: try fields.share("effect"), baseline: try fields.number("baseline", "from 0 to 1") { 0...1 ~= $0 },
      power: try fields.number("power", "from 0.06 to 0.999") { 0.06...0.999 ~= $0 },
      savedAt: try fields.time("saved_at"))
    try read(&fields, complain)
    try fields.finish()
    try check(fields)
  }

  /// What has a default.
  private mutating func read(
    _ fields: inout PlanFields, _ complain: @escaping PlanFields.Complaint
  ) throws(PermlogError) {
    experiment = try fields.optionalText("experiment")
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
    alpha = try fields.number("alpha", "that this version decides by, \(Self.familyAlpha)") { $0 == Self.familyAlpha }
    adjust = try fields.list("adjust") { (item, place) throws(PermlogError) in
      guard case .text(let name) = item, let field = ComparisonQuestion.adjustable.first(where: { $0.name == name })
      else {
        let known = ComparisonQuestion.adjustable.map(\.name).joined(separator: ", ")
        throw complain("\(place): it is none of \(known)")
      }
      return field
    }
    contaminated = try fields.choice("contaminated")
    minimumEffect = try fields.share("minimum_effect")
    guardrails = try fields.list("guardrails") { (item, place) throws(PermlogError) in
      var fields = try PlanFields(item, place: place + ".", complain)
      let metric: ComparisonMetric = try fields.choice("metric")
      let guardrail = GuardrailQuestion(metric: metric, margin: try fields.share("margin"))
      try fields.finish()
      return guardrail
    }
  }

  private static func split(
    _ fields: inout PlanFields, _ complain: @escaping PlanFields.Complaint
  ) throws(PermlogError) -> [Double] {
    try fields.list("split") { (item, place) throws(PermlogError) in
      guard case .number(let digits) = item, let part = Double(digits), part.isFinite, part > 0 else {
        throw complain("\(place): it is no number above 0")
      }
      return part
    }
  }

  /// What must hold of several keys together.
  private func check(_ fields: PlanFields) throws(PermlogError) {
    guard (2...ComparisonRequest.mostVariants).contains(variants.count) else {
      throw fields.refuse("variants", "they are not 2 to \(ComparisonRequest.mostVariants)")
    }
    guard Set(variants.map { Array($0.utf8) }).count == variants.count else {
      throw fields.refuse("variants", "one is there twice")
    }
    guard split.count == variants.count else { throw fields.refuse("split", "it has not one number for each variant") }
    guard Set(adjust).count == adjust.count else { throw fields.refuse("adjust", "one is there twice") }
  }
}

extension PlanFields {
  /// A number above 0 and below 1.
  mutating func share(_ key: String) throws(PermlogError) -> Double {
    try number(key, "between 0 and 1") { $0 > 0 && $0 < 1 }
  }
}

enum PlanSchema {
  /// Throws unless an object has the schema: of a later number, of another file, or none at all.
  static func check(
    _ tree: JSONTree, _ schema: String, _ name: String, _ what: String, argument: PermlogError.Argument?
  ) throws(PermlogError) {
    var found = ""
    if case .object(let members) = tree, let member = members.first(where: { $0.key == "schema" }),
      case .text(let text) = member.value
    {
      found = text
    }
    guard found != schema else { return }
    let family = schema.prefix { $0 != "/" } + "/"
    if found.hasPrefix(family), let number = Int(found.dropFirst(family.count)), number > 1 {
      throw PermlogError(
        .newerFormat, "\(name): it has the schema \(found), and this version reads \(schema). Use a newer permlog.",
        argument: argument)
    }
    throw PermlogError(
      .usage, "\(name): it is not \(what): its schema is \(found.isEmpty ? "missing" : found), and not \(schema).",
      argument: argument)
  }
}
