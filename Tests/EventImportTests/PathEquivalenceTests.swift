// The fast paths and the general paths of NDJSON and CSV give the same for every line. Invariant: for any bytes, the
// events, the refused lines with their reasons and the counts are those of the general path alone.

import Foundation
import PermissionEvents
import Testing

@testable import EventImport

/// Writes lines that are nearly canonical.
private struct LineWriter {
  var random: SeededGenerator

  mutating func pick<T>(_ list: [T]) -> T { list[Int.random(in: 0..<list.count, using: &random)] }
  mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &random) == 0 }

  mutating func uuid() -> String {
    let digits: [UInt8] = Array(pick(["0123456789abcdef", "0123456789ABCDEF", "0123456789", "0"]).utf8)
    var bytes: [UInt8] = []
    for i in 0..<36 { bytes.append(i == 8 || i == 13 || i == 18 || i == 23 ? UInt8(ascii: "-") : pick(digits)) }
    var text = String(decoding: bytes, as: UTF8.self)
    if chance(20) {
      let place = text.index(text.startIndex, offsetBy: Int.random(in: 0..<36, using: &random))
      text.replaceSubrange(place...place, with: pick(["g", "G", "-", "a", "A", "/", ":", "@", "`", "é", ""]))
    }
    return text
  }

  mutating func string(_ text: String) -> String {
    if chance(25) {
      return "\"" + text.map { $0.isASCII ? String(format: "\\u%04x", $0.asciiValue ?? 63) : "?" }.joined() + "\""
    }
    if chance(25) {
      return pick(["null", "true", "1", "-0", "1.5", "[]", "{}", "\"\"", "nul", "\"a\u{01}b\"", "\"\\\""])
    }
    return "\"\(text)\""
  }

  mutating func timestamp() -> String {
    var text = Timestamp.text(1_199_145_600_000 + Int64.random(in: -5...600_000_000_000, using: &random))
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return String(Int64.random(in: 1_199_145_600_000...1_800_000_000_000, using: &random))
    case 1: return pick(["0", "01740830400000", "17408304000000000000", "-1", "1740830400000.0", "1.7e12"])
    case 2: text = text.replacingOccurrences(of: "Z", with: pick(["+01:00", "-05:30", "z", "", "+1", "Z "]))
    case 3: text = String(text.prefix(19)) + pick(["Z", ".1Z", ".123456789Z", ".Z", ".1234567890Z", ""])
    case 4:
      let place = text.index(text.startIndex, offsetBy: Int.random(in: 0..<text.count, using: &random))
      text.replaceSubrange(place...place, with: pick(["9", "0", "6", "x", " ", ":", "T", "t", "/"]))
    default: break
    }
    return string(text)
  }

  mutating func value(_ field: String) -> String {
    switch field {
    case "event_id":
      return chance(10)
        ? pick(["\"e1\"", "7", "0", "007", "\"\(String(repeating: "e", count: 129))\""]) : string(uuid())
    case "user_id":
      return chance(5)
        ? string(
          pick([
            "u1", "nul", "null", "NULL ", "Anonymous", "unknown1", "0", "-1", "é", String(repeating: "u", count: 256),
          ]))
        : chance(20) ? pick(["0", "12", "12345678901234567890", "123456789012345678901"]) : string(uuid())
    case "timestamp": return timestamp()
    case "event": return string(chance(20) ? "Granted" : pick(EventKind.names))
    case "permission": return string(chance(20) ? "lidar" : pick(PermissionCode.taxonomy))
    case "status": return string(chance(20) ? "ok" : pick(AuthorizationStatus.names))
    default:
      let count = chance(30) ? Int.random(in: 250...260, using: &random) : Int.random(in: 0...40, using: &random)
      return string(String((0..<count).map { _ in Character(pick(["a", "b", "_", ".", "/", "~", " "])) }))
    }
  }

  mutating func line() -> String {
    var fields = ImportField.names.filter { _ in !chance(6) }
    if chance(4) { fields.shuffle(using: &random) }
    if chance(15) { fields.append(pick(["extra", "User_id", "event_", "eventid", "user\\u005fid", ""])) }
    if chance(25), let twice = fields.randomElement(using: &random) { fields.append(twice) }
    let style = Int.random(in: 0..<5, using: &random)
    var text = "{"
    for (i, field) in fields.enumerated() {
      if i > 0 { text += style == 0 ? ", " : style == 1 ? pick([",", ", ", " ,", ",\t"]) : "," }
      text += "\"\(field)\"" + (style == 0 ? ": " : style == 1 ? pick([":", ": ", " :", ":  "]) : ":") + value(field)
    }
    text += "}" + (chance(10) ? pick(["\r", " ", " \r", "x", "}", ","]) : "")
    if chance(15), let bytes = mutate(text) { return bytes }
    return text
  }

  /// A table whose records are nearly canonical, with its heading.
  mutating func table(_ records: Int) -> [String] {
    let delimiter = pick([",", ";", "\t", "|"])
    var fields = ImportField.names.filter {
      ImportField.required.map { ImportField.names[$0] }.contains($0) || !chance(4) || $0 == "permission"
    }
    if chance(2) { fields.append(pick(["extra", "note"])) }
    if chance(2) { fields.shuffle(using: &random) }
    let heading = fields.joined(separator: delimiter)
    let lineEnd = pick(["", "\r"])
    return [heading + lineEnd]
      + (0..<records).map { _ in
        if chance(60) { return pick([heading, "", delimiter, "\"", " ", heading.uppercased()]) }
        let cells = fields.map { field in
          if chance(12) { return "" }
          let text = value(field)
          let cell = text.count > 1 && text.first == "\"" ? String(text.dropFirst().dropLast()) : text
          return chance(40)
            ? pick(["\"\(cell)\"", " \(cell)", "\(cell) ", cell + "\r", "\(cell)\"", "\u{FEFF}\(cell)"]) : cell
        }
        var line = cells.joined(separator: delimiter)
        if chance(20) { line += pick([delimiter, delimiter + delimiter, delimiter + "x", "\r", " "]) }
        if chance(20), let bytes = mutate(line) { line = bytes }
        return line + lineEnd
      }
  }

  /// One character changed, taken out or put in.
  private mutating func mutate(_ text: String) -> String? {
    var list = Array(text)
    guard !list.isEmpty else { return nil }
    let place = Int.random(in: 0..<list.count, using: &random)
    switch Int.random(in: 0..<3, using: &random) {
    case 0: list.remove(at: place)
    case 1: list.insert(pick(["\"", "{", "}", ",", ":", "\\", " ", "\u{7F}", "é", "\u{0}"]), at: place)
    default: list[place] = pick(["\"", "{", "}", ",", ":", "\\", " ", "x", "0"])
    }
    return String(list)
  }
}

