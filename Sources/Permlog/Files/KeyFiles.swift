// Files of keys: the one under which users are hashed, and that of the list of erased users. One reader for both.

import EventImport
import EventLog
import PermissionEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where the key of the list of erased users comes from, if it is kept outside the log.
public enum ErasureKeySource: Sendable {
  case key(ErasureKey)
  /// A file's path. The first erasure of a log makes the file if it is not there.
  case file(String)

  /// The key; nil for a file that is not there.
  /// - Parameter log: the log's directory, in which the file must not be.
  func keyIfThere(besides log: String) throws(PermlogError) -> ErasureKey? {
    switch self {
    case .key(let key): return key
    case .file(let path):
      try KeyFileReader.check(path, isOutside: log)
      do {
        return try ErasureKey(contentsOf: path)
      } catch {
        guard error.code == .notFound else { throw error }
        return nil
      }
    }
  }

  /// The key of a log that has a list of erased users already, or may have one.
  func key(besides log: String) throws(PermlogError) -> ErasureKey {
    switch self {
    case .key(let key): return key
    case .file(let path):
      try KeyFileReader.check(path, isOutside: log)
      return try ErasureKey(contentsOf: path)
    }
  }
}

extension ErasureKey {
  /// The key in a file: all its bytes, the last line end included.
  /// - Throws: if the file cannot be read, or has too few bytes or too many.
  public init(contentsOf path: String) throws(PermlogError) {
    guard let key = ErasureKey(try KeyFileReader.read(path, .erasureKey)) else {
      throw PermlogError(.usage, "\(path): it is not a key", argument: .erasureKey)
    }
    self = key
  }
}

extension UserKey {
  /// The key in a file: all its bytes, the last line end included.
  /// - Throws: if the file cannot be read, or has too few bytes or too many.
  public init(contentsOf path: String) throws(PermlogError) {
    guard let key = UserKey(try KeyFileReader.read(path, .userKey)) else {
      throw PermlogError(.usage, "\(path): it is not a key", argument: .userKey)
    }
    self = key
  }
}

package enum KeyFileReader {
  fileprivate static func read(_ path: String, _ argument: PermlogError.Argument) throws(PermlogError) -> [UInt8] {
    let longest = SecretBytes.lengths.upperBound
    let bytes = try SmallFile.read(path, limit: longest, argument: argument)
    guard let fault = SecretBytes.fault(of: bytes ?? [UInt8](repeating: 1, count: longest + 1)) else {
      return bytes ?? []
    }
    throw PermlogError(
      .usage, "\(path): \(fault). Name the file of the key; a new one is made with: head -c 32 /dev/urandom > NEWFILE",
      argument: argument)
  }

  /// Throws if a key is in a log's directory, or is another name of a file in it: whoever copies the log would have the key.
  package static func check(
    _ path: String, isOutside log: String, argument: PermlogError.Argument = .erasureKey
  ) throws(PermlogError) {
    // What else is wrong with the path is said when it is opened.
    guard let place = try? FilePlace(path), ProtectedFiles(log: log).holds(place) else { return }
    throw PermlogError(
      .usage, "\(path): this is in the directory of a log, and who has the log would have the key. Keep it elsewhere.",
      argument: argument)
  }

  /// Who else may read a file of a key, as a sentence; nil if nobody, or if it is a pipe.
  package static func exposure(of path: String) -> String? {
    guard let status = status(path), status.st_mode & S_IFMT == S_IFREG else { return nil }
    if status.st_mode & 0o077 != 0 {
      return "\(path): others than its owner may use this key. Let only the owner read it: chmod 600 \(path)"
    }
    // Root reads everything anyway.
    if status.st_uid != geteuid(), status.st_uid != 0 {
      return "\(path): this key belongs to another user, who can read and change it. Keep it in a file of your own."
    }
    return nil
  }

  /// True if there is something that is no file: a pipe, a device, a directory.
  static func isOther(_ path: String) -> Bool { status(path).map { $0.st_mode & S_IFMT != S_IFREG } ?? false }

  static func isRegular(_ path: String) -> Bool { status(path).map { $0.st_mode & S_IFMT == S_IFREG } ?? false }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }
}
