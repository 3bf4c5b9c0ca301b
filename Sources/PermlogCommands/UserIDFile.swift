// A file of user ids, one a line.

import Permlog

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum UserIDFile {
  static let longest = PermissionLog.longestUserID

  /// The ids of a file, or of standard input for `-`. Line feeds end lines, with or without a carriage return before
  /// them; a byte-order mark and empty lines are no ids, and all else is taken as it stands. Throws before anything is
  /// changed where the file cannot be read to its end or a line cannot be an id.
  static func read(_ path: String) throws -> [[UInt8]] {
    func tooLong(_ number: Int) -> CommandFailure {
      .badData(
        "--users-from \(path), line \(number): a user id has 1 to \(longest) bytes, and this line is longer. "
          + "Nothing was changed.")
    }
    func failure() -> CommandFailure {
      .failed(
        "--users-from \(path): \(String(cString: strerror(errno))). Name a file that can be read. Nothing was changed.")
    }
    let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure() }
    defer { if descriptor > 0 { close(descriptor) } }
    var lines = UserIDLines()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = buffer.withUnsafeMutableBytes { posixRead(descriptor, $0) }
      if count < 0 {
        if errno == EINTR { continue }
        throw failure()
      }
      if count == 0 { break }
      for byte in buffer[..<count] where !lines.take(byte) { throw tooLong(lines.number) }
    }
    guard lines.end() else { throw tooLong(lines.number) }
    return lines.ids
  }

  private static func posixRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    #else
      Darwin.read(descriptor, buffer.baseAddress, buffer.count)
    #endif
  }
}

/// Cuts bytes into ids; holds no more of a line than an id can have.
private struct UserIDLines {
  private(set) var ids: [[UInt8]] = []
  private(set) var number = 1
  private var line: [UInt8] = []

  /// False where the line is longer than an id can be.
  mutating func take(_ byte: UInt8) -> Bool {
    if byte == 0x0A {
      guard end() else { return false }
      number += 1
      return true
    }
    line.append(byte)
    // A byte-order mark and a carriage return are not part of the id.
    return line.count <= UserIDFile.longest + 4
  }

  /// Ends the line; false where it is longer than an id can be.
  mutating func end() -> Bool {
    if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    if line.last == 0x0D { line.removeLast() }
    guard line.count <= UserIDFile.longest else { return false }
    if !line.isEmpty { ids.append(line) }
    line.removeAll(keepingCapacity: true)
    return true
  }
}
