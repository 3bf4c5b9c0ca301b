// A question from a file that anybody may have written: a question that is half understood would be answered wrongly without a word.

import EventImport
import PermissionAnalysis
import PermissionEvents

extension Question {
  /// The question that bytes hold, as they were written. One line feed at the end is left out.
  /// - Parameter name: the file, for messages.
  /// - Throws: `newerFormat` for a schema of a later version; `usage` for anything else that is no question, naming the key.
  public init(_ bytes: [UInt8], name: String) throws(PermlogError) {
    try self.init(
      bytes, name: name, (noQuestion: "Name a file that a question was saved to.", other: "Save the question anew."))
  }

  /// - Parameter advice: what to do if it is no question at all, and if it is another one than this version answers.
  init(_ bytes: [UInt8], name: String, _ advice: (noQuestion: String, other: String)) throws(PermlogError) {
    let bytes = bytes.last == 0x0A ? Array(bytes.dropLast()) : bytes
    func complain(_ problem: String) -> PermlogError {
      PermlogError(.usage, "\(name): \(problem). \(advice.other)")
    }
    guard bytes.count <= Self.longest else {
      throw complain("it is larger than \(Self.longest >> 20) MiB, which no question is")
    }
    guard let tree = JSONTree(document: bytes) else {
      throw PermlogError(.usage, "\(name): it is no question: not an object of valid JSON. \(advice.noQuestion)")
    }
    try PlanSchema.check(tree, QuestionFields.schema, name, "a question", argument: nil)
    var fields = try PlanFields(tree, complain)
    _ = try fields.text("schema")
    let asked: Asked
    let zone: ZoneTable
    let now: Milliseconds
    (asked, zone, now) = try Self.read(&fields, name, complain)
    do {
      switch asked {
      case .report(let request): try self.init(request, in: zone, now: now)
      case .compare(let request): try self.init(request, in: zone, now: now)
      case .flow(let request): try self.init(request, in: zone, now: now)
      case .audit(let request): try self.init(request, in: zone, now: now)
      }
    } catch {
      throw complain(error.explanation.finding)
    }
    guard encoded == bytes else { throw complain("it is not in the form in which questions are written") }
  }

  private static func read(
    _ fields: inout PlanFields, _ name: String, _ complain: @escaping PlanFields.Complaint
  ) throws(PermlogError) -> (Asked, ZoneTable, Milliseconds) {
    let kind: Kind = try fields.choice("kind")
    let fold = try fields.text("fold")
    guard fold.utf8.elementsEqual(kind.fold.utf8) else {
      let problem = "it asks for the sums \(fold), and this version counts \(kind.fold)"
      guard isLater(fold, than: kind.fold) else { throw fields.refuse("fold", problem) }
      throw PermlogError(.newerFormat, "\(name): fold: \(problem). Update permlog.")
    }
    var scope = QuestionScope()
    scope.asOf = .time(try fields.moment("as_of"))
    let zone = try ZoneTable(&fields, complain)
    scope.timeZone = zone.name
    let asked: Asked =
      switch kind {
      case .report: .report(try ReportRequest(&fields, scope, complain))
      case .compare: .compare(try ComparisonRequest(&fields, scope, complain))
      case .flow: .flow(try FlowRequest(&fields, scope, complain))
      case .audit: .audit(try AuditRequest(&fields, scope, complain))
      }
    let now = try fields.moment("now")
    try fields.finish()
    return (asked, zone, now)
  }
}

extension Question {
  /// Whether a fold like `report 5` is a later version of one like `report 4`.
  private static func isLater(_ fold: String, than own: String) -> Bool {
    let (words, ours) = (fold.split(separator: " "), own.split(separator: " "))
    guard words.count == 2, ours.count == 2, words[0].utf8.elementsEqual(ours[0].utf8),
      let version = Int(words[1]), let known = Int(ours[1])
    else { return false }
    return version > known
  }
}

