// One place in the records of a file, with the values seen there.

package struct SketchPlace {
  let path: [String]
  /// Values that are there, as text.
  private(set) var count = 0
  private(set) var texts = 0
  /// The first different values, in their order.
  private(set) var values: [String] = []
  private var seen: Set<String> = []
  private static let kept = 64

  init(path: [String]) { self.path = path }

  mutating func add(_ value: JSONTree) {
    switch value {
    case .text(let text):
      if text.isEmpty { return }
      texts += 1
      keep(text)
    case .number(let text): keep(text)
    case .boolean(let isTrue): keep(isTrue ? "true" : "false")
    case .null, .list, .object: return
    }
    count += 1
  }

  private mutating func keep(_ text: String) {
    distinct += seen.count < 10_000 && seen.insert(text).inserted ? 1 : 0
    if values.count < Self.kept, distinct > values.count { values.append(text) }
  }

  /// Different values seen.
  private(set) var distinct = 0

  /// The keys with points between them, as messages show a place.
  var name: String { path.joined(separator: ".") }
  /// The last key in lower case, without what stands between words.
  var squashed: String { Self.squash(path.last ?? "") }

  /// The last two keys together: what `user.id` says is `user_id`.
  var squashedPair: String { Self.squash(path.suffix(2).joined()) }

  /// `userId`, `User ID` and `user_id` are one.
  static func squash(_ key: String) -> String {
    String(
      decoding: key.utf8.filter { ($0 | 0x20) >= 97 && ($0 | 0x20) <= 122 || $0 >= 48 && $0 <= 57 || $0 >= 0x80 }
        .map { $0 >= 65 && $0 <= 90 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
