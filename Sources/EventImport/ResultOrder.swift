// Chunks are parsed in any order; their results are taken in the order of the input, so that refused lines
// are reported one file after another, with line numbers that count from the file's beginning.

import PermissionEvents
import Threads

/// Puts results in order and keeps the totals. Safe to use from several threads.
final class ResultOrder: @unchecked Sendable {
  // Unchecked: everything that changes is touched under `monitor` alone.
  private let monitor = Monitor()
  private let onReject: (@Sendable (RejectedLine) throws -> Void)?
  private let onUnread: (@Sendable (UnreadLine) throws -> Void)?
  private let keepsPartial: Bool
  private var partial: [ImportError] = []
  private var waiting: [UInt64: ChunkResult] = [:]
  private var nextOrdinal: UInt64 = 0
  private var source: InputSource?
  /// Line ends of `source` before the next chunk.
  private var lineEnds = 0
  private var total = ImportCounts()
  private var failure: (any Error)?

  /// Results that may wait for one before them: bounds the memory of refused lines.
  private static let maximumWaiting: UInt64 = 64

  private let tally: EventTally
  private var suggestions = Suggestions()

  /// - Parameter keepsPartial: a last line that is cut off does not stop the import.
  init(
    tally: EventTally, keepsPartial: Bool, onReject: (@Sendable (RejectedLine) throws -> Void)?,
    onUnread: (@Sendable (UnreadLine) throws -> Void)?
  ) {
    self.tally = tally
    self.keepsPartial = keepsPartial
    self.onReject = onReject
    self.onUnread = onUnread
  }

  var keepsRejects: Bool { onReject != nil }
  var keepsUnread: Bool { onUnread != nil }

  var counts: ImportCounts { monitor.withLock { total } }

  /// Files without their last line, which is cut off.
  var partialFiles: [ImportError] { monitor.withLock { partial } }

  /// The first error of any thread; all threads stop when there is one.
  var error: (any Error)? { monitor.withLock { failure } }

  /// Begins a part of the input, with ordinals from 0.
  func restart() { monitor.withLock { nextOrdinal = 0 } }

  func fail(_ error: any Error) { monitor.withLock { failed(error) } }

  private func failed(_ error: any Error) {
    if failure == nil { failure = error }
    waiting.removeAll()
    monitor.wakeAll()
  }

  /// Takes a chunk's result, and waits while it is too far ahead of the oldest that is missing.
  func take(_ result: ChunkResult) {
    monitor.withLock {
      while failure == nil, result.ordinal - nextOrdinal > Self.maximumWaiting { monitor.wait() }
      guard failure == nil else { return }
      waiting[result.ordinal] = result
      guard result.ordinal == nextOrdinal else { return }
      do {
        while let next = waiting.removeValue(forKey: nextOrdinal) {
          try report(next)
          nextOrdinal += 1
        }
      } catch {
        failed(error)
      }
      monitor.wakeAll()
    }
  }

  private func report(_ result: ChunkResult) throws {
    if let current = result.source, current !== source {
      source = current
      lineEnds = 0
    }
    total.add(result.counts)
    let name = source?.name ?? ""
    for example in result.examples { tally.note(example.key, file: name, line: lineEnds + example.line + 1) }
    if let onReject {
      for reject in result.rejects {
        let suggestion = reject.unlisted.map { suggestions.text($0) } ?? ""
        try onReject(reject.reported(base: lineEnds, file: name, suggestion: suggestion))
      }
    }
    if let onUnread {
      for unread in result.unread {
        let (name, reason) = (String(bounded: unread.key.name), unread.key.outcome)
        try onUnread(UnreadLine(file: source?.name ?? "", line: lineEnds + unread.line + 1, name: name, reason: reason))
      }
    }
    if let failure = result.failure { throw failure }
    if let (cut, line) = result.lastLine {
      let error = ImportError.cutOff(name, line: lineEnds + line + 1, cut, isKept: keepsPartial)
      guard keepsPartial else { throw error }
      partial.append(error)
    }
    lineEnds += result.lineEnds
  }
}

// MARK: What the parsing of one chunk leaves besides its events: counts, and refused lines in a compact form

