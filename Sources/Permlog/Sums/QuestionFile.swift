// A question in a file.

import EventLog
import PermissionEvents

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

  /// What a file of the question holds: one line.
  public var line: [UInt8] { encoded + [0x0A] }
}
