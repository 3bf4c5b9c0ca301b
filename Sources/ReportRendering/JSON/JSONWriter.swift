// The one writer of JSON: keys in the order of the contract, numbers in full precision, null for unknown values.
//
// An object or array of plain values takes one line. That it holds another one is known only when that one begins; then
// the members before it, few as they are, are moved to lines of their own.

import Buffers
import PermissionEvents

/// Writes values one after the other into memory of its own.
package struct JSONWriter: ~Copyable {
  /// The object or array that is being written.
  private struct Container {
    var count = 0
    /// All its members are on one line so far.
    var isFlat: Bool
    /// How many of `starts` belong to containers around it.
    var outerStarts = 0
  }

  private var bytes: Buffer<UInt8>
  /// No spaces and no line breaks, instead of two spaces a level.
  private let isCompact: Bool
  /// Spaces and no line breaks.
  private let isOneLine: Bool
  private var indent: Int
  private var container = Container(isFlat: false)
  /// Where the members of flat containers begin.
  private var starts: [Int] = []

  /// - Parameter indent: spaces before the line on which the value begins.
  package init(isCompact: Bool = false, isOneLine: Bool = false, indent: Int = 0) {
    self.isCompact = isCompact
    self.isOneLine = isOneLine
    self.indent = indent
    bytes = Buffer(capacity: 1 << 14)
  }

  /// A value and a line end.
  /// - Parameter isOneLine: so that documents of many runs make a file of lines.
  package static func document(_ value: some JSONWritable, isOneLine: Bool = false) -> [UInt8] {
    var json = JSONWriter(isOneLine: isOneLine)
    value.write(to: &json)
    json.endLine()
    return json.take()
  }

  /// Bytes that were written and not taken.
  package var count: Int { bytes.count }

  /// Returns the bytes written since the last call.
  package mutating func take() -> [UInt8] {
    let taken = bytes.span.withUnsafeBufferPointer { Array($0) }
    bytes.removeAll()
    return taken
  }

  package mutating func endLine() { bytes.append(0x0A) }

  // MARK: Objects and arrays

  package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows { try enclose(0x7B, 0x7D, body) }

  package mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows { try enclose(0x5B, 0x5D, body) }

  package mutating func object(_ key: StaticString, _ body: (inout JSONWriter) throws -> Void) rethrows {
    begin(key)
    try object(body)
  }

  package mutating func array(_ key: StaticString, _ body: (inout JSONWriter) throws -> Void) rethrows {
    begin(key)
    try array(body)
  }

  package mutating func member(_ key: StaticString, _ value: some JSONWritable) {
    begin(key)
    value.write(to: &self)
  }

  package mutating func member(_ key: StaticString, utf8 text: [UInt8]) {
    begin(key)
    text.withUnsafeBufferPointer { write(text: $0) }
  }

  /// A member whose name is data.
  package mutating func member(named key: String, _ value: some JSONWritable) {
    place()
    write(key)
    endKey()
    value.write(to: &self)
  }

  package mutating func member(named key: String, utf8 text: [UInt8]) {
    place()
    write(key)
    endKey()
    text.withUnsafeBufferPointer { write(text: $0) }
  }

  package mutating func members(_ members: JSONMembers) {
    for (key, value) in members { member(key, value) }
  }

  mutating func element(_ value: some JSONWritable) {
    place()
    value.write(to: &self)
  }

  package mutating func element(_ body: (inout JSONWriter) throws -> Void) rethrows {
    place()
    try object(body)
  }

  /// An element that has been written, at its indent.
  mutating func element(encoded: [UInt8]) {
    if container.isFlat { moveApart() }
    place()
    encoded.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
  }

  private mutating func enclose(
    _ opening: UInt8, _ closing: UInt8, _ body: (inout JSONWriter) throws -> Void
  ) rethrows {
    if container.isFlat { moveApart() }
    bytes.append(opening)
    let outer = container
    container = Container(isFlat: !isCompact, outerStarts: starts.count)
    indent += 2
    try body(&self)
    indent -= 2
    if !container.isFlat { newLine() }
    bytes.append(closing)
    starts.removeLast(starts.count - container.outerStarts)
    container = outer
  }

  mutating func begin(_ key: StaticString) {
    place()
    bytes.append(0x22)
    // Keys are literals without anything to escape.
    bytes.append(contentsOf: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
    bytes.append(0x22)
    endKey()
  }

  private mutating func endKey() {
    bytes.append(0x3A)
    if !isCompact { bytes.append(0x20) }
  }

  /// Writes the comma and the indentation before a member or an element.
  mutating func place() {
    if container.count > 0 { bytes.append(0x2C) }
    if container.isFlat {
      if container.count > 0 { bytes.append(0x20) }
      starts.append(bytes.count)
    } else {
      newLine()
    }
    container.count += 1
  }

  private mutating func newLine() {
    guard !isCompact else { return }
    bytes.append(0x0A)
    bytes.extend(to: bytes.count + indent, repeating: 0x20)
  }

  /// Puts the members that are on one line so far on lines of their own.
  private mutating func moveApart() {
    guard !isOneLine else { return }
    container.isFlat = false
    let members = starts[container.outerStarts...]
    guard let first = members.first else { return }
    let text = bytes.span.extracting(first...).withUnsafeBufferPointer { Array($0) }
    bytes.resize(to: first)
    text.withUnsafeBufferPointer { text in
      for (i, start) in zip(members.indices, members) {
        if start > first { bytes.append(0x2C) }
        newLine()
        // Without the comma and the space before the next one.
        let end = i + 1 < members.endIndex ? members[i + 1] - 2 : first + text.count
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start - first..<end - first]))
      }
    }
    starts.removeLast(members.count)
  }

  // MARK: Plain values

  mutating func write(_ literal: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  mutating func write(_ value: Int) {
    if value < 0 { bytes.append(0x2D) }
    var left = value.magnitude
    var end = bytes.count
    var digits = left
    repeat {
      digits /= 10
      end += 1
    } while digits > 0
    bytes.extend(to: end, repeating: 0x30)
    while left > 0 {
      end -= 1
      bytes[end] = 0x30 + UInt8(truncatingIfNeeded: left % 10)
      left /= 10
    }
  }

  mutating func write(_ value: Double) {
    guard value.isFinite else { return write("null" as StaticString) }
    if let whole = NumberText.whole(value) { return write(whole) }
    var text = value.description
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  mutating func write(_ value: String) {
    var value = value
    value.withUTF8 { write(text: $0) }
  }

  private mutating func write(text: UnsafeBufferPointer<UInt8>) { JSONText.append(text, to: &bytes) }
}

// MARK: What `JSONWriter` writes: plain values, lists of them, and objects as keys and values

package protocol JSONWritable {
  func write(to json: inout JSONWriter)
}

/// What `write`, which hands over one piece after the other, hands over.
func collected(_ write: (([UInt8]) -> Void) -> Void) -> [UInt8] {
  var all: [UInt8] = []
  write { all += $0 }
  return all
}

/// Keys and values of an object, in their order.
package typealias JSONMembers = KeyValuePairs<StaticString, any JSONWritable>

extension Int: JSONWritable {
  package func write(to json: inout JSONWriter) { json.write(self) }
}

/// Null if it is not finite.
extension Double: JSONWritable {
  package func write(to json: inout JSONWriter) { json.write(self) }
}

extension Bool: JSONWritable {
  package func write(to json: inout JSONWriter) { json.write(self ? "true" : "false" as StaticString) }
}

extension String: JSONWritable {
  package func write(to json: inout JSONWriter) { json.write(self) }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
  package func write(to json: inout JSONWriter) {
    if let self { self.write(to: &json) } else { json.write("null" as StaticString) }
  }
}

extension Array: JSONWritable where Element: JSONWritable {
  package func write(to json: inout JSONWriter) {
    json.array { json in
      for element in self { json.element(element) }
    }
  }
}

extension KeyValuePairs: JSONWritable where Key == StaticString, Value == any JSONWritable {
  package func write(to json: inout JSONWriter) { json.object { $0.members(self) } }
}
