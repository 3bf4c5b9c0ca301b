// Property lists: the format of an app's Info.plist and its translations. We have our own readers for the three
// formats, because the existing ones trap on hostile files (docs/decisions/0008-no-foundation.md).

/// A value of a property list.
package enum PropertyList: Sendable, Hashable {
  case text(String)
  /// As it is spelled.
  case number(String)
  case boolean(Bool)
  /// Dates, data, and other values that are never needed from an Info.plist.
  case other
  case list([PropertyList])
  case dictionary([String: PropertyList])

  /// The most values within each other.
  static let mostDepth = 64

  /// Reads a property list in any form: XML, binary, or the old style of `.strings` files and Xcode projects. The content says
  /// which. An old-style file may be a list of pairs without braces, or empty: then it is a dictionary.
  /// - Throws: if it is not a property list, is cut off, nests more than 64 deep or gives a key two values.
  package init(_ bytes: [UInt8]) throws(PropertyListError) {
    if bytes.starts(with: "bplist".utf8) {
      var reader = try BinaryPropertyListReader(bytes)
      self = try reader.document()
      return
    }
    let text = try PropertyListEncoding.utf8(bytes)
    if text.bytes.first(where: { !PropertyListEncoding.isBlank($0) }) == UInt8(ascii: "<") {
      var reader = XMLPropertyListReader(text.bytes, isDecoded: text.isDecoded)
      self = try reader.document()
    } else {
      var reader = OldStylePropertyListReader(text.bytes)
      self = try reader.document()
    }
  }

  package var text: String? { if case .text(let text) = self { text } else { nil } }

  package var list: [PropertyList]? { if case .list(let items) = self { items } else { nil } }

  package var dictionary: [String: PropertyList]? { if case .dictionary(let pairs) = self { pairs } else { nil } }

  package subscript(_ key: String) -> PropertyList? { dictionary?[key] }
}

extension [String: PropertyList] {
  /// Adds a pair. The same value twice does no harm; two values for a key are an error, since it is not fixed which counts.
  /// - Returns: false if the key has another value.
  mutating func add(_ key: String, _ value: PropertyList) -> Bool {
    if let old = self[key] { return old == value }
    self[key] = value
    return true
  }
}
