// The users that were erased and stay out: a keyed hash of each id, in a file of its own. The file is immutable, like a
// part: a new erasure writes a new one, and the manifest says which is live.
//
// file := magic 8, version 2, former 2, users 4, id 8, key 32 | check 16, entry × users, checksum 8
// entry := hash 16, and from version 3 on: time 8, events 8
//
// Versions 1 and 3 have the key. Anyone with such a file can test whether a certain id was erased, but cannot list the
// ids. Versions 2 and 4 have a check of the key, which is kept elsewhere: without the key no test is possible. `time`
// is of the request, or 0 if an older version recorded none; `events` is four times the number of events that the id
// had, plus 3 if its user had any and 2 if not; 0 if an older version counted none. `former` is 1 if the log has been rekeyed
// since users were erased: their hashes are of ids that the log then had. Else it is 0, and in versions 1 and 2 always.

import KeyedHashes
import PermissionEvents

/// The description of an erasure list in a manifest.
package struct ErasureDescription: NumberedFile, Sendable, Hashable {
  static let word = "erased"

  package var id: UInt64
  /// The last eight bytes of the file: the checksum of all before.
  package var checksum: UInt64
  package var users: UInt32

  package var name: String { Self.name(id) }
}

package struct ErasureList: Sendable, Equatable {
  private static let magic: UInt64 = 0x3145_474F_4C4D_5250  // "PRMLOGE1"
  private static let checkLength = 16
  private static let hashLength = 16
  private static let datedLength = 32
  /// Bytes before the key or its check.
  private static let prefixLength = 8 + 2 + 2 + 4 + 8
  /// Most users of a list; with them it has 1 GiB.
  private static let maximumUsers = 1 << 25
  static let maximumLength = prefixLength + ErasureKey.length + maximumUsers * datedLength + 8

  private enum Version: UInt16, CaseIterable {
    case keyInside = 1
    case keyOutside = 2
    case datedKeyInside = 3
    case datedKeyOutside = 4

    init(isInside: Bool, isDated: Bool) {
      self = isInside ? (isDated ? .datedKeyInside : .keyInside) : isDated ? .datedKeyOutside : .keyOutside
    }

    var isInside: Bool { self == .keyInside || self == .datedKeyInside }
    var isDated: Bool { self == .datedKeyInside || self == .datedKeyOutside }
    var secretLength: Int { isInside ? ErasureKey.length : ErasureList.checkLength }
    var entryLength: Int { isDated ? ErasureList.datedLength : ErasureList.hashLength }
  }

  /// An erased user.
  private struct Entry: Equatable {
    var hash: UInt128
    var record = ErasureRecord()
  }

  /// Nil if it is outside and was not given yet.
  private var key: ErasureKey?
  /// The check of a key that is outside; nil if it is inside.
  private var check: [UInt8]?
  /// By rising hash.
  private var entries: [Entry] = []
  /// Whether the file has the times of requests: lists of older versions have none, until they change.
  private var isDated = true
  /// Whether there are hashes of ids that users had before the log was rekeyed.
  package private(set) var hasFormerIDs = false
  /// The share of the log's memory that a list takes.
  private var memory = HeldMemory()

  /// Lists are equal for any shares of memory.
  private struct HeldMemory: Equatable, @unchecked Sendable {
    // Unchecked: no code takes more, and the last owner releases it.
    var share: MemoryShare?
    static func == (a: Self, b: Self) -> Bool { true }
  }

  /// An empty list.
  /// - Parameter key: one that is kept outside; nil for a new one inside.
  init(outside key: ErasureKey? = nil) {
    self.key = key ?? ErasureKey()
    check = key?.check
  }

  /// The log is rekeyed: its users have other ids from now on.
  mutating func keepAsFormer() {
    guard !entries.isEmpty else { return }
    (hasFormerIDs, isDated) = (true, true)
  }

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }
  package var keyPlace: ErasureKeyLocation { check == nil ? .inside : .outside }

  /// Unlocks the list for queries and changes.
  /// - Parameter given: the key that the caller has.
  /// - Throws: `key` if the list needs a different key, or no key.
  package mutating func unlock(_ given: ErasureKey?, log: String) throws {
    guard let check else {
      guard given == nil else {
        throw LogError(
          .key,
          "\(log): the key of its list of erased users is in the log itself, but a key was given", .moveErasureKey)
      }
      return
    }
    guard let given else {
      throw LogError(.key, "\(log): the key of its list of erased users is kept outside the log", .giveErasureKey)
    }
    guard given.check == check else {
      throw LogError(
        .key, "\(log): the given key is not that of its list of erased users", .giveRightErasureKey)
    }
    key = given
  }

  /// The list with a key that is for lists whose key is outside; lists with a key inside need none.
  func unlockedIfOutside(_ given: ErasureKey?, _ log: String) throws -> ErasureList {
    var list = self
    if check != nil { try list.unlock(given, log: log) }
    return list
  }

  /// Leaves the key out of the file from now on.
  /// - Returns: the key.
  mutating func moveKeyOut() throws -> ErasureKey {
    let key = try unlocked()
    check = key.check
    return key
  }

  /// An answer without the key would be a guess.
  private func unlocked() throws -> ErasureKey {
    guard let key else {
      throw LogError(.key, "the key of the list of erased users is kept outside the log", .giveErasureKey)
    }
    return key
  }

  private func index(of hash: UInt128) -> Int? {
    let index = entries.firstPlace { $0.hash >= hash }
    return index < entries.count && entries[index].hash == hash ? index : nil
  }

  /// The hash by which the list has an id.
  package func hash(of id: [UInt8]) throws -> UInt128 { try unlocked().hash(id) }

  package func contains(hash: UInt128) -> Bool { index(of: hash) != nil }

  /// Distinguishes the list's key from others, without the key.
  package var keyCheck: [UInt8] { check ?? key?.check ?? [] }

  /// The list's key, if it is kept outside and the list is unlocked.
  package var keyOutside: ErasureKey? { check == nil ? nil : key }

  func contains(_ id: [UInt8]) throws -> Bool { index(of: try unlocked().hash(id)) != nil }

  /// What the list has of a user; nil for one who was never erased.
  package func record(of id: [UInt8]) throws -> ErasureRecord? {
    index(of: try unlocked().hash(id)).map { entries[$0].record }
  }

  /// Adds users. The record of a user who is there already changes only if this is the first time that it had events.
  /// - Returns: how many were not there before.
  mutating func insert(_ users: [(id: [UInt8], record: ErasureRecord)]) throws -> Int {
    let key = try unlocked()
    var new: [UInt128: ErasureRecord] = [:]
    for user in users {
      let hash = key.hash(user.id)
      if let index = index(of: hash) {
        let known = entries[index].record
        if user.record.wasFound == true, known.wasFound != true || user.record.events > 0 {
          entries[index].record = user.record
          // Events that are removed later than the first request, as by a list from another machine.
          entries[index].record.events += known.events
        }
      } else {
        new[hash] = user.record
      }
    }
    guard entries.count + new.count <= Self.maximumUsers else {
      throw LogError(.limit, "a log can keep out at most \(Self.maximumUsers) erased users")
    }
    isDated = isDated || !users.isEmpty
    entries = (entries + new.map { Entry(hash: $0.key, record: $0.value) }).sorted { $0.hash < $1.hash }
    return new.count
  }

  /// The list without numbers of events: those of another log.
  var withoutEvents: ErasureList {
    var list = self
    for i in list.entries.indices { list.entries[i].record.events = 0 }
    return list
  }

  /// Adds the users of another list with the same key. If only the other one knows that a user had events, this one does now.
  /// - Returns: how many were not there before.
  mutating func formUnion(_ other: ErasureList) throws -> Int {
    var new: [Entry] = []
    for entry in other.entries {
      guard let index = index(of: entry.hash) else {
        new.append(entry)
        continue
      }
      if entry.record.wasFound == true, entries[index].record.wasFound != true { entries[index].record = entry.record }
    }
    guard entries.count + new.count <= Self.maximumUsers else {
      throw LogError(.limit, "a log can keep out at most \(Self.maximumUsers) erased users")
    }
    isDated = isDated || !new.isEmpty || other.hasFormerIDs
    hasFormerIDs = hasFormerIDs || other.hasFormerIDs
    entries = (entries + new).sorted { $0.hash < $1.hash }
    return new.count
  }

  /// Removes users.
  /// - Returns: how many were there.
  mutating func remove(_ ids: [[UInt8]]) throws -> Int {
    let key = try unlocked()
    let old = Set(ids.map(key.hash))
    let before = entries.count
    entries.removeAll { old.contains($0.hash) }
    return before - entries.count
  }

  /// The requests by which users were erased, oldest first. Those of older versions, without a time, are one request.
  package var requests: [ErasureRequest] {
    var byTime: [Milliseconds: ErasureRequest] = [:]
    for record in entries.lazy.map(\.record) {
      byTime[record.time, default: ErasureRequest(time: record.time)].add(record)
    }
    return byTime.values.sorted { $0.time < $1.time }
  }

  // MARK: The file

  private var version: Version { Version(isInside: check == nil, isDated: isDated) }

  var fileLength: Int { Self.prefixLength + version.secretLength + entries.count * version.entryLength + 8 }

  func encode(id: UInt64) -> (bytes: [UInt8], description: ErasureDescription) {
    var w = ByteWriter(bytes: self.header(id: id))
    for entry in entries {
      withUnsafeBytes(of: entry.hash.littleEndian) { w.bytes += $0 }
      guard isDated else { continue }
      w.u64(UInt64(bitPattern: entry.record.time))
      w.u64(entry.record.code)
    }
    let checksum = Checksum.of(w.bytes, seed: id)
    w.u64(checksum)
    let users = UInt32(truncatingIfNeeded: entries.count)
    return (w.bytes, ErasureDescription(id: id, checksum: checksum, users: users))
  }

  private func header(id: UInt64) -> [UInt8] {
    var w = ByteWriter()
    w.u64(Self.magic)
    w.u16(version.rawValue)
    w.u16(hasFormerIDs ? 1 : 0)
    w.u32(UInt32(truncatingIfNeeded: entries.count))
    w.u64(id)
    return w.bytes + (check ?? key?.bytes ?? [])
  }

  /// Reads a list from its file, into requested memory. A file with another length than its manifest's users need is
  /// refused first: it may be sparse, and as long as the disk.
  init(_ file: OpenFile, id: UInt64, expected: ErasureDescription?, _ budget: MemoryBudget) throws {
    let size = try Self.checkedSize(file, expected).size
    let share = MemoryShare(budget, mayTakeReserve: true)
    // The bytes, and the hashes that are taken out of them.
    guard share.raise(to: 2 * size) else {
      throw LogError.tooMuchMemory(file.path, "list of erased users", budget, remedy: nil)
    }
    try self.init(try file.read(size, at: 0), id: id, expected: expected, file: file.path)
    share.release()
    memory.share = share.raise(to: size) ? share : nil
  }

  /// Where the key of a list is, by its first bytes and its length, which differs between the two cases.
  static func keyPlace(_ file: OpenFile, expected: ErasureDescription) throws -> ErasureKeyLocation? {
    try checkedSize(file, expected).version.map { $0.isInside ? .inside : .outside }
  }

  /// The size of a file, and its version; nil for one that this program does not know. Throws if the file has another length
  /// than its version and the manifest's users give.
  private static func checkedSize(
    _ file: OpenFile, _ expected: ErasureDescription?
  ) throws -> (size: Int, version: Version?) {
    let size = try file.size()
    func damaged(_ what: String) -> LogError { .damaged(file.path, "list of erased users", what) }
    guard size <= maximumLength else { throw damaged("it has \(size) bytes, which is too many") }
    let start = try file.read(prefixLength, at: 0)
    let version: Version? = start.withUnsafeBytes { bytes in
      var r = ByteReader(bytes)
      guard r.u64() == magic, let version = r.u16() else { return nil }
      return Version(rawValue: version)
    }
    if let version, let users = expected?.users {
      let right = prefixLength + version.secretLength + Int(users) * version.entryLength + 8
      guard size == right else { throw damaged("it has \(size) bytes, but a list of \(users) users has \(right)") }
    }
    return (size, version)
  }

  /// Reads a list; throws if a byte differs from what was written.
  /// - Parameter expected: its description in the manifest; nil without a manifest.
  init(_ bytes: [UInt8], id: UInt64, expected: ErasureDescription?, file: String) throws {
    func damaged(_ what: String) -> LogError { .damaged(file, "list of erased users", what) }
    let checksum = bytes.withUnsafeBytes { Checksum.of(.init(rebasing: $0.dropLast(8)), seed: id) }
    let header = bytes.withUnsafeBytes {
      buffer -> (magic: UInt64, version: UInt16, former: UInt16, users: UInt32, last: UInt64)? in
      var (r, tail) = (ByteReader(buffer), ByteReader(.init(rebasing: buffer.suffix(8))))
      guard let magic = r.u64(), let version = r.u16(), let former = r.u16(), let users = r.u32(), buffer.count >= 24,
        let last = tail.u64()
      else { return nil }
      return (magic, version, former, users, last)
    }
    // The checksum is at the same offset in every version, so that a newer version is distinguished from damage.
    guard let header, header.last == checksum, expected?.checksum ?? checksum == checksum else {
      throw damaged("its checksum does not match")
    }
    guard header.magic == Self.magic else { throw damaged("it is not a list of erased users") }
    guard let version = Version(rawValue: header.version) else {
      guard header.version > 0 else { throw damaged("it has no version") }
      throw LogError.newerFormat(file, header.version, newest: Version.datedKeyOutside.rawValue)
    }
    let start = Self.prefixLength + version.secretLength
    let end = bytes.count - 8
    guard end == start + Int(header.users) * version.entryLength,
      expected?.users ?? header.users == header.users
    else { throw damaged("it has \(bytes.count) bytes, which is not the length of \(header.users) users") }
    let secret = bytes[Self.prefixLength..<start]
    (key, check) = version.isInside ? (ErasureKey(stored: secret), nil) : (nil, Array(secret))
    isDated = version.isDated
    hasFormerIDs = isDated && header.former == 1
    entries = bytes.withUnsafeBytes { buffer in
      stride(from: start, to: end, by: version.entryLength).map { start in
        var entry = Entry(hash: UInt128(littleEndian: buffer.loadUnaligned(fromByteOffset: start, as: UInt128.self)))
        func word(_ offset: Int) -> UInt64 {
          UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: start + offset, as: UInt64.self))
        }
        if version.isDated {
          entry.record = ErasureRecord(time: Milliseconds(bitPattern: word(16)), code: word(24))
        }
        return entry
      }
    }
    guard zip(entries, entries.dropFirst()).allSatisfy({ $0.hash < $1.hash }),
      bytes[..<start].elementsEqual(self.header(id: id))
    else { throw damaged("it is not as permlog writes it") }
  }
}

