// A zip from a pipe in a file: its directory of members is at its end, and only with it is known that no member is missing.

import Buffers
import PermissionEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension InputFile {
  /// What is kept at most: a zip in a gzip may unpack without end.
  private static let mostKept = 8

  /// Keeps a stream in a file that has no name and is gone when it is closed.
  convenience init(keeping source: any ByteSource, name: String) throws(ImportError) {
    let directory = getenv("TMPDIR").map { FilePath($0) }.flatMap { $0.bytes.isEmpty ? nil : $0 } ?? FilePath("/tmp")
    var template = directory.appending("permlog-XXXXXX".utf8).bytes.map { CChar(bitPattern: $0) } + [0]
    // Mode 0600.
    let opened = mkstemp(&template)
    guard opened >= 0 else { throw .cannotKeep(name, directory.shown, errno) }
    unlink(template)
    _ = fcntl(opened, F_SETFD, FD_CLOEXEC)
    do throws(ImportError) {
      let size = try Self.copy(source, to: opened, name: name, directory: directory.shown)
      self.init(unnamed: opened, size: size, path: name)
    } catch {
      close(opened)
      throw error
    }
  }

  private static func copy(
    _ source: any ByteSource, to descriptor: Int32, name: String, directory: String
  ) throws(ImportError) -> Int {
    let memory = PaddedBuffer(capacity: 1 << 18)
    var size = 0
    while true {
      let count = try source.read(into: memory.room)
      if count == 0 { return size }
      size += count
      if size > mostKept << 30 { throw .tooLargeToKeep(name, mostKept) }
      var written = 0
      while written < count {
        let step = memory.room.baseAddress.map { write(descriptor, $0 + written, count - written) } ?? 0
        if step > 0 {
          written += step
        } else if step == 0 || errno != EINTR {
          throw .cannotKeep(name, directory, step == 0 ? ENOSPC : errno)
        }
      }
    }
  }
}
