// Codes for the way out of an error, or for the next step. A library cannot know whether its caller has a command line,
// a button or a parameter, so the code that shows the error or the document words it.

/// The next step for the caller. `advice` words it for a Swift developer; the command line has its own words for
/// each.
public enum Remedy: Sendable, Hashable {
  // Of a log.
  /// There is no log: ingest into it, or name another directory.
  case makeLog(path: String)
  /// The directory holds other things: name an empty or a new one.
  case nameEmptyDirectory
  /// The log holds no events: ingest some.
  case fillLog
  /// The log is damaged: restore it from a copy, or export the undamaged events.
  case restoreOrSalvage
  /// Files that no log names are left: anything that writes removes them, compacting too.
  case compact
  /// The program contradicts itself: verify the log, and report it.
  case verifyAndReport
  /// The key of the list of erased users is to be given.
  case giveErasureKey
  /// Another key was given than that of the list of erased users.
  case giveRightErasureKey
  /// The list of erased users has its key inside: leave the other one out, or move the list's own out of the log.
  case moveErasureKey
  /// A log keeps the key elsewhere from its first erasure on, if that is given one.
  case eraseWithKey
  /// A key is to be written to a file that is not there yet.
  case nameNewKeyFile
  /// Users are hashed: give the same key, or mix users on purpose.
  case giveUserKey
  /// Users are not hashed: give no key, or mix users on purpose.
  case giveNoUserKey
  /// Users are hashed, and are erased with the same key.
  case eraseWithUserKey
  /// Users are not hashed, and are erased without a key.
  case eraseWithoutUserKey
  /// The key may be another than that of the log's pseudonyms: it can be accepted on purpose.
  case confirmUserKey
  /// Users that are not hashed under a recorded key get none: an ingest with the key records it.
  case rekeyHashedLog
  /// All keys of the log, in their order, before the new one.
  case giveKeysToRekey
  /// Event ids have to be hashed first.
  case hashEventIDsFirst
  /// Less at once: fewer threads.
  case useFewerThreads
  /// Another process writes: try again when it is done.
  case tryLater
  /// A user has more events than a person can have: an id that many installs share. Each gets its own, or that id is erased.
  case divideSharedUser
  /// Ids are linked that should not be: read the files without links.
  case leaveLinksOut
  /// Rows have no id of their own, so the stored events that they replace are unknown: read all files into a new log.
  case ingestIntoNewLog
  /// Events of the log were read differently: ingest the files again with replacing.
  case replaceEvents

  // Of an import.
  /// The format is not known: a mapping describes it, and one can be drafted from the file.
  case draftMapping(path: String)
  /// Another format was requested: let the content decide.
  case tellFormByContent
  /// A canonical format was requested, but mappings were given: leave out one of the two.
  case leaveOutMappings
  /// A Zstandard file with a large window is unpacked by a program that is given the window.
  case unpackLargeWindow(path: String)
  /// The last line of a file is cut off: the lines before it are kept if files may be kept in part.
  case keepPartialFiles
  /// A file of columns (Parquet, Feather) is read by the Python package, which hands it on as an Arrow stream.
  case readWithPython(path: String)
  /// An example of a mapping.
  case showPreset
  /// Permissions outside the taxonomy can be allowed.
  case allowCustomPermissions
  /// A line is refused for its permission, and is kept if such are allowed.
  case keepCustomPermission
  /// A line is refused for its time, and is kept if times to come are allowed.
  case keepFutureTime
  /// A line is refused because its time names no zone: name the zone of such times.
  case nameInputZone
  /// The files do not have the name of their event: give it with the import.
  case nameEvent
  /// The rows do not have their moment: give it with the import.
  case nameMoment

  // In a mapping that is drafted or shown.
  /// How a draft is tried.
  case tryMapping
  /// How the account is chosen as the user.
  case preferAccount
  /// The project's zone is named with the import.
  case nameProjectZone

  // Of a question.
  /// Several permissions fit: name one of these.
  case choosePermission([String])
  /// The log has no rate to start from: name one.
  case nameBaselineRate

  /// The answer has too many rows: a shorter interval, one permission, or another property.
  case askForLess
  /// There are too many flows: request a shorter interval.
  case askForShorterInterval

