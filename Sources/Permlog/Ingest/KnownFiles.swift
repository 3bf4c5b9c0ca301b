// Files of a directory that are in the log already: the same bytes, read in the same way. They are not read again, so that a
// daily ingest of a directory that grows takes the time of its new files.

import EventImport
import EventLog
import EventMapping
import PermissionEvents
import SystemCalls

/// Which files of an ingest need not be read.
struct KnownFiles {
  private let history: IngestHistory
  /// Of everything that decides how a file is read; nil if each file has to be read.
  private let reading: UInt64?
  private let threads: Int
  /// With it paths are not kept, but keyed hashes of them: a path may contain a user's id.
  private let userKey: UserKey?
  /// Files with the same bytes as before but another time.
  private var checked: [FilePath: IngestedFile] = [:]

  init(_ history: IngestHistory, _ options: IngestOptions, threads: Int) throws {
    self.history = history
    self.threads = threads
    userKey = options.userKey
    // New readings replace old ones: that is asked of every file.
    reading = options.replacesEvents || options.readsKnownFiles ? nil : try options.readingDigest()
  }

  /// The files that have to be read.
  /// - Parameter inputs: those that were named are always read.
  mutating func unread(_ inputs: [InputPath]) -> [InputPath] {
    guard let reading else { return inputs }
    var unread: [Bool] = []
    // Of the same size and another time: their bytes decide.
    var doubtful: [(place: Int, file: IngestedFile)] = []
    for (place, input) in inputs.enumerated() {
      guard input.isFound, let stamp = input.stamp, let path = input.absolutePath,
        let known = history.file(noted(path)),
        known.reading == reading, known.stamp.size == stamp.size
      else {
        unread.append(true)
        continue
      }
      unread.append(known.stamp != stamp)
      var now = known
      now.stamp = stamp
      if known.stamp != stamp { doubtful.append((place, now)) }
    }
    let sums = FileChecksum.of(doubtful.map { (inputs[$0.place].path, $0.file.stamp.size) }, threads: threads)
    for (doubt, sum) in zip(doubtful, sums) where sum == doubt.file.checksum {
      unread[doubt.place] = false
      checked[doubt.file.path] = doubt.file
    }
    return zip(inputs, unread).filter { $0.1 }.map { $0.0 }
  }

  private func noted(_ path: FilePath) -> FilePath {
    guard let userKey else { return path }
    let id = userKey.hidden(eventID: path.bytes)
    return FilePath("hashed:\(String(id?.high ?? 0, radix: 16)):\(String(id?.low ?? 0, radix: 16))")
  }

  /// The entries of the files that were read, and of those with a new time.
  /// - Parameter isWhole: whether a later reading of a file of this name would find the same.
  func entries(of inputs: [InputPath], isWhole: (String) -> Bool) -> [IngestedFile] {
    guard let reading = reading else { return [] }
    let read = inputs.compactMap { input -> (path: FilePath, stamp: FileStamp)? in
      guard input.isFound, let stamp = input.stamp, let path = input.absolutePath, isWhole(input.name) else {
        return nil
      }
      return (path, stamp)
    }
    let sums = FileChecksum.of(read.map { ($0.path, $0.stamp.size) }, threads: threads)
    let entries = zip(read, sums).compactMap { file, sum -> IngestedFile? in
      // A file that grows while it is read has another size or time now.
      guard let sum, file.path.stamp == file.stamp else { return nil }
      return IngestedFile(path: noted(file.path), stamp: file.stamp, checksum: sum, reading: reading)
    }
    return entries + checked.values.sorted { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
  }
}

extension FilePath {
  /// Of the file at the path now.
  fileprivate var stamp: FileStamp? {
    var status = stat()
    return withCString { stat($0, &status) } == 0 ? FileStamp(status) : nil
  }
}

extension InputPath {
  /// Without links; nil if it is not there any more.
  fileprivate var absolutePath: FilePath? {
    guard let real = path.withCString({ realpath($0, nil) }) else { return nil }
    defer { free(real) }
    return FilePath(real)
  }
}

extension IngestOptions {
  /// A checksum of everything that decides how a file is read: another one reads it in another way. So does another version.
  fileprivate func readingDigest() throws -> UInt64 {
    var text: [UInt8] = []
    func add(_ value: [UInt8]) {
      text += Array("\(value.count) ".utf8)
      text += value
    }
    func add(_ value: String) { add(Array(value.utf8)) }
    add(PermlogVersion.text)
    add(rows.format.rawValue)
    add(rows.identity.rawValue)
    let flags = [
      rows.keepsBlanksOfIDs, rows.allowsCustomPermissions, rows.allowsFutureTimes, rows.keepsPartialFiles,
      rows.joinsLinkedIDs,
    ]
    add(flags.map { $0 ? "1" : "0" }.joined())
    add(projectTimeZone ?? "")
    add(inputTimeZone ?? "")
    add(rows.eventName ?? "")
    add(snapshotTime.map { "\($0)" } ?? "")
    add(rows.userKey.map { "\($0.check)" } ?? "")
    add("\(rows.experiments.count) \(rows.states.count) \(mappings.count)")
    for experiment in rows.experiments { add(experiment) }
    for state in rows.states {
      add(state.permission)
      add(state.property)
    }
    for mapping in mappings { add(try mapping.text()) }
    return Checksum.of(text, seed: 0)
  }
}

/// The version of permlog.
public enum PermlogVersion {
  /// As `permlog --version` prints it.
  public static let text = "0.4.0"
}