struct ChunkResult {
  /// A refused line; its number counts from the chunk's first line, from 0.
  struct Reject {
    var line: Int
    var reason: String
    /// The reason without the value, for counting.
    var group: String
    /// A value that its closed list does not have.
    var unlisted: FieldAndValue?
    var text: [UInt8]

    /// The line as reported, with `base` line ends before the chunk.
    func reported(base: Int, file: String, suggestion: String) -> RejectedLine {
      RejectedLine(file: file, line: base + line + 1, reason: reason + suggestion, group: group, text: text)
    }
  }

  var ordinal: UInt64 = 0
  var source: InputSource?
  var counts = ImportCounts()
  /// Line ends of the chunk, including those skipped around it.
  var lineEnds = 0
  private(set) var rejects: [Reject] = []
  var failure: ImportError?
  /// The file's last line, which is cut off; its number counts as that of a refused line.
  private(set) var lastLine: (cut: LineCut, line: Int)?
  /// False if the refused lines are only counted.
  let keepsRejects: Bool
  /// Lines whose names look like permission events but are not mapped, if these are wanted.
  private(set) var unread: [Example] = []
  private let keepsUnread: Bool
  /// False if user ids are replaced: then neither a refused line's text is kept nor a value of it.
  private let showsValues: Bool
  private let words: RemedyWords

  init(
    keepsRejects: Bool, keepsUnread: Bool = false, showsValues: Bool = true,
    words: @escaping RemedyWords = { $0.advice }
  ) {
    self.keepsRejects = keepsRejects
    self.keepsUnread = keepsUnread
    self.showsValues = showsValues
    self.words = words
  }

  /// Records a refused line. `line` counts the line ends before it, including skipped ones.
  mutating func reject(_ reason: Rejection, line: Int, text: UnsafeRawBufferPointer) {
    counts.lines += 1
    counts.rejected += 1
    if reason.isOfName { counts.notUnderstood += 1 }
    // One such line may be a million of another file's.
    if failure == nil, let name = source?.name, Packing(head: text).isStream { failure = .packedAfterText(name) }
    guard keepsRejects else { return }
    var kept = text.prefix(showsValues ? ImportLimit.rejectedText : 0)
    if text.count == kept.count, kept.last == 0x0D { kept = kept.dropLast() }
    rejects.append(
      Reject(
        line: line, reason: reason.text(saying: words, showsValues: showsValues), group: reason.group,
        unlisted: showsValues ? reason.unlisted : nil, text: Array(kept)))
  }

  /// Records the last line of a file, which is cut off: it is no refused line, because the file is refused.
  mutating func cut(_ cut: LineCut, line: Int, text: UnsafeRawBufferPointer) {
    // Packed data that follow the text look like a line that is cut off.
    if Packing(head: text).isStream { return reject(.notAnObject, line: line, text: text) }
    lastLine = (cut, line)
  }

  /// The refused lines so far.
  struct Mark {
    fileprivate let counts: ImportCounts
    fileprivate let rejects: Int
  }

  var mark: Mark { Mark(counts: counts, rejects: rejects.count) }

  /// Forgets the lines that were refused since then, if no others were read.
  mutating func restore(_ mark: Mark) {
    counts = mark.counts
    rejects.removeLast(rejects.count - mark.rejects)
  }

  @inline(__always)
  mutating func accept(ignoredFields: Int, isRespelled: Bool = false) {
    counts.lines += 1
    counts.events += 1
    counts.ignoredFields += ignoredFields
    if isRespelled { counts.respelled += 1 }
  }

  /// The first line of a chunk that something was made of, for tables of names.
  struct Example {
    var line: Int
    var key: EventTally.Key
  }

  var examples: [Example] = []

  /// Records a record that is not an event, or has an event that is not stored.
  @inline(__always)
  mutating func passOver() {
    counts.lines += 1
    counts.unmapped += 1
  }

  /// The same for a record of a vendor.
  @inline(__always)
  mutating func passOver(_ key: EventTally.Key, line: Int) {
    passOver()
    if keepsUnread, key.looksLikePermission, !key.isStored { unread.append(Example(line: line, key: key)) }
  }
}
