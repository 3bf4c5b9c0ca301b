// One writer at a time. The kernel holds the lock for the process and drops it when the process ends,
// however it ends; the text in the file only names the holder.

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
        let holder = String(decoding: buffer[..<n].prefix { $0 != 0x0A }, as: UTF8.self)
        throw LogError(
          .locked,
          "\(directory.path): another permlog writes to this log (\(holder.isEmpty ? "just started" : holder)). Try again when it is done."
        )
      }
      try files.truncate(descriptor, to: 0, path: path)
      let text = Array("process \(getpid())\n".utf8)
      try text.withUnsafeBytes { try files.write(descriptor, $0, at: 0, path: path) }
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