extension ZoneTable {
  /// Reads `time_zone`.
  fileprivate init(_ fields: inout PlanFields, _ complain: @escaping PlanFields.Complaint) throws(PermlogError) {
    var zone = try PlanFields(try fields.take("time_zone"), place: "time_zone.", complain)
    let name = try zone.text("name")
    guard SystemZones.isName(name) else { throw zone.refuse("name", "it is no name of a zone") }
    let changes = try zone.list("transitions") { (item, place) throws(PermlogError) in
      var change = try PlanFields(item, place: place + ".", complain)
      let at = try change.optionalMoment("at", in: -Timestamp.latest...2 * Timestamp.latest)
      let offset = Milliseconds(try change.integer("offset_s", in: -86_400...86_400)) * 1000
      try change.finish()
      return (at: at, offset: offset)
    }
    try zone.finish()
    let later = changes.dropFirst()
    let transitions = later.compactMap { change in change.at.map { Transition(at: $0, offset: change.offset) } }
    guard let first = changes.first, first.at == nil, transitions.count == later.count,
      name != "UTC" || later.isEmpty && first.offset == 0,
      let table = ZoneTable(checking: name, initialOffset: first.offset, transitions: transitions)
    else { throw zone.refuse("transitions", "clocks of no known zone change so") }
    self = table
  }
}

extension ReportRequest {
  fileprivate init(
    _ fields: inout PlanFields, _ scope: QuestionScope, _ complain: @escaping PlanFields.Complaint
  ) throws(PermlogError) {
    self.init()
    self.scope = scope
    from = try fields.date("from")
    to = try fields.date("to")
    conditions = try fields.conditions(complain)
    permission = try fields.optionalText("permission")
    properties = try fields.properties("by", complain)
    for key in ["variants", "experiment", "property", "adjust", "steps"] { try fields.null(key) }
    logStart = try fields.optionalMoment("log_start").map { .time($0) }
    self.scope.atOnce = try fields.atOnce()
    self.scope.responseWindow = try fields.window("response_window_ms")
    self.scope.followUp = try fields.window("follow_up_ms")
    try fields.settingsWindow()
    try fields.null("examples")
  }
}

extension ComparisonRequest {
  fileprivate init(
    _ fields: inout PlanFields, _ scope: QuestionScope, _ complain: @escaping PlanFields.Complaint
  ) throws(PermlogError) {
    let variants = try fields.texts("variants")
    self.init(control: variants.first ?? "", treatments: Array(variants.dropFirst()))
    self.scope = scope
    for key in ["from", "to", "steps", "log_start", "examples"] { try fields.null(key) }
    conditions = try fields.conditions(complain)
    permission = try fields.text("permission")
    let by = try fields.properties("by", complain)
    guard by.count <= 1 else { throw fields.refuse("by", "a comparison has one at most") }
    property = by.first
    experiment = try fields.optionalText("experiment")
    let name = try fields.text("property")
    guard let compared = StringField.allCases.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      throw fields.refuse("property", "it is no property of the exposure")
    }
    comparedProperty = compared
    adjust = try fields.properties("adjust", complain)
    self.scope.atOnce = try fields.atOnce()
    self.scope.responseWindow = try fields.window("response_window_ms")
    self.scope.followUp = try fields.window("follow_up_ms")
    try fields.settingsWindow()
  }
}

extension FlowRequest {
  fileprivate init(
    _ fields: inout PlanFields, _ scope: QuestionScope, _ complain: @escaping PlanFields.Complaint
  ) throws(PermlogError) {
    self.init()
    self.scope = scope
    from = try fields.date("from")
    to = try fields.date("to")
    conditions = try fields.conditions(complain)
    steps = try fields.texts("steps")
    self.scope.atOnce = try fields.atOnce()
    self.scope.responseWindow = try fields.window("response_window_ms")
    let others = ["permission", "by", "variants", "experiment", "property", "adjust", "log_start", "follow_up_ms"]
    for key in others + ["settings_window_ms", "examples"] { try fields.null(key) }
  }
}

extension AuditRequest {
  fileprivate init(
    _ fields: inout PlanFields, _ scope: QuestionScope, _ complain: @escaping PlanFields.Complaint
  ) throws(PermlogError) {
    self.init()
    self.scope = scope
    from = try fields.date("from")
    to = try fields.date("to")
    conditions = try fields.conditions(complain)
    logStart = try fields.optionalMoment("log_start").map { .time($0) }
    self.scope.atOnce = try fields.atOnce()
    examples = try fields.integer("examples", in: 0...AuditRequest.mostExamples)
    let others = ["permission", "by", "variants", "experiment", "property", "adjust", "steps", "response_window_ms"]
    for key in others + ["follow_up_ms", "settings_window_ms"] { try fields.null(key) }
  }
}