// MARK: What a list has of a user

/// The request by which one id was erased.
public struct ErasureRecord: Sendable, Hashable {
  /// In milliseconds since 1970, by the clock of the machine; 0 if it was not recorded (before version 0.4.0).
  public var time: Milliseconds = 0
  /// Events that were stored under the id, and removed.
  public var events = 0
  /// Whether the id, or one that was linked with it, had events; nil if that was not recorded.
  public var wasFound: Bool?

  package init() {}

  package init(time: Milliseconds, events: Int, wasFound: Bool) {
    (self.time, self.events, self.wasFound) = (time, events, wasFound)
  }

  init(time: Milliseconds, code: UInt64) {
    (self.time, events) = (time, Int(clamping: code >> 2))
    wasFound = code & 2 == 0 ? nil : code & 1 == 1
  }

  var code: UInt64 { UInt64(clamping: events) << 2 | (wasFound.map { $0 ? 3 : 2 } ?? 0) }
}

/// The ids that one request named, as far as they are still kept out.
public struct ErasureRequest: Sendable, Hashable {
  /// In milliseconds since 1970; 0 for all requests from before times were recorded.
  public var time: Milliseconds
  /// Ids that were named, and those that were linked with them.
  public var ids = 0
  /// Those whose user had events; nil if that was not recorded.
  public var found: Int?
  /// Events that were removed; nil if they were not counted.
  public var events: Int?

