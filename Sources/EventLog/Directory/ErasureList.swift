// The users that were erased and stay out: a key, and a keyed hash of each id, in a file of its own. The file is
// immutable, like a part: a new erasure writes a new one, and the manifest says which is live.
//
//   file := magic 8, version 2, zeros 2, users 4, id 8, key 32, (hash 16) × users, checksum 8
//
// Somebody with the file can test if a certain id was erased, and cannot list the ids. Somebody with the hashes alone, from
// a copied table or a bug report, cannot even test.

import Crypto
import PermissionEvents

/// What a manifest keeps of an erasure list.
package struct ErasureDescription: NumberedFile, Sendable, Hashable {
  static let word = "erased"

  package var id: UInt64
  /// The last eight bytes of the file: the checksum of all before.
  package var checksum: UInt64
  package var users: UInt32

  package var name: String { Self.name(id) }
}

/// Keyed hashes of the ids of erased users.
package struct ErasureList: Sendable, Equatable {
  private static let magic: UInt64 = 0x3145_474F_4C4D_5250  // "PRMLOGE1"
  private static let version: UInt16 = 1
  private static let keyLength = 32
  private static let hashLength = 16
  private static let headerLength = 8 + 2 + 2 + 4 + 8 + keyLength
  /// Most users of a list; with them it has 1 GiB.
  private static let maximumUsers = 1 << 26
  /// Bytes of the longest list.
  static let maximumLength = headerLength + maximumUsers * hashLength + 8

  private let key: SymmetricKey
  /// Rising.
  private var hashes: [UInt128] = []

  /// A list of nobody with a key of its own, from the system's secure source.
  init() { key = SymmetricKey(size: SymmetricKeySize(bitCount: Self.keyLength * 8)) }

  var isEmpty: Bool { hashes.isEmpty }
  var count: Int { hashes.count }

  /// HMAC-SHA-256 (RFC 2104) of an id under the list's key, cut to 128 bits.
  private func hash(_ id: [UInt8]) -> UInt128 {
    let code = HMAC<SHA256>.authenticationCode(for: id, using: key)
    return code.prefix(Self.hashLength).reduce(0) { $0 << 8 | UInt128($1) }
  }

  private func contains(_ hash: UInt128) -> Bool {
    let place = hashes.firstPlace { $0 >= hash }
    return place < hashes.count && hashes[place] == hash
  }

  /// True for the id of an erased user.
  func contains(_ id: [UInt8]) -> Bool { contains(hash(id)) }

  /// Adds users.
  /// - Returns: how many were not there before.
  mutating func insert(_ ids: [[UInt8]]) throws -> Int {
    let new = Set(ids.map(hash)).filter { !contains($0) }
    guard hashes.count + new.count <= Self.maximumUsers else {
      throw LogError(.limit, "more than \(Self.maximumUsers) users cannot be kept out of one log")
    }
    hashes = (hashes + new).sorted()
    return new.count
  }

  /// Removes users.
  /// - Returns: how many were there.
  mutating func remove(_ ids: [[UInt8]]) -> Int {
    let old = Set(ids.map(hash))
    defer { hashes.removeAll(where: old.contains) }
    return hashes.count(where: old.contains)
  }

  // MARK: The file

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
    w.u16(Self.version)
    w.u16(0)
    w.u32(UInt32(truncatingIfNeeded: hashes.count))
    w.u64(id)
    return w.bytes + key.withUnsafeBytes { Array($0) }
  }

  /// Reads a list; throws if a byte differs from what was written.
  /// - Parameter expected: what the manifest says of it; nil if there is no manifest to ask.
  init(_ bytes: [UInt8], id: UInt64, expected: ErasureDescription?, file: String) throws {
    func damaged(_ what: String) -> LogError { .damaged(file, "list of erased users", what) }
    let checksum = Checksum.of(Array(bytes.dropLast(8)), seed: id)
    let header = bytes.withUnsafeBytes { buffer -> (magic: UInt64, version: UInt16, users: UInt32, last: UInt64)? in
      var (r, tail) = (ByteReader(buffer), ByteReader(.init(rebasing: buffer.suffix(8))))
      guard let magic = r.u64(), let version = r.u16(), r.u16() != nil, let users = r.u32(), buffer.count >= 24,
        let last = tail.u64()
      else { return nil }
      return (magic, version, users, last)
    }
    // The checksum's place is that of every version, so that a newer one is told from damage.
    guard let header, header.last == checksum, expected?.checksum ?? checksum == checksum else {
      throw damaged("it does not have its checksum")
    }
    guard header.magic == Self.magic else { throw damaged("it is not a list of erased users") }
    guard header.version <= Self.version else {
      throw LogError(
        .newerFormat,
        "\(file): written in format \(header.version), and this permlog reads \(Self.version). Use a newer one.")
    }
    let end = bytes.count - 8
    guard end == Self.headerLength + Int(header.users) * Self.hashLength,
      expected?.users ?? header.users == header.users
    else { throw damaged("it has \(bytes.count) bytes, which is not the length of \(header.users) users") }
    key = SymmetricKey(data: bytes[Self.headerLength - Self.keyLength..<Self.headerLength])
    hashes = bytes.withUnsafeBytes { buffer in
      stride(from: Self.headerLength, to: end, by: Self.hashLength).map {
        UInt128(littleEndian: buffer.loadUnaligned(fromByteOffset: $0, as: UInt128.self))
      }
    }
    guard zip(hashes, hashes.dropFirst()).allSatisfy({ $0 < $1 }),
      bytes[..<Self.headerLength].elementsEqual(self.header(id: id))
    else { throw damaged("it is not what was written") }
  }
}
