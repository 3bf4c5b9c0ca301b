// Whether a request asks what a question asked: of sums only what was counted can be told.

import PermissionAnalysis
import PermissionEvents

extension Question {
  /// The request of a question of the right kind, which its caller has chosen.
  package func request<Request>(_ make: (Question) -> Request?) throws(PermlogError) -> Request {
    guard let request = make(self) else {
      throw PermlogError(.usage, "this is the question of a \(kind.rawValue)", argument: .sums)
    }
    return request
  }

  /// What is asked, for people: each key that says something, but for what a machine needs.
  package var summary: String {
    let hidden = ["kind", "fold", "time_zone_transitions", "settings_window_ms", "now"]
    return facts.filter { !hidden.contains($0.key) }.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      .joined(separator: ", ")
  }

  /// How many options beside the moment, the zone, the start of the log and the messages were given.
  package var givenOptions: Int {
    let fields = QuestionFields(asked, in: zone, now: now)
    let usual = QuestionScope()
    let given: [Bool] = [
      fields.from != nil, fields.to != nil, fields.permission != nil, fields.experiment != nil,
      fields.property.map { $0 != .variant } ?? false, (fields.examples ?? 0) > 0,
      fields.responseWindow.map { $0 != usual.responseWindow } ?? false,
      fields.followUp.map { $0 != usual.followUp } ?? false,
    ]
    let lists = [fields.conditions?.count, fields.by?.count, fields.adjust?.count, fields.steps?.count]
    return given.count { $0 } + lists.compactMap { $0 }.reduce(0, +)
  }

  /// Throws unless a request asks for what was counted. What is chosen when sums are read may be anything.
  package func check(_ request: ReportRequest) throws(PermlogError) {
    try check(zoneOf: request.scope)
    try check(Question(request, in: zone, now: now))
  }

  package func check(_ request: ComparisonRequest) throws(PermlogError) {
    try check(zoneOf: request.scope)
    try check(Question(request, in: zone, now: now))
  }

  package func check(_ request: FlowRequest) throws(PermlogError) {
    try check(zoneOf: request.scope)
    try check(Question(request, in: zone, now: now))
  }

  package func check(_ request: AuditRequest) throws(PermlogError) {
    try check(zoneOf: request.scope)
    try check(Question(request, in: zone, now: now))
  }

  /// The clock changes of another zone are not known here, and not looked for in files.
  private func check(zoneOf scope: QuestionScope) throws(PermlogError) {
    try Self.same(.timeZone, "time zone", zone.name, scope.timeZone)
  }

  private func check(_ other: Question) throws(PermlogError) {
    let (ours, theirs) = (
      QuestionFields(asked, in: zone, now: now), QuestionFields(other.asked, in: other.zone, now: other.now)
    )
    guard ours.kind == theirs.kind else {
      throw PermlogError(.usage, "the sums are those of a \(ours.kind.rawValue), and not of a \(theirs.kind.rawValue)")
    }
    func moment(_ time: Milliseconds?) -> String? { time.map(Timestamp.text) }
    func list(_ items: [String]?) -> String? { items.flatMap { $0.isEmpty ? nil : $0.joined(separator: ", ") } }
    func names(_ fields: [StringField]?) -> String? { list(fields?.map(\.name)) }
    // In any order, and however often: the same journeys meet them.
    func set(_ items: [String]?) -> String? {
      list(
        items.map { Set($0.map { Array($0.utf8) }).sorted { $0.lexicographicallyPrecedes($1) } }?.map {
          String(decoding: $0, as: UTF8.self)
        })
    }
    try Self.same(.asOf, "moment", moment(ours.asOf), moment(theirs.asOf))
    try Self.same(.from, "first day", ours.from?.text, theirs.from?.text)
    try Self.same(.to, "day after the last", ours.to?.text, theirs.to?.text)
    try Self.same(.comparedProperty, "property", ours.property?.name, theirs.property?.name)
    try Self.same(
      .variants, "messages", list(ours.variants), list(theirs.variants), isEqual: ours.variants == theirs.variants)
    try Self.same(.permission, "permission", ours.permission, theirs.permission)
    try Self.same(.experiment, "experiment", ours.experiment, theirs.experiment)
    try Self.same(.conditions, "conditions", set(ours.conditions), set(theirs.conditions))
    try Self.same(.properties, "breakdown", names(ours.by), names(theirs.by))
    let adjusted = (ours.adjust.map { $0.map(\.name).sorted() }, theirs.adjust.map { $0.map(\.name).sorted() })
    try Self.same(.adjust, "adjustment", list(adjusted.0), list(adjusted.1))
    try Self.same(.steps, "steps", list(ours.steps), list(theirs.steps))
    try Self.same(.logStart, "start of the log", moment(ours.logStart), moment(theirs.logStart))
    try Self.same(
      .responseWindow, "response window", ours.responseWindow.map(PlanText.duration),
      theirs.responseWindow.map(PlanText.duration))
    try Self.same(.followUp, "follow-up", ours.followUp.map(PlanText.duration), theirs.followUp.map(PlanText.duration))
    try Self.same(.examples, "number of examples", ours.examples.map { String($0) }, theirs.examples.map { String($0) })
  }

  /// Byte by byte: names that only look alike are others.
  private static func same(
    _ argument: PermlogError.Argument, _ noun: String, _ counted: String?, _ asked: String?, isEqual: Bool = true
  ) throws(PermlogError) {
    guard counted.map({ Array($0.utf8) }) != asked.map({ Array($0.utf8) }) || !isEqual else { return }
    throw PermlogError(
      .usage,
      "the sums were counted with the \(noun) \(counted ?? "none"), and not with \(asked ?? "none"). Leave it to the sums, or "
        + "count anew for another question.", argument: argument)
  }
}
