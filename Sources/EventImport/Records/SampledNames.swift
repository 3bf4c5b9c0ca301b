// The names of all members of a JSON text, also in objects that are not looked into: those of a user's properties.

import Buffers

enum SampledNames {
  /// Rows of a chunk that are looked at. Properties that matter are in most rows.
  static let rows = 4
  private static let longest = 256

  /// Calls `body` with each key as it is written, and with the value of each member `key`: GA4 lists a user's properties so.
  static func forEach(in text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
    var position = 0
    var isValueOfKey = false
    while position < text.count {
      guard text[position] == 0x22 else {
        // Between a name and its value there are only blanks.
        if text[position] != 0x3A, !ByteSearch.isSpace(text[position]) { isValueOfKey = false }
        position += 1
        continue
      }
      let start = position + 1
      var end = start
      while end < text.count, text[end] != 0x22 { end += text[end] == 0x5C ? 2 : 1 }
      guard end < text.count else { return }
      position = end + 1
      var next = position
      while next < text.count, ByteSearch.isSpace(text[next]) { next += 1 }
      let isKey = next < text.count && text[next] == 0x3A
      let name = UnsafeRawBufferPointer(rebasing: text[start..<end])
      if isKey || isValueOfKey, name.count <= longest { body(name) }
      isValueOfKey = isKey && name.elementsEqual("key".utf8)
    }
  }
}
