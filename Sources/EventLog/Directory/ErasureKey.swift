// The key of a log's list of erased users. It lies in the list itself, or in a file of the user's own: then who has the
// log and not that file cannot test whether an id that they guess was erased.

import Crypto
import PermissionEvents

/// The secret under which a log remembers the ids of erased users.
public struct ErasureKey: Sendable, Equatable {
  static let length = 32
  private static let label = Array("permlog: check of a key of erased users, 1".utf8)

  private let key: SymmetricKey

  /// A new key, from the system's secure source.
  package init() { key = SymmetricKey(size: SymmetricKeySize(bitCount: Self.length * 8)) }

  /// - Parameter bytes: all bytes of a key file.
  /// - Returns: nil if they are no key (see `SecretBytes`).
  public init?(_ bytes: [UInt8]) {
    guard SecretBytes.fault(of: bytes) == nil else { return nil }
    self.init(stored: bytes)
  }

  /// The bytes that a list has.
  init(stored bytes: some Sequence<UInt8>) { key = SymmetricKey(data: Array(bytes)) }

  package var bytes: [UInt8] { key.withUnsafeBytes { Array($0) } }

  /// HMAC-SHA-256 (RFC 2104) of an id, cut to 128 bits.
  func hash(_ id: [UInt8]) -> UInt128 {
    HMAC<SHA256>.authenticationCode(for: id, using: key).prefix(16).reduce(0) { $0 << 8 | UInt128($1) }
  }

  /// What tells this key from another and does not give it away: 16 bytes of HKDF-SHA-256 (RFC 5869), whose use of the key
  /// has nothing in common with that for ids.
  var check: [UInt8] {
    HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Self.label, outputByteCount: 16).withUnsafeBytes { Array($0) }
  }
}

/// Where the key of a log's list of erased users is.
public enum ErasureKeyPlace: String, Sendable {
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
  /// Makes a file of a key that nobody else can read, and waits until it is on the disk. A file that is there stays as it
  /// is and is an error, unless it is what an interrupted attempt has left: this very key, or as far as it came.
  static func make(_ path: String, _ key: ErasureKey, _ files: any FileSystem) throws {
    do {
      try write(path, key.bytes, files)
    } catch let error as FileError where error.isExistingFile {
      let there = try OpenFile(path, .readWrite, files)
      let bytes = try there.read(ErasureKey.length + 1, at: 0)
      // What a loss of power leaves of bytes that were never synchronised is zeros.
      guard bytes.count <= key.bytes.count, zip(bytes, key.bytes).allSatisfy({ $0 == 0 || $0 == $1 }) else {
        throw LogError(.key, "\(path): a file is there already, and no file is overwritten with a key", .nameNewKeyFile)
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

  /// Waits until a file of a key that was there is on the disk: it may be of an attempt that was interrupted. A place where
  /// nothing can be written is the caller's own care.
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
