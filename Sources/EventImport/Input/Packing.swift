// How a file is packed, told by its first bytes and never by its name.

enum Packing {
  case none, gzip, zstandard, zip, xz, tar

  init(head: some Collection<UInt8>) {
    let bytes = Array(head.prefix(6))
    func begins(_ magic: [UInt8]) -> Bool { bytes.starts(with: magic) }
    if begins([0x1F, 0x8B]) {
      self = .gzip
    } else if begins([0x28, 0xB5, 0x2F, 0xFD]) || Self.isSkippableFrame(bytes) {
      self = .zstandard
    } else if begins([0x50, 0x4B, 0x03, 0x04]) || begins([0x50, 0x4B, 0x05, 0x06]) {
      // The second is an archive without members.
      self = .zip
    } else if begins([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) {
      self = .xz
    } else if head.count > Self.tarMagic + 5, head.dropFirst(Self.tarMagic).prefix(5).elementsEqual("ustar".utf8) {
      self = .tar
    } else {
      self = .none
    }
  }

  /// Where a tar archive says in its first header that it is one (POSIX.1-2017, pax).
  private static let tarMagic = 257

  /// True for files with members.
  var isArchive: Bool { self == .zip || self == .tar }

  /// True for what its first four bytes tell.
  var isStream: Bool { self != .none && self != .tar }

  /// A frame of metadata, which may come before Zstandard's data (RFC 8878, section 3.1.2).
  private static func isSkippableFrame(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 4 && bytes[0] & 0xF0 == 0x50 && bytes[1] == 0x2A && bytes[2] == 0x4D && bytes[3] == 0x18
  }
}
