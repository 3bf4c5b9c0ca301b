// A zip's bytes against its directory of members (APPNOTE 6.3.10). Readers of zip look for the directory from the end,
// and skip everything that it does not name: another archive before this one, or members that it leaves out.

/// Checks that every byte of a zip belongs to it: its members one after another from the first byte, its directory, its end.
struct ZipStructure {
  private let file: InputFile
  let name: String
  let size: Int

  private static let mostOfDirectory = 64 << 20

  init(_ file: InputFile, name: String) {
    self.file = file
    self.name = name
    size = file.size ?? 0
  }

  enum Content: Equatable {
    case members
    /// A workbook, and the name of its main part.
    case workbook(String)
    case spreadsheet(String)

    init(_ names: Set<[UInt8]>) {
      func has(_ name: String) -> Bool { names.contains(Array(name.utf8)) }
      let main = Array("workbook.xml".utf8)
      let found = names.filter { $0.count <= 256 && $0.suffix(main.count).elementsEqual(main) }
      if has("[Content_Types].xml"), let part = found.min(by: { $0.count < $1.count }) {
        self = .workbook(String(bounded: part))
      } else if has("[Content_Types].xml"), has("xl/workbook.bin") {
        self = .spreadsheet("a binary Excel file (.xlsb)")
      } else if has("mimetype"), has("content.xml"), has("META-INF/manifest.xml") {
        self = .spreadsheet("an OpenDocument file, like .ods")
      } else if has("Index/Document.iwa") {
        self = .spreadsheet("a Numbers or other iWork file")
      } else {
        self = .members
      }
    }
  }

  /// - Returns: its content.
  /// - Throws: if anything of the file would not be read.
  func contentOfSoundArchive() throws(ImportError) -> Content {
    let end = try end()
    guard end.directory <= end.position, end.directorySize == end.position - end.directory else {
      throw other("before its beginning or its directory", comesFirst: true)
    }
    let members = try members(end)
    try checkMembers(members.sorted { $0.position < $1.position }, upTo: end.directory)
    return Content(Set(members.compactMap(\.name)))
  }

  func other(_ position: String, comesFirst: Bool = false) -> ImportError {
    .otherData(name, "the zip archive", position, comesFirst: comesFirst)
  }
  func damaged(_ cause: String) -> ImportError { .damaged(name, "the zip archive", cause: cause) }

  func bytes(_ position: Int, _ count: Int) throws(ImportError) -> LittleEndian {
    guard position >= 0, count >= 0, position <= size, count <= size - position else {
      throw damaged("it ends too early")
    }
    let bytes = try [UInt8](unsafeUninitializedCapacity: count) { memory, read throws(ImportError) in
      read = try file.read(at: position, into: UnsafeMutableRawBufferPointer(memory))
    }
    guard bytes.count == count else { throw .shrank(file.path) }
    return LittleEndian(bytes: bytes)
  }

  // MARK: Members

  private struct Member {
    var position: Int
    var stored: Int
    var checksum: Int
    var mayHaveDescriptor: Bool
    /// Set if a spreadsheet is recognised by it.
    var name: [UInt8]?
  }

  /// The names, or their endings, by which a spreadsheet is recognised.
  private static func mayTell(_ name: [UInt8]) -> Bool {
    name.count <= 256
      && (name.suffix(12).elementsEqual("workbook.xml".utf8)
        || [
          "[Content_Types].xml", "xl/workbook.bin", "mimetype", "content.xml", "META-INF/manifest.xml",
          "Index/Document.iwa",
        ]
        .contains { name.elementsEqual($0.utf8) })
  }

  private func members(_ end: End) throws(ImportError) -> [Member] {
    guard end.directorySize <= Self.mostOfDirectory else { throw damaged("its directory is larger than 64 MiB") }
    let directory = try bytes(end.directory, end.directorySize)
    var members: [Member] = []
    var position = 0
    while directory.begins(0x0201_4B50, at: position), directory.has(position, 46) {
      let (name, extra, comment) = (
        directory[position + 28, 2], directory[position + 30, 2], directory[position + 32, 2]
      )
      var member = Member(
        position: directory[position + 42, 4], stored: directory[position + 20, 4],
        checksum: directory[position + 16, 4],
        mayHaveDescriptor: directory[position + 8, 2] & 8 != 0, name: nil)
      let length = 46 + name + extra + comment
      guard directory.has(position, length) else { throw damaged("its directory is incomplete") }
      let bytes = Array(directory.bytes[(position + 46)..<(position + 46 + name)])
      if Self.mayTell(bytes) { member.name = bytes }
      lengthen(&member, directory, position + 24, extra: position + 46 + name..<position + 46 + name + extra)
      members.append(member)
      position += length
    }
    // A signature of the directory may follow its members.
    if directory.begins(0x0505_4B50, at: position) { position += 6 + directory[position + 4, 2] }
    guard position == end.directorySize else { throw damaged("its directory is incomplete") }
    guard members.count == end.members || end.isShort && members.count & 0xFFFF == end.members else {
      throw damaged("its directory names \(members.count) members and its end \(end.members)")
    }
    return members
  }

