// The schema of an Avro file: a tree of types, with names for those that contain themselves.

import PermissionEvents

/// The types of a schema, by number; the first is the record's.
struct AvroSchema: Sendable {
  indirect enum Kind: Sendable {
    case null, boolean, int, long, float, double, bytes, string
    case fixed(Int)
    /// A number of as many digits after the point, in bytes of their own length or of a fixed one.
    case decimal(scale: Int, size: Int?)
    /// Days since 1970.
    case date
    /// A wall clock, whose zone is not known: the number of its ticks in a second.
    case localTime(Int64)
    /// The symbols as JSON has them.
    case enumeration([[UInt8]])
    case array(Int), map(Int)
    case union([Int])
    /// The fields' names as JSON has them, with the colon.
    case record([(name: [UInt8], kind: Int)])
  }

  static let none = AvroSchema()
  private(set) var kinds: [Kind] = []
  private var named: [String: Int] = [:]
  private static let maximumKinds = 1 << 16
  private static let maximumDepth = 100
  private static let primitives: [String: Kind] = [
    "null": .null, "boolean": .boolean, "int": .int, "long": .long, "float": .float, "double": .double, "bytes": .bytes,
    "string": .string,
  ]

  private init() {}

  /// - Returns: nil if the text is not a schema (Avro 1.11), or is too large.
  init?(_ text: [UInt8]) {
    var reader = JSONTreeReader(text[...], maximumDepth: 4 * Self.maximumDepth)
    guard let tree = reader.value(), !reader.isCut, !reader.isBroken else { return nil }
    // A record's own number is the first, whatever it contains.
    guard let first = add(tree, space: "", depth: 0), first == 0, case .record = kinds[0] else { return nil }
  }

  private mutating func reserve() -> Int? {
    guard kinds.count < Self.maximumKinds else { return nil }
    kinds.append(.null)
    return kinds.count - 1
  }

  private mutating func add(_ tree: JSONTree, space: String, depth: Int) -> Int? {
    guard depth < Self.maximumDepth else { return nil }
    switch tree {
    case .text(let name):
      if let kind = Self.primitives[name] {
        guard let number = reserve() else { return nil }
        kinds[number] = kind
        return number
      }
      return named[Self.full(name, space)] ?? named[name]
    case .list(let branches):
      guard let number = reserve() else { return nil }
      var numbers: [Int] = []
      for branch in branches {
        guard let branch = add(branch, space: space, depth: depth + 1) else { return nil }
        numbers.append(branch)
      }
      kinds[number] = .union(numbers)
      return number
    case .object:
      if let kind = Self.logical(tree) {
        guard let number = reserve() else { return nil }
        kinds[number] = kind
        if case .text(let name)? = tree["name"] { named[Self.full(name, space)] = number }
        return number
      }
      guard case .text(let type)? = tree["type"] else {
        // A type in a type: {"type": {"type": "string"}}.
        return tree["type"].flatMap { add($0, space: space, depth: depth + 1) }
      }
      return add(type: type, tree, space: space, depth: depth)
    case .boolean, .null, .number: return nil
    }
  }

  /// A type that is more than how it is stored; nil for one that is read as it is stored.
  private static func logical(_ tree: JSONTree) -> Kind? {
    guard case .text(let type)? = tree["type"], case .text(let logical)? = tree["logicalType"] else { return nil }
    func number(_ key: String) -> Int? { if case .number(let text)? = tree[key] { Int(text) } else { nil } }
    switch (logical, type) {
    case ("date", "int"): return .date
    case ("local-timestamp-millis", "long"): return .localTime(1000)
    case ("local-timestamp-micros", "long"): return .localTime(1_000_000)
    case ("local-timestamp-nanos", "long"): return .localTime(1_000_000_000)
    case ("decimal", "bytes"), ("decimal", "fixed"):
      let scale = number("scale") ?? 0
      guard (0...64).contains(scale) else { return nil }
      guard type == "fixed" else { return .decimal(scale: scale, size: nil) }
      return number("size").flatMap { (0...64).contains($0) ? .decimal(scale: scale, size: $0) : nil }
    default: return nil
    }
  }

