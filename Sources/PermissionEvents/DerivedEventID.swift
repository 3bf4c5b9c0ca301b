// The id of an event that came without one: a hash of its whole content, so that the same line twice is
// the same event, in any file format. The function can never change, or re-ingested exports would double.

import CXXHash

public enum DerivedEventID {
  /// A UUID of version 8 (RFC 9562, section 5.8) whose free bits are XXH3-128 of the event's content: user id, time, kind,
  /// status and the ten string fields, each text after its length.
  /// - Parameter fields: values by `StringField`, empty if absent.
  public static func make(
    user: UnsafeRawBufferPointer, time: Milliseconds, kind: EventKind, status: AuthorizationStatus,
    fields: (StringField) -> UnsafeRawBufferPointer
  ) -> EventBatch.Identifier {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    func append(_ text: UnsafeRawBufferPointer) {
      bytes.append(UInt8(truncatingIfNeeded: text.count))
      bytes.append(UInt8(truncatingIfNeeded: text.count >> 8))
      bytes.append(contentsOf: text)
    }
    append(user)
    for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: time >> Int64(shift))) }
    bytes.append(kind.rawValue)
    bytes.append(status.rawValue)
    for field in StringField.allCases { append(fields(field)) }
    return bytes.withUnsafeBytes { make(ofKey: $0) }
  }

  /// The same of a key's bytes: a vendor's documented key, made unambiguous by the caller.
  public static func make(ofKey key: UnsafeRawBufferPointer) -> EventBatch.Identifier {
    let hash = XXH3_128bits(key.baseAddress, key.count)
    return identifier(high: hash.high64, low: hash.low64)
  }

  /// 122 of 128 bits of a hash as a UUID of version 8.
  public static func identifier(high: UInt64, low: UInt64) -> EventBatch.Identifier {
    EventBatch.Identifier(
      form: .lowercaseUUID, high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000,
      low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }
}
