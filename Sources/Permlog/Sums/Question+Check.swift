// Whether a request asks what a question asked: of sums only what was counted can be told.

import PermissionAnalysis
import PermissionEvents

extension Question {
  /// The request of a question of the right kind, which its caller has chosen.
  package func request<Request>(_ make: (Question) -> Request?) throws(PermlogError) -> Request {
    guard let request = make(self) else {
      throw PermlogError(.usage, "this is the question of \(kind.noun)", argument: .sums)
    }
    return request
  }

  /// What is asked, for people: the kind, then each key that says something, but for what a machine needs.
  /// - Parameter withClock: also the clock that limits of timestamps are held against, if questions may differ in nothing else.
  package func summary(withClock: Bool) -> String {
    var hidden: Set<QuestionFields.Key> = [.kind, .fold, .settingsWindow]
    if !withClock { hidden.insert(.now) }
    let fields = fields
    let said = QuestionFields.Key.allCases.filter { !hidden.contains($0) }.compactMap { key in
      fields[key]?.shown(in: zone).map { "\(key.noun) \($0)" }
    }
    return "\(kind.rawValue) \(checksum) (\(said.joined(separator: ", ")))"
  }

  /// Whether this question asks for less than another: both are of the same moment, zone, start of the log and windows; the other has all
  /// that was given here, and something more.
  package func asksLess(than other: Question) -> Bool {
    let (ours, theirs) = (fields, other.fields)
    func isSame(_ key: QuestionFields.Key) -> Bool { ours.given(key) == theirs.given(key) }
    let fixed: [QuestionFields.Key] = [.kind, .asOf, .timeZone, .logStart, .atOnce, .responseWindow, .followUp]
    guard fixed.allSatisfy(isSame), zone.transitionsText == other.zone.transitionsText else { return false }
    let chosen = Self.compared.map(\.key).filter { !fixed.contains($0) && !isSame($0) }
    return !chosen.isEmpty && chosen.allSatisfy { ours.given($0) == nil }
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
    guard !zone.name.utf8.elementsEqual(scope.timeZone.utf8) else { return }
    throw Self.difference(.timeZone, "time zone", zone.name, scope.timeZone)
  }

  private func check(_ other: Question) throws(PermlogError) {
    let (ours, theirs) = (fields, other.fields)
    guard kind == other.kind else {
      throw PermlogError(.usage, "the sums are those of \(kind.noun), and not of \(other.kind.noun)")
    }
    for (key, argument, noun) in Self.compared where ours.compared(key) != theirs.compared(key) {
      let isOfValues = key == .variants && ours.given(.property) != nil
      throw Self.difference(
        argument, isOfValues ? "values" : noun, ours[key]?.shown(in: zone), theirs[key]?.shown(in: zone))
    }
  }

  /// What a request may ask for otherwise: the key, and how it is called.
  private static let compared: [(key: QuestionFields.Key, argument: PermlogError.Argument, noun: String)] = [
    (.asOf, .asOf, "moment"), (.from, .from, "first day"), (.to, .to, "day after the last"),
    (.property, .comparedProperty, "property"), (.variants, .variants, "messages"),
    (.permission, .permission, "permission"), (.experiment, .experiment, "experiment"),
    (.conditions, .conditions, "conditions"), (.by, .properties, "breakdown"), (.adjust, .adjust, "adjustment"),
    (.steps, .steps, "steps"), (.logStart, .logStart, "start of the log"),
    (.atOnce, .atOnce, "time under which answers come at once"),
    (.responseWindow, .responseWindow, "response window"), (.followUp, .followUp, "follow-up"),
    (.examples, .examples, "number of examples"),
  ]

  private static func difference(
    _ argument: PermlogError.Argument, _ noun: String, _ counted: String?, _ asked: String?
  ) -> PermlogError {
    PermlogError(
      .usage,
      "the sums were counted with the \(noun) \(counted ?? "none"), and not with \(asked ?? "none"). Leave it to the sums, or "
        + "count anew for another question.", argument: argument)
  }
}

extension QuestionFields {
  /// What is held against another question's.
  fileprivate func compared(_ key: Key) -> [[UInt8]]? {
    guard let bytes = self[key]?.bytes else { return nil }
    switch key {
    // In any order, and however often: the same journeys meet them.
    case .conditions: return Set(bytes).sorted { $0.lexicographicallyPrecedes($1) }
    case .adjust: return bytes.sorted { $0.lexicographicallyPrecedes($1) }
    default: return bytes
    }
  }

  /// As above; nil also for what is so if nothing is given.
  fileprivate func given(_ key: Key) -> [[UInt8]]? {
    if key == .property, case .text(StringField.variant.name)? = self[key] { return nil }
    if key == .examples, case .number(0)? = self[key] { return nil }
    return compared(key)
  }
}
