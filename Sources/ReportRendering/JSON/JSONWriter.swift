// JSON written straight into bytes, in the form of `JSONValue`, for what a report has thousands of. An object or array of
// plain values stays on one line; that it has another inside is known only when that one begins, and then the few
// members before it are moved apart.

/// Writes members of objects, and elements of arrays, one after the other.
struct JSONWriter: ~Copyable {
  private var bytes: UnsafeMutablePointer<UInt8>
  private var count = 0
  private var capacity: Int
  /// Spaces before a member of the object that is being written.
  private var indent: Int
  private var isFlat = true
  /// Where the members of the flat object that is being written begin.
  private var starts: [Int] = []
  private var memberCount = 0

  private init(indent: Int) {
    self.indent = indent
    capacity = 1 << 14
    bytes = .allocate(capacity: capacity)
  }

  deinit { bytes.deallocate() }

  /// An object, as it stands in a line that is indented by a number of spaces.
  static func object(indent: Int, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter(indent: indent + 2)
    writer.write(byte: 0x7B)
    body(&writer)
    writer.indent = indent
    if !writer.isFlat { writer.newLine() }
    writer.write(byte: 0x7D)
    return Array(UnsafeBufferPointer(start: writer.bytes, count: writer.count))
  }

  // MARK: Values

  mutating func member(_ key: StaticString, _ value: Int) {
    begin(key)
    write(value)
  }

  /// Null where the number is nil or not finite.
  mutating func member(_ key: StaticString, _ value: Double?) {
    guard let value, value.isFinite else { return null(key) }
    begin(key)
    write(value)
  }

  mutating func member(_ key: StaticString, _ value: String?) {
    guard let value else { return null(key) }
    begin(key)
    var text: [UInt8] = []
    JSONText.write(value, into: &text)
    text.withUnsafeBytes { write($0) }
  }

  mutating func member(_ key: StaticString, _ value: Bool?) {
    guard let value else { return null(key) }
    begin(key)
    write(value ? "true" : "false")
  }

  mutating func null(_ key: StaticString) {
    begin(key)
    write("null")
  }

  // MARK: Objects and arrays

  mutating func object(_ key: StaticString, _ body: (inout JSONWriter) -> Void) {
    container(key, 0x7B, 0x7D, body)
  }

  mutating func array(_ key: StaticString, _ body: (inout JSONWriter) -> Void) {
    container(key, 0x5B, 0x5D, body)
  }

  /// An object as an element of an array.
  mutating func element(_ body: (inout JSONWriter) -> Void) { container(nil, 0x7B, 0x7D, body) }

  private mutating func container(
    _ key: StaticString?, _ opening: UInt8, _ closing: UInt8, _ body: (inout JSONWriter) -> Void
  ) {
    if isFlat { moveApart() }
    begin(key)
    write(byte: opening)
    let outer = (starts.count, memberCount)
    isFlat = true
    memberCount = 0
    indent += 2
    body(&self)
    indent -= 2
    if !isFlat { newLine() }
    write(byte: closing)
    starts.removeLast(starts.count - outer.0)
    memberCount = outer.1
    isFlat = false
  }

  private mutating func begin(_ key: StaticString?) {
    if memberCount > 0 { write(byte: 0x2C) }
    if isFlat {
      if memberCount > 0 { write(byte: 0x20) }
      starts.append(count)
    } else {
      newLine()
    }
    memberCount += 1
    guard let key else { return }
    write(byte: 0x22)
    write(key)
    write("\": ")
  }

  /// Puts the members that stand on one line so far on lines of their own.
  private mutating func moveApart() {
    isFlat = false
    let members = starts.suffix(memberCount)
    guard let first = members.first else { return }
    let tail = Array(UnsafeBufferPointer(start: bytes + first, count: count - first))
    count = first
    for (i, start) in members.enumerated() {
      let next = i + 1 < members.count ? members[members.startIndex + i + 1] : tail.count + first
      newLine()
      // Without the space behind its comma.
      let length = next - start - (i + 1 < members.count ? 1 : 0)
      tail[(start - first)..<(start - first + length)].withUnsafeBytes { write($0) }
    }
    starts.removeLast(memberCount)
  }

  // MARK: Bytes

  private mutating func room(_ needed: Int) {
    guard count + needed > capacity else { return }
    capacity = (count + needed) * 2
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: bytes, count: count)
    bytes.deallocate()
    bytes = larger
  }

  private mutating func newLine() {
    room(indent + 1)
    bytes[count] = 0x0A
    (bytes + count + 1).update(repeating: 0x20, count: indent)
    count += indent + 1
  }

  private mutating func write(byte: UInt8) {
    room(1)
    bytes[count] = byte
    count += 1
  }

  private mutating func write(_ text: UnsafeRawBufferPointer) {
    room(text.count)
    if let source = text.baseAddress {
      UnsafeMutableRawPointer(bytes + count).copyMemory(from: source, byteCount: text.count)
    }
    count += text.count
  }

  /// Text of this module's own, which needs no escapes.
  private mutating func write(_ text: StaticString) {
    text.withUTF8Buffer { write(UnsafeRawBufferPointer($0)) }
  }

  private mutating func write(_ value: Int) {
    room(20)
    var left = value.magnitude
    var end = count + (value < 0 ? 1 : 0)
    var digits = left
    repeat {
      digits /= 10
      end += 1
    } while digits > 0
    if value < 0 { bytes[count] = 0x2D }
    count = end
    repeat {
      end -= 1
      bytes[end] = 0x30 + UInt8(truncatingIfNeeded: left % 10)
      left /= 10
    } while left > 0
  }

  private mutating func write(_ value: Double) {
    if let whole = NumberText.whole(value) { return write(whole) }
    var text = value.description
    text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }
}