  init(time: Milliseconds) { self.time = time }

  fileprivate mutating func add(_ record: ErasureRecord) {
    ids += 1
    guard let wasFound = record.wasFound else { return }
    found = (found ?? 0) + (wasFound ? 1 : 0)
    events = (events ?? 0) + record.events
  }
}

// MARK: The key of a log's list of erased users. It is in the list itself, or in a file of the user. In that case the
// log without that file is not enough to test whether a guessed id was erased.

/// The secret under which a log remembers the ids of erased users.
public struct ErasureKey: Sendable, Equatable {
  package static let length = 32
  private static let label = Array("permlog: check of a key of erased users, 1".utf8)

  private let key: HashKey

  /// A new key, from the system's secure source.
  package init() { key = HashKey(randomBytes: Self.length) }

  /// - Parameter bytes: all bytes of a key file.
  /// - Returns: nil if they are not a key (see `SecretBytes`).
  public init?(_ bytes: [UInt8]) {
    guard SecretBytes.fault(of: bytes) == nil else { return nil }
    self.init(stored: bytes)
  }

  /// The bytes that a list has.
  package init(stored bytes: some Sequence<UInt8>) { key = HashKey(bytes) }

  package var bytes: [UInt8] { key.bytes }

  /// HMAC-SHA-256 (RFC 2104) of an id, cut to 128 bits.
  package func hash(_ id: [UInt8]) -> UInt128 {
    id.withUnsafeBytes { key.hash(of: $0) }
  }

