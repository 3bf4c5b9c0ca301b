// A question as a value: all that the counts depend on, so that other machines can answer it, each for its own users.

import PermissionAnalysis
public import PermissionEvents

/// What is asked of several logs, or on several machines: a report, a comparison, a report of flows or an audit, with the moment to look
/// from and the clock changes of its time zone. Nothing of the machine that answers it has a say.
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
  /// What is asked for.
  public enum Kind: String, CaseIterable, Sendable {
    case report, compare, flow, audit

    /// For sentences.
    package var noun: String {
      switch self {
      case .report: "a report"
      case .compare: "a comparison"
      case .flow: "a report of flows"
      case .audit: "an audit"
      }
    }
  }

  /// What is asked, with its moments as times, and without what is chosen when sums are read.
  enum Asked: Sendable {
    case report(ReportRequest)
    case compare(ComparisonRequest)
    case flow(FlowRequest)
    case audit(AuditRequest)
  }

  /// Whether sums that answer it hold ids of users: an audit may ask for examples.
  package var asksForUserIDs: Bool {
    guard case .audit(let request) = asked else { return false }
    return request.examples > 0
  }

  let asked: Asked
  let zone: ZoneTable
  /// The clock that limits of timestamps are held against, in milliseconds since 1970.
  public let now: Milliseconds
  /// The question as canonical JSON, without a line feed at the end (docs/schemas/question-1.json).
  public let encoded: [UInt8]

  /// - Throws: `usage` if the question has more bytes, or names of another length, than a file of questions may.
  init(_ asked: Asked, in zone: ZoneTable, now: Milliseconds) throws(PermlogError) {
    self.asked = asked
    self.zone = zone
    self.now = now
    // Text that is written must be read again.
    guard ZoneTable(checking: zone.name, initialOffset: zone.initialOffset, transitions: zone.transitions) != nil else {
      throw PermlogError(
        .usage, "the clocks of this zone change as those of no known zone do; use another one", argument: .timeZone)
    }
    guard Self.times.contains(now) else { throw PermlogError(.usage, "the clock is not in the years 1970 to 2100") }
    encoded = QuestionFields(asked, in: zone, now: now).encoded
    guard encoded.count <= Self.longest else {
      throw PermlogError(
        .usage, "the question has more than \(Self.longest >> 10) KiB: give fewer or shorter conditions")
    }
  }

  /// Most bytes of a question.
  static let longest = 1 << 20
  /// Moments that a question may have.
  static let times: ClosedRange<Milliseconds> = 0...Timestamp.latest + 366 * millisecondsPerDay

  public var kind: Kind { asked.kind }
  /// XXH3 of 64 bits of `encoded`, as 16 hexadecimal digits: the name of the question.
  public var checksum: String { Checksum.text(of: encoded) }
  /// The moment to look from, in milliseconds since 1970.
  public var asOf: Milliseconds { if case .time(let time) = asked.scope.asOf { time } else { 0 } }
  /// The IANA name of the zone of days and weeks.
  public var timeZone: String { zone.name }
}

extension Question: Hashable {
  public static func == (a: Question, b: Question) -> Bool { a.encoded == b.encoded }
  public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }
}

extension Question.Asked {
  var kind: Question.Kind {
    switch self {
    case .report: .report
    case .compare: .compare
    case .flow: .flow
    case .audit: .audit
    }
  }

  var scope: QuestionScope {
    switch self {
    case .report(let request): request.scope
    case .compare(let request): request.scope
    case .flow(let request): request.scope
    case .audit(let request): request.scope
    }
  }
}

extension Question.Kind {
  /// The name and version of the sums that answer it.
  var fold: String {
    switch self {
    case .report: ReportSums.name
    case .compare: ComparisonSums.name
    case .flow: FlowSums.name
    case .audit: AuditSums.name
    }
  }
}