@Suite struct PathEquivalenceTests {
  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func bothPathsAgree(seed: UInt64) throws {
    var writer = LineWriter(random: SeededGenerator(seed: seed))
    let lines = (0..<4000).map { _ in writer.line() }
    let text = lines.joined(separator: "\n")
    let custom = seed % 2 == 0
    let options = testOptions(format: .ndjson, future: seed % 3 == 0, custom: custom)
    let fast = try importText(text, options)
    let general = try importText(text, options, usesCommonLine: false)
    #expect(fast.counts == general.counts, "seed \(seed)")
    for (a, b) in zip(fast.rejects, general.rejects) where a.line != b.line || a.reason != b.reason {
      Issue.record("seed \(seed): \(a.line) \(a.reason); \(b.line) \(b.reason); \(lines[a.line - 1])")
      return
    }
    for (a, b) in zip(fast.events, general.events) where a != b {
      Issue.record("seed \(seed): \(a); \(b)")
      return
    }
    #expect(fast.events.count == general.events.count, "seed \(seed)")
    // The lines are of both sorts, or nothing is shown.
    #expect(fast.counts.events > 400 && fast.counts.rejected > 400, "seed \(seed)")
  }

  @Test(arguments: Array(11...22) as [UInt64])
  func bothPathsOfTablesAgree(seed: UInt64) throws {
    var writer = LineWriter(random: SeededGenerator(seed: seed))
    let lines = writer.table(3000)
    let text = lines.joined(separator: "\n") + (writer.chance(2) ? "\n" : "")
    let options = testOptions(format: .csv, future: seed % 3 == 0, custom: seed % 2 == 0)
    let fast = try importText(text, options)
    let general = try importText(text, options, usesCommonLine: false)
    #expect(fast.counts == general.counts, "seed \(seed)")
    for (a, b) in zip(fast.rejects, general.rejects) where a.line != b.line || a.reason != b.reason {
      Issue.record("seed \(seed): \(a.line) \(a.reason); \(b.line) \(b.reason); \(lines[a.line - 1])")
      return
    }
    for (a, b) in zip(fast.events, general.events) where a != b {
      Issue.record("seed \(seed): \(a); \(b)")
      return
    }
    #expect(fast.events.count == general.events.count, "seed \(seed)")
    #expect(fast.counts.events > 100 && fast.counts.rejected > 400, "seed \(seed)")
  }

