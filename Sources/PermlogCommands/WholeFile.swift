// A result in a file: there whole, or the file that was there before.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum WholeFile {
  /// Writes beside the file and takes its place when all is written. A pipe or a device is written to directly.
  /// - Parameter option: the option that named the file, for the error.
  static func write(_ bytes: [UInt8], to path: String, option: String) throws {
    func failure() -> CommandFailure {
      .failed("\(option) \(path): \(String(cString: strerror(errno))). Name a file that can be written.")
    }
    var status = stat()
    let isThere = stat(path, &status) == 0
    if isThere, status.st_mode & S_IFMT == S_IFDIR {
      throw CommandFailure.failed("\(option) \(path): it is a directory. Name a file in it.")
    }
    guard !isThere || status.st_mode & S_IFMT == S_IFREG else {
      guard let file = fopen(path, "w") else { throw failure() }
      let isWritten = fwrite(bytes, 1, bytes.count, file) == bytes.count
      guard fclose(file) == 0, isWritten else { throw failure() }
      return
    }
    // A file that may not be written to is not replaced either.
    if isThere, access(path, W_OK) != 0 { throw failure() }
    let target = isThere ? resolved(path) : path
    var name = Array((target + ".XXXXXX").utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw failure() }
    guard let file = fdopen(descriptor, "w") else {
      close(descriptor)
      unlink(name)
      throw failure()
    }
    let isWritten = fwrite(bytes, 1, bytes.count, file) == bytes.count && fflush(file) == 0
    fchmod(descriptor, isThere ? status.st_mode & 0o7777 : 0o666 & ~currentMask())
    guard fclose(file) == 0, isWritten, rename(name, target) == 0 else {
      let error = failure()
      unlink(name)
      throw error
    }
  }

  /// Where symbolic links lead: the link stays, what it names is replaced.
  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  private static func currentMask() -> mode_t {
    let mask = umask(0)
    umask(mask)
    return mask
  }
}
