// A JSON text as a tree, for a look at the head of a file whose form is not known.

/// A value, an object's members in their order.
package enum JSONTree: Equatable, Sendable {
  package struct Member: Equatable, Sendable {
    var key: String
    var value: JSONTree
  }

  case text(String)
  /// As it is spelled.
  case number(String)
  case boolean(Bool)
  case null
  case list([JSONTree])
  case object([Member])

  var isObject: Bool { if case .object = self { true } else { false } }
}
