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

  fileprivate init(_ fingerprint: String, asOf: Milliseconds?, age: DataAge?, live: UnusualIngest?) {
    (self.fingerprint, self.asOf) = (fingerprint, asOf)
    self.age = age.map { "\($0.days.map { "\($0)" } ?? "") \($0.isOld) \($0.isAhead)" } ?? ""
    self.live = live.map { "\($0.time ?? 0) \($0.sentence)" } ?? ""
  }

  /// As the key of a dictionary or a file, of one line.
  public var text: String { [fingerprint, asOf.map { "\($0)" } ?? "", age, live].joined(separator: ";") }
}

extension PermissionLog {
  /// The state that the answer to a question shows. Of a ``snapshot()`` it is that of its answers; otherwise it may have changed before
  /// the question is asked.
  public func state(for scope: QuestionScope) throws(PermlogError) -> AnswerState {
    try translating {
      let snapshot = try asked(scope.without)
      let now = clock()
      let moment = try snapshot.timeRange.map {
        try scope.windows(AskedLog(snapshot, $0, clock: now, threads: threads)).windows.asOf
      }
      return AnswerState(
        snapshot.manifest.fingerprint, asOf: moment, age: try scope.age(of: snapshot, clock: now, threads: threads),
        live: snapshot.directory.liveStatus().flatMap { $0.note(upTo: moment) })
    }
  }
}
