// Files, and members of archives, that were left out: each with the reason, so that nothing is lost without a word.

public struct SkippedFiles: Sendable {
  enum Reason: Sendable {
    /// It was found in a directory or an archive, and is nothing for permlog.
    case noEvents
    /// It is known as one that comes along with a vendor's export.
    case companion

    var text: String {
      switch self {
      case .noEvents: "nothing that permlog reads"
      case .companion: "comes along with exports"
      }
    }
  }

  private static let shown = 5
  /// The first few of them.
  private var names: [(name: String, reason: Reason)] = []
  public private(set) var count = 0

  mutating func add(_ name: String, _ reason: Reason) {
    if names.count < Self.shown { names.append((name, reason)) }
    count += 1
  }

  /// `2 files: a.md (no events in it), b.json (comes along with exports)`; nil where there are none.
  public var message: String? {
    if count == 0 { return nil }
    let list = names.map { "\($0.name) (\($0.reason.text))" }.joined(separator: ", ")
    let more = count > names.count ? ", and \(count - names.count) more" : ""
    return (count == 1 ? "1 file: " : "\(count) files: ") + list + more
  }
}

// MARK: Files whose text was not UTF-8, for a note to the user.

public struct ConvertedFiles: Sendable {
  private static let shown = 5
  /// By the encoding's name: the first few files, and how many there are.
  private var files: [String: (names: [String], count: Int)] = [:]

  mutating func add(_ name: String, _ encoding: TextEncoding) {
    var entry = files[encoding.name] ?? ([], 0)
    if entry.names.count < Self.shown { entry.names.append(name) }
    entry.count += 1
    files[encoding.name] = entry
  }

  /// A sentence for each encoding.
  public var messages: [String] {
    files.sorted { $0.key < $1.key }.map { encoding, entry in
      let more = entry.count > entry.names.count ? " and \(entry.count - entry.names.count) more" : ""
      return "read as \(encoding) text: " + entry.names.joined(separator: ", ") + more
    }
  }
}
