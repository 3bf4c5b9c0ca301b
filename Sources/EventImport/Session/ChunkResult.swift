// What the parsing of one chunk leaves besides its events: counts, and refused lines in a compact form.

import PermissionEvents

/// The outcome of one chunk.
struct ChunkResult {
  /// A refused line; its number counts from the chunk's first line, from 0.
  struct Reject {
    var line: Int
    var reason: String
    /// The reason without the value, for counting.
    var group: String
    /// A value that its closed list does not have.
    var unlisted: FieldAndValue?
    var offset: Int
    var count: Int
  }

  var ordinal: UInt64 = 0
  var source: InputSource?
  var counts = ImportCounts()
  /// Line ends of the chunk, those that were skipped around it too.
  var lineEnds = 0
  private(set) var rejects: [Reject] = []
  private(set) var texts: [UInt8] = []
  /// Why the whole file is refused.
  var failure: ImportError?
  /// False if nobody asks for the refused lines: they are only counted.
  let keepsRejects: Bool
  /// False if user ids are replaced: then neither a refused line's text is kept nor a value of it.
  private let showsValues: Bool
  private let words: RemedyWords

  init(keepsRejects: Bool, showsValues: Bool = true, words: @escaping RemedyWords = { $0.advice }) {
    self.keepsRejects = keepsRejects
    self.showsValues = showsValues
    self.words = words
  }

  /// Notes a refused line. `line` counts the line ends before it, those that were skipped too.
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
        unlisted: showsValues ? reason.unlisted : nil, offset: texts.count, count: kept.count))
    texts.append(contentsOf: kept)
  }

  /// Notes a line that became an event.
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

  /// Notes a record that is no event, or whose event is not stored.
  @inline(__always)
  mutating func passOver() {
    counts.lines += 1
    counts.unmapped += 1
  }

  /// A refused line as it is reported, if `base` line ends come before the chunk.
  func rejectedLine(_ reject: Reject, base: Int, file: String, suggestion: String) -> RejectedLine {
    RejectedLine(
      file: file, line: base + reject.line + 1, reason: reject.reason + suggestion, group: reject.group,
      text: Array(texts[reject.offset..<reject.offset + reject.count]))
  }
}
