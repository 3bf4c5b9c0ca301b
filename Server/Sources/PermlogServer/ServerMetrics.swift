// What the server counts, as Prometheus reads it (text format 0.0.4).

import Permlog
import Synchronization

/// Counters and gauges, safe to use from several tasks.
public final class ServerMetrics: Sendable {
  /// Values that only grow, by name.
  public enum Counter: String, CaseIterable, Sendable {
    case accepted, acceptedBytes = "accepted_bytes", refused, events, understood, new, copies, rejected
    case notMapped = "not_mapped", spoolFailures = "spool_failures", commits, failedCommits = "failed_commits"
    case quarantined, quarantineDropped = "quarantine_dropped", unauthorised
    case erasedInstalls = "erased_installs", pages, keptAnswers = "kept_answers"

    var help: String {
      switch self {
      case .accepted: "Requests whose body is on the disk."
      case .acceptedBytes: "Bytes of these bodies as they came."
      case .refused: "Requests that were told to come again: too much waited, or the disk was full."
      case .events: "Events in the bodies that were read."
      case .understood: "Of these, events that the log understands."
      case .new: "Events that the log did not have."
      case .copies: "Copies of events that it had, or that came twice."
      case .rejected: "Events that were rejected; they are in quarantine."
      case .notMapped: "Events with names that look like permission events and are not mapped; they are in quarantine."
      case .spoolFailures: "Failed writes of the spool."
      case .commits: "Commits to logs."
      case .failedCommits: "Commits that failed and are tried again."
      case .quarantined: "Entries that were put into quarantine."
      case .quarantineDropped: "Entries that were dropped because the quarantine is full."
      case .unauthorised: "Requests with a wrong key or token."
      case .pages: "Pages and answers that were asked for."
      case .keptAnswers: "Of these, those that were computed for an earlier request, or for another at the same time."
      case .erasedInstalls: "Installs that were erased because their phone asked for it."
      }
    }
  }

  /// Values that go up and down.
  public enum Gauge: String, CaseIterable, Sendable {
    case spoolBytes = "spool_bytes", quarantineBytes = "quarantine_bytes", quarantineEntries = "quarantine_entries"
    case connections, lag = "lag_seconds", waitingBytes = "waiting_bytes", answerBytes = "answer_bytes", viewers

    var help: String {
      switch self {
      case .spoolBytes: "Bytes on the disk that wait to be read."
      case .quarantineBytes: "Bytes in quarantine."
      case .quarantineEntries: "Entries in quarantine."
      case .connections: "Open connections."
      case .lag: "Age of the oldest body that was in the spool when it was last read, in seconds."
      case .answerBytes: "Bytes of answers that are kept."
      case .viewers: "Pages that show live numbers."
      case .waitingBytes: "Bytes of bodies that are not on the disk yet."
      }
    }
  }

  /// Times.
  public enum Timer: String, CaseIterable, Sendable {
    case spoolSync = "spool_write_seconds", commit = "commit_seconds", answer = "answer_seconds"

    var help: String {
      switch self {
      case .spoolSync: "Writing a group of bodies and waiting for the disk."
      case .answer: "Computing an answer."
      case .commit: "Reading bodies and committing their events."
      }
    }
  }

  private struct Values {
    var counters: [Counter: Int] = [:]
    var gauges: [Gauge: Double] = [:]
    var quarantined: [String: Int] = [:]
    var timers: [Timer: (buckets: [Int], sum: Double, count: Int)] = [:]
  }

  private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
  private let values = Mutex(Values())

  public init() {}

  func add(_ counter: Counter, _ count: Int) { values.withLock { $0.counters[counter, default: 0] += count } }

  func addQuarantined(_ reason: String) {
    values.withLock {
      $0.counters[.quarantined, default: 0] += 1
      $0.quarantined[reason, default: 0] += 1
    }
  }

  func set(_ gauge: Gauge, _ value: Int) { set(gauge, Double(value)) }

  func set(_ gauge: Gauge, _ value: Double) { values.withLock { $0.gauges[gauge] = value } }

  func change(_ gauge: Gauge, by difference: Int) {
    values.withLock { $0.gauges[gauge, default: 0] += Double(difference) }
  }

  func observe(_ timer: Timer, _ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let time = Double(seconds) + Double(attoseconds) / 1e18
    values.withLock {
      var all = $0.timers[timer] ?? (Array(repeating: 0, count: Self.bounds.count), 0, 0)
      for (i, bound) in Self.bounds.enumerated() where time <= bound { all.buckets[i] += 1 }
      (all.sum, all.count) = (all.sum + time, all.count + 1)
      $0.timers[timer] = all
    }
  }

  public func count(_ counter: Counter) -> Int { values.withLock { $0.counters[counter] ?? 0 } }

  public func value(_ gauge: Gauge) -> Double { values.withLock { $0.gauges[gauge] ?? 0 } }

  /// All of them in Prometheus' text format.
  public var text: String {
    let all = values.withLock { $0 }
    var lines: [String] = []
    func head(_ name: String, _ help: String, _ type: String) {
      lines += ["# HELP permlog_\(name) \(help)", "# TYPE permlog_\(name) \(type)"]
    }
    for counter in Counter.allCases where counter != .quarantined {
      head(counter.rawValue + "_total", counter.help, "counter")
      lines.append("permlog_\(counter.rawValue)_total \(all.counters[counter] ?? 0)")
    }
    head("quarantined_total", Counter.quarantined.help, "counter")
    for (reason, count) in all.quarantined.sorted(by: { $0.key < $1.key }) {
      lines.append("permlog_quarantined_total{reason=\"\(reason)\"} \(count)")
    }
    for gauge in Gauge.allCases {
      head(gauge.rawValue, gauge.help, "gauge")
      let value = all.gauges[gauge] ?? 0
      lines.append("permlog_\(gauge.rawValue) \(value == value.rounded() ? String(Int(value)) : String(value))")
    }
    for timer in Timer.allCases {
      head(timer.rawValue, timer.help, "histogram")
      let time = all.timers[timer] ?? (Array(repeating: 0, count: Self.bounds.count), 0, 0)
      for (bound, count) in zip(Self.bounds, time.buckets) {
        lines.append("permlog_\(timer.rawValue)_bucket{le=\"\(bound)\"} \(count)")
      }
      lines.append("permlog_\(timer.rawValue)_bucket{le=\"+Inf\"} \(time.count)")
      lines += ["permlog_\(timer.rawValue)_sum \(time.sum)", "permlog_\(timer.rawValue)_count \(time.count)"]
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
