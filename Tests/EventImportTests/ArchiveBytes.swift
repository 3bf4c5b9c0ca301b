// Archives made byte by byte, whole and with everything that joining, cutting and tools do to them.

import Foundation

@testable import EventImport

/// A member with its text.
typealias ArchiveMember = (name: String, text: String)

/// Numbers in little-endian bytes.
private func little(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// A zip of stored members.
struct ZipBytes {
  /// What follows a member's data (APPNOTE 6.3.10, section 4.3.9).
  enum Descriptor: CaseIterable { case none, short, unmarked, long, longUnmarked }

  var members: [ArchiveMember]
  var descriptor = Descriptor.none
  /// 64-bit sizes and places.
  var isLong = false
  var comment = ""
  var isSigned = false
  /// Bytes before the first member, between members, and before the directory.
  var before = ""
  var between = ""
  var beforeDirectory = ""
  /// Members that the directory leaves out.
  var unnamed = 0
  var volume = 0

  var bytes: [UInt8] {
    var bytes = Array(before.utf8)
    var directory: [UInt8] = []
    for (number, member) in members.enumerated() {
      let name = Array(member.name.utf8)
      let data = Array(member.text.utf8)
      let checksum = Int(Self.checksum(data))
      let place = bytes.count
      let flags = descriptor == .none ? 0 : 8
      let sizes =
        descriptor == .none ? little(checksum, 4) + little(data.count, 4) + little(data.count, 4) : little(0, 12)
      bytes += little(0x0403_4B50, 4) + little(20, 2) + little(flags, 2) + little(0, 6) + sizes + little(name.count, 2)
      bytes += little(4, 2) + name + little(0x7075, 2) + little(0, 2) + data
      switch descriptor {
      case .none: break
      case .short: bytes += little(0x0807_4B50, 4) + little(checksum, 4) + little(data.count, 4) + little(data.count, 4)
      case .unmarked: bytes += little(checksum, 4) + little(data.count, 4) + little(data.count, 4)
      case .long: bytes += little(0x0807_4B50, 4) + little(checksum, 4) + little(data.count, 8) + little(data.count, 8)
      case .longUnmarked: bytes += little(checksum, 4) + little(data.count, 8) + little(data.count, 8)
      }
      bytes += Array((number + 1 < members.count ? between : beforeDirectory).utf8)
      if number < unnamed { continue }
      let extra =
        isLong ? little(1, 2) + little(24, 2) + little(data.count, 8) + little(data.count, 8) + little(place, 8) : []
      directory += little(0x0201_4B50, 4) + little(20, 2) + little(20, 2) + little(flags, 2) + little(0, 6)
      directory += little(checksum, 4) + little(isLong ? 0xFFFF_FFFF : data.count, 4)
      directory += little(isLong ? 0xFFFF_FFFF : data.count, 4) + little(name.count, 2) + little(extra.count, 2)
      directory += little(0, 10) + little(isLong ? 0xFFFF_FFFF : place, 4)
      directory += name + extra
    }
    if isSigned {
      bytes += little(40, 8) + little(0, 16) + little(40, 8) + Array("APK Sig Block 42".utf8)
    }
    let start = bytes.count
    let named = members.count - unnamed
    bytes += directory
    if isLong {
      let end = bytes.count
      bytes += little(0x0606_4B50, 4) + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8)
      bytes += little(named, 8) + little(named, 8) + little(directory.count, 8) + little(start, 8)
      bytes += little(0x0706_4B50, 4) + little(0, 4) + little(end, 8) + little(1, 4)
    }
    bytes += little(0x0605_4B50, 4) + little(volume, 2) + little(volume, 2) + little(named, 2) + little(named, 2)
    bytes += little(directory.count, 4) + little(isLong ? 0xFFFF_FFFF : start, 4) + little(comment.utf8.count, 2)
    return bytes + Array(comment.utf8)
  }

  /// CRC-32 (ISO 3309), bit by bit.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var value = UInt32.max
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return ~value
  }
}

/// A tar (POSIX.1-2017, ustar) without its end mark.
func tarMembers(_ members: [ArchiveMember]) -> [UInt8] {
  members.flatMap { member -> [UInt8] in
    let data = Array(member.text.utf8)
    func octal(_ value: Int, _ count: Int) -> [UInt8] {
      let digits = String(value, radix: 8)
      return Array((String(repeating: "0", count: count - 1 - digits.count) + digits).utf8) + [0]
    }
    var header = Array(member.name.utf8)
    header += [UInt8](repeating: 0, count: 100 - header.count) + octal(0o644, 8) + octal(0, 8) + octal(0, 8)
    header += octal(data.count, 12) + octal(0, 12) + Array("        0".utf8) + [UInt8](repeating: 0, count: 100)
    header += Array("ustar\u{0}00".utf8)
    header += [UInt8](repeating: 0, count: 512 - header.count)
    header.replaceSubrange(148..<156, with: octal(header.reduce(0) { $0 + Int($1) }, 7) + [0x20])
    return header + data + [UInt8](repeating: 0, count: (512 - data.count % 512) % 512)
  }
}

/// The end mark of a tar.
let tarEnd = [UInt8](repeating: 0, count: 1024)

func tar(_ members: [ArchiveMember]) -> [UInt8] { tarMembers(members) + tarEnd }

/// What a program makes of bytes, like `gzip -c`; nil if the machine does not have it.
func packed(_ bytes: [UInt8], by program: String, _ options: [String] = []) throws -> [UInt8]? {
  let candidates = ["/usr/bin/", "/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + program }
  guard let path = candidates.first(where: FileManager.default.isExecutableFile(atPath:)) else { return nil }
  let directory = try TemporaryDirectory()
  let output = URL(fileURLWithPath: try directory.write("output", Data()))
  let process = Process()
  process.executableURL = URL(fileURLWithPath: path)
  process.arguments = ["-c"] + options
  process.standardInput = try FileHandle(
    forReadingFrom: URL(fileURLWithPath: try directory.write("input", Data(bytes))))
  process.standardOutput = try FileHandle(forWritingTo: output)
  try process.run()
  process.waitUntilExit()
  return [UInt8](try Data(contentsOf: output))
}
