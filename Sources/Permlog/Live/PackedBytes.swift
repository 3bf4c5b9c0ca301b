// Bodies of requests as they came, for programs that look into them before they append them.

import EventImport
import PermissionEvents

/// Undoes the compressions that permlog reads.
public enum PackedBytes {
  /// Plain bytes as they are; gzip and Zstandard unpacked, recognised by their first bytes.
  ///
  /// For example, `try PackedBytes.unpacked(body, limit: 64 << 20)` never makes more than 64 MiB of a small body.
  /// - Parameters:
  ///   - limit: the most bytes that come out.
  ///   - name: names the bytes in errors.
  /// - Throws: `damaged` if the data are torn or damaged, `limit` if more would come out.
  public static func unpacked(_ bytes: [UInt8], limit: Int, name: String = "bytes") throws(PermlogError) -> [UInt8] {
    do { return try Unpacking.bytes(bytes, limit: limit, name: name) } catch {
      var failure = PermlogError(error)
      if error.code == .resources { failure.code = .limit }
      throw failure
    }
  }
}