  private mutating func add(type: String, _ tree: JSONTree, space: String, depth: Int) -> Int? {
    switch type {
    case "array", "map":
      guard let number = reserve(), let content = tree[type == "array" ? "items" : "values"],
        let item = add(content, space: space, depth: depth + 1)
      else { return nil }
      kinds[number] = type == "array" ? .array(item) : .map(item)
      return number
    case "record", "error", "enum", "fixed":
      guard let number = reserve(), case .text(let name)? = tree["name"] else { return nil }
      var inner = space
      if case .text(let own)? = tree["namespace"] { inner = own }
      let full = Self.full(name, inner)
      named[full] = number
      if let dot = full.lastIndex(of: ".") { inner = String(full[..<dot]) }
      guard let kind = self.kind(type, tree, space: inner, depth: depth) else { return nil }
      kinds[number] = kind
      return number
    default: return add(.text(type), space: space, depth: depth + 1)
    }
  }

  private mutating func kind(_ type: String, _ tree: JSONTree, space: String, depth: Int) -> Kind? {
    switch type {
    case "fixed":
      guard case .number(let text)? = tree["size"], let size = Int(text), (0...(1 << 20)).contains(size) else {
        return nil
      }
      return .fixed(size)
    case "enum":
      guard case .list(let symbols)? = tree["symbols"] else { return nil }
      var texts: [[UInt8]] = []
      for symbol in symbols {
        guard case .text(let text) = symbol else { return nil }
        texts.append(AvroText.quoted(text.utf8))
      }
      return .enumeration(texts)
    default:
      guard case .list(let items)? = tree["fields"] else { return nil }
      var fields: [(name: [UInt8], kind: Int)] = []
      for item in items {
        guard case .text(let name)? = item["name"], let type = item["type"],
          let number = add(type, space: space, depth: depth + 1)
        else { return nil }
        fields.append((AvroText.quoted(name.utf8) + [0x3A], number))
      }
      return .record(fields)
    }
  }

  private static func full(_ name: String, _ space: String) -> String {
    name.contains(".") || space.isEmpty ? name : space + "." + name
  }
}

/// Texts as JSON has them.
enum AvroText {
  static func quoted(_ text: some Collection<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    append(text, to: &out)
    return out
  }

  static func append(_ text: some Collection<UInt8>, to out: inout [UInt8]) {
    out.append(0x22)
    for byte in text {
      switch byte {
      case 0x22, 0x5C:
        out.append(0x5C)
        out.append(byte)
      case 0..<0x20: append(escaped: byte, to: &out)
      default: out.append(byte)
      }
    }
    out.append(0x22)
  }

  /// Bytes that are no text, each as the character of its number: as Avro's own JSON has them.
  static func append(binary bytes: some Collection<UInt8>, to out: inout [UInt8]) {
    out.append(0x22)
    for byte in bytes { append(escaped: byte, to: &out) }
    out.append(0x22)
  }

  /// A whole number in two's complement, with a point. Of more than 16 bytes it is null: no event has such a number.
  static func append(decimal bytes: ArraySlice<UInt8>, scale: Int, to out: inout [UInt8]) {
    guard bytes.count <= 16 else { return out += Array("null".utf8) }
    let isNegative = bytes.first.map { $0 >= 0x80 } ?? false
    var magnitude = bytes.reduce(UInt128(0)) { $0 << 8 | UInt128(isNegative ? ~$1 : $1) }
    if isNegative { magnitude += 1 }
    var digits = Array(String(magnitude).utf8)
    if scale > 0 {
      if digits.count <= scale {
        digits.insert(contentsOf: [UInt8](repeating: 0x30, count: scale + 1 - digits.count), at: 0)
      }
      digits.insert(0x2E, at: digits.count - scale)
    }
    if isNegative { out.append(0x2D) }
    out += digits
  }

  /// A time without a zone: whoever reads it asks for the zone.
  static func append(localTime ticks: Int64, _ second: Int64, to out: inout [UInt8]) {
    let milliseconds = second == 1000 ? ticks : floorDivide(ticks, second / 1000)
    guard (-(1 << 45)...(1 << 46)).contains(milliseconds) else { return append(String(ticks).utf8, to: &out) }
    let text = Timestamp.text(milliseconds)
    append(text.utf8.prefix { $0 != 0x5A }, to: &out)
  }

  private static let digits = Array("0123456789abcdef".utf8)

  private static func append(escaped byte: UInt8, to out: inout [UInt8]) {
    out += [0x5C, 0x75, 0x30, 0x30, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }
}
