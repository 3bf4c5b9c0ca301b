// Answers as they were printed, kept beside the log until it changes. Who asks again waits for a file instead of a reading of the log.
//
//   "permlog kept 1\n"
//   SHA-256 (32 bytes) of the commit's fingerprint and all else that the answer depends on
//   the answer
//   XXH3 of all bytes before (8 bytes, little-endian)
//
// They are no part of the log: they may be missing, and whatever is wrong with one, the log is read instead. Every commit removes them,
// because they answer for the state before; an erasure also waits until they are off the disk.

import KeyedHashes
import Threads

/// The kept answers of one state of a log.
package struct KeptAnswers: Sendable {
  private static let word = "kept-"
  private static let title = Array("permlog kept 1\n".utf8)
  /// Bytes of all answers of a log. Those that were not used for the longest time make room.
  package static let room = 64 << 20
  /// A longer answer is not kept.
  package static let longestAnswer = 8 << 20
  private static let mostAnswers = 500

  private let directory: LogDirectory
  private let manifest: Manifest

  package init(of snapshot: LogSnapshot) { (directory, manifest) = (snapshot.directory, snapshot.manifest) }

  /// Whether a file has the name of an answer, or of one that is being written. Files of others stay.
  static func isName(_ name: String) -> Bool { numbers(name) != nil }

  /// Whether a file is of another state of the log, or was not finished.
  static func isLeftOver(_ name: String, by manifest: Manifest) -> Bool {
    numbers(name).map { $0.count > 2 || !name.hasPrefix(prefix(manifest)) } ?? false
  }

  /// Of an answer the first digits of its commit and of its key; while it is being written also a number of its own.
  private static func numbers(_ name: String) -> [Substring]? {
    guard name.hasPrefix(word) else { return nil }
    let parts = name.dropFirst(word.count).split(separator: "-", omittingEmptySubsequences: false)
    return (2...3).contains(parts.count) && parts.allSatisfy { FileName.areDigits($0.utf8) } ? parts : nil
  }

  /// With the state's own digits, so that the names alone show which answers are of the past.
  private static func prefix(_ manifest: Manifest) -> String { word + manifest.fingerprint.prefix(16) + "-" }

  /// Arguments of a command are in the key, and may name people: only their digest is written.
  private func digest(_ key: [UInt8]) -> [UInt8] { sha256(Array(manifest.fingerprint.utf8) + key) }

  private func path(_ digest: [UInt8]) -> String {
    let number = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return directory.file(Self.prefix(manifest) + FileName.digits(number))
  }

  /// - Parameter key: all that the answer depends on, besides the commit.
  /// - Returns: nil if it is not kept, or damaged.
  package func answer(to key: [UInt8]) -> [UInt8]? {
    let digest = digest(key)
    let (head, path) = (Self.title + digest, path(digest))
    let limit = head.count + Self.longestAnswer + 8
    guard let file = try? OpenFile(path, .read, directory.files), let size = try? file.size(), size <= limit,
      let bytes = try? file.read(size, at: 0), let answer = Self.decode(bytes, after: head)
    else { return nil }
    try? directory.files.noteUse(path)
    return answer
  }

  /// Keeps an answer. If that is not possible, because the disk is full or the log may only be read, it is not kept.
  package func keep(_ answer: [UInt8], to key: [UInt8]) {
    let digest = digest(key)
    let path = path(digest)
    guard answer.count <= Self.longestAnswer else { return }
    let files = directory.files
    guard let new = try? OpenFile(path + "-" + FileName.digits(.random(in: 0...(.max))), .create, files) else { return }
    do {
      // A commit removes all answers after it. It finds this file by its name, unless the name came later: then the manifest tells.
      guard try directory.readManifest() == manifest else { return new.discard() }
      var content = ByteWriter(bytes: Self.title + digest + answer)
      content.u64(Checksum.of(content.bytes, seed: 0))
      // Nothing waits for the disk: after a loss of power the checksum tells.
      try new.write(content.bytes, at: 0)
      try files.rename(new.path, to: path)
    } catch { return new.discard() }
    try? new.close()
    makeRoom()
  }

  private func makeRoom() {
    let names = (try? directory.keptAnswers()) ?? []
    var kept = names.map(directory.file).compactMap { path in
      (try? directory.files.lastUse(path)).map { (path: path, bytes: $0.bytes, time: $0.time) }
    }
    var (bytes, count) = (kept.reduce(0) { $0 + $1.bytes }, kept.count)
    guard bytes > Self.room || count > Self.mostAnswers else { return }
    kept.sort { $0.time < $1.time }
    for file in kept where bytes > Self.room || count > Self.mostAnswers {
      try? directory.files.remove(file.path)
      (bytes, count) = (bytes - file.bytes, count - 1)
    }
  }

  /// - Returns: the bytes between a head and the checksum; nil if either is another.
  private static func decode(_ bytes: [UInt8], after head: [UInt8]) -> [UInt8]? {
    let end = bytes.count - 8
    guard end >= head.count, bytes.starts(with: head) else { return nil }
    return bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      reader.position = end
      let sum = Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<end]), seed: 0)
      return reader.u64() == sum ? Array(bytes[head.count..<end]) : nil
    }
  }
}

// MARK: What several questions must know of a state, and would read the events for

/// Facts by their names, so that each is found out once.
package final class SnapshotFacts: Sendable {
  private let known = Mutex<[String: Bool]>([:])
  private let keeping = Mutex(false)
  private let live: Mutex<LiveStatus??>

  init() { live = Mutex(nil) }

  /// Of the same state with other users: what is found out about users is not known yet.
  init(besides facts: SnapshotFacts) {
    live = Mutex(facts.live.withLock { $0 })
    areKept = facts.areKept
  }

  /// What the server that feeds the log said when it was first asked for: one answer must not have two notes.
  fileprivate func live(_ read: () -> LiveStatus?) -> LiveStatus? {
    live.withLock { known in
      let status = known ?? .some(read())
      known = status
      return status ?? nil
    }
  }

  /// Whether they are kept beside the log, too.
  package var areKept: Bool {
    get { keeping.withLock { $0 } }
    set { keeping.withLock { $0 = newValue } }
  }

  fileprivate subscript(_ name: String) -> Bool? {
    get { known.withLock { $0[name] } }
    set { known.withLock { $0[name] = newValue } }
  }
}

extension LogSnapshot {
  /// What the server that feeds the log said of this state; nil if none does.
  package func liveStatus() -> LiveStatus? { facts.live { directory.liveStatus() } }

  /// - Parameters:
  ///   - name: of the fact, with all that it depends on besides the commit and the users who are left out.
  ///   - find: reads it from the events.
  package func fact(_ name: String, _ find: () throws -> Bool) rethrows -> Bool {
    if let known = facts[name] { return known }
    let (answers, key) = (KeptAnswers(of: self), Array("fact \(name) \(leftOut.checksum)".utf8))
    let kept = facts.areKept ? answers.answer(to: key) : nil
    let fact = try kept.map { $0 == [1] } ?? find()
    if facts.areKept, kept == nil { answers.keep([fact ? 1 : 0], to: key) }
    facts[name] = fact
    return fact
  }
}
