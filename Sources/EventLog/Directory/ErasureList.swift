// The users that were erased and stay out: a keyed hash of each id, in a file of its own. The file is immutable, like a
// part: a new erasure writes a new one, and the manifest says which is live.
//
// file := magic 8, version 2, zeros 2, users 4, id 8, key 32 | check 16, (hash 16) × users, checksum 8
//
// Version 1 has the key. Anyone with such a file can test whether a certain id was erased, but cannot list the ids.
// Version 2 has a check of the key, which is kept elsewhere: without the key no test is possible.

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
  /// Bytes before the key or its check.
  private static let prefixLength = 8 + 2 + 2 + 4 + 8
  /// Most users of a list; with them it has 1 GiB.
  private static let maximumUsers = 1 << 26
  static let maximumLength = prefixLength + ErasureKey.length + maximumUsers * hashLength + 8

  private enum Version: UInt16 {
    case keyInside = 1
    case keyOutside = 2

    var secretLength: Int { self == .keyInside ? ErasureKey.length : ErasureList.checkLength }
  }

  /// Nil if it is outside and was not given yet.
  private var key: ErasureKey?
  /// The check of a key that is outside; nil if it is inside.
  private var check: [UInt8]?
  /// Rising.
  private var hashes: [UInt128] = []
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

  var isEmpty: Bool { hashes.isEmpty }
  var count: Int { hashes.count }
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

  private func contains(_ hash: UInt128) -> Bool {
    let index = hashes.firstPlace { $0 >= hash }
    return index < hashes.count && hashes[index] == hash
  }

  func contains(_ id: [UInt8]) throws -> Bool { contains(try unlocked().hash(id)) }

  /// Adds users.
  /// - Returns: how many were not there before.
  mutating func insert(_ ids: [[UInt8]]) throws -> Int {
    let key = try unlocked()
    let new = Set(ids.map(key.hash)).filter { !contains($0) }
    guard hashes.count + new.count <= Self.maximumUsers else {
      throw LogError(.limit, "a log can keep out at most \(Self.maximumUsers) erased users")
    }
    hashes = (hashes + new).sorted()
    return new.count
  }

  /// Removes users.
  /// - Returns: how many were there.
  mutating func remove(_ ids: [[UInt8]]) throws -> Int {
    let old = Set(ids.map(try unlocked().hash))
    defer { hashes.removeAll(where: old.contains) }
    return hashes.count(where: old.contains)
  }

  // MARK: The file

  var fileLength: Int { Self.prefixLength + (check?.count ?? ErasureKey.length) + hashes.count * Self.hashLength + 8 }

  func encode(id: UInt64) -> (bytes: [UInt8], description: ErasureDescription) {
    var w = ByteWriter(bytes: self.header(id: id))
    for hash in hashes { withUnsafeBytes(of: hash.littleEndian) { w.bytes += $0 } }
    let checksum = Checksum.of(w.bytes, seed: id)
    w.u64(checksum)
    let users = UInt32(truncatingIfNeeded: hashes.count)
    return (w.bytes, ErasureDescription(id: id, checksum: checksum, users: users))
  }

  private func header(id: UInt64) -> [UInt8] {
    var w = ByteWriter()
    w.u64(Self.magic)
    w.u16((check == nil ? Version.keyInside : .keyOutside).rawValue)
    w.u16(0)
    w.u32(UInt32(truncatingIfNeeded: hashes.count))
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
    try checkedSize(file, expected).version.map { $0 == .keyInside ? .inside : .outside }
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
      let right = prefixLength + version.secretLength + Int(users) * hashLength + 8
      guard size == right else { throw damaged("it has \(size) bytes, but a list of \(users) users has \(right)") }
    }
    return (size, version)
  }

  /// Reads a list; throws if a byte differs from what was written.
  /// - Parameter expected: its description in the manifest; nil without a manifest.
  init(_ bytes: [UInt8], id: UInt64, expected: ErasureDescription?, file: String) throws {
    func damaged(_ what: String) -> LogError { .damaged(file, "list of erased users", what) }
    let checksum = bytes.withUnsafeBytes { Checksum.of(.init(rebasing: $0.dropLast(8)), seed: id) }
    let header = bytes.withUnsafeBytes { buffer -> (magic: UInt64, version: UInt16, users: UInt32, last: UInt64)? in
      var (r, tail) = (ByteReader(buffer), ByteReader(.init(rebasing: buffer.suffix(8))))
      guard let magic = r.u64(), let version = r.u16(), r.u16() != nil, let users = r.u32(), buffer.count >= 24,
        let last = tail.u64()
      else { return nil }
      return (magic, version, users, last)
    }
    // The checksum is at the same offset in every version, so that a newer version is distinguished from damage.
    guard let header, header.last == checksum, expected?.checksum ?? checksum == checksum else {
      throw damaged("its checksum does not match")
    }
    guard header.magic == Self.magic else { throw damaged("it is not a list of erased users") }
    guard let version = Version(rawValue: header.version) else {
      guard header.version > 0 else { throw damaged("it has no version") }
      throw LogError.newerFormat(file, header.version, newest: Version.keyOutside.rawValue)
    }
    let start = Self.prefixLength + version.secretLength
    let end = bytes.count - 8
    guard end == start + Int(header.users) * Self.hashLength,
      expected?.users ?? header.users == header.users
    else { throw damaged("it has \(bytes.count) bytes, which is not the length of \(header.users) users") }
    let secret = bytes[Self.prefixLength..<start]
    (key, check) = version == .keyInside ? (ErasureKey(stored: secret), nil) : (nil, Array(secret))
    hashes = bytes.withUnsafeBytes { buffer in
      stride(from: start, to: end, by: Self.hashLength).map {
        UInt128(littleEndian: buffer.loadUnaligned(fromByteOffset: $0, as: UInt128.self))
      }
    }
    guard zip(hashes, hashes.dropFirst()).allSatisfy({ $0 < $1 }),
      bytes[..<start].elementsEqual(self.header(id: id))
    else { throw damaged("it is not as permlog writes it") }
  }
}

// MARK: The key of a log's list of erased users It is in the list itself, or in a file of the user. In that case the
// log without that file is not enough to test whether a guessed id was erased.

/// The secret under which a log remembers the ids of erased users.
public struct ErasureKey: Sendable, Equatable {
  static let length = 32
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
  init(stored bytes: some Sequence<UInt8>) { key = HashKey(bytes) }

  package var bytes: [UInt8] { key.bytes }

  /// HMAC-SHA-256 (RFC 2104) of an id, cut to 128 bits.
  func hash(_ id: [UInt8]) -> UInt128 {
    id.withUnsafeBytes { key.hash(of: $0) }
  }

  /// Distinguishes this key from others without revealing it: 16 bytes of HKDF-SHA-256 (RFC 5869), independent of the
  /// use of the key for ids.
  var check: [UInt8] {
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
