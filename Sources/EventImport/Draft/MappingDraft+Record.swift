// The section of a draft that says where things stand.

extension MappingDraft {
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
    return keys.count > 1 || !EnvelopeScan.keys.contains(Array(first.utf8)) ? keys : nil
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
}