  // In a report, a comparison or a plan.
  /// A command that fills an empty log; may be empty.
  case exampleIngest
  /// The interval has no exposures: a sentence.
  case widenInterval
  /// Ask with fewer conditions on exposures.
  case widenConditions
  /// The command that lists the kinds of events of a log.
  case listKinds
  /// How a later moment to look from is named.
  case lookFromLater
  /// Only JSON holds the rest of a table.
  case readJSON
  /// CSV holds the rows that have no room.
  case readCSV
  /// How more of a report is shown: all of it, or sections by these names (none: where they are listed).
  case seeMore(sections: [String])
  /// How more of the flows is shown: all of them, drawn, and a flow that the app means.
  case seeMoreOfFlows
  /// How more of a comparison is shown.
  case seeMoreOfComparison
  /// How the division of the users is declared.
  case declareSplit(String)
  /// How the deviation of the effects of tests is given.
  case effectDeviation
  /// How an audit also shows the checks that found nothing.
  case listAllChecks
  /// How an audit is given what the app declares.
  case giveInfoPlist
  /// The name of the planned number of users.
  case plannedUsers
  /// The name of the smallest effect that matters.
  case smallestEffect
  /// Compare only users who answered, by the message of the answer.
  case compareAnswers
  /// Compare the messages of Settings prompts.
  case compareSettingsMessages
  /// How a list of experiments compares all of them.
  case compareAllExperiments
  /// Choose one experiment.
  case chooseExperiment
  /// The name of the split of the users.
  case split
  /// The arguments of a comparison for a plan: users of two messages together, and declared looks.
  case compareAsPlanned(users: Int, looks: Int?)
  /// How a comparison is given a plan that was saved to a file: the messages, the control first.
  case compareWithPlan(path: String, variants: [String])
  /// How a plan is saved.
  case savePlan

  /// What to do, with the punctuation that joins it to the previous sentence; empty if that sentence is enough.
  public var advice: String {
    switch self {
    case .makeLog: ". Ingest a file to make one, or name another directory."
    case .nameEmptyDirectory: ". Name an empty or a new directory."
    case .fillLog: ". Ingest a file first."
    case .restoreOrSalvage: ". The log is damaged: restore it from a copy, or export the undamaged events."
    case .compact: " The next writer removes them; compacting the log is enough."
    case .verifyAndReport: ". Verify the log and report this."
    case .giveErasureKey: ". Give that key."
    case .giveRightErasureKey: ". Give the key that was made when users were first erased, or that was moved out."
    case .moveErasureKey: ". Leave it out, or move the log's own key out first."
    case .eraseWithKey: ". Give a key with the first erasure: it is then never in the log."
    case .nameNewKeyFile: ". Name a new file."
    case .giveUserKey:
      ". Nothing was stored. Give the same key (of a log that was rekeyed all keys, the oldest first), or allow mixed "
        + "users: the same person may then count twice, and erased users reappear."
    case .giveNoUserKey:
      ". Nothing was stored. Give no key, or allow mixed users: the same person may then count twice, and erased "
        + "users reappear."
    case .eraseWithUserKey: ". Nothing was changed. Give the key with which the log was filled."
    case .eraseWithoutUserKey: ". Nothing was changed. Give no key."
    case .confirmUserKey: ". Nothing was stored. If the key is that of the log, allow mixed users."
    case .rekeyHashedLog: ". Nothing was changed. An ingest with the key records it."
    case .giveKeysToRekey: ". Nothing was changed. Give all keys of the log, the oldest first, and then the new one."
    case .hashEventIDsFirst: ". Nothing was changed. Hash them first, with the same key."
    case .useFewerThreads: ". Try again with fewer threads."
    case .tryLater: ". Try again when the other writer is done."
    case .leaveLinksOut: ". Ingest without links"
    case .replaceEvents: ". If the new reading is right, ingest with replacing"
    case .ingestIntoNewLog: ". Ingest all files of that source into a new log"
    case .divideSharedUser:
      ". An id that many installs share is not a user: give each install its own, or erase the shared id. Most lines "
        + "of an export have it."
    case .draftMapping: " To go on: describe it in a mapping; a first one can be drafted from the file."
    case .tellFormByContent: "; let permlog recognise the format by the content"
    case .keepPartialFiles: ". To keep the lines before it, allow files that are kept in part."
    case .unpackLargeWindow: ". Unpack it with the window size with which it was packed, and read the result."
    case .leaveOutMappings: ", which need no mapping; leave one of the two out"
    case .readWithPython: "; pass it as an Arrow stream, as the Python package does, or as JSON lines or CSV"
    case .showPreset: "; the presets are examples"
    case .allowCustomPermissions: ", or allow custom permissions"
    case .keepCustomPermission: " (allow custom permissions to keep it)"
    case .keepFutureTime: " (allow future times to keep it)"
    case .nameInputZone, .tryMapping: ""
    case .nameEvent: ". Name it with the import."
    case .nameMoment: ". Give it with the import."
    case .preferAccount: "; for users by their account"
    case .nameProjectZone: " with the import"
    case .choosePermission(let names): ": choose one of \(LongNames.list(names))"
    case .nameBaselineRate: ". Name a rate to start from."
    case .askForShorterInterval: ". Ask for a shorter interval."
    case .askForLess: ". Ask for a shorter interval, for one permission, or by another property."
    case .compareAnswers: ", or compare only those who answered"
    case .compareSettingsMessages: ", or compare Settings messages"
    case .compareAllExperiments: ", or ask for all"
    case .exampleIngest, .lookFromLater, .smallestEffect, .chooseExperiment, .split: ""
    case .widenConditions: "Ask with fewer conditions."
    case .widenInterval: "Ask for a longer interval, or for all exposures."
    case .listKinds: "."
    case .readJSON: "; JSON has them."
    case .readCSV: "; CSV has them."
    case .seeMore, .seeMoreOfFlows, .seeMoreOfComparison: ""
    case .declareSplit(let split): " (the split \(split))"
    case .effectDeviation: ", or their standard deviation"
    case .listAllChecks: "."
    case .giveInfoPlist: "; name its file to have it checked."
    case .plannedUsers: " (the planned users)"
    case .compareAsPlanned(let users, let looks):
      "\(users) planned users" + (looks.map { " and \($0) look\($0 == 1 ? "" : "s")" } ?? ", always valid,")
    case .compareWithPlan(let path, let variants):
      "the plan \(path) and the messages \(variants.joined(separator: ", "))"
    case .savePlan: "save the plan"
    }
  }
}

