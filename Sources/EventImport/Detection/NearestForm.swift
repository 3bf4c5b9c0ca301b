// The known form that a file of no known form comes nearest to, and what it lacks of that.

import EventMapping

struct NearestForm {
  struct Missing {
    var place: String
    /// A place with the same name in another spelling, or elsewhere in the record.
    var here: String?
  }

  let name: String
  let missing: [Missing]

  /// The form that has most of its places in the sketch; nil where none has one.
  init?(to sketch: HeadSketch, programs: [MappingProgram]) {
    let isTable = if case .table = sketch.form { true } else { false }
    var candidates: [(name: String, places: [[String]])] = [
      (
        isTable ? "canonical CSV" : "canonical NDJSON",
        [ImportField.userID, ImportField.timestamp, ImportField.event].map { [ImportField.names[$0]] }
      )
    ]
    for program in programs where program.record.form == (isTable ? .csv : .json) {
      for list in program.record.recognise where !list.isEmpty {
        candidates.append((Self.title(program.mapping.name), list.map(Self.keys)))
      }
    }
    var best: (score: Int, form: (name: String, missing: [Missing]))?
    for (name, places) in candidates {
      var missing: [Missing] = []
      var score = 0
      for keys in places where !sketch.paths.contains(keys) && !(isTable && Self.isHeading(keys, in: sketch)) {
        let here = Self.other(keys, in: sketch)
        missing.append(Missing(place: keys.joined(separator: "."), here: here))
        if here != nil { score += 1 }
      }
      score += 2 * (places.count - missing.count)
      guard score > 0 else { continue }
      if let known = best, (known.score, -known.form.missing.count) >= (score, -missing.count) { continue }
      best = (score, (name, missing))
    }
    guard let best else { return nil }
    name = best.form.name
    missing = best.form.missing
  }

  /// A canonical column under a heading in another spelling, which is read.
  private static func isHeading(_ keys: [String], in sketch: HeadSketch) -> Bool {
    guard keys.count == 1, let field = ImportField.names.firstIndex(of: keys[0]) else { return false }
    return sketch.places.contains { CSVHeader.field(Array($0.name.utf8)) == field }
  }

  private static func keys(_ place: PropertyReference) -> [String] {
    switch place {
    case .name(let name): [name]
    case .pointer(let keys): keys
    }
  }

  private static func other(_ keys: [String], in sketch: HeadSketch) -> String? {
    let wanted = SketchPlace.squash(keys.last ?? "")
    return sketch.places.first { $0.squashed == wanted }?.name
  }

  static func title(_ name: String) -> String {
    switch name {
    case "amplitude": "Amplitude"
    case "mixpanel": "Mixpanel"
    case "segment": "Segment"
    case "ga4": "GA4"
    case "posthog": "PostHog"
    case "snowplow": "Snowplow"
    default: name
    }
  }
}
