// A result that is too long to hold: written in pieces, to a file where one is named, else to standard output.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

final class ResultStream {
  private let path: String
  private let option: String
  private var file: UnsafeMutablePointer<FILE>?

  /// - Parameters:
  ///   - path: nil for standard output.
  ///   - option: the option that named the file, for the error.
  init(path: String?, option: String) throws {
    self.path = path ?? ""
    self.option = option
    guard path != nil else { return }
    file = fopen(self.path, "w")
    if file == nil { throw failure() }
  }

  deinit { if let file { fclose(file) } }

  /// - Throws: `CommandFailure` where a file cannot take it all. A reader of standard output that has gone away ends the
  ///   process quietly.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard let file else { return try Output.result(Array(bytes)) }
    guard fwrite(bytes.baseAddress, 1, bytes.count, file) == bytes.count else { throw failure() }
  }

  /// Only when this has returned has the file everything.
  func close() throws {
    guard let file else { return }
    self.file = nil
    guard fclose(file) == 0 else { throw failure() }
  }

  private func failure() -> CommandFailure {
    .failed("\(option) \(path): \(String(cString: strerror(errno))). Name a file that can be written.")
  }
}
