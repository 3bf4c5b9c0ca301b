// The colours of the pages, for light and dark. Chosen to stay apart for people who see colours differently (blue,
// vermilion, gold, grey differ in lightness too); no colour stands without a word or a shape beside it.

struct Palette: Sendable {
  /// By the name of the CSS variable; `#rrggbb`.
  let colors: [(name: String, value: String)]

  static let light = Palette(colors: [
    ("paper", "#ffffff"), ("panel", "#f6f7f9"), ("ink", "#1b1e24"), ("muted", "#565c67"), ("rule", "#d8dce2"),
    ("grid", "#e4e7eb"), ("link", "#0b5fa5"), ("granted", "#0b5fa5"), ("denied", "#b5330f"), ("skipped", "#a87900"),
    ("dropped", "#7f858f"), ("restricted", "#4a505a"), ("neutral", "#5d6470"), ("good", "#1a6e3c"), ("bad", "#b5330f"),
  ])

  static let dark = Palette(colors: [
    ("paper", "#14171c"), ("panel", "#1c2027"), ("ink", "#e9ebef"), ("muted", "#a8b0bc"), ("rule", "#3a414c"),
    ("grid", "#2a3039"), ("link", "#7ab8ec"), ("granted", "#5aa9e6"), ("denied", "#f0805a"), ("skipped", "#e3b341"),
    ("dropped", "#8b929e"), ("restricted", "#c3c8d0"), ("neutral", "#98a0ac"), ("good", "#6cc48f"), ("bad", "#f0805a"),
  ])

  /// Colours of text, and of marks that carry a meaning; the others only divide space.
  static let textColors = ["ink", "muted", "link", "good", "bad"]
  static let markColors = ["granted", "denied", "skipped", "dropped", "restricted", "neutral"]
  static let backgrounds = ["paper", "panel"]

  /// Declarations of CSS variables.
  var css: String { colors.map { "--\($0.name):\($0.value)" }.joined(separator: ";") }
}
