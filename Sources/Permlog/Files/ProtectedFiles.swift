// Files that must not be overwritten: logs, and the other files that a command reads or writes. Opened files are
// compared, not names, so no link, mount or `..` leads around the check.

import EventImport
import EventLog
import PermissionEvents
import SystemCalls

/// The files that a command reads or writes. A log's directory need not be named: every file in or below a directory
/// with a manifest belongs to a log. The files of standard input, output and error are always included.
package struct ProtectedFiles: Sendable {
  private struct ProtectedFile {
    var path: FilePath
    /// Completes "it is".
    var meaning: String
    /// The path again, if the file is written to.
    var output: String?
  }

  /// A log that may be damaged, or may not exist yet.
  private var log: String?
  private var entries: [ProtectedFile] = []

  package init(log: String? = nil) { self.log = log }

  /// Whether the command reads or writes nothing but the log and its result.
  package var areOfLogAlone: Bool { entries.isEmpty }

  /// - Parameters:
  ///   - path: a file that is read; nil and `-` are ignored.
  ///   - meaning: completes "it is".
  package mutating func add(_ path: String?, _ meaning: String) {
    if let path { add(FilePath(path), meaning) }
  }

  package mutating func add(_ path: FilePath, _ meaning: String) {
    if path.bytes != [0x2D] { entries.append(ProtectedFile(path: path, meaning: meaning)) }
  }

  /// Another file that is written, and may not exist yet.
  package mutating func add(output path: String?, _ meaning: String) {
    if let path { entries.append(ProtectedFile(path: FilePath(path), meaning: meaning, output: path)) }
  }

  /// Throws before any work is done if making the file would be refused.
  package func checkOutput(_ path: String) throws(PermlogError) {
    // Other problems of the path are reported when it is opened.
    guard let place = try? FileLocation(path) else { return }
    try checkLocation(place, path: path)
  }

  func checkLocation(_ place: FileLocation, path: String) throws(PermlogError) {
    if isInLog(place) {
      throw Self.refusal(path, "it is in the directory of a log, which is only for the log's own files")
    }
    for entry in entries {
      if let output = entry.output, let other = try? FileLocation(output), other.isSame(as: place) {
        throw Self.refusal(path, "it is \(entry.meaning)")
      }
    }
    guard let status = place.status else { return }
    try checkIdentity(FileIdentity(status), path: path)
  }

  /// The same for a file that exists: also by another name of the same file.
  func checkIdentity(_ own: FileIdentity, path: String) throws(PermlogError) {
    let streams = ["standard input is read from", "standard output goes to", "standard error goes to"]
    for (descriptor, meaning) in streams.enumerated() {
      var status = stat()
      if fstat(Int32(descriptor), &status) == 0, status.st_mode & S_IFMT == S_IFREG, FileIdentity(status) == own {
        throw Self.refusal(path, "it is the file that \(meaning)")
      }
    }
    for entry in entries where FileIdentity(path: entry.path) == own {
      throw Self.refusal(path, "it is \(entry.meaning)")
    }
    if let name = linkedFile(own) { throw Self.refusal(path, "it is another name of the log's file \(name)") }
  }

  private static func refusal(_ path: String, _ finding: String) -> PermlogError {
    .usage("\(path): \(finding). Name another file.")
  }

  // MARK: Logs

  /// Whether a path leads into a log's directory, or is another name of one of the log's own files.
  func holds(_ place: FileLocation) -> Bool {
    isInLog(place) || place.status.map { linkedFile(FileIdentity($0)) != nil } ?? false
  }

  private func isInLog(_ place: FileLocation) -> Bool {
    let own = log.flatMap { FileIdentity(path: $0) }
    var directory = openat(place.directory, ".", FileLocation.search | O_DIRECTORY | O_CLOEXEC)
    var below: FileIdentity?
    // No path is deeper: PATH_MAX is 4096.
    for _ in 0..<2048 where directory >= 0 {
      var status = stat()
      guard fstat(directory, &status) == 0 else { break }
      let here = FileIdentity(status)
      // The root is above itself.
      if here == below { break }
      if here == own || LogMark.isManifest(closing: openat(directory, LogMark.fileName, LogMark.openFlags | O_NOFOLLOW))
      {
        close(directory)
        return true
      }
      below = here
      let above = openat(directory, "..", FileLocation.search | O_DIRECTORY | O_CLOEXEC)
      close(directory)
      directory = above
    }
    if directory >= 0 { close(directory) }
    return false
  }

  /// The name of the log's file that is the same file; nil if it is not a file of the log.
  private func linkedFile(_ own: FileIdentity) -> String? {
    guard let log, let handle = opendir(log) else { return nil }
    defer { closedir(handle) }
    while let entry = readdir(handle) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(bounded: $0.prefix { $0 != 0 }) }
      if name != ".", name != "..", FileIdentity(path: log + "/" + name) == own { return name }
    }
    return nil
  }
}

