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

  /// What was being written when an object or a list began.
  struct Outer {
    fileprivate var starts: Int
    fileprivate var memberCount: Int
    fileprivate var closing: UInt8
  }

  /// Begins a member that is an object; what is written up to its `end` are its members.
  mutating func begin(object key: StaticString) -> Outer { begin(container: key, 0x7B, 0x7D) }

  /// Begins a member that is a list of objects.
  mutating func begin(list key: StaticString) -> Outer { begin(container: key, 0x5B, 0x5D) }

  /// Begins an object as an element of a list.
  mutating func beginElement() -> Outer { begin(container: nil, 0x7B, 0x7D) }

  mutating func end(_ outer: Outer) {
    indent -= 2
    if !isFlat { newLine() }
    write(byte: outer.closing)
    starts.removeLast(starts.count - outer.starts)
    memberCount = outer.memberCount
    isFlat = false
  }

  private mutating func begin(container key: StaticString?, _ opening: UInt8, _ closing: UInt8) -> Outer {
    if isFlat { moveApart() }
    begin(key)
    write(byte: opening)
    let outer = Outer(starts: starts.count, memberCount: memberCount, closing: closing)
    isFlat = true
    memberCount = 0
    indent += 2
    return outer
  }

  /// What stands before a value: its comma, its place and its key.
  private mutating func begin(_ key: StaticString?) {
    room(indent + 8 + (key?.utf8CodeUnitCount ?? 0))
    if memberCount > 0 { put(0x2C) }
    if isFlat {
      if memberCount > 0 { put(0x20) }
      starts.append(count)
    } else {
      put(0x0A)
      (bytes + count).update(repeating: 0x20, count: indent)
      count += indent
    }
    memberCount += 1
    guard let key else { return }
    put(0x22)
    // Names are literals, which have a place in memory.
    (bytes + count).update(from: key.utf8Start, count: key.utf8CodeUnitCount)
    count += key.utf8CodeUnitCount
    put(0x22)
    put(0x3A)
    put(0x20)
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

  /// A byte that there is room for.
  @inline(__always)
  private mutating func put(_ byte: UInt8) {
    bytes[count] = byte
    count += 1
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
