// Footers of format 1, which the program only reads.

import PermissionEvents

@testable import EventLog

extension PartFooter {
  func encode(_ version: PartVersion) -> [UInt8] {
    switch version {
    case .v1: encodeVersion1()
    case .v2: encode()
    }
  }

  private func encodeVersion1() -> [UInt8] {
    var w = ByteWriter()
    for word in [rows, users, UInt64(bitPattern: minimumTime), UInt64(bitPattern: maximumTime)] { w.u64(word) }
    w.varint(UInt64(dictionary.values.count))
    for (field, values) in dictionary.values.enumerated() {
      w.varint(UInt64(values.count))
      for (code, value) in values.enumerated() {
        // Format 1 kept the whole taxonomy, also what no row uses.
        let isOfTaxonomy = field == StringField.permission.rawValue && value.isEmpty && (1...25).contains(code)
        w.text(isOfTaxonomy ? Array(PermissionCode.taxonomy[code - 1].utf8) : value)
      }
    }
    w.varint(UInt64(dictionary.contexts.count))
    for c in dictionary.contexts {
      for code in [c.permission, c.variant, c.experiment, c.surface] { w.varint(UInt64(code)) }
    }
    w.varint(UInt64(dictionary.attributes.count))
    for a in dictionary.attributes {
      for code in [a.appVersion, a.osVersion, a.platform, a.locale, a.country] { w.varint(UInt64(code)) }
    }
    Self.encode(blocks, into: &w)
    for section in extensions {
      w.varint(section.id)
      w.text(section.bytes)
    }
    return w.bytes
  }
}