  /// Distinguishes this key from others without revealing it: 16 bytes of HKDF-SHA-256 (RFC 5869), independent of the
  /// use of the key for ids.
  package var check: [UInt8] {
    key.derivedBytes(for: Self.label, count: 16)
  }
}

/// Where the key of a log's list of erased users is.
public enum ErasureKeyLocation: String, Sendable {
  /// In the list's file.
  case inside
  /// In a file of the user's own.
  case outside
}

/// The key with which a log's first list of erased users begins.
package enum NewErasureKey: Sendable {
  /// One that the list's file holds.
  case inside
  /// One that is kept elsewhere, perhaps in a file.
  case outside(ErasureKey, path: String?)
  /// One that is kept elsewhere, in a file that is made for it.
  case made(path: String)
}

/// The file of a key, as far as the log makes it.
enum KeyFile {
  /// Makes a file of a key that no other user can read, and waits until it is on the disk. An existing file does not
  /// change and is an error, unless an interrupted attempt left it: this very key, or the beginning of it.
  static func make(_ path: String, _ key: ErasureKey, _ files: any FileSystem) throws {
    do {
      try write(path, key.bytes, files)
    } catch let error as FileError where error.isExistingFile {
      let there = try OpenFile(path, .readWrite, files)
      let bytes = try there.read(ErasureKey.length + 1, at: 0)
      // After a loss of power, bytes that were never synchronised are zeros.
      guard bytes.count <= key.bytes.count, zip(bytes, key.bytes).allSatisfy({ $0 == 0 || $0 == $1 }) else {
        throw LogError(
          .key,
          "\(path): the file already exists, and permlog never overwrites a file with a key", .nameNewKeyFile)
      }
      if bytes != key.bytes { try there.write(key.bytes, at: 0) }
      try there.synchronize()
    }
    try files.synchronizeDirectory(FileName.directory(of: path))
  }

  /// The key in a file; nil if there is no such file, or no key in it.
  static func read(_ path: String, _ files: any FileSystem) throws -> ErasureKey? {
    do {
      return ErasureKey(try OpenFile(path, .read, files).read(SecretBytes.lengths.upperBound + 1, at: 0))
    } catch let error as FileError where error.isMissingFile {
      return nil
    }
  }

  /// Waits until an existing file of a key is on the disk: it may be of an interrupted attempt. If its file system is
  /// read-only, that is up to the caller.
  static func keep(_ path: String, _ files: any FileSystem) throws {
    do {
      try OpenFile(path, .read, files).synchronize()
      try files.synchronizeDirectory(FileName.directory(of: path))
    } catch let error as FileError where error.isOfThePlace {}
  }

  private static func write(_ path: String, _ bytes: [UInt8], _ files: any FileSystem) throws {
    let file = try OpenFile(path, .create, files)
    do {
      try file.write(bytes, at: 0)
      try file.synchronize()
      try file.close()
    } catch {
      try? file.close()
      try? files.remove(path)
      throw error
    }
  }
}
