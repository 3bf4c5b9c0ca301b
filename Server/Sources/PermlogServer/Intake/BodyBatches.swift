// Bodies as batches: the events of several bodies that go into one log in one form are read together.

import Foundation
import Permlog
import Synchronization

/// Batches made of some records.
struct BodyBatches: Sendable {
  private(set) var all: [BodyBatch] = []
  /// Bodies that cannot be read at all, and torn pieces.
  private(set) var held: [SpoolRecord] = []
  /// Records that were taken: from the beginning.
  private(set) var records = 0
  private(set) var outcomes: [UInt64: BodyOutcome] = [:]
  /// Events of one body that are read: libraries send at most 2,000.
  static let mostLines = 250_000

  /// - Parameter limit: bytes after which no further record is taken.
  init(_ records: [SpoolRecord], streams: EventStreams, limit: Int) {
    var size = 0
    for record in records {
      if self.records > 0, size + record.body.count > limit { break }
      self.records += 1
      size += take(record, streams)
    }
  }

  /// - Returns: bytes that it needs.
  private mutating func take(_ record: SpoolRecord, _ streams: EventStreams) -> Int {
    var record = record
    // What was quarantined for a reason may be in order now.
    (record.head.reason, record.head.detail) = (nil, nil)
    var outcome = BodyOutcome()
    defer { outcomes[record.head.id] = outcome }
    if record.head.isLine == true {
      guard let stream = streams.stream(of: record.head.key) else {
        hold(record, record.body, Quarantine.unknownKey, nil)
        return record.body.count
      }
      add(record.body + [0x0A], lines: 1, of: record, stream, record.head.endpoint.form)
      outcome.lines = 1
      return record.body.count
    }
    let body: [UInt8]
    do { body = try PackedBytes.unpacked(record.body, limit: Intake.unpackedLimit, name: "body") } catch {
      outcome.problem = error.message
      hold(record, record.body, error.code == .limit ? "too_large" : "damaged", error.message)
      return record.body.count
    }
    let received = Date(timeIntervalSince1970: Double(record.head.received) / 1000)
      .formatted(.iso8601.year().month().day().dateTimeSeparator(.standard).time(includingFractionalSeconds: true))
    let events = BodyEvents(body, record.head.endpoint, received: received + "Z")
    guard events.count <= Self.mostLines else {
      outcome.problem = "it has \(events.count) events, more than \(Self.mostLines)"
      hold(record, record.body, "too_many", outcome.problem)
      return body.count
    }
    // Mixpanel's import has a secret in its head, and the project's token in its body.
    let key = streams.isKnown(record.head.key) ? record.head.key : events.key ?? record.head.key
    guard let stream = streams.stream(of: key) else {
      outcome.problem = "unknown key"
      hold(record, record.body, Quarantine.unknownKey, nil)
      return record.body.count
    }
    record.head.key = key
    for (bytes, reason) in events.broken {
      hold(record, bytes, reason, nil)
      outcome.rejectedCount += 1
      outcome.problem = "some pieces of the body are no events (\(reason)); they are in quarantine"
    }
    outcome.lines = events.count + events.broken.count
    add(events.lines, lines: events.count, of: record, stream, events.form)
    return body.count
  }

  private mutating func hold(_ record: SpoolRecord, _ bytes: [UInt8], _ reason: String, _ detail: String?) {
    var held = record
    held.body = bytes
    (held.head.reason, held.head.detail) = (reason, detail)
    self.held.append(held)
  }

  private mutating func add(
    _ lines: [UInt8], lines count: Int, of record: SpoolRecord, _ stream: EventStream, _ form: WireForm
  ) {
    guard count > 0 else { return }
    if let place = all.firstIndex(where: { $0.stream.key == stream.key && $0.form == form }) {
      all[place].add(lines, count, record.head)
    } else {
      var batch = BodyBatch(stream, form)
      batch.add(lines, count, record.head)
      all.append(batch)
    }
  }
}

/// Events of one key in one form, a line each.
struct BodyBatch: Sendable {
  let stream: EventStream
  let form: WireForm
  private var text: [UInt8] = []
  private(set) var lines = 0
  /// For each body its head, and how many lines are before it.
  private var bodies: [(before: Int, head: SpoolRecord.Head)] = []

  init(_ stream: EventStream, _ form: WireForm) { (self.stream, self.form) = (stream, form) }

  var firstRecord: UInt64 { bodies.first?.head.id ?? 0 }

  mutating func add(_ lines: [UInt8], _ count: Int, _ head: SpoolRecord.Head) {
    bodies.append((self.lines, head))
    text += lines
    self.lines += count
  }

