// The message about a file of unknown format: its content, the nearest known format, and how to go on.

import EventMapping

struct UnknownForm {
  let sketch: HeadSketch
  let nearest: NearestForm?
  /// The user's own mappings, which do not match the file.
  let own: [String]
  /// The names of columns or keys are not shown: without a heading they are values, and one may be a user id.
  let hidesNames: Bool
  private static let shownPlaces = 12

  init(_ sketch: HeadSketch, programs: [RecordFormat], own: [String], hidesNames: Bool = false) {
    self.sketch = sketch
    self.hidesNames = hidesNames
    self.own = own
    nearest = sketch.form == .text ? nil : NearestForm(to: sketch, programs: programs)
  }

  /// Sentences about the file, each with its full stop.
  var sentences: [String] {
    var result: [String] = []
    switch sketch.form {
    case .text:
      if let log = sketch.logText { return log.sentences }
      return [
        "It is neither JSON nor a table of two or more columns with a heading.",
        "permlog reads canonical NDJSON and CSV (user_id, timestamp, event) and exports of \(Presets.titles).",
      ]
    case .table where hidesNames:
      result.append("It is a table. Its heading is not shown: user ids are hidden, and the heading may contain one.")
    case .objects where hidesNames:
      result.append("It is JSON. Its keys are not shown: user ids are hidden, and the keys may include one.")
    case .table: result.append("Its columns: \(list).")
    case .objects:
      if let wrapper { result.append(wrapper) }
      result.append(places.isEmpty ? "Its objects have no values." : "Its keys: \(list).")
    }
    if let nearest {
      let missing = nearest.missing.map { item in
        Self.legible(item.place) + ((hidesNames ? nil : item.here).map { " (here: \(Self.legible($0))?)" } ?? "")
      }
      result.append(
        missing.isEmpty
          ? wrapper == nil
            ? "It looks like \(Self.legible(nearest.name)), but none of its first records can be read."
            : "The records themselves look like \(Self.legible(nearest.name))."
          : "Nearest: \(Self.legible(nearest.name)), which also needs \(missing.joined(separator: ", ")).")
    } else {
      result.append("No known format has any of these; canonical lines need user_id, timestamp and event.")
    }
    if !own.isEmpty { result.append("Not taken by \(own.map(Self.legible).joined(separator: ", ")) either.") }
    return result
  }

  /// Says where the records are, if they are not looked for there: their form may be known.
  private var wrapper: String? {
    guard let keys = sketch.foreignList else { return nil }
    let known = EnvelopeWalk.keys.map { String(bounded: $0) }.sorted().joined(separator: ", ")
    let place = keys.map(Self.legible).joined(separator: ".")
    let example = Self.jqPath(keys).map { " (as jq \($0) does)" } ?? ""
    return
      "Its records are under \"\(place)\"; permlog looks under: \(known). Rename the key, or write only the "
      + "list\(example)."
  }

  /// The path of a list for jq; nil if a shell could interpret it, because the keys come from the file.
  static func jqPath(_ keys: [String]) -> String? {
    let isPlain = keys.allSatisfy { key in
      key.utf8.allSatisfy { $0 | 0x20 >= 97 && $0 | 0x20 <= 122 || $0 == 0x5F || $0 >= 48 && $0 <= 57 }
        && key.utf8.first.map { $0 > 57 } ?? false
    }
    return isPlain ? "." + keys.joined(separator: ".") : nil
  }

  /// Paths of at most two keys; a deeper value is named by its object.
  private var places: [String] {
    var result: [String] = []
    for place in sketch.places {
      let name = place.path.prefix(2).map(Self.legible).joined(separator: ".")
      if !result.contains(name) { result.append(name) }
    }
    return result
  }

  private var list: String { places.listed(upTo: Self.shownPlaces) }

  /// A name from the file without characters that a terminal would take for a command, cut if it is long.
  static func legible(_ name: String) -> String {
    var text = ""
    for (count, scalar) in name.unicodeScalars.enumerated() {
      if count == 40 { return text + "…" }
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: text += "?"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text.isEmpty ? "\"\"" : text
  }
}

/// The known format nearest to a file of unknown format, and the paths that the file lacks.
struct NearestForm {
  struct Missing {
    var place: String
    /// A path with the same name in another spelling, or elsewhere in the record.
    var here: String?
  }

  let name: String
  /// The vendor's preset; nil for the canonical forms and mappings of the user's own.
  let preset: String?
  let missing: [Missing]

  /// The format with most of its paths in the sketch; nil if no format has any.
  init?(to sketch: HeadSketch, programs: [RecordFormat]) {
    let isTable = if case .table = sketch.form { true } else { false }
    var candidates: [(name: String, preset: String?, places: [[String]])] = [
      (
        isTable ? "canonical CSV" : "canonical NDJSON", nil,
        [ImportField.userID, ImportField.timestamp, ImportField.event].map { [ImportField.names[$0]] }
      )
    ]
    for program in programs where program.record.form == (isTable ? .csv : .json) {
      let name = program.mapping.name
      let title = Presets.title(name)
      for list in program.record.recognise where !list.isEmpty {
        candidates.append((title ?? name, title == nil ? nil : name, list.map(\.keys)))
      }
    }
    var best: (score: Int, name: String, preset: String?, missing: [Missing])?
    for (name, preset, places) in candidates {
      var missing: [Missing] = []
      var score = 0
      for keys in places where !sketch.paths.contains(keys) && !(isTable && Self.isHeading(keys, in: sketch)) {
        let here = Self.other(keys, in: sketch)
        missing.append(Missing(place: keys.joined(separator: "."), here: here))
        if here != nil { score += 1 }
      }
      score += 2 * (places.count - missing.count)
      guard score > 0 else { continue }
      if let known = best, (known.score, -known.missing.count) >= (score, -missing.count) { continue }
      best = (score, name, preset, missing)
    }
    guard let best else { return nil }
    name = best.name
    preset = best.preset
    missing = best.missing
  }

  /// A canonical column under a heading in another spelling, which is read.
  private static func isHeading(_ keys: [String], in sketch: HeadSketch) -> Bool {
    guard keys.count == 1, let field = ImportField.names.firstIndex(of: keys[0]) else { return false }
    return sketch.places.contains { CSVHeader.field(Array($0.name.utf8)) == field }
  }

  private static func other(_ keys: [String], in sketch: HeadSketch) -> String? {
    let wanted = SketchPath.squash(keys.last ?? "")
    return sketch.places.first { $0.squashed == wanted }?.name
  }
}

// MARK: Text logs of applications and of syslog. They are not read, because a sentence has no fields. The refusal
// explains how to go on

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

  var sentences: [String] {
    switch self {
    case .endingInJSON:
      [
        "It is a text log whose lines have JSON after a prefix.",
        "To go on: remove the prefix with sed 's/^[^{]*//' LOG > events.ndjson, and read that file.",
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
