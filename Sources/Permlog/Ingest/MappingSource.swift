// Files of settings, read whole: mappings of the user's own.

import EventImport
import EventMapping

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A description of exports in YAML (docs/mapping.md).
public enum MappingSource: Sendable {
  /// A file's path.
  case file(String)
  /// The text itself, and a name for messages.
  case yaml([UInt8], name: String)

  /// The file, for messages.
  var name: String {
    switch self {
    case .file(let path): path
    case .yaml(_, let name): name
    }
  }

  /// The text.
  func text() throws(PermlogError) -> [UInt8] {
    switch self {
    case .yaml(let text, _): return text
    case .file(let path):
      guard let text = try SmallFile.read(path, limit: 1 << 20, argument: .mapping) else {
        throw PermlogError(.usage, "\(path): it is larger than 1 MiB, which no mapping is", argument: .mapping)
      }
      return text
    }
  }

  func mapping() throws -> Mapping { try Mapping(yaml: try text(), name: name) }
}

enum SmallFile {
  /// - Parameter isRegular: refuses pipes and devices, which a file that is read again and again, or has another beside it,
  ///   cannot be.
  /// - Returns: the bytes; nil if there are more than `limit`.
  static func read(
    _ path: String, limit: Int, argument: PermlogError.Argument, isRegular: Bool = false
  ) throws(PermlogError) -> [UInt8]? {
    func failure(_ operation: String) -> PermlogError {
      let error = SystemError(operation: operation, path: path, number: errno)
      return PermlogError(
        error.number == ENOENT ? .notFound : .inputOutput, "\(path): \(error.reason). Name a file that you may read.",
        argument: argument, cause: error)
    }
    // A pipe that nobody writes to must not be waited for.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | (isRegular ? O_NONBLOCK : 0))
    guard descriptor >= 0 else { throw failure("open") }
    var status = stat()
    if isRegular, fstat(descriptor, &status) != 0 || status.st_mode & S_IFMT != S_IFREG {
      close(descriptor)
      throw PermlogError(
        .usage, "\(path): it is not a regular file. Name a file that was written to a disk.", argument: argument)
    }
    guard let file = fdopen(descriptor, "r") else {
      close(descriptor)
      throw failure("open")
    }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    let count = fread(&bytes, 1, limit + 1, file)
    guard ferror(file) == 0 else { throw failure("read") }
    return count > limit ? nil : Array(bytes[..<count])
  }
}
