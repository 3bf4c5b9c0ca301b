// Packs UUIDs sixteen digits at once. The results are those of `IdentifierText.packUUID`.

import CVectorBytes
import PermissionEvents

enum UUIDPacker {
  /// Packs the 36 bytes at `text`; nil where they are not a UUID in one case. The form is the raw value of
  /// `IdentifierForm`.
  @inline(__always)
  static func pack(_ text: UnsafeRawPointer) -> cvb_uuid? {
    let uuid = cvb_pack_lower_uuid(text)
    return uuid.form != 0 ? uuid : inAnyCase(text)
  }

  @inline(never)
  private static func inAnyCase(_ text: UnsafeRawPointer) -> cvb_uuid? {
    let uuid = cvb_pack_uuid(text)
    return uuid.form == 0 ? nil : uuid
  }
}
