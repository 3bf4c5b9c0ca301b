// Takes an object of a plan's file, or of the record beside it, apart: every key once, nothing missing, nothing left over.
// A key that is misread would change what is decided without a word.

import EventImport
import PermissionEvents

/// The members of an object, each to be taken once.
struct PlanFields {
  /// A problem of the file: what is wrong, after its name and the key.
  typealias Complaint = (_ problem: String) -> PermlogError

  private var members: [JSONTree.Member]
  /// Where the object is, before a key: empty or like `guardrails[0].`.
  private let place: String
  let complaint: Complaint

  init(_ tree: JSONTree, place: String = "", _ complaint: @escaping Complaint) throws(PermlogError) {
    self.place = place
    self.complaint = complaint
    guard case .object(let members) = tree else {
      throw complaint("\(place.dropLast()): it is no object")
    }
    self.members = members
  }

  func refuse(_ key: String, _ problem: String) -> PermlogError { complaint("\(place)\(key): \(problem)") }

  /// The value of a key, null if that is what it is.
  mutating func take(_ key: String) throws(PermlogError) -> JSONTree {
    // Byte by byte: keys that only look alike are others.
    func isKey(_ member: JSONTree.Member) -> Bool { member.key.utf8.elementsEqual(key.utf8) }
    guard let index = members.firstIndex(where: isKey) else { throw refuse(key, "it is missing") }
    let value = members.remove(at: index).value
    guard !members.contains(where: isKey) else { throw refuse(key, "it is there twice") }
    return value
  }

  /// True if a key is there that older files do not have.
  func has(_ key: String) -> Bool { members.contains { $0.key.utf8.elementsEqual(key.utf8) } }

  /// Ends the object: no key may be left.
  func finish() throws(PermlogError) {
    if let first = members.first { throw refuse(first.key, "this version knows no such key") }
  }

  mutating func text(_ key: String) throws(PermlogError) -> String { try text(take(key), key) }

  /// A text or null.
  mutating func optionalText(_ key: String) throws(PermlogError) -> String? {
    let value = try take(key)
    return value == .null ? nil : try text(value, key)
  }

  private func text(_ value: JSONTree, _ key: String) throws(PermlogError) -> String {
    guard case .text(let text) = value else { throw refuse(key, "it is no text") }
    guard (1...StringField.maximumLength).contains(text.utf8.count) else {
      throw refuse(key, "it has not 1 to \(StringField.maximumLength) bytes")
    }
    return text
  }

  mutating func integer(_ key: String, in range: ClosedRange<Int>) throws(PermlogError) -> Int {
    guard case .number(let digits) = try take(key), let value = Int(digits), range.contains(value) else {
      throw refuse(key, "it is no whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  mutating func number(
    _ key: String, _ range: String, where isRight: (Double) -> Bool
  ) throws(PermlogError) -> Double {
    try number(take(key), key, range, where: isRight)
  }

  /// A number or null.
  mutating func optionalNumber(_ key: String) throws(PermlogError) -> Double? {
    let value = try take(key)
    return value == .null ? nil : try number(value, key, "that is finite") { _ in true }
  }

  private func number(
    _ value: JSONTree, _ key: String, _ range: String, where isRight: (Double) -> Bool
  ) throws(PermlogError) -> Double {
    guard case .number(let digits) = value, let number = Double(digits), number.isFinite, isRight(number) else {
      throw refuse(key, "it is no number \(range)")
    }
    return number
  }

  /// One of the names of an enumeration.
  mutating func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ key: String, of type: Value.Type = Value.self
  ) throws(PermlogError) -> Value {
    guard case .text(let name) = try take(key), let value = Value(rawValue: name) else {
      throw refuse(key, "it is none of \(Value.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return value
  }

  /// A time like `2026-03-02T10:00:00.000Z`.
  mutating func time(_ key: String) throws(PermlogError) -> Milliseconds {
    guard case .text(let text) = try take(key),
      let time = Array(text.utf8).withUnsafeBytes({ Timestamp.parse(rfc3339: $0) }),
      (0...Timestamp.latest).contains(time)
    else { throw refuse(key, "it is no time like 2026-03-02T10:00:00Z") }
    return time
  }

  /// A date like `2026-03-02`.
  mutating func day(_ key: String) throws(PermlogError) -> DayNumber { try day(take(key), key) }

  mutating func optionalDay(_ key: String) throws(PermlogError) -> DayNumber? {
    let value = try take(key)
    return value == .null ? nil : try day(value, key)
  }

  private func day(_ value: JSONTree, _ key: String) throws(PermlogError) -> DayNumber {
    guard case .text(let text) = value, let date = CivilDate(parsing: text), (2000...2101).contains(date.year)
    else { throw refuse(key, "it is no date like 2026-03-02") }
    return date.dayNumber
  }

  /// The items of a list, each with its place.
  mutating func list<Item>(
    _ key: String, _ read: (_ item: JSONTree, _ place: String) throws(PermlogError) -> Item
  ) throws(PermlogError) -> [Item] {
    guard case .list(let values) = try take(key) else { throw refuse(key, "it is no list") }
    var items: [Item] = []
    for (index, value) in values.enumerated() { items.append(try read(value, "\(place)\(key)[\(index)]")) }
    return items
  }

  mutating func texts(_ key: String) throws(PermlogError) -> [String] {
    let complaint = complaint
    return try list(key) { (item, place) throws(PermlogError) in
      guard case .text(let text) = item, (1...StringField.maximumLength).contains(text.utf8.count) else {
        throw complaint("\(place): it is no text of 1 to \(StringField.maximumLength) bytes")
      }
      return text
    }
  }
}
