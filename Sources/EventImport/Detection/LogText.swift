// Text logs of applications and of syslog. They are not read, as a sentence has no fields; the refusal says how to go on.

/// What a text log's lines are like.
enum LogText: Equatable {
  /// A prefix and a JSON object.
  case endingInJSON
  case sentences

  private static let looked = 50

  /// Nil unless most lines begin with a time of day.
  init?(_ content: ArraySlice<UInt8>) {
    let lines = content.split(separator: ByteSearch.newline).lazy.filter { $0.contains { !ByteSearch.isBlank($0) } }
      .prefix(Self.looked)
    let count = lines.count
    guard count > 0, lines.count(where: Self.beginsWithTime) * 2 > count else { return nil }
    self = lines.count(where: Self.endsInJSON) * 2 > count ? .endingInJSON : .sentences
  }

  /// `10:00:00` within the first bytes, where logs write when something was.
  private static func beginsWithTime(_ line: ArraySlice<UInt8>) -> Bool {
    let shape = Array("dd:dd:dd".utf8)
    let start = line.prefix(48)
    guard start.count >= shape.count else { return false }
    return (start.startIndex...start.endIndex - shape.count).contains { place in
      zip(start[place...], shape).allSatisfy { byte, wanted in wanted == 0x64 ? byte &- 48 <= 9 : byte == wanted }
    }
  }

  private static func endsInJSON(_ line: ArraySlice<UInt8>) -> Bool {
    guard let open = line.firstIndex(of: 0x7B), open > line.startIndex else { return false }
    var reader = JSONTreeReader(line[open...])
    return reader.value()?.isObject == true && !reader.isBroken && !reader.isCut
  }

  /// What to do, each with its full stop.
  var sentences: [String] {
    switch self {
    case .endingInJSON:
      [
        "It is a text log whose lines have JSON behind a prefix.",
        "To go on: cut the prefix off, sed 's/^[^{]*//' LOG > events.ndjson, and read that file.",
      ]
    case .sentences:
      [
        "It is a text log, and permlog does not read sentences.",
        "To go on: write each event as one line of JSON, like {\"user_id\":\"8C1B\",\"timestamp\":\"2026-03-02T10:00:00Z\","
          + "\"event\":\"denied\",\"permission\":\"notifications\"}, with a script or in the app.",
      ]
    }
  }
}
