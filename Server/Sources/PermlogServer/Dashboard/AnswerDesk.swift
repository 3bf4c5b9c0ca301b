// Answers are computed one after the other, each with all cores, and an equal question only once: people who look at the same page wait for
// the same answer.

import NIOCore
import NIOPosix
import Permlog
import Synchronization

/// Bytes of an answer, with the type of their content; or a part of a page.
struct Answered: Sendable {
  /// Shared by all to whom it is sent.
  var bytes = ByteBuffer()
  var type = ""
  var part: Markup?

  fileprivate var size: Int { bytes.readableBytes + (part?.bytes.count ?? 0) }
}

/// Bounds the bytes of answers that are being sent: who reads slowly, or not at all, holds what he was promised.
final class AnswersUnderway: Sendable {
  private static let most = 96 << 20
  private let used = Mutex(0)

  /// Gives its bytes back when nobody holds it any more.
  final class Share: Sendable {
    private let all: AnswersUnderway
    private let size: Int

    fileprivate init(_ all: AnswersUnderway, _ size: Int) { (self.all, self.size) = (all, size) }

    deinit { all.used.withLock { $0 -= size } }
  }

  /// - Returns: nil if too much is under way.
  func share(_ size: Int) -> Share? {
    let fits = used.withLock { used in
      guard used == 0 || used + size <= Self.most else { return false }
      used += size
      return true
    }
    return fits ? Share(self, size) : nil
  }
}

/// Computes answers, and keeps the newest.
actor AnswerDesk {
  enum Refusal: Error { case tooMany }

  /// Bytes of answers that are kept.
  private static let room = 32 << 20
  /// A larger answer is not kept.
  private static let largest = 4 << 20
  private static let mostWaiting = 256
  private static let mostKept = 2000

  private let pool = NIOThreadPool(numberOfThreads: 2)
  private var kept: [String: (answer: Answered, used: UInt64)] = [:]
  private var bytes = 0
  private var uses: UInt64 = 0
  private var running: [String: Task<Answered, any Error>] = [:]
  private var isBusy = false
  private var turn: [CheckedContinuation<Void, Never>] = []
  private let metrics: ServerMetrics

  init(metrics: ServerMetrics) {
    self.metrics = metrics
    pool.start()
  }

  deinit { pool.shutdownGracefully { _ in } }

  // MARK: The log as questions see it

  private var views: [String: (log: PermissionLog, taken: ContinuousClock.Instant)] = [:]
  /// While answers wait for each other, new questions look from the same moment as those before, if that is no longer ago. Otherwise every
  /// commit would make all of them anew, and the more people ask, the longer each would wait.
  private static let longestView = Duration.seconds(10)

  /// A snapshot of the log: the newest, or under load the one that others look at.
  func view(of log: PermissionLog) async throws -> PermissionLog {
    let now = ContinuousClock.now
    if !running.isEmpty, let view = views[log.path], now - view.taken < Self.longestView { return view.log }
    let snapshot = try await look { try log.snapshot() }
    views[log.path] = (snapshot, now)
    // It keeps files open that a writer may have replaced.
    Task {
      try? await Task.sleep(for: Self.longestView)
      if views[log.path]?.taken == now { views[log.path] = nil }
    }
    return snapshot
  }

  /// What pages that are open are told.
  typealias Pulse = (numbers: String, fingerprint: String)
  private var pulses: [String: (pulse: Task<Pulse, Never>, asked: ContinuousClock.Instant)] = [:]

  /// The newest live numbers of a log, looked up once for all pages that are open.
  func pulse(of log: PermissionLog, _ look: @escaping @Sendable () async -> Pulse) async -> Pulse {
    let now = ContinuousClock.now
    if let known = pulses[log.path], now - known.asked < .milliseconds(1500) { return await known.pulse.value }
    let task = Task { await look() }
    pulses[log.path] = (task, now)
    return await task.value
  }

  /// Runs short work that reads files.
  nonisolated func look<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await pool.runIfActive(body)
  }

  /// The answer of a key: kept, or being computed for somebody else, or computed now.
  /// - Parameter key: of the question and of the state of the log, which decide the answer together.
  /// - Throws: what `compute` throws; `Refusal` if too many wait.
  func answer(_ key: String, _ compute: @escaping @Sendable () throws -> Answered) async throws -> Answered {
    if let known = kept[key] {
      uses += 1
      kept[key]?.used = uses
      metrics.add(.keptAnswers, 1)
      return known.answer
    }
    if let task = running[key] {
      metrics.add(.keptAnswers, 1)
      return try await task.value
    }
    guard running.count < Self.mostWaiting else { throw Refusal.tooMany }
    let task = Task { try await self.compute(compute) }
    running[key] = task
    defer { running[key] = nil }
    let answer = try await task.value
    keep(answer, key)
    return answer
  }

  private func compute(_ body: @escaping @Sendable () throws -> Answered) async throws -> Answered {
    if isBusy { await withCheckedContinuation { turn.append($0) } }
    isBusy = true
    defer {
      if turn.isEmpty { isBusy = false } else { turn.removeFirst().resume() }
    }
    let begin = ContinuousClock.now
    let answer = try await pool.runIfActive(body)
    metrics.observe(.answer, ContinuousClock.now - begin)
    return answer
  }

  private func keep(_ answer: Answered, _ key: String) {
    guard answer.size <= Self.largest, kept[key] == nil else { return }
    uses += 1
    kept[key] = (answer, uses)
    bytes += answer.size + key.utf8.count
    // A commit makes the answers before it useless, and they are the oldest.
    while bytes > Self.room || kept.count > Self.mostKept,
      let oldest = kept.min(by: { $0.value.used < $1.value.used })
    {
      bytes -= oldest.value.answer.size + oldest.key.utf8.count
      kept[oldest.key] = nil
    }
    metrics.set(.answerBytes, bytes)
  }
}