/// The words for a remedy, with the punctuation that joins them to the previous sentence.
public typealias RemedyWords = @Sendable (Remedy) -> String

/// The sentence of an error: the finding and where it is, what to do about it, and an addition.
public struct ErrorExplanation: Sendable, Hashable {
  /// The result of an import that meets the error.
  public struct Outcome: Sendable, Hashable {
    /// Whether everything before the error is kept. Otherwise nothing of the import is stored.
    public var isKeptInPart = false
    /// Whether nothing of this file is stored, but all others are.
    public var isLeftOut = false
    /// What to do; empty if the remedy says it.
    public var mending: String

    public init(mending: String) { self.mending = mending }

    var text: String {
      if isLeftOut { return "; it was left out" + (mending.isEmpty ? "" : ", so " + mending) }
      return isKeptInPart
        ? "; everything before it was kept" + (mending.isEmpty ? "" : "; " + mending)
        : "; nothing was stored" + (mending.isEmpty ? "" : ", so " + mending)
    }
  }

  /// What is wrong and where. If the caller cannot add anything, also what to do.
  public var finding: String
  /// The result of the import, if an input cannot be read to its end.
  public var outcome: Outcome?
  /// The way out, if it is up to the caller.
  public var remedy: Remedy?
  /// The text after the remedy, with the punctuation that joins it.
  public var addition: String

  public init(_ finding: String, _ remedy: Remedy? = nil, addition: String = "") {
    self.finding = finding
    self.remedy = remedy
    self.addition = addition
  }

  /// The whole sentence, in the words of the library.
  public var text: String { text { $0.advice } }

  /// The whole sentence, with the remedy in other words.
  public func text(saying words: (Remedy) -> String) -> String {
    LongNames.cut(finding + (outcome?.text ?? "") + (remedy.map(words) ?? "") + addition)
  }
}
