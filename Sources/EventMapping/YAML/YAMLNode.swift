// A YAML document as a tree of texts, lists and maps that know their lines. All scalars are text: `true`, `0` and `A` are
// what they look like, so that a variant named `on` stays one.

/// A value of a YAML document.
struct YAMLNode {
  enum Content {
    case text(String)
    case list([YAMLNode])
    /// In the order of the file.
    case map([(key: YAMLNode, value: YAMLNode)])
  }

  var content: Content
  /// Line in the file, from 1.
  var line: Int
  /// True for a text without quotes, where `null` and nothing are the absence of a value.
  var isPlain: Bool

  /// Nothing, `~` or `null`, without quotes.
  var isNull: Bool {
    if isPlain, case .text(let text) = content { return text.isEmpty || text == "~" || text == "null" }
    return false
  }

  var text: String? {
    if case .text(let text) = content, !isNull { return text }
    return nil
  }

  /// The name of what it is, for messages.
  var kind: String {
    switch content {
    case .text: isNull ? "nothing" : "a text"
    case .list: "a list"
    case .map: "a map"
    }
  }
}
