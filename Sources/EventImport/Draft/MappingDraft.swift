// A first mapping for an undescribed file: guesses as YAML, each with the value that it was made from, and a line to
// fill in for everything that could not be guessed.

import EventMapping
import PermissionEvents
import Threads

package struct MappingDraft {
  let sketch: HeadSketch
  let guess: DraftGuess
  private let path: String
  let words: RemedyWords
  let vendor: DraftVendor?
  /// The results of reading the head without a mapping, and with this one; nil if not tried.
  package var trials: (without: DraftTrial?, with: DraftTrial)?
  var isTable: Bool { if case .table = sketch.form { true } else { false } }

  /// - Parameters:
  ///   - path: the file, for the comments.
  ///   - words: for the next steps with the draft, in its comments.
  package init(_ sketch: HeadSketch, path: String, words: @escaping RemedyWords = { $0.advice }) {
    self.sketch = sketch
    self.path = path
    self.words = words
    vendor = DraftVendor(sketch)
    guess = DraftGuess(sketch, install: vendor?.install)
  }

  package var text: String {
    (heading + extends + (vendor?.hasRecord == true ? [] : record) + fields + rules).joined(separator: "\n") + "\n"
  }

  private var heading: [String] {
    let name = path.split(separator: "/").last.map { String($0) } ?? path
    var lines = [
      "# A first mapping, drafted from the first \(sketch.records == 1 ? "record" : "\(sketch.records) records") of "
        + UnknownForm.legible(name) + "."
    ]
    let trial = words(.tryMapping)
    lines +=
      trial.isEmpty
      ? ["# Check each guess, then try the mapping. A trial stores nothing.", "#"]
      : ["# Check each guess, then try the mapping. A trial stores nothing:", "#", "#   " + trial, "#"]
    lines.append("# All keys are described in docs/mapping.md.")
    if let trials { lines += ["#"] + sentences(trials.without, trials.with) }
    return lines
  }

  private func sentences(_ without: DraftTrial?, _ with: DraftTrial) -> [String] {
    var lines: [String] = []
    if let without, without.lines > 0 {
      let known = sketch.knownForm.map { ", as \(UnknownForm.legible($0.name))" } ?? ""
      lines.append(
        without.rejected == 0
          ? "# permlog reads the head of this file without a mapping too\(known): \(without.text)."
          : "# Without a mapping permlog rejects lines of this file\(known): \(without.text).")
    }
    lines.append("# With this mapping the head of the file gives: \(with.text).")
    return lines
  }

  private var extends: [String] {
    guard let vendor else { return [] }
    let what = vendor.hasRecord ? "The records are" : "The columns look like"
    return [
      "# \(what) \(vendor.preset)'s, and the preset knows the events of its library: installs, sessions.",
      "extends: \(vendor.preset)",
    ] + (vendor.hasRecord ? foreign : [])
  }

  /// Reads the head with the draft and without it, for the comments.
  package mutating func tryOut() {
    guard let with = DraftTrial(sketch, mapping: text) else { return }
    trials = (DraftTrial(sketch, mapping: nil), with)
  }

  // MARK: Texts

  func place(_ place: SketchPath) -> String {
    if isTable, place.path.count == 1, guess.properties.isEmpty, let name = place.path.first, !name.hasPrefix("/") {
      return DraftYAML.text(name)
    }
    return DraftYAML.text(DraftYAML.pointer(place.path))
  }

  /// A property by its name if it is among them.
  func property(_ best: SketchPath) -> String {
    if let name = best.path.last, guess.properties.contains(Array(best.path.dropLast())), !name.hasPrefix("/") {
      return DraftYAML.text(name)
    }
    return place(best)
  }

  func list(_ places: [SketchPath]) -> String { "[" + places.map(place).joined(separator: ", ") + "]" }

  func quoted(_ text: String) -> String { "\"\(UnknownForm.legible(text))\"" }

  func others(_ places: [SketchPath], from count: Int = 1) -> String {
    let rest = places.dropFirst(count).prefix(3).map { UnknownForm.legible($0.name) }
    return rest.isEmpty ? "" : "; other candidates: " + rest.joined(separator: ", ")
  }

  // MARK: Where things are

  var record: [String] {
    var lines = ["record:"]
    switch sketch.form {
    case .table(let separator):
      let name = [0x2C: "commas", 0x3B: "semicolons", 0x09: "tabs", 0x7C: "bars"][separator] ?? "something else"
      lines.append("  form: csv   # a heading, and \(name) between the cells (counted)")
    case .objects(.some(let keys)):
      let position = keys.isEmpty ? "in a list" : "under \(quoted(keys.joined(separator: ".")))"
      lines.append("  form: json   # the records are \(position)")
    case .objects, .text: lines.append("  form: json   # an object a line")
    }
    lines += foreign
    lines += recognise + [event, user] + account + time + id + properties
    return lines
  }

  /// A hint for records at a path where permlog does not look.
  private var foreign: [String] {
    guard let keys = sketch.foreignList else { return [] }
    return [
      "  # permlog does not look for records there. Write only the list to a file, and read that file with this "
        + "mapping."
    ] + (UnknownForm.jqPath(keys).map { ["  #   jq \($0) FILE > records.json"] } ?? [])
  }

  /// By the guessed paths, if they are enough to distinguish the file from others.
  private var recognise: [String] {
    let places = [guess.events.first, users.count == 1 ? users.first : nil, guess.times.first].compactMap { $0 }
    guard places.count > 1 else {
      return [
        "  # recognise: too few guesses. Without it, this mapping reads every file that no other one recognises"
      ]
    }
    return ["  # Files whose records have all of these are read by this mapping.", "  recognise: \(list(places))"]
  }

  private var event: String {
    guard let best = guess.events.first else {
      return
        "  event: {name: Unnamed Event}   # not found: write the column or path of the event's name, or one name for "
        + "all events"
    }
    return "  event: \(place(best))   # guess: \(quoted(best.example))" + others(guess.events)
  }

  /// An install, if one column of installs is filled; several columns, if only together they are; an account only if
  /// there is nothing else.
  private var users: [SketchPath] {
    let (devices, accounts, records) = (guess.devices, guess.accounts, sketch.records)
    guard let first = devices.first else { return Array(accounts.prefix(1)) }
    if first.isFilled(of: records) { return [first] }
    let together = Array(devices.prefix(3))
    if together.reduce(0, { $0 + $1.count }) * 20 >= records * 19 { return together }
    guard let account = accounts.first, account.isFilled(of: records) else { return together }
    return first.count * 2 < records ? [account] : together + [account]
  }

  private var user: String {
    let users = self.users
    guard let best = users.first else {
      return "  user: /fill_in_the_user   # not found: write the column or path of the install's, device's or user's id"
    }
    let isAccount = guess.accounts.contains { $0.path == best.path }
    let rest = (guess.devices + (isAccount ? guess.accounts : [])).filter { place in
      !users.contains { $0.path == place.path }
    }
    return "  user: \(users.count > 1 ? list(users) : place(best))   # guess: \(quoted(best.maskedExample))"
      + (isAccount ? ", an account: no column of install ids is filled" : "") + others(rest, from: 0)
  }

  private var account: [String] {
    guard let best = guess.accounts.first, !guess.devices.isEmpty, users.first?.path != best.path else { return [] }
    return [
      "  account: \(place(best))   # guess: \(quoted(best.maskedExample))\(words(.preferAccount))"
    ]
  }

  private var time: [String] {
    guard let best = guess.times.first, let form = best.time else {
      return [
        "  time: /fill_in_the_time   # not found: RFC 3339, the same without a zone, or an epoch; see docs/mapping.md"
      ]
    }
    let from = place(best)
    let seen = "guess: \(quoted(best.example))"
    let more = others(guess.times)
    switch form {
    case .zonedText: return ["  time: \(from)   # \(seen)\(more)"]
    case .nanoseconds: return ["  time: \(from)   # \(seen), nanoseconds since 1970, judging by its size\(more)"]
    case .seconds, .milliseconds, .microseconds:
      return ["  time: {from: \(from), unit: \(form)}   # \(seen), \(form) since 1970, judging by its size\(more)"]
    case .plainText: return assumedZone + ["  time: {from: \(from), zone: UTC}   # \(seen)\(more)"]
    case .digits: return assumedZone + ["  time: {from: \(from), unit: digits, zone: UTC}   # \(seen)\(more)"]
    case .formatted(let date):
      func line(_ format: String) -> String {
        let zone = date.namesZone && !date.isUTC ? "" : ", zone: UTC"
        return "time: {from: \(from), format: \(DraftYAML.text(format))\(zone)}"
      }
      return (date.namesZone ? [] : assumedZone) + order(date, line)
        + ["  \(line(date.format))   # \(seen)\(date.hasTime ? "" : ", a day without a time")\(more)"]
    }
  }

  /// A comment for a time without a zone: the draft must read the file, but this may be wrong by hours.
  private var assumedZone: [String] {
    vendor?.isUTC == true
      ? []
      : ["  # The time names no zone, so UTC is assumed. If it is in another zone, name that, like Europe/Berlin."]
  }

  private func order(_ date: DraftDateFormat, _ line: (String) -> String) -> [String] {
    let (first, place) = date.isDayFirst ? ("day", "first") : ("month", "second")
    switch date.order {
    case .plain: return []
    case .told: return ["  # The \(first) comes first: some dates have a \(place) number above 12."]
    case .mixed:
      return [
        "  # Some dates have a first number above 12, others a second: two formats in one column. This takes the"
          + " \(first) first.", "  # Lines in the other format are rejected.",
      ]
    case .open(let other):
      return [
        "  # No date shows whether the day or the month comes first. This takes the \(first) first; the other way is",
        "  # \(line(other))",
      ]
    }
  }

  private var id: [String] {
    guard let best = guess.ids.first else {
      return [
        "  # id: not found. Write the column or path of the event's own id. Without it, the id is made from all "
          + "stored values."
      ]
    }
    return ["  id: \(place(best))   # guess: \(quoted(best.maskedExample))" + others(guess.ids)]
  }

  private var properties: [String] {
    if guess.properties.isEmpty {
      return isTable ? [] : ["  # properties: [/path]   # objects with the app's own keys"]
    }
    let places = guess.properties.map { DraftYAML.text(DraftYAML.pointer($0)) }
    return ["  properties: [\(places.joined(separator: ", "))]"]
  }

  // MARK: What events mean

  private static let shownNames = 20

  var fields: [String] {
    // A preset knows its own paths, but perhaps not those of nested properties.
    let found =
      vendor?.hasRecord == true ? guess.fields.filter { $0.places.contains { $0.ownName != nil } } : guess.fields
    var lines = [found.isEmpty ? "# fields:" : "fields:"]
    for (key, places) in found {
      let seen = places.prefix(3).map { quoted($0.example) }.joined(separator: ", ")
      let names = places.map(property).joined(separator: ", ")
      lines.append("  \(key): \(places.count > 1 ? "[\(names)]" : names)   # guess: \(seen)")
    }
    let isBare = guess.events.first?.values.contains { EventKind.names.contains($0.lowercased()) } ?? false
    if isBare, !guess.fields.contains(where: { $0.key == "permission" }) {
      lines.append(
        "  # permission: not found, and not in the names of events; write its column or path, or name it in rules")
    }
    if !guess.fields.contains(where: { $0.key == "variant" }) {
      lines.append("  # variant: not found; write the column or path of the message that was shown")
    }
    return lines
  }

  var rules: [String] {
    var lines = [
      "# Names in the usual spellings, like push_permission_denied, need no rule.", "usual_spellings: true",
    ]
    let names = guess.events.first?.values ?? []
    if !names.isEmpty {
      let more = names.count > Self.shownNames ? " (the first \(Self.shownNames))" : ""
      lines.append("# Names of events seen\(more):")
      lines += names.prefix(Self.shownNames).map { "#   " + UnknownForm.legible($0) }
    }
    return lines + [
      "# Write a rule for each name that is not understood:", "#", "# rules:",
      "#   - event: the name, exactly as "
        + "exported",
      "#     kind: denied   # or granted, skipped, prompt_shown, explanation_shown, …, ignore",
      "#     permission: notifications",
    ]
  }
}