  /// Reads the 64-bit sizes of a member that has them, in their order: unpacked, packed, offset.
  private func lengthen(_ member: inout Member, _ bytes: LittleEndian, _ unpacked: Int, extra: Range<Int>) {
    var position = extra.lowerBound
    while position + 4 <= extra.upperBound {
      let next = position + 4 + bytes[position + 2, 2]
      if bytes[position, 2] == 1, next <= extra.upperBound {
        var value = position + 4
        func take(_ short: Int) -> Int? {
          guard short == 0xFFFF_FFFF, value + 8 <= next else { return nil }
          defer { value += 8 }
          return bytes[value, 8]
        }
        _ = take(bytes[unpacked, 4])
        if let stored = take(member.stored) { member.stored = stored }
        if let start = take(member.position) { member.position = start }
        return
      }
      position = next
    }
  }

  // MARK: No gaps

  private func checkMembers(_ members: [Member], upTo directory: Int) throws(ImportError) {
    var expected = 0
    for (i, member) in members.enumerated() {
      guard member.position == expected else {
        throw i == 0 ? other("before its beginning", comesFirst: true) : other("between its members")
      }
      let header = try bytes(member.position, 30)
      guard header.begins(0x0403_4B50, at: 0) else { throw damaged("a member does not begin where its directory says") }
      let data = member.position + 30 + header[26, 2] + header[28, 2]
      let next = i + 1 < members.count ? members[i + 1].position : directory
      guard data <= next, member.stored >= 0, member.stored <= next - data else {
        throw damaged("members overlap")
      }
      expected = data + member.stored
      if member.mayHaveDescriptor { expected += try descriptor(at: expected, before: next, member) }
    }
    if expected < directory { expected += try signingBlock(at: expected, before: directory) }
    guard expected == directory else { throw other("between its members and its directory") }
  }

  /// Bytes of the sizes and the checksum that may follow a member's data (section 4.3.9): with or without a mark, short
  /// or long. For an empty member both readings are possible: then the next bytes decide.
  private func descriptor(at position: Int, before next: Int, _ member: Member) throws(ImportError) -> Int {
    let found = try bytes(position, min(24, next - position))
    var lengths = [0]
    for fields in [4, 0] where fields == 0 || found.begins(0x0807_4B50, at: 0) {
      guard found.has(fields, 12), found[fields, 4] == member.checksum else { continue }
      if found[fields + 4, 4] == member.stored & 0xFFFF_FFFF { lengths.append(fields + 12) }
      if found.has(fields, 20), found[fields + 4, 8] == member.stored { lengths.append(fields + 20) }
    }
    return lengths.contains(next - position) ? next - position : lengths.dropFirst().first ?? 0
  }

  /// Bytes of the block with which Android signs: its size without that, entries, the size again, a word.
  private func signingBlock(at position: Int, before directory: Int) throws(ImportError) -> Int {
    guard directory - position >= 32 else { return 0 }
    let end = try bytes(directory - 24, 24)
    let count = end[0, 8]
    guard end.bytes.dropFirst(8).elementsEqual("APK Sig Block 42".utf8), count == directory - position - 8 else {
      return 0
    }
    return count + 8
  }

  // MARK: The end of a zip, which says where its directory is (APPNOTE 6.3.10, sections 4.3.14 to 4.3.16)

  private static let mostOfComment = 0xFFFF
  private static let endSize = 22
  private static let locatorSize = 20

  /// The values of the end records, with 64-bit sizes if present.
  struct End {
    /// Where the records of the end begin, after the directory.
    var position: Int
    var members: Int
    var directory: Int
    var directorySize: Int
    /// The number of members may have lost its upper bits.
    var isShort: Bool
  }

  func end() throws(ImportError) -> End {
    let count = min(size, Self.endSize + Self.mostOfComment)
    let tail = try bytes(size - count, count)
    var isNamed = false
    for position in stride(from: count - Self.endSize, through: 0, by: -1) where tail.begins(0x0605_4B50, at: position)
    {
      isNamed = true
      // Its comment is the last of the file.
      guard position + Self.endSize + tail[position + 20, 2] == count else { continue }
      return try end(tail, position, at: size - count + position)
    }
    throw isNamed ? other("after its end") : damaged("its directory is missing")
  }

  private func end(_ tail: LittleEndian, _ position: Int, at offset: Int) throws(ImportError) -> End {
    let end = End(
      position: offset, members: tail[position + 10, 2], directory: tail[position + 16, 4],
      directorySize: tail[position + 12, 4],
      isShort: true)
    if let long = try longEnd(before: offset) { return long }
    guard tail[position + 4, 2] == 0, tail[position + 6, 2] == 0, tail[position + 8, 2] == end.members else {
      throw .oneVolume(name)
    }
    return end
  }

  /// The end of a zip with 64-bit sizes, if there is one.
  private func longEnd(before offset: Int) throws(ImportError) -> End? {
    guard offset >= Self.locatorSize else { return nil }
    let locator = try bytes(offset - Self.locatorSize, Self.locatorSize)
    let position = locator[8, 8]
    guard locator.begins(0x0706_4B50, at: 0), position >= 0, position <= offset - Self.locatorSize - 56 else {
      return nil
    }
    let record = try bytes(position, 56)
    guard record.begins(0x0606_4B50, at: 0) else { return nil }
    guard record[4, 8] == offset - Self.locatorSize - position - 12 else { throw other("in its end") }
    guard record[16, 4] == 0, record[20, 4] == 0, record[24, 8] == record[32, 8] else { throw .oneVolume(name) }
    return End(
      position: position, members: record[32, 8], directory: record[48, 8], directorySize: record[40, 8], isShort: false
    )
  }
}
