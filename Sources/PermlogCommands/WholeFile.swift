// Results in files: there whole, or the file that was there before; and results too long to hold, written in pieces.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Written beside its place, and put there by `close`. A pipe or a device is written to directly.
final class WholeFile {
  private let path: String
  private let option: String
  private var file: UnsafeMutablePointer<FILE>?
  /// Where it is written, and what it replaces; nil if it is written to directly.
  private var temporary: (name: [CChar], target: String)?

  /// - Parameter option: the option that named the file, for the error.
  init(_ path: String, option: String) throws {
    self.path = path
    self.option = option
    var status = stat()
    let isThere = stat(path, &status) == 0
    if isThere, status.st_mode & S_IFMT == S_IFDIR {
      throw CommandFailure.failed("\(option) \(path): it is a directory. Name a file in it.")
    }
    guard !isThere || status.st_mode & S_IFMT == S_IFREG else {
      file = fopen(path, "w")
      if file == nil { throw failure() }
      return
    }
    // A file that may not be written to is not replaced either.
    if isThere, access(path, W_OK) != 0 { throw failure() }
    let target = isThere ? Self.resolved(path) : path
    var name = Array((target + ".XXXXXX").utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw failure() }
    fchmod(descriptor, isThere ? status.st_mode & 0o7777 : 0o666 & ~Self.currentMask())
    temporary = (name, target)
    file = fdopen(descriptor, "w")
    // `fdopen` fails if memory does; the descriptor ends with the process.
    if file == nil { throw failure() }
  }

  deinit { abandon() }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard let file, fwrite(bytes.baseAddress, 1, bytes.count, file) == bytes.count else {
      let error = failure()
      abandon()
      throw error
    }
  }

  /// Only when this has returned does the file have everything.
  func close() throws {
    guard let file else { return }
    self.file = nil
    guard fclose(file) == 0, temporary.map({ rename($0.name, $0.target) == 0 }) ?? true else {
      let error = failure()
      abandon()
      throw error
    }
    temporary = nil
  }

  private func abandon() {
    if let file { fclose(file) }
    file = nil
    if let temporary { unlink(temporary.name) }
    temporary = nil
  }

  private func failure() -> CommandFailure {
    let advice =
      [ENOSPC, EDQUOT, EFBIG].contains(errno)
      ? "There is no room for it: free some space or write elsewhere. What was there before is as it was."
      : "Name a file that can be written."
    return .failed("\(option) \(path): \(String(cString: strerror(errno))). \(advice)")
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

final class ResultStream {
  private let file: WholeFile?

  /// - Parameters:
  ///   - path: nil for standard output.
  ///   - option: the option that named the file, for the error.
  init(path: String?, option: String) throws {
    file = try path.map { try WholeFile($0, option: option) }
  }

  /// - Throws: `CommandFailure` if a file cannot take it all. A reader of standard output that has gone away ends the
  ///   process quietly.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard let file else { return try Output.result(Array(bytes)) }
    try file.write(bytes)
  }

  /// Only when this has returned is the file there.
  func close() throws { try file?.close() }
}
