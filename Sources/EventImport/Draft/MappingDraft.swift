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
      lines += ["#", "# permlog reads this file without a mapping too: it looks like \(known)."]
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

  /// A property by its name where it stands among them.
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
}
