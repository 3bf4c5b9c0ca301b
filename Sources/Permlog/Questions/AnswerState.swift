// What an answer depends on besides its question, for whoever keeps answers.

import EventLog
import PermissionAnalysis
import PermissionEvents

/// The state of a log as an answer shows it. With the same question and the same state the answer is the same, byte for byte, in every
/// format.
///
/// For example:
///
/// ```swift
/// let now = try log.snapshot()
/// let key = try request.query + "\n" + now.state(for: request.scope).text
/// let report = try kept[key] ?? now.report(request)
/// ```
public struct AnswerState: Sendable, Hashable {
  /// The commit.
  public let fingerprint: String
  /// The moment that the question looks from; nil for an empty log and a question without a moment.
  public let asOf: Milliseconds?
  /// What the answer says of the time since the newest event.
  private let age: String
  /// What the answer says of live events that it lacks.
  private let live: String
  /// The clock changes of its zone, which the machine's zone files may mend.
  private let zone: String
  /// Whether the question looks from the clock's present second, so that nobody will ask it again.
  package let isPassing: Bool

  fileprivate init(
    _ fingerprint: String, asOf: Milliseconds?, zone: ZoneTable?, age: DataAge?, live: UnusualIngest?, isPassing: Bool
  ) {
    (self.fingerprint, self.asOf, self.isPassing) = (fingerprint, asOf, isPassing)
    self.zone = zone.map { Checksum.text(of: Array($0.transitionsText.utf8)) } ?? ""
    // Weeks end, and days since then are counted, at the zone's midnights.
    self.age =
      age.map { "\($0.days.map { "\($0)" } ?? "") \($0.isOld) \($0.isAhead) \(zone?.day(of: $0.clock) ?? 0)" } ?? ""
    self.live = live.map { "\($0.time ?? 0) \($0.sentence)" } ?? ""
  }

  /// As the key of a dictionary or a file, of one line.
  public var text: String { [fingerprint, asOf.map { "\($0)" } ?? "", zone, age, live].joined(separator: ";") }
}

extension PermissionLog {
  /// The state that the answer to a question shows. Of a ``snapshot()`` it is that of its answers; otherwise it may have changed before
  /// the question is asked.
  public func state(for scope: QuestionScope) throws(PermlogError) -> AnswerState {
    try translating {
      let snapshot = try asked(scope.without)
      let now = clock()
      let known = try snapshot.timeRange.map {
        try scope.windows(AskedLog(snapshot, $0, clock: now, threads: threads))
      }
      let moment = known?.windows.asOf
      return AnswerState(
        snapshot.manifest.fingerprint, asOf: moment, zone: known?.zone,
        age: try scope.age(of: snapshot, clock: now, threads: threads),
        live: snapshot.liveStatus().flatMap { $0.note(upTo: moment) },
        isPassing: scope.asOf == nil && moment == now)
    }
  }

  /// A ``snapshot()`` that keeps beside the log what it finds out about it.
  package func keepingSnapshot() throws(PermlogError) -> PermissionLog {
    let now = try snapshot()
    now.pinned?.facts.areKept = true
    return now
  }

  /// The answer that is kept beside the log for the state that questions see; nil if none is, or if it is damaged.
  /// - Parameter key: all that it depends on beside the commit.
  package func keptAnswer(to key: [UInt8]) throws(PermlogError) -> [UInt8]? {
    try translating { KeptAnswers(of: try asked()).answer(to: key) }
  }

  /// Keeps an answer for the same state, if the log's directory can be written and the answer is not too long.
  package func keep(_ answer: [UInt8], to key: [UInt8]) throws(PermlogError) {
    try translating { KeptAnswers(of: try asked()).keep(answer, to: key) }
  }

  package static let longestKeptAnswer = KeptAnswers.longestAnswer
}
