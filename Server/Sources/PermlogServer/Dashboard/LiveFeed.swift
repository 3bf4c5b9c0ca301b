// Live numbers: what this server has stored, minute by minute, and what is new, for pages that are open.

import Foundation
import NIOCore
import HummingbirdCore
import Permlog
import Synchronization

/// Counts stored events by the minute.
final class LiveFeed: Sendable {
  static let minutes = 60

  private struct State {
    /// Of each log, new events by minute since 1970.
    var logs: [String: [Int: Int]] = [:]
    var viewers = 0
    var isEnding = false
  }

  private let state = Mutex(State())
  private let started: Int
  private let metrics: ServerMetrics
  private static let mostViewers = 500

  init(metrics: ServerMetrics, now: Date = Date()) {
    (self.metrics, started) = (metrics, Int(now.timeIntervalSince1970) / 60)
  }

  /// A commit added events to a log.
  func note(_ new: Int, log: String, now: Date = Date()) {
    let minute = Int(now.timeIntervalSince1970) / 60
    state.withLock { state in
      state.logs[log, default: [:]][minute, default: 0] += new
      state.logs[log] = state.logs[log]?.filter { $0.key > minute - Self.minutes - 1 }
    }
  }

  /// What is known of a log now.
  struct Numbers: Sendable, Equatable {
    /// New events of each of the last minutes, the oldest first; nil for minutes before the server began.
    var byMinute: [Int?]
    /// In the minute before this one; nil if the server began later, or within it.
    var lastMinute: Int?
    var lastHour: Int { byMinute.reduce(0) { $0 + ($1 ?? 0) } }
    /// Whether the server ran for the whole hour.
    var isWholeHour: Bool { byMinute.first.map { $0 != nil } ?? false }
  }

  func numbers(_ log: String, now: Date = Date()) -> Numbers {
    let minute = Int(now.timeIntervalSince1970) / 60
    let counts = state.withLock { $0.logs[log] ?? [:] }
    return Numbers(
      byMinute: (minute - Self.minutes + 1...minute).map { $0 < started ? nil : counts[$0] ?? 0 },
      lastMinute: minute - 1 <= started ? nil : counts[minute - 1] ?? 0)
  }

  // MARK: Streams of pages that are open

  /// The server is about to end: streams would keep it.
  func end() { state.withLock { $0.isEnding = true } }

  private var isEnding: Bool { state.withLock { $0.isEnding } }

  /// Events of a log's state, as text/event-stream: `live` with numbers, and `commit` when the log has changed.
  /// - Parameter look: the text of `live` and the fingerprint.
  /// - Parameter isOpen: whether the page may still be told.
  /// - Returns: nil if too many pages are open.
  func stream(
    while isOpen: @escaping @Sendable () -> Bool,
    _ look: @escaping @Sendable () async -> (numbers: String, fingerprint: String)
  ) -> ResponseBody? {
    guard state.withLock({ $0.viewers < Self.mostViewers && !$0.isEnding }) else { return nil }
    let watch = WriteWatch.current
    return ResponseBody { [self] writer in
      // Here, because a body that is asked for need not be sent.
      state.withLock { $0.viewers += 1 }
      metrics.change(.viewers, by: 1)
      defer {
        state.withLock { $0.viewers -= 1 }
        metrics.change(.viewers, by: -1)
      }
      var last = (numbers: "", fingerprint: "")
      var silent = 0
      try await writer.write(ByteBuffer(string: "retry: 5000\n\n"))
      while !isEnding, isOpen() {
        watch?.restart()
        let now = await look()
        var text = ""
        if now.numbers != last.numbers { text += "event: live\ndata: \(now.numbers)\n\n" }
        if now.fingerprint != last.fingerprint { text += "event: commit\ndata: \(now.fingerprint)\n\n" }
        silent += 1
        // Without a word for long, a proxy takes the connection for dead.
        if text.isEmpty, silent >= 10 { text = ": \n\n" }
        if !text.isEmpty {
          try await writer.write(ByteBuffer(string: text))
          silent = 0
        }
        last = now
        for _ in 0..<4 where !isEnding { try await Task.sleep(for: .milliseconds(500)) }
      }
      try await writer.finish(nil)
    }
  }
}
