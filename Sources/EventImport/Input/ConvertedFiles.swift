// Files whose text was not UTF-8, for a note to the user.

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
