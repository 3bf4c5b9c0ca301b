// What nothing is written over: logs, and what a command reads or writes besides. Compared by what is opened and not by
// names, so that no link, mount or `..` leads around it.

import EventImport
import PermissionEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files that a command reads or writes. A log's directory needs no naming: whatever lies in or below one that holds a
/// manifest is a log's. The files of standard input, output and error are always among them.
package struct ProtectedFiles: Sendable {
  private struct Entry {
    var path: FilePath
    /// Completes "it is".
    var meaning: String
    /// The path again, if it is written to.
    var output: String?
  }

  /// A log that may be damaged, or not be there yet.
  private var log: String?
  private var entries: [Entry] = []

  package init(log: String? = nil) { self.log = log }

  /// - Parameters:
  ///   - path: of a file that is read; nil and `-` for none.
  ///   - meaning: completes "it is".
  package mutating func add(_ path: String?, _ meaning: String) {
    if let path { add(FilePath(path), meaning) }
  }

  package mutating func add(_ path: FilePath, _ meaning: String) {
    if path.bytes != [0x2D] { entries.append(Entry(path: path, meaning: meaning)) }
  }

  /// A file that is written besides, and need not be there yet.
  package mutating func add(output path: String?, _ meaning: String) {
    if let path { entries.append(Entry(path: FilePath(path), meaning: meaning, output: path)) }
  }

  /// Refuses before any work is done what would be refused when the file is made.
  package func check(path: String) throws(PermlogError) {
    // What else is wrong with it is said then.
    guard let place = try? FilePlace(path) else { return }
    try check(place, path: path)
  }

  /// - Parameters:
  ///   - place: where a file is to be made or replaced.
  ///   - path: its name for the error.
  /// - Throws: `usage` if it is one of these.
  func check(_ place: FilePlace, path: String) throws(PermlogError) {
    if isInLog(place) {
      throw Self.refusal(path, "it is in the directory of a log, which holds the log's own files alone")
    }
    for entry in entries {
      if let output = entry.output, let other = try? FilePlace(output), other.isSame(as: place) {
        throw Self.refusal(path, "it is \(entry.meaning)")
      }
    }
    guard let status = place.status else { return }
    try check(FileIdentity(status), path: path)
  }

  /// As above, for what is there already: also by another name of the same file.
  func check(_ own: FileIdentity, path: String) throws(PermlogError) {
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
    if let name = linkedFile(own) {
      throw Self.refusal(path, "it is another name of the log's file \(name)")
    }
  }

  private static func refusal(_ path: String, _ finding: String) -> PermlogError {
    PermlogError(.usage, "\(path): \(finding). Name another file.")
  }

  // MARK: Logs

  /// True for a place in a log's directory, and for another name of the log's own files.
  func holds(_ place: FilePlace) -> Bool {
    isInLog(place) || place.status.map { linkedFile(FileIdentity($0)) != nil } ?? false
  }

  /// Whether a place is in a log's directory, or anywhere below.
  private func isInLog(_ place: FilePlace) -> Bool {
    let own = log.flatMap { FileIdentity(path: $0) }
    var directory = openat(place.directory, ".", FilePlace.search | O_DIRECTORY | O_CLOEXEC)
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
      let above = openat(directory, "..", FilePlace.search | O_DIRECTORY | O_CLOEXEC)
      close(directory)
      directory = above
    }
    if directory >= 0 { close(directory) }
    return false
  }

  /// The log's file that this is, by whatever name; nil if it is none.
  private func linkedFile(_ own: FileIdentity) -> String? {
    guard let log, let handle = opendir(log) else { return nil }
    defer { closedir(handle) }
    while let entry = readdir(handle) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != "..", FileIdentity(path: log + "/" + name) == own { return name }
    }
    return nil
  }
}
