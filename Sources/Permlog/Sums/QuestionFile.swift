// A question in a file.

import EventLog
import PermissionEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Question {
  /// Reads a question from a file.
  /// - Throws: `notFound` or `inputOutput` if the file cannot be read; `usage` if it is no question; `newerFormat` if a later version
  ///   wrote it.
  public init(contentsOf path: String) throws(PermlogError) {
    guard let bytes = try SmallFile.read(path, limit: Self.longest + 1, argument: .question) else {
      throw PermlogError(
        .usage, "\(path): it is larger than \(Self.longest >> 20) MiB, which no question is", argument: .question)
    }
    do { try self.init(bytes, name: path) } catch {
      var error = error
      error.argument = .question
      throw error
    }
  }

  /// Whether something else than a question is in a file: an export that was named by mistake is not to be replaced. False if there is
  /// nothing, and for pipes and devices.
  package static func isOther(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return false }
    guard let bytes = try? SmallFile.read(path, limit: longest + 1, argument: .question) else { return true }
    return !bytes.starts(with: Array(#"{"schema":"permlog.question/"#.utf8))
  }

  /// What a file of the question holds: one line.
  public var line: [UInt8] { encoded + [0x0A] }
}