// MARK: What reading the head of a file makes of it: a draft says so, and that a file is read at all only if it is

package struct DraftTrial: Sendable, Equatable {
  package var lines = 0
  package var events = 0
  package var unmapped = 0
  package var rejected = 0
  package var reason: String?

  /// Reads the head of a file.
  /// - Parameter mapping: to read it with; nil for what permlog knows by itself.
  /// - Returns: nil if the head is not read at all.
  package init?(_ sketch: HeadSketch, mapping: String?) {
    var options = ImportOptions(now: Timestamp.latest - 1)
    options.rows.allowsFutureTimes = true
    options.rows.allowsCustomPermissions = true
    options.rows.keepsPartialFiles = true
    let reasons = Mutex<[String: Int]>([:])
    do {
      if let mapping { options.mappings = [try Mapping(yaml: Array(mapping.utf8), name: "draft")] }
      let session = try ImportSession(
        .bytes(sketch.wholeLines, name: "-"), options: options,
        onReject: { line in reasons.withLock { $0[line.group, default: 0] += 1 } })
      guard try session.run(into: CountingSink()) else { return nil }
      let counts = session.counts
      (lines, events, unmapped, rejected) = (counts.lines, counts.events, counts.unmapped, counts.rejected)
    } catch {
      return nil
    }
    reason = reasons.withLock { all in all.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key }
  }

  var text: String {
    func count(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }
    return
      "\(count(events, "event", "events")) of \(count(lines, "record", "records")), \(unmapped) not understood or not stored, "
      + "\(rejected) rejected" + (reason.map { " (most often: \($0))" } ?? "")
  }
}

private final class CountingSink: EventSink {
  let dictionary = EventDictionary()
  var isFull: Bool { dictionary.isFull }
  func append(_ batch: EventBatch) throws {}
}
