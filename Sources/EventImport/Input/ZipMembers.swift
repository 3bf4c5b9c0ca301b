// Small files in a zip, for callers that look for some of them.

import Buffers
import PermissionEvents

package enum ZipMembers {
  /// The files of a zip that a caller wants, in its order.
  /// - Parameters:
  ///   - path: of a regular file.
  ///   - mostBytes: of all together; what is longer is an error.
  ///   - isWanted: by the path in the zip. Others are passed over, and not unpacked.
  /// - Throws: if the file is no sound zip, cannot be read, or has too much of what is wanted.
  package static func read(
    _ path: String, mostBytes: Int, isWanted: (String) -> Bool
  ) throws(ImportError) -> [(path: String, bytes: [UInt8])] {
    let file = try InputFile(InputPath(path: FilePath(path), size: nil))
    let reader = try ArchiveReader(zip: FileSource(file), file: file, name: path)
    var found: [(path: String, bytes: [UInt8])] = []
    var left = mostBytes
    let buffer = PaddedBuffer(capacity: 1 << 16)
    while try reader.nextMember() {
      let name = String(reader.member.dropFirst(path.count + 1))
      guard isWanted(name) else { continue }
      var bytes: [UInt8] = []
      while true {
        let count = try reader.read(into: buffer.room)
        if count == 0 { break }
        left -= count
        guard left >= 0 else { throw .damaged(path, "the zip archive", cause: "its small files are too large") }
        bytes += buffer.room[..<count]
      }
      found.append((name, bytes))
    }
    return found
  }
}