  /// Commits the events.
  func append() async throws -> BatchResult {
    let found = FoundLines()
    do throws(PermlogError) {
      let result = try await stream.writer.append(
        text, name: "body", options: stream.options(for: form), onReject: { found.reject($0) },
        onUnread: { found.note($0) })
      return BatchResult(
        understood: result.read.events, rejected: found.rejected, unread: found.unread, isOverfull: found.isOverfull,
        commit: result.commit)
    } catch {
      guard error.code == .dataRefused else { throw error }
      // It is not the log's fault: all lines wait for a mended mapping.
      let some = Dictionary(uniqueKeysWithValues: (1...max(1, min(lines, FoundLines.most))).map { ($0, error.message) })
      return BatchResult(understood: 0, rejected: some, unread: [:], isOverfull: lines > FoundLines.most, commit: nil)
    }
  }

  /// The lines that were not understood, as entries of the quarantine.
  func held(_ result: BatchResult) -> [SpoolRecord] {
    guard !result.rejected.isEmpty || !result.unread.isEmpty else { return [] }
    if result.isOverfull { return wholeBodies }
    var held: [SpoolRecord] = []
    var (line, start) = (1, 0)
    while start < text.count {
      let end = text[start...].firstIndex(of: 0x0A) ?? text.count
      if let (reason, detail) = result.rejected[line].map({ ("rejected", $0) })
        ?? result.unread[line].map({ ("not_mapped", $0) })
      {
        var head = body(of: line).head
        head.endpoint = Endpoint(form)
        (head.reason, head.detail, head.isLine) = (reason, Self.short(detail), true)
        held.append(SpoolRecord(head: head, body: Array(text[start..<end])))
      }
      (line, start) = (line + 1, end + 1)
    }
    return held
  }

  /// Each body as one entry: so many lines of them were not understood that an entry for each would fill the memory. What was understood
  /// is found as copies when they are read again.
  private var wholeBodies: [SpoolRecord] {
    var held: [SpoolRecord] = []
    var start = 0
    for (i, body) in bodies.enumerated() {
      let count = (i + 1 < bodies.count ? bodies[i + 1].before : lines) - body.before
      var end = start
      for _ in 0..<count { end = (text[end...].firstIndex(of: 0x0A) ?? text.count - 1) + 1 }
      var head = body.head
      head.endpoint = Endpoint(form)
      (head.reason, head.detail) = (
        "rejected", "more than \(FoundLines.most) lines of a request, or of those read with it"
      )
      held.append(SpoolRecord(head: head, body: Array(text[start..<end])))
      start = end
    }
    return held
  }

  private static func short(_ text: String) -> String { String(text.prefix(200)) }

  /// The body that a line is of.
  private func body(of line: Int) -> (before: Int, head: SpoolRecord.Head) {
    var (low, high) = (0, bodies.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if bodies[middle].before < line { low = middle } else { high = middle }
    }
    return bodies[low]
  }

  /// What whoever sent a body is told.
  func note(_ result: BatchResult, in outcomes: inout [UInt64: BodyOutcome]) {
    for (_, head) in bodies { outcomes[head.id]?.commit = result.commit }
    for (line, reason) in result.rejected.sorted(by: { $0.key < $1.key }) {
      let (before, head) = body(of: line)
      outcomes[head.id]?.rejectedCount += 1
      if outcomes[head.id]?.rejected.count ?? 0 < 100 { outcomes[head.id]?.rejected.append((line - before, reason)) }
    }
    for (line, name) in result.unread { outcomes[body(of: line).head.id]?.notMapped[name, default: 0] += 1 }
    if bodies.count == 1 { outcomes[firstRecord]?.understood = result.understood }
  }
}

/// What became of a batch's lines, which count from 1.
struct BatchResult: Sendable {
  var understood: Int
  var rejected: [Int: String]
  /// The name of each line that looks like a permission event and is not mapped.
  var unread: [Int: String]
  /// Whether there are more lines than are noted.
  var isOverfull: Bool
  var commit: AppendResult.Commit?
}

/// Collects lines while they are read; a second reading finds the same.
private final class FoundLines: Sendable {
  static let most = 20_000
  private let state = Mutex((rejected: [Int: String](), unread: [Int: String](), isOverfull: false))

  func reject(_ line: RejectedLine) {
    state.withLock {
      if $0.rejected.count < Self.most { $0.rejected[line.line] = line.reason } else { $0.isOverfull = true }
    }
  }

  func note(_ line: UnreadLine) {
    state.withLock {
      if $0.unread.count < Self.most { $0.unread[line.line] = line.name } else { $0.isOverfull = true }
    }
  }

  var isOverfull: Bool { state.withLock { $0.isOverfull } }
  var rejected: [Int: String] { state.withLock { $0.rejected } }
  var unread: [Int: String] { state.withLock { $0.unread } }
}

extension EventStreams {
  /// A stream of each log.
  var oneOfEachLog: [EventStream] {
    writers.compactMap { writer in all.first { $0.writer === writer } }
  }
}
