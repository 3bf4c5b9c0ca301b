// Small JSON files of our own, read whole: simdjson says whether every byte of the text is JSON, the reader of trees then
// has nothing left to forgive.

import Buffers
import CSimdJSON

extension JSONTree {
  /// Longest text that is read so: it is in memory several times over.
  package static let longestDocument = 64 << 20

  /// The object that a whole text is; nil if it is anything but one object of valid JSON, at most 32 levels deep.
  package init?(document text: [UInt8]) {
    guard !text.isEmpty, text.count <= Self.longestDocument, Self.isObject(text) else { return nil }
    var reader = JSONTreeReader(text[...])
    guard let tree = reader.value(), !reader.isCut, !reader.isBroken, tree.isObject else { return nil }
    self = tree
  }

  private static func isObject(_ text: [UInt8]) -> Bool {
    guard let parser = csj_parser_new(nil, 0, text.count) else { return false }
    defer { csj_parser_free(parser) }
    let padded = text + [UInt8](repeating: 0x20, count: PaddedBytes.padding)
    var none = csj_value()
    return padded.withUnsafeBufferPointer { csj_parse(parser, $0.baseAddress, text.count, &none) }.status
      == CSJ_OK.status
  }
}

extension csj_status {
  fileprivate var status: Int32 { Int32(rawValue) }
}
