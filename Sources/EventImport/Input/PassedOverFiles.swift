// Files that were recognised as companions of an export, and so not read.

package struct PassedOverFiles: Sendable {
  private static let shown = 5
  /// The first few of them.
  private var names: [String] = []
  private var count = 0

  mutating func add(_ name: String) {
    if names.count < Self.shown { names.append(name) }
    count += 1
  }

  /// One sentence; nil where there are none.
  package var message: String? {
    if count == 0 { return nil }
    let more = count > names.count ? " and \(count - names.count) more" : ""
    return "passed over, because it comes along with exports and holds no events: "
      + names.joined(separator: ", ") + more
  }
}
