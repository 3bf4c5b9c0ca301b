// The users that were erased and stay out: a key, and a keyed hash of each id, in a file of its own. The file is
// immutable, like a part: a new erasure writes a new one, and the manifest says which is live.
//
//   file := magic 8, version 2, zeros 2, users 4, id 8, key 32, (hash 16) × users, checksum 8
//
// Who has the file can test whether a certain id was erased, and cannot list the ids. Whoever could only see the
// hashes, in a copied table or a bug report, could not even test.

import Crypto
import PermissionEvents

/// What a manifest keeps of an erasure list.
package struct ErasureDescription: Sendable, Hashable {
  package var id: UInt64
  /// The last eight bytes of the file: the checksum of all before.
  package var checksum: UInt64
  package var users: UInt32

  private static let word = "erased"

  package var name: String { FileName.make(Self.word, id) }

  /// The id in a list's file name; nil where the name is not a list's.
  static func id(name: String) -> UInt64? { FileName.id(name, word: word) }
}

/// Keyed hashes of the ids of erased users.
package struct ErasureList: Sendable, Equatable {
  private static let magic: UInt64 = 0x3145_474F_4C4D_5250  // "PRMLOGE1"
  private static let version: UInt16 = 1
  private static let keyLength = 32
  private static let hashLength = 16
  private static let frameLength = 8 + 2 + 2 + 4 + 8 + keyLength + 8
  /// Most users of a list; with them it has 1 GiB.
  private static let maximumUsers = 1 << 26

  private let key: [UInt8]
  private(set) var hashes: Set<UInt128> = []

  /// A list of nobody with a key of its own, from the system's secure source.
  init() {
    var source = SystemRandomNumberGenerator()
    key = (0..<Self.keyLength).map { _ in UInt8.random(in: .min ... .max, using: &source) }
  }

  /// HMAC-SHA-256 (RFC 2104) of an id under the list's key, cut to 128 bits.
  private func hash(_ id: [UInt8]) -> UInt128 {
    let code = HMAC<SHA256>.authenticationCode(for: id, using: SymmetricKey(data: key))
    return code.prefix(Self.hashLength).reduce(0) { $0 << 8 | UInt128($1) }
  }

  /// True for the id of an erased user.
  func contains(_ id: [UInt8]) -> Bool { hashes.contains(hash(id)) }

  /// Adds a user; false where it is there already.
  mutating func insert(_ id: [UInt8]) throws -> Bool {
    guard hashes.count < Self.maximumUsers else {
      throw LogError(.limit, "more than \(Self.maximumUsers) users cannot be kept out of one log")
    }
    return hashes.insert(hash(id)).inserted
  }

  /// Removes a user; false where it was not there.
  mutating func remove(_ id: [UInt8]) -> Bool { hashes.remove(hash(id)) != nil }

  // MARK: The file

  func encode(id: UInt64) -> (bytes: [UInt8], description: ErasureDescription) {
    let users = UInt32(truncatingIfNeeded: hashes.count)
    var w = ByteWriter()
    w.u64(Self.magic)
    w.u16(Self.version)
    w.u16(0)
    w.u32(users)
    w.u64(id)
    w.bytes += key
    for hash in hashes.sorted() {
      w.u64(UInt64(truncatingIfNeeded: hash))
      w.u64(UInt64(truncatingIfNeeded: hash >> 64))
    }
    let checksum = Checksum.of(w.bytes, seed: id)
    w.u64(checksum)
    return (w.bytes, ErasureDescription(id: id, checksum: checksum, users: users))
  }

  /// Reads a list; throws where a byte differs from what was written.
  init(_ bytes: [UInt8], _ description: ErasureDescription, file: String) throws {
    func damaged(_ what: String) -> LogError { .damaged(file, "list of erased users", what) }
    let count = Int(description.users)
    guard bytes.count == Self.frameLength + count * Self.hashLength else {
      throw damaged("it has \(bytes.count) bytes and should have \(Self.frameLength + count * Self.hashLength)")
    }
    guard Checksum.of(Array(bytes.dropLast(8)), seed: description.id) == description.checksum else {
      throw damaged("it does not have its checksum")
    }
    let version: UInt16? = bytes.withUnsafeBytes { buffer in
      var r = ByteReader(buffer)
      return r.u64() == Self.magic ? r.u16() : nil
    }
    guard let version else { throw damaged("it is not a list of erased users") }
    guard version <= Self.version else {
      throw LogError(
        .newerFormat, "\(file): written in format \(version), and this permlog reads \(Self.version). Use a newer one.")
    }
    key = Array(bytes[24..<24 + Self.keyLength])
    bytes.withUnsafeBytes { buffer in
      var r = ByteReader(.init(rebasing: buffer[(24 + Self.keyLength)...]))
      for _ in 0..<count {
        guard let low = r.u64(), let high = r.u64() else { return }
        hashes.insert(UInt128(high) << 64 | UInt128(low))
      }
    }
    // Whatever the fields say, only the very bytes that such a list is written as are accepted.
    guard encode(id: description.id).bytes == bytes else { throw damaged("it is not what was written") }
  }
}
