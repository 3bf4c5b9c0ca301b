// Where two reports differ, in words.

import Foundation

/// Every difference between what the oracle expects and what a report says, one readable line each.
///
/// Keys are compared as sets, array elements in order. Whole numbers have to be equal; fractions agree within a
/// relative 1e-7 or an absolute 1e-9; `p50`, `p90` and `p99` within 0.1 %; `as_of` as a moment, however it is written.
///
/// - Parameters:
///   - path: of these two values.
///   - key: the key that they are under.
/// - Returns: an empty array if both agree.
public func differences(
  _ expected: OracleJSON, _ actual: OracleJSON, path: String = "$", key: String = ""
) -> [String] {
  switch (expected, actual) {
  case (.object(let left), .object(let right)):
    return objectDifferences(left, right, path: path)
  case (.array(let left), .array(let right)):
    return arrayDifferences(left, right, path: path)
  case (.string(let left), .string(let right)) where key == "as_of":
    if let one = moment(left), one == moment(right) { return [] }
  case (.string(let left), .string(let right)):
    if Bytes(left) == Bytes(right) { return [] }
  case (.bool(let left), .bool(let right)):
    if left == right { return [] }
  case (.null, .null):
    return []
  default:
    if let left = expected.number, let right = actual.number, agree(expected, left, right, key: key) { return [] }
  }
  return ["\(path): expected \(brief(expected)), found \(brief(actual))"]
}

private func agree(_ expected: OracleJSON, _ left: Double, _ right: Double, key: String) -> Bool {
  if ["p50", "p90", "p99"].contains(key) { return abs(left - right) <= 0.001 * abs(left) + 1e-9 }
  if case .int = expected { return left == right }
  return abs(left - right) <= max(1e-9, 1e-7 * max(abs(left), abs(right)))
}

private func objectDifferences(_ expected: [OracleMember], _ actual: [OracleMember], path: String) -> [String] {
  let missing = expected.filter { member in !actual.contains { $0.key == member.key } }
  let extra = actual.filter { member in !expected.contains { $0.key == member.key } }
  let common = expected.flatMap { member -> [String] in
    guard let other = actual.first(where: { $0.key == member.key }) else { return [] }
    return differences(member.value, other.value, path: "\(path).\(member.key)", key: member.key)
  }
  return missing.map { "\(path): key \($0.key) is missing" } + extra.map { "\(path): key \($0.key) is not expected" }
    + common
}

/// Elements with the same label are compared, so that one missing row does not make all others differ.
private func arrayDifferences(_ expected: [OracleJSON], _ actual: [OracleJSON], path: String) -> [String] {
  let left = labels(expected)
  let right = labels(actual)
  let missing = left.filter { !right.contains($0) }.map { "\(path): no element \($0)" }
  let extra = right.filter { !left.contains($0) }.map { "\(path): element \($0) is not expected" }
  let order =
    left != right && left.sorted() == right.sorted() ? ["\(path): order is \(right), expected \(left)"] : []
  let common = zip(left, expected).flatMap { label, element -> [String] in
    guard let index = right.firstIndex(of: label) else { return [] }
    return differences(element, actual[index], path: "\(path)[\(label)]")
  }
  return missing + extra + order + common
}

/// What tells the elements of an array apart: permission, week, value and day if there are such keys, and the number
/// of the element among those that look alike.
private func labels(_ elements: [OracleJSON]) -> [String] {
  var counts: [String: Int] = [:]
  return elements.map { element in
    let parts = ["permission", "week", "by", "day", "class"].compactMap { key -> String? in
      guard let value = element[key] else { return nil }
      return brief(value["value"] ?? value)
    }
    let label = parts.joined(separator: " ")
    let number = counts[label, default: 0]
    counts[label] = number + 1
    return label.isEmpty ? "\(number)" : number == 0 ? label : "\(label) #\(number)"
  }
}

private func brief(_ value: OracleJSON) -> String {
  switch value {
  case .object(let members): "{\(members.map { "\($0.key): \(brief($0.value))" }.joined(separator: ", "))}"
  case .array(let elements): "[\(elements.map(brief).joined(separator: ", "))]"
  case .string(let text): text
  case .int(let number): "\(number)"
  case .double(let number): "\(number)"
  case .bool(let truth): "\(truth)"
  case .null: "null"
  }
}

/// RFC 3339 to milliseconds.
private func moment(_ text: String) -> Int? {
  let formatter = ISO8601DateFormatter()
  for options: ISO8601DateFormatter.Options in [
    [.withInternetDateTime], [.withInternetDateTime, .withFractionalSeconds],
  ] {
    formatter.formatOptions = options
    if let date = formatter.date(from: text) { return Int((date.timeIntervalSince1970 * 1000).rounded()) }
  }
  return nil
}
