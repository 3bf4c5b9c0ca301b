// A file of user ids, one a line.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum UserIDFile {
  /// True for a length in bytes that a user id can have.
  static func isID(_ count: Int) -> Bool { (1...256).contains(count) }

  /// The ids of a file, or of standard input for `-`. Line feeds end lines, with or without a carriage return before
  /// them; empty lines are no ids, and all else is taken as it stands.
  static func read(_ path: String) throws -> [[UInt8]] {
    guard let file = path == "-" ? fdopen(0, "r") : fopen(path, "r") else {
      throw CommandFailure.failed(
        "--users-from \(path): \(String(cString: strerror(errno))). Name a file that can be read.")
    }
    defer { fclose(file) }
    var ids: [[UInt8]] = []
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    var number = 0
    while true {
      errno = 0
      let count = getline(&line, &capacity, file)
      guard count > 0, let start = line else {
        guard ferror(file) == 0 else {
          throw CommandFailure.failed("--users-from \(path): \(String(cString: strerror(errno))). Nothing was changed.")
        }
        return ids
      }
      number += 1
      var id = Array(UnsafeRawBufferPointer(start: start, count: count))
      if id.last == 0x0A { id.removeLast() }
      if id.last == 0x0D { id.removeLast() }
      if id.isEmpty { continue }
      guard isID(id.count) else {
        throw CommandFailure.badData(
          "--users-from \(path), line \(number): a user id has 1 to 256 bytes, and this one has \(id.count). "
            + "Nothing was changed.")
      }
      ids.append(id)
    }
  }
}
