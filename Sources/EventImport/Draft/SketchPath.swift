// One path in the records of a file, with its values.

import EventMapping

package struct SketchPath {
  let path: [String]
  /// The present values, as text.
  private(set) var count = 0
  private(set) var texts = 0
  /// The first different values, in their order.
  private(set) var values: [String] = []
  private var seen: Set<String> = []
  private static let kept = HeadSketch.maximumRecords

  init(path: [String]) { self.path = path }

  mutating func add(_ value: JSONTree) {
    switch value {
    case .text(let text):
      if text.isEmpty { return }
      texts += 1
      keep(text)
    case .number(let text): keep(text)
    case .boolean(let isTrue): keep(isTrue ? "true" : "false")
    case .null, .list, .object: return
    }
    count += 1
  }

  private mutating func keep(_ text: String) {
    distinct += seen.count < 10_000 && seen.insert(text).inserted ? 1 : 0
    if values.count < Self.kept, distinct > values.count { values.append(text) }
  }

  private(set) var distinct = 0

  /// The keys with points between them, as messages show a path.
  var name: String { path.joined(separator: ".") }
  /// The last key in lower case, without separators between words.
  var squashed: String { Self.squash(path.last ?? "") }

  /// The name of a property in a column that is named after its object, like `properties.granted`.
  var ownName: String? { path.last.flatMap { PropertyPrefix.ownName($0) } }

  /// It is directly in an object of properties.
  var isProperty: Bool { path.dropLast().last.map { DraftNames.properties.contains(Self.squash($0)) } ?? false }

  /// The last two keys together: what `user.id` says is `user_id`.
  var squashedPair: String { Self.squash(path.suffix(2).joined()) }

  /// `userId`, `User ID` and `user_id` are one.
  static func squash(_ key: String) -> String {
    String(
      decoding: key.utf8.filter { ($0 | 0x20) >= 97 && ($0 | 0x20) <= 122 || $0 >= 48 && $0 <= 57 || $0 >= 0x80 }
        .map { $0 >= 65 && $0 <= 90 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}

enum DraftTime: Equatable {
  case zonedText, plainText, seconds, milliseconds, microseconds, nanoseconds, digits
  case formatted(DraftDateFormat)

  /// Every time of the day is the first one: there is only a date.
  var isDateAlone: Bool { if case .formatted(let date) = self { !date.hasTime } else { false } }

  init?(_ text: String) {
    let bytes = Array(text.utf8)
    if !bytes.isEmpty, bytes.allSatisfy({ $0 >= 48 && $0 <= 57 || $0 == 0x2E }), bytes.count <= 20 {
      let whole = bytes.prefix { $0 != 0x2E }
      if whole.count == 14, whole.starts(with: "20".utf8) {
        self = .digits
        return
      }
      // Epochs of 2008 to 2100.
      switch whole.count {
      case 10: self = .seconds
      case 13: self = .milliseconds
      case 16: self = .microseconds
      case 19: self = .nanoseconds
      default: return nil
      }
      guard whole.first.map({ $0 >= 49 && $0 <= 52 }) ?? false else { return nil }
      return
    }
    let shape = Array("dddd-dd-dd dd:dd".utf8)
    guard bytes.count >= shape.count, bytes.count <= 40 else { return nil }
    for (byte, wanted) in zip(bytes, shape) {
      let fits =
        wanted == 0x64
        ? byte >= 48 && byte <= 57 : wanted == 0x20 ? byte == 0x20 || byte | 0x20 == 0x74 : byte == wanted
      guard fits else { return nil }
    }
    let rest = bytes.dropFirst(shape.count)
    self =
      rest.contains { $0 | 0x20 == 0x7A || $0 == 0x2B || $0 == 0x2D || $0 | 0x20 == 0x75 } ? .zonedText : .plainText
  }
}

extension SketchPath {
  /// The format of the times at a path; nil if most of its values are not times.
  var time: DraftTime? {
    let times = values.map { DraftTime($0) }
    if let first = times.compactMap({ $0 }).first, times.count(where: { $0 != nil }) * 2 > times.count { return first }
    return texts > 0 ? DraftDateFormat(values).map { .formatted($0) } : nil
  }

  /// Most values begin like 17.4 or v3.
  var looksLikeVersion: Bool {
    mostly { text in
      let number = text.first == "v" || text.first == "V" ? text.dropFirst() : text[...]
      return number.first.map { $0.isASCII && $0.isNumber } ?? false
    }
  }

  var hasDigits: Bool { mostly { $0.contains { $0.isASCII && $0.isNumber } } }

  /// Whether a condition holds for most values.
  func mostly(_ isSo: (String) -> Bool) -> Bool { values.count(where: isSo) * 2 > values.count }

  func isFilled(of records: Int) -> Bool { count * 20 >= records * 19 }

  /// Whether nearly every record has another value: an export may have an event twice.
  var isUnique: Bool { count > 0 && distinct * 20 >= count * 19 }

  /// A value to recognise it by: at most twelve bytes.
  var example: String { values.first.map { Self.cut($0, 12) } ?? "" }
  /// Of an id that may be a person's only the first four characters.
  var maskedExample: String { values.first.map { Self.cut($0, 4) } ?? "" }

  private static func cut(_ text: String, _ bytes: Int) -> String {
    var result = ""
    for scalar in UnknownForm.legible(text).unicodeScalars {
      guard result.utf8.count + String(scalar).utf8.count <= bytes else { return result + "…" }
      result.unicodeScalars.append(scalar)
    }
    return result
  }
}

enum DraftYAML {
  /// A text unchanged, or in quotes if YAML would read it as something else.
  static func text(_ text: String) -> String {
    func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 >= 97 && byte | 0x20 <= 122 }
    let isPlain = text.utf8.allSatisfy { isLetter($0) || $0 >= 48 && $0 <= 57 || "_/.$-".utf8.contains($0) }
    if isPlain, let first = text.utf8.first, isLetter(first) || "_/$".utf8.contains(first), text != "null" {
      return text
    }
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\" + String(scalar)
      case " "..."~": result.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16)
        result += "\\U" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits
      }
    }
    return result + "\""
  }

  static func pointer(_ path: [String]) -> String {
    path.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
  }
}
