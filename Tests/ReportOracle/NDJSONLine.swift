// One event as a line of canonical NDJSON, written in one of the many ways that the contract allows.

import Foundation

/// The event as one JSON object, without a line end.
///
/// Which of the allowed forms is used (epoch milliseconds or RFC 3339, offset, fraction digits, a number or a string for
/// an id of digits, null, an empty string or nothing for what is absent) follows from a hash of the event, so that the
/// same event is always the same line.
public func ndjsonLine(_ event: OracleEvent) -> String {
  var random = SplitMix64(seed: fingerprint(event))
  var fields = [
    ("event_id", identifier(event.eventID, &random)), ("user_id", identifier(event.userID, &random)),
    ("timestamp", timestamp(event.timestamp, &random)), ("event", quoted(event.event)),
  ]
  let optional =
    [("permission", event.permission), ("status", event.status)]
    + oracleProperties.map { ($0, event.property($0)) }
  for (name, value) in optional {
    if let value {
      fields.append((name, quoted(value)))
    } else if random.once(in: 10) {
      fields.append((name, random.once(in: 2) ? "null" : "\"\""))
    }
  }
  if random.once(in: 4) { fields.shuffle(using: &random) }
  let space = random.once(in: 4) ? " " : ""
  return "{" + fields.map { "\"\($0.0)\":\(space)\($0.1)" }.joined(separator: ",\(space)") + "}"
}

/// FNV-1a over everything that makes the event what it is.
private func fingerprint(_ event: OracleEvent) -> UInt64 {
  let parts = [
    event.userID, event.eventID, "\(event.timestamp)", event.event, event.permission ?? "", event.status ?? "",
  ]
  let properties = oracleProperties.map { event.property($0) ?? "" }
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  for byte in (parts + properties).joined(separator: "\u{1F}").utf8 {
    hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
  }
  return hash
}

/// An id as a string, or as a number if it is a whole number in its shortest form.
private func identifier(_ id: String, _ random: inout SplitMix64) -> String {
  if let number = Int(id), "\(number)" == id, random.once(in: 2) { return id }
  return quoted(id)
}

/// A JSON string (RFC 8259), now and then with an escape that need not be.
private func quoted(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case let scalar where scalar.value < 0x20 || (scalar.value == 0x301):
      result += String(format: "\\u%04x", scalar.value)
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result + "\""
}

/// Epoch milliseconds, or RFC 3339 with one of several offsets and as many fraction digits as lose nothing.
private func timestamp(_ milliseconds: Int, _ random: inout SplitMix64) -> String {
  if random.once(in: 4) { return "\(milliseconds)" }
  let offset = random.pick([0, 0, 0, 120, -300, 345, -570, 765, 840, -720], or: 0)
  let local = rfc3339(milliseconds + offset * 60_000)
  let fraction = String(local.dropLast().suffix(3))
  // Digits after the milliseconds are cut; zeros at the end may be left out.
  var digits = fraction + (random.once(in: 3) ? String("654321".prefix(Int.random(in: 1...6, using: &random))) : "")
  if digits.count == 3, random.once(in: 2) {
    while digits.hasSuffix("0") { digits.removeLast() }
  }
  let zone =
    offset == 0
    ? random.pick(["Z", "Z", "+00:00"], or: "Z")
    : (offset < 0 ? "-" : "+") + String(format: "%02d:%02d", abs(offset) / 60, abs(offset) % 60)
  return "\"" + local.prefix(19) + (digits.isEmpty ? "" : "." + digits) + zone + "\""
}
