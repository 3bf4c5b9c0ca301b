// How a decision looks on a page: each has a colour and a sign of its own, told apart in grey too.

import PermissionAnalysis

/// Raw values are classes of the style sheet.
package enum VerdictKind: String, Sendable, CaseIterable {
  case winner, same, running, early, review, invalid, differs, unclear

  init(_ decision: Comparison.Decision) {
    switch decision {
    case .aWins, .bWins: self = .winner
    case .noDifference: self = .same
    case .keepRunning: self = .running
    case .tooEarly: self = .early
    case .review: self = .review
    case .invalid: self = .invalid
    case .differs: self = .differs
    case .notClear: self = .unclear
    }
  }

  /// The sign in a square of 24, in the colour of the text. The words beside it say the same.
  func draw(on page: inout Markup) {
    switch self {
    case .winner:
      page.empty("circle", ["cx": "12", "cy": "12", "r": "11", "class": "fill"])
      page.path("M6.5 12.5L10.5 16.5L17.5 8", "cut")
    case .same:
      page.empty("circle", ["cx": "12", "cy": "12", "r": "10", "class": "line"])
      page.path("M7 9.5L17 9.5M7 14.5L17 14.5", "line")
    case .running:
      page.empty("circle", ["cx": "12", "cy": "12", "r": "10", "class": "line"])
      page.path("M9.5 7.5L17 12L9.5 16.5Z", "fill")
    case .early:
      page.path("M5 2L19 2L12 12L19 22L5 22L12 12Z", "line")
      page.path("M12 14L17 21L7 21Z", "fill")
    case .review:
      page.path("M12 1.5L23 21.5L1 21.5Z", "fill")
      page.path("M12 8.5L12 14.5M12 17L12 18.8", "cut")
    case .invalid:
      page.path("M7.5 1L16.5 1L23 7.5L23 16.5L16.5 23L7.5 23L1 16.5L1 7.5Z", "fill")
      page.path("M8 8L16 16M16 8L8 16", "cut")
    case .differs:
      page.empty("circle", ["cx": "12", "cy": "12", "r": "10", "class": "line"])
      page.path("M7 9.5L17 9.5M7 14.5L17 14.5M15 6L9 18", "line")
    case .unclear:
      page.empty("circle", ["cx": "12", "cy": "12", "r": "10", "class": "line"])
      page.path("M6 12L8 12M11 12L13 12M16 12L18 12", "line")
    }
  }
}
