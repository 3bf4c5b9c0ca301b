// One writer at a time. The kernel holds the lock for the process and drops it when the process ends,
// however it ends; the text in the file only names the holder. It has a checksum, since a writer that was killed
// leaves it there.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The lock of a log; held until `release`.
final class WriterLock {
  private let directory: LogDirectory
  private var descriptor: Int32?

  /// Takes the lock at once or throws `locked`, naming the process that has it.
  init(_ directory: LogDirectory) throws {
    self.directory = directory
    let path = directory.file(LogDirectory.lockName)
    let files = directory.files
    let descriptor = try files.open(path, .readWrite)
    do {
      guard try files.lock(descriptor, path: path) else {
        var buffer = [UInt8](repeating: 0, count: 64)
        let n = try buffer.withUnsafeMutableBytes { try files.read(descriptor, into: $0, at: 0, path: path) }
        let holder = LockText.holder(Array(buffer[..<n])) ?? "just started"
        throw LogError(
          .locked, "\(directory.path): another permlog writes to this log (\(holder)). Try again when it is done.")
      }
      do {
        try files.truncate(descriptor, to: 0, path: path)
        try LockText.encode(process: getpid()).withUnsafeBytes { try files.write(descriptor, $0, at: 0, path: path) }
      } catch {
        // Half a text would look like damage.
        try? files.truncate(descriptor, to: 0, path: path)
        throw error
      }
    } catch {
      try? files.close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  /// Empties the file and lets the lock go.
  func release() {
    guard let held = descriptor else { return }
    descriptor = nil
    try? directory.files.truncate(held, to: 0, path: directory.file(LogDirectory.lockName))
    try? directory.files.close(held)
  }

  deinit { release() }
}

/// What stands in the file of a lock that is held: the process, and a checksum as a manifest has it.
enum LockText {
  static func encode(process: Int32) -> [UInt8] {
    let bytes = Array("process \(process)\n".utf8)
    return bytes + Manifest.checksumLine(of: bytes)
  }

  /// Who holds the lock: "process" and its number. Nil where the bytes are not what `encode` writes.
  static func holder(_ bytes: [UInt8]) -> String? {
    let line = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
    guard let process = Int32(line.dropFirst(8)), encode(process: process) == bytes else { return nil }
    return line
  }
}
