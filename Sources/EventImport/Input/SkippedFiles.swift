// Files that a note to the user names: those that were left out, so that nothing is lost without a word, and those whose text
// was not UTF-8.

/// Files, and members of archives, that were left out.
public struct SkippedFiles: Sendable {
  enum Reason: String, Sendable {
    /// It was found in a directory or an archive, and is nothing for permlog.
    case noEvents = "nothing that permlog reads"
    /// It is known as one that comes along with a vendor's export.
    case companion = "comes along with exports"
  }

  fileprivate static let shown = 5
  /// The first few of them.
  private var names: [(name: String, reason: Reason)] = []
  public private(set) var count = 0

  mutating func add(_ name: String, _ reason: Reason) {
    if names.count < Self.shown { names.append((name, reason)) }
    count += 1
  }

  /// `2 files: a.md (no events in it), b.json (comes along with exports)`; nil if there are none.
  public var message: String? {
    if count == 0 { return nil }
    let list = names.map { "\($0.name) (\($0.reason.rawValue))" }.joined(separator: ", ")
    let more = count > names.count ? ", and \(count - names.count) more" : ""
    return (count == 1 ? "1 file: " : "\(count) files: ") + list + more
  }
}

/// Files whose text was not UTF-8.
public struct ConvertedFiles: Sendable {
  /// By the encoding's name.
  private var files: [String: [String]] = [:]

  mutating func add(_ name: String, _ encoding: TextEncoding) { files[encoding.name, default: []].append(name) }

  /// A sentence for each encoding, with the first few files.
  public var messages: [String] {
    files.sorted { $0.key < $1.key }.map { encoding, names in
      let more = names.count - SkippedFiles.shown
      return "read as \(encoding) text: " + names.prefix(SkippedFiles.shown).joined(separator: ", ")
        + (more > 0 ? " and \(more) more" : "")
    }
  }
}
