// Packs UUIDs sixteen digits at once. The results are those of `IdentifierText.packUUID`.

import CVectorBytes
import PermissionEvents

enum UUIDPacker {
  /// Packs the 36 bytes at `text`; nil where they are not a UUID in one case.
  @inline(__always)
  static func pack(_ text: UnsafeRawPointer) -> EventBatch.Identifier? {
    let uuid = cvb_pack_uuid(text)
    if uuid.form == 0 { return nil }
    return EventBatch.Identifier(
      form: uuid.form == 2 ? .uppercaseUUID : .lowercaseUUID, high: uuid.high, low: uuid.low)
  }
}
