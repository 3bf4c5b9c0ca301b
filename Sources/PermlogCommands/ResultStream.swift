// Results too long to hold, written in pieces: to a file that is there whole or not at all, or to standard output.

import Permlog

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

final class ResultStream {
  private let file: WholeFile?
  private let option: String

  /// - Parameters:
  ///   - path: nil for standard output.
  ///   - option: the option that named the file, for the error.
  ///   - protected: what the command reads and writes besides.
  ///   - isPrivate: whether the file is for its owner alone.
  init(path: String?, option: String, besides protected: ProtectedFiles, isPrivate: Bool = false) throws {
    self.option = option
    do {
      file = try path.map { try WholeFile($0, besides: protected, isPrivate: isPrivate) }
    } catch { throw Self.failure(error, option) }
  }

  /// - Throws: `CommandFailure` if a file cannot take it all. A reader of standard output that has gone away ends the
  ///   process quietly.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard let file else { return try Output.result(Array(bytes)) }
    do { try file.write(bytes) } catch { throw Self.failure(error, option) }
  }

  /// Only when this has returned is the file there.
  func close() throws {
    do { _ = try file?.close() } catch { throw Self.failure(error, option) }
  }

  static func failure(_ error: any Error, _ option: String) -> any Error {
    if let error = error as? PermlogError {
      return CommandFailure(status: error.exitStatus, message: "\(option) \(error.commandText)")
    }
    guard let error = error as? SystemError else { return error }
    let file = "\(option) \(error.path)"
    if error.number == EISDIR { return CommandFailure.failed("\(file): it is a directory. Name a file in it.") }
    let advice =
      [ENOSPC, EDQUOT, EFBIG].contains(error.number)
      ? "There is no room for it: free some space or write elsewhere. What was there before is as it was."
      : "Name a file that can be written."
    return CommandFailure.failed("\(file): \(error.reason). \(advice)")
  }
}
