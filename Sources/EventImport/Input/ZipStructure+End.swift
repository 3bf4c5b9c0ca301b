// The end of a zip, which says where its directory is (APPNOTE 6.3.10, sections 4.3.14 to 4.3.16).

extension ZipStructure {
  private static let mostOfComment = 0xFFFF
  private static let endSize = 22
  private static let locatorSize = 20

  /// What the records of the end say, of 64-bit sizes if there are such.
  struct End {
    /// Where the records of the end begin, after the directory.
    var place: Int
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
    for place in stride(from: count - Self.endSize, through: 0, by: -1) where tail.begins(0x0605_4B50, at: place) {
      isNamed = true
      // Its comment is the last of the file.
      guard place + Self.endSize + tail[place + 20, 2] == count else { continue }
      return try end(tail, place, at: size - count + place)
    }
    throw isNamed ? other("after its end") : damaged("its directory is missing")
  }

  private func end(_ tail: LittleEndian, _ place: Int, at offset: Int) throws(ImportError) -> End {
    let end = End(
      place: offset, members: tail[place + 10, 2], directory: tail[place + 16, 4], directorySize: tail[place + 12, 4],
      isShort: true)
    if let long = try longEnd(before: offset) { return long }
    guard tail[place + 4, 2] == 0, tail[place + 6, 2] == 0, tail[place + 8, 2] == end.members else {
      throw .oneVolume(name)
    }
    return end
  }

  /// The end of a zip with 64-bit sizes, if there is one.
  private func longEnd(before offset: Int) throws(ImportError) -> End? {
    guard offset >= Self.locatorSize else { return nil }
    let locator = try bytes(offset - Self.locatorSize, Self.locatorSize)
    let place = locator[8, 8]
    guard locator.begins(0x0706_4B50, at: 0), place >= 0, place <= offset - Self.locatorSize - 56 else { return nil }
    let record = try bytes(place, 56)
    guard record.begins(0x0606_4B50, at: 0) else { return nil }
    guard record[4, 8] == offset - Self.locatorSize - place - 12 else { throw other("in its end") }
    guard record[16, 4] == 0, record[20, 4] == 0, record[24, 8] == record[32, 8] else { throw .oneVolume(name) }
    return End(
      place: place, members: record[32, 8], directory: record[48, 8], directorySize: record[40, 8], isShort: false)
  }
}
