// The sections of a draft that say what events mean.

extension MappingDraft {
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