  /// More different values than a thread remembers: it forgets them all now and then.
  @Test func valuesThatWereForgottenComeBack() throws {
    let features = (0..<40_000).map { "feature_\($0)" } + (0..<100).map { "feature_\($0 * 399)" }
    let lines = features.enumerated().map { i, feature in
      """
      {"user_id":"u\(i % 7)","event_id":"e\(i)","timestamp":"2025-03-01T00:00:00.000Z","event":"feature_used",\
      "feature":"\(feature)"}
      """
    }
    let result = try importText(lines.joined(separator: "\n"), testOptions(format: .ndjson))
    #expect(result.events.map { $0.fields["feature"] } == features)
  }

  /// Values whose halves add up to one sum, so that they crowd together in the table; the same in two fields.
  @Test func valuesThatCrowdTogetherKeepTheirCodes() throws {
    var values = (0..<3000).map { n in
      let digits = String(format: "%08d", n)
      return digits + "abcdefgh" + String(digits.map { Character(String(9 - ($0.wholeNumberValue ?? 0))) })
    }
    values += values.reversed()
    let lines = values.enumerated().map { i, value in
      """
      {"user_id":"u","event_id":"e\(i)","timestamp":"2025-03-01T00:00:00.000Z","event":"feature_used",\
      "feature":"\(value)","surface":"\(value)"}
      """
    }
    let result = try importText(lines.joined(separator: "\n"), testOptions(format: .ndjson))
    #expect(result.events.map { $0.fields["feature"] } == values)
    #expect(result.events.map { $0.fields["surface"] } == values)
  }

  @Test(arguments: [7, 8] as [UInt64])
  func packedIdentifiersAreThoseOfTheVocabulary(seed: UInt64) throws {
    var writer = LineWriter(random: SeededGenerator(seed: seed))
    for _ in 0..<20_000 {
      var bytes = Array(writer.uuid().utf8.prefix(36))
      let count = bytes.count
      bytes += Array(repeating: 0x22, count: 64)
      bytes.withUnsafeBytes { memory in
        guard let base = memory.baseAddress else { return }
        let plain = IdentifierText.packUUID(UnsafeRawBufferPointer(start: base, count: 36))
        let fast = UUIDPacker.pack(base)
        #expect(count == 36 || fast == nil)
        #expect(plain?.form.rawValue == fast?.form && plain?.high == fast?.high && plain?.low == fast?.low)
      }
    }
  }

  @Test(arguments: [9, 10] as [UInt64])
  func commonTimestampsAreThoseOfTheVocabulary(seed: UInt64) throws {
    var writer = LineWriter(random: SeededGenerator(seed: seed))
    var reader = TimestampReader()
    for _ in 0..<20_000 {
      let text = writer.timestamp()
      guard text.hasPrefix("\""), let end = text.dropFirst().firstIndex(of: "\"") else { continue }
      let inner = Array(text[text.index(after: text.startIndex)..<end].utf8)
      let padded = inner + Array(repeating: 0x22, count: 64)
      padded.withUnsafeBytes { memory in
        guard let base = memory.baseAddress, let (time, count) = reader.common(base) else { return }
        #expect(count == inner.count)
        let whole = UnsafeRawBufferPointer(start: base, count: inner.count)
        #expect(Timestamp.parse(rfc3339: whole) == time, "seed \(seed), \(text)")
      }
    }
  }
}
