// What the import's tests share: files that go away, a sink that keeps events as text, random numbers from a seed.

import Threads
import EventImport
import Foundation
import PermissionEvents

@testable import EventImport

/// An event with all its values as text, and its place in the input.
struct PlainEvent: Hashable, Comparable {
  var sequence: UInt64
  var user: String
  var userHash: UInt64
  var event: String
  var time: Milliseconds
  var kind: String
  var status: String
  /// The string fields that are not absent, by name.
  var fields: [String: String]

  static func < (a: Self, b: Self) -> Bool { a.sequence < b.sequence }

  /// The event without its place.
  var content: PlainEvent {
    var copy = self
    copy.sequence = 0
    return copy
  }
}

/// Keeps everything that is appended, as text.
final class CollectingSink: EventSink {
  let dictionary = EventDictionary()
  private let limit: Int
  private struct Kept {
    var packed: [(PackedEvent, user: String, event: String)] = []
  }
  private let kept = Mutex(Kept())

  /// - Parameter limit: the sink is full when it has this many events.
  init(limit: Int = .max) { self.limit = limit }

  var isFull: Bool { kept.withLock { $0.packed.count >= limit } }

  func append(_ batch: EventBatch) throws {
    func text(form: UInt8, high: UInt64, low: UInt64) -> String {
      guard form != 0, let form = IdentifierForm(rawValue: form) else {
        let range = TextRange(word: high)
        return String(decoding: batch.texts[range.offset..<range.offset + range.count], as: UTF8.self)
      }
      var bytes: [UInt8] = []
      IdentifierText.writeUUID(form: form, high: high, low: low, into: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    }
    let list = batch.events.map { event in
      let high = event.userForm == 0 ? event.userWord : UserHash.highWord(hash: event.userHash, low: event.userWord)
      return (
        event, user: text(form: event.userForm, high: high, low: event.userWord),
        event: text(form: event.eventForm, high: event.eventHigh, low: event.eventLow)
      )
    }
    kept.withLock { $0.packed += list }
  }

  /// All events in the order of the input.
  var events: [PlainEvent] {
    let contents = dictionary.contents
    return kept.withLock { kept in
      kept.packed.map { packed, user, event in
        let context = contents.contexts[Int(packed.context)]
        let attributes = contents.attributes[Int(packed.attributes)]
        let codes = [
          context.permission, context.variant, context.experiment, context.surface, context.feature,
          attributes.appVersion, attributes.osVersion, attributes.platform, attributes.locale, attributes.country,
        ]
        var fields: [String: String] = [:]
        for (field, code) in codes.enumerated() where code != 0 {
          fields[StringField.names[field]] = String(decoding: contents.values[field][Int(code)], as: UTF8.self)
        }
        return PlainEvent(
          sequence: packed.sequence, user: user, userHash: packed.userHash, event: event, time: packed.time,
          kind: EventKind.names[Int(packed.kindCode)], status: context.status.name, fields: fields)
      }.sorted()
    }
  }
}

/// A directory that goes away with its owner.
final class TemporaryDirectory {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "import-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file and returns its path.
  @discardableResult
  func write(_ name: String, _ data: Data) throws -> String {
    let url = URL(fileURLWithPath: path).appendingPathComponent(name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
    return url.path
  }

  @discardableResult
  func write(_ name: String, _ text: String) throws -> String { try write(name, Data(text.utf8)) }
}

/// What an import came to.
struct ImportOutcome {
  var events: [PlainEvent]
  var rejects: [RejectedLine]
  var counts: ImportCounts
}

/// 2026-01-01T00:00:00Z, the clock of the tests.
let testNow: Milliseconds = 1_767_225_600_000

func testOptions(
  format: ImportFormat = .auto, future: Bool = false, custom: Bool = false, threads: Int = 1
) -> ImportOptions {
  var rows = ReadingOptions()
  rows.format = format
  rows.allowsFutureTimes = future
  rows.allowsCustomPermissions = custom
  return ImportOptions(rows, now: testNow, threads: threads)
}

/// Imports files to the end.
func importPaths(
  _ paths: [String], _ options: ImportOptions = testOptions(), usesCommonLine: Bool = true,
  chunkSize: Int = ImportLimit.chunk
) throws -> ImportOutcome {
  let rejects = Mutex<[RejectedLine]>([])
  let session = try ImportSession(
    .paths(paths), options: options, usesCommonLine: usesCommonLine, chunkSize: chunkSize,
    onReject: { line in rejects.withLock { $0.append(line) } }, onProgress: nil)
  let sink = CollectingSink()
  while !(try session.run(into: sink)) {}
  return ImportOutcome(events: sink.events, rejects: rejects.withLock { $0 }, counts: session.counts)
}

/// Imports one file with this content.
func importText(
  _ data: Data, _ options: ImportOptions = testOptions(), usesCommonLine: Bool = true
) throws -> ImportOutcome {
  let directory = try TemporaryDirectory()
  return try importPaths([directory.write("input", data)], options, usesCommonLine: usesCommonLine)
}

func importText(
  _ text: String, _ options: ImportOptions = testOptions(), usesCommonLine: Bool = true
) throws -> ImportOutcome {
  try importText(Data(text.utf8), options, usesCommonLine: usesCommonLine)
}

/// SplitMix64 (Steele, Lea & Flood 2014): the same numbers from the same seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
