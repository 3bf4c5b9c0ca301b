// A mapping to begin with, for a file that nobody described: guesses as YAML, each with the value that it was made from,
// and what could not be guessed as a line to fill in.

import EventMapping
import PermissionEvents

package struct MappingDraft {
  let sketch: HeadSketch
  let guess: DraftGuess
  private let path: String
  let words: RemedyWords
  var isTable: Bool { if case .table = sketch.form { true } else { false } }

  /// - Parameters:
  ///   - path: the file, for the comments.
  ///   - words: for what is done with the draft, in its comments.
  package init(_ sketch: HeadSketch, path: String, words: @escaping RemedyWords = { $0.advice }) {
    self.sketch = sketch
    self.path = path
    self.words = words
    guess = DraftGuess(sketch)
  }

  package var text: String {
    (heading + record + fields + rules).joined(separator: "\n") + "\n"
  }

  private var heading: [String] {
    let name = path.split(separator: "/").last.map { String($0) } ?? path
    var lines = [
      "# A mapping to begin with, from the first \(sketch.records == 1 ? "record" : "\(sketch.records) records") of "
        + UnknownForm.legible(name) + "."
    ]
    let trial = words(.tryMapping)
    lines +=
      trial.isEmpty
      ? ["# Look at each guess, then try it, which stores nothing.", "#"]
      : ["# Look at each guess, then try it, which stores nothing:", "#", "#   " + trial, "#"]
    lines.append("# All keys are described in docs/mapping.md.")
    if let known = sketch.knownForm {
      lines.append("#")
      if let rejected = sketch.rejected {
        lines += [
          "# It looks like \(known). Without a mapping \(rejected.lines) of the first \(rejected.of) lines are rejected, the",
          "# first because \(UnknownForm.legible(rejected.reason)).",
        ]
      } else {
        lines.append("# permlog reads this file without a mapping too: it looks like \(known).")
      }
      if Presets.names.contains(known.lowercased()) {
        lines.append("# A file with \"extends: \(known.lowercased())\" and rules of your own is shorter than this one.")
      }
    }
    return lines
  }

  // MARK: Texts

  /// A place from the root.
  func place(_ place: SketchPlace) -> String {
    if isTable, place.path.count == 1, guess.properties.isEmpty, let name = place.path.first, !name.hasPrefix("/") {
      return DraftYAML.text(name)
    }
    return DraftYAML.text(DraftYAML.pointer(place.path))
  }

  /// A property by its name if it is among them.
  func property(_ best: SketchPlace) -> String {
    if let name = best.path.last, guess.properties.contains(Array(best.path.dropLast())), !name.hasPrefix("/") {
      return DraftYAML.text(name)
    }
    return place(best)
  }

  func list(_ places: [SketchPlace]) -> String { "[" + places.map(place).joined(separator: ", ") + "]" }

  func quoted(_ text: String) -> String { "\"\(UnknownForm.legible(text))\"" }

  func others(_ places: [SketchPlace], from count: Int = 1) -> String {
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
      lines.append(
        "  form: json   # the records stand \(keys.isEmpty ? "in a list" : "under \(quoted(keys.joined(separator: ".")))")"
      )
    case .objects, .text: lines.append("  form: json   # an object a line")
    }
    if let keys = foreignKeys {
      lines.append(
        "  # permlog does not look for records there. Write the list alone, and read that file with this mapping.")
      if let path = UnknownForm.jqPath(keys) { lines.append("  #   jq \(path) FILE > records.json") }
    }
    lines += recognise + [event, user] + account + time + id + properties
    return lines
  }

  /// The list of the records, if it is none that permlog looks for.
  private var foreignKeys: [String]? {
    guard case .objects(.some(let keys)) = sketch.form, let first = keys.first else { return nil }
    return keys.count > 1 || !EnvelopeWalk.keys.contains(Array(first.utf8)) ? keys : nil
  }

  /// By the places that were guessed, if there are enough of them to tell the file from others.
  private var recognise: [String] {
    let places = [guess.events.first, users.first, guess.times.first].compactMap { $0 }
    guard places.count > 1 else {
      return [
        "  # recognise: too little was guessed; without it every file that nothing else recognises is read by this"
      ]
    }
    return ["  # Files whose records have all of these are read by this mapping.", "  recognise: \(list(places))"]
  }

  private var event: String {
    guard let best = guess.events.first else {
      return
        "  event: {name: Unnamed Event}   # not found: write the place of the event's name, or the name of them all"
    }
    return "  event: \(place(best))   # guess: \(quoted(best.example))" + others(guess.events)
  }

  private var users: [SketchPlace] { guess.devices + guess.accounts }

  private var user: String {
    guard let best = users.first else {
      return "  user: /fill_in_the_user   # not found: write the place of the install's, device's or user's id"
    }
    // If not every record has the first, the next ones take its place.
    let kept = best.count < sketch.records ? Array(users.prefix(3)) : [best]
    return "  user: \(kept.count > 1 ? list(kept) : place(best))   # guess: \(quoted(best.maskedExample))"
      + others(users, from: kept.count)
  }

  private var account: [String] {
    guard !guess.devices.isEmpty, let best = guess.accounts.first else { return [] }
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
    let isEpoch = [.seconds, .milliseconds, .microseconds].contains(form)
    let seen =
      "guess: \(quoted(best.example))" + (isEpoch ? ", \(form) since 1970 by its size" : "") + others(guess.times)
    switch form {
    case .zonedText, .seconds, .milliseconds, .microseconds: return ["  time: \(place(best))   # \(seen)"]
    case .plainText, .digits:
      let unit = form == .digits ? ", unit: digits" : ""
      return [
        "  # The time names no zone: add the clock's, as in {from: \(place(best))\(unit), zone: Europe/Berlin}"
          + words(.nameInputZoneOrMapIt) + " Without one these lines are rejected.",
        "  time: {from: \(place(best))\(unit)}   # \(seen)",
      ]
    }
  }

  private var id: [String] {
    guard let best = guess.ids.first else {
      return [
        "  # id: not found. Write the place of the event's own id; without one it is made of everything that is kept."
      ]
    }
    return ["  id: \(place(best))   # guess: \(quoted(best.maskedExample))" + others(guess.ids)]
  }

  private var properties: [String] {
    if guess.properties.isEmpty {
      return isTable ? [] : ["  # properties: [/place]   # objects with the app's own keys"]
    }
    let places = guess.properties.map { DraftYAML.text(DraftYAML.pointer($0)) }
    return ["  properties: [\(places.joined(separator: ", "))]"]
  }

  // MARK: What events mean

  private static let shownNames = 20

  var fields: [String] {
    if guess.fields.isEmpty { return ["# fields:", "#   variant: the place of the message that was shown"] }
    var lines = ["fields:"]
    for (key, best) in guess.fields { lines.append("  \(key): \(property(best))   # guess: \(quoted(best.example))") }
    if !guess.fields.contains(where: { $0.key == "variant" }) {
      lines.append("  # variant: not found; write the place of the message that was shown")
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
      "# A rule for each that is not understood:", "#", "# rules:", "#   - event: the name, exactly as exported",
      "#     kind: denied   # or granted, skipped, prompt_shown, explanation_shown, …, ignore",
      "#     permission: notifications",
    ]
  }
}
