// What a document may tell its reader to do next, as a code. A library cannot know whether its caller offers an option of a
// command line, a button or a parameter, so that whoever asks for the document says it.

/// A way on that lies with whoever asked for a document. `advice` says it without naming a program.
public enum Hint: Sendable, Hashable {
  /// A command that fills an empty log; empty if there is none to show.
  case fillLog
  /// The interval that was asked for has no exposures: a sentence.
  case widenInterval
  /// What tells which events a log holds, with the sign that joins it to the sentence before.
  case listKinds
  /// Nothing is decided yet at the moment that a report looks from: how another is named, after a space.
  case lookFromLater
  /// Only JSON holds the rest of a table.
  case readJSON
  /// How the planned number of users is called, after a space.
  case plannedUsers
  /// What a comparison is to be told of a plan.
  /// - Parameters:
  ///   - users: of two messages together.
  ///   - looks: how many are declared, if any.
  case compareAsPlanned(users: Int, looks: Int?)

  /// What to do, in the words of the library.
  public var advice: String {
    switch self {
    case .fillLog, .lookFromLater: ""
    case .widenInterval: "Ask for a longer interval, or for all exposures."
    case .listKinds: "."
    case .readJSON: "; JSON has them."
    case .plannedUsers: " (the planned users)"
    case .compareAsPlanned(let users, let looks):
      "\(users) planned users" + (looks.map { " and \(counted($0, "look", "looks"))" } ?? "")
    }
  }
}

extension Hint {
  /// The words of the library.
  public static let neutral: HintWords = { $0.advice }
}

/// The words for a hint, in the form that its case asks for.
public typealias HintWords = @Sendable (Hint) -> String
