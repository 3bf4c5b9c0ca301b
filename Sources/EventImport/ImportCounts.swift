// The counts of an import so far, and the refused lines.

/// Totals of an import.
public struct ImportCounts: Equatable, Sendable {
  /// Files that were begun and read; an archive is one file.
  public var files = 0
  /// Files, and members of archives, that were left out because they hold no events.
  public var skippedFiles = 0
  /// Lines that are not empty; in CSV records without the header.
  public var lines = 0
  /// Lines that became events.
  public var events = 0
  public var rejected = 0
  /// Of the rejected lines, those with a kind, permission or status that was not understood.
  public var notUnderstood = 0
  /// Events with a kind, permission or status in another spelling than the list's.
  public var respelled = 0
  /// Events of vendors' exports that no mapping understands, and events in any file with names that are not stored.
  public var unmapped = 0
  /// Variants and states in rows that surely repeat an earlier row's: copies that were not made.
  public var repeats = 0
  /// Events that replace others but have an id made of all their values, because the source has no ids.
  public var contentIDs = 0
  /// Rows that say that two ids are one user.
  public var links = 0
  /// Links between ids that were refused: an id names no user, or cannot be an id.
  public var refusedLinks = 0
  /// Values of unknown fields in lines that became events: members in JSON, cells that are not empty in CSV.
  public var ignoredFields = 0
  /// Bytes of text, after decompression.
  public var bytes = 0

  public init() {}

  mutating func add(_ other: ImportCounts) {
    files += other.files
    skippedFiles += other.skippedFiles
    lines += other.lines
    events += other.events
    rejected += other.rejected
    notUnderstood += other.notUnderstood
    respelled += other.respelled
    unmapped += other.unmapped
    repeats += other.repeats
    contentIDs += other.contentIDs
    links += other.links
    refusedLinks += other.refusedLinks
    ignoredFields += other.ignoredFields
    bytes += other.bytes
  }
}

package struct ImportProgress: Sendable {
  package var counts: ImportCounts
  package var totalFiles: Int
  /// Bytes read from the files as stored.
  package var bytesRead: Int
  /// Bytes of all files as stored; nil if a pipe is among them.
  package var totalBytes: Int?
}

/// A line that did not become an event.
public struct RejectedLine: Equatable, Sendable {
  /// The file as it was named, or found in a directory; `archive.zip!member` for a member of an archive.
  public var file: String
  /// Physical line in the file, from 1; of a CSV record its first line.
  public var line: Int
  public var reason: String
  /// The reason without the line's own values, by which lines are counted.
  public var group: String
  /// The group of lines that may be accepted on a later day.
  package static let groupOfFutureTimes = "timestamp is in the future"
  /// The line without its end, cut to 4 KiB; empty if user ids are replaced, which it would give away.
  public var text: [UInt8]
}

/// A line that was read, but whose event's name looks like one of a permission and is not mapped: it can be read again with a mapping.
public struct UnreadLine: Equatable, Sendable {
  /// As for ``RejectedLine``.
  public var file: String
  /// Physical line in the file, from 1.
  public var line: Int
  /// The event's name.
  public var name: String
  /// What was not understood: `not mapped`.
  public var reason: String
}

// MARK: Files that are named in a note to the user: files that were left out, so that nothing is lost silently, and
// files with text that was not UTF-8.

/// Files, and members of archives, that were left out.
public struct SkippedFiles: Sendable {
  enum Reason: String, Sendable {
    /// It was found in a directory or an archive, and is nothing for permlog.
    case noEvents = "not a file that permlog reads"
    /// It is known as one that comes along with a vendor's export.
    case companion = "comes with exports"
    case directoryLink = "a link to a directory; name it to read it"
    case noFile = "a pipe, socket or device"
  }

  fileprivate static let shown = 5
  private var names: [(name: String, reason: Reason)] = []
  public private(set) var count = 0

  mutating func add(_ name: String, _ reason: Reason) {
    if names.count < Self.shown { names.append((name, reason)) }
    count += 1
  }

  /// `2 files: a.md (no events in it), b.json (comes with exports)`; nil if there are none.
  public var message: String? {
    if count == 0 { return nil }
    let list = names.map { "\($0.name) (\($0.reason.rawValue))" }.joined(separator: ", ")
    let more = count > names.count ? ", and \(count - names.count) more" : ""
    return (count == 1 ? "1 file: " : "\(count) files: ") + list + more
  }
}

/// Files with text that was not UTF-8.
public struct ConvertedFiles: Sendable {
  /// By the encoding's name.
  private var files: [String: [String]] = [:]

  mutating func add(_ name: String, _ encoding: TextEncoding) { files[encoding.name, default: []].append(name) }

  /// A sentence for each encoding, with the first few files.
  public var messages: [String] {
    files.sorted { $0.key < $1.key }.map { encoding, names in
      "read as \(encoding) text: " + names.listed(upTo: SkippedFiles.shown)
    }
  }
}

extension Collection<String> {
  /// The first of a list for a sentence, and how many more there are.
  func listed(upTo most: Int) -> String {
    prefix(most).joined(separator: ", ") + (count > most ? " and \(count - most) more" : "")
  }
}
