// A result that is too long to hold: written in pieces, to a file where one is named, else to standard output.

final class ResultStream {
  private let file: WholeFile?

  /// - Parameters:
  ///   - path: nil for standard output.
  ///   - option: the option that named the file, for the error.
  init(path: String?, option: String) throws {
    file = try path.map { try WholeFile($0, option: option) }
  }

  /// - Throws: `CommandFailure` where a file cannot take it all. A reader of standard output that has gone away ends the
  ///   process quietly.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard let file else { return try Output.result(Array(bytes)) }
    try file.write(bytes)
  }

  /// Only when this has returned is the file there.
  func close() throws { try file?.close() }
}
