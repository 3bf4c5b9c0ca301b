// The values that a row of a breakdown is of as one name: one property's value, or those of two.

/// The name of one or two values of an exposure, empty ones being none. The name of one value is the value itself, unless it has a
/// byte 0. Names are in the order of their bytes if they are by the first value, then by the second, none first.
enum ValueName {
  // A 0 is followed by what it is: within a value, or between two.
  private static let within: UInt8 = 0xFF
  private static let between: UInt8 = 0x01

  static func of(_ values: [[UInt8]]) -> [UInt8] {
    let (first, second) = (values.first ?? [], values.count > 1 ? values[1] : [])
    if second.isEmpty { return escaped(first) }
    return escaped(first) + [0, between] + escaped(second)
  }

  /// The two values; the second is empty if the name is of one. Any bytes are the name of something.
  static func values(_ name: [UInt8]) -> [[UInt8]] {
    guard name.contains(0) else { return [name, []] }
    var values: [[UInt8]] = [[], []]
    var place = 0
    var isMarked = false
    for byte in name {
      switch (isMarked, byte) {
      case (true, between): place = 1
      case (true, _): values[place].append(0)
      case (false, 0): break
      case (false, _): values[place].append(byte)
      }
      isMarked = !isMarked && byte == 0
    }
    return values
  }

  private static func escaped(_ value: [UInt8]) -> [UInt8] {
    value.contains(0) ? value.flatMap { $0 == 0 ? [0, within] : [$0] } : value
  }
}
