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