// MARK: Files of keys: the key that hashes users, and the key of the list of erased users. Both have the same reader

/// The source of the key of the list of erased users, if it is kept outside the log.
public enum ErasureKeySource: Sendable {
  case key(ErasureKey)
  /// A file's path. If the file does not exist, the first erasure of a log makes it.
  case file(String)

  /// The key; nil if the file does not exist.
  /// - Parameter log: the log's directory, in which the file must not be.
  func keyIfThere(besides log: String) throws(PermlogError) -> ErasureKey? {
    do { return try key(besides: log) } catch {
      if error.code == .notFound { return nil }
      throw error
    }
  }

  /// The key of a log that already has a list of erased users, or may have one.
  func key(besides log: String) throws(PermlogError) -> ErasureKey {
    switch self {
    case .key(let key): return key
    case .file(let path):
      try KeyFileReader.checkKey(path, isOutside: log)
      return try ErasureKey(contentsOf: path)
    }
  }
}

extension ErasureKey {
  /// The key in a file: all its bytes, the last line end included.
  /// - Throws: if the file cannot be read, or has too few bytes or too many.
  public init(contentsOf path: String) throws(PermlogError) {
    self = try KeyFileReader.read(path, .erasureKey) { ErasureKey($0) }
  }
}

extension UserKey {
  /// The key in a file: all its bytes, the last line end included.
  /// - Throws: if the file cannot be read, or has too few bytes or too many.
  public init(contentsOf path: String) throws(PermlogError) {
    self = try KeyFileReader.read(path, .userKey) { UserKey($0) }
  }
}

package enum KeyFileReader {
  fileprivate static func read<Key>(
    _ path: String, _ argument: PermlogError.Argument, _ make: ([UInt8]) -> Key?
  ) throws(PermlogError) -> Key {
    let longest = SecretBytes.lengths.upperBound
    let bytes =
      try SmallFile.read(path, limit: longest, argument: argument) ?? [UInt8](repeating: 1, count: longest + 1)
    if let fault = SecretBytes.fault(of: bytes) {
      throw .usage(
        "\(path): \(fault). Name the file of the key; a new one is made with: head -c 32 /dev/urandom > NEWFILE",
        argument)
    }
    guard let key = make(bytes) else { throw .usage("\(path): it is not a key", argument) }
    return key
  }

  /// The key of a log's users, of files from the oldest key to the newest; nil without files.
  /// - Parameter onRead: called with each file that was read.
  package static func userKey(
    _ paths: some Sequence<String>, isOutside log: String, onRead: (String) -> Void = { _ in }
  ) throws(PermlogError) -> UserKey? {
    var keys: UserKey?
    for path in paths {
      try checkKey(path, isOutside: log, argument: .userKey)
      let key = try UserKey(contentsOf: path)
      onRead(path)
      keys = keys?.renewed(by: key) ?? key
    }
    return keys
  }

  /// Throws if a key is in a log's directory, or is another name of a file in it: anyone who copies the log would have
  /// the key.
  package static func checkKey(
    _ path: String, isOutside log: String, argument: PermlogError.Argument = .erasureKey
  ) throws(PermlogError) {
    // Other problems of the path are reported when it is opened.
    guard let place = try? FileLocation(path), ProtectedFiles(log: log).holds(place) else { return }
    throw .usage(
      "\(path): this is in the directory of a log: anyone with the log would have the key. Keep it elsewhere.",
      argument
    )
  }

  /// A sentence about others who may read a key's file; nil if only the owner may, or if it is a pipe.
  package static func exposure(of path: String) -> String? {
    guard let status = status(path), status.st_mode & S_IFMT == S_IFREG else { return nil }
    if status.st_mode & 0o077 != 0 {
      return "\(path): users other than its owner may use this key. Let only the owner read it: chmod 600 \(path)"
    }
    // Root reads everything anyway.
    if status.st_uid != geteuid(), status.st_uid != 0 {
      return "\(path): this key belongs to another user, who can read and change it. Keep it in a file of your own."
    }
    return nil
  }

  /// Whether something exists that is not a regular file: a pipe, a device, a directory.
  static func isOther(_ path: String) -> Bool { status(path).map { $0.st_mode & S_IFMT != S_IFREG } ?? false }

  static func isRegular(_ path: String) -> Bool { status(path).map { $0.st_mode & S_IFMT == S_IFREG } ?? false }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }
}
