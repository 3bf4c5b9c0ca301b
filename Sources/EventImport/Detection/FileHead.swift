// How many of a file's first bytes its form is told by.

/// The first bytes: `ImportLimit.head` of them, or more by steps of as many where they show no whole line.
enum FileHead {
  /// True where more may follow.
  static func isCut(_ head: [UInt8]) -> Bool {
    head.count >= ImportLimit.head && head.count.isMultiple(of: ImportLimit.head)
  }

  /// True where the first line of lines goes on, and no line that may be read would be longer.
  static func wantsMore(_ head: [UInt8]) -> Bool {
    guard isCut(head), head.count <= ImportLimit.line else { return false }
    let start = head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let isFirst = { (byte: UInt8) in !ByteSearch.isBlank(byte) && byte != ByteSearch.newline }
    guard let first = head[start...].firstIndex(where: isFirst) else { return false }
    // A header of CSV is no longer than the head; a document around records need not be seen whole.
    guard head[first] == 0x7B || head[first...].prefix(ImportLimit.head).contains(0x09) else { return false }
    return head.withUnsafeBytes { memory in
      memory.baseAddress.map { ByteSearch.firstNewline($0, first..<head.count) == nil } ?? false
    }
  }
}
