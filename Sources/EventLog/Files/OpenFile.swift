// A file of a log that is open, with all that can be done with it.

import Threads

/// An open file, closed with its last owner. Safe to use from several threads. Every call may throw a `FileError`.
final class OpenFile: Sendable {
  let path: String
  private let files: any FileSystem
  private let descriptor: Int32
  private let isOpen = Mutex(true)

  init(_ path: String, _ mode: OpenMode, _ files: any FileSystem) throws {
    self.path = path
    self.files = files
    descriptor = try files.open(path, mode)
  }

  deinit { try? close() }

  /// Closes it now, and once: afterwards its descriptor's number may be another file's.
  func close() throws {
    let wasOpen = isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
    if wasOpen { try files.close(descriptor) }
  }

  func size() throws -> Int { try files.size(descriptor, path: path) }

  /// Reads until the buffer is full or the file ends; the number of bytes read.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    try files.read(descriptor, into: buffer, at: offset, path: path)
  }

  /// Up to so many bytes; fewer if the file ends before.
  func read(_ count: Int, at offset: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { bytes, n in
      n = try read(into: UnsafeMutableRawBufferPointer(bytes), at: offset)
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
    try files.write(descriptor, bytes, at: offset, path: path)
  }

  func write(_ bytes: [UInt8], at offset: Int) throws { try bytes.withUnsafeBytes { try write($0, at: offset) } }

  func truncate(to size: Int) throws { try files.truncate(descriptor, to: size, path: path) }

  /// Returns when data and size have reached the disk.
  func synchronize() throws { try files.synchronize(descriptor, path: path) }

  /// False if the file was removed or replaced after it had been opened.
  func isNamed() throws -> Bool { try files.isNamed(descriptor, path: path) }

  /// True if it has another name too, maybe elsewhere.
  func isShared() throws -> Bool { try files.isShared(descriptor, path: path) }

  /// Closes it and takes its name away, if that does not lead to somebody else's file by now. What cannot be told from such
  /// a file stays: the next writer removes it.
  func discard() {
    if isOpen.withLock({ $0 }), (try? isNamed()) == true { try? files.remove(path) }
    try? close()
  }

  /// Takes the file's lock for this process; false if another has it.
  func lock() throws -> Bool { try files.lock(descriptor, path: path) }
}
