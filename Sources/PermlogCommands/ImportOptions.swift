// How exports are read, and what happens to lines that cannot be read.

import ArgumentParser
import Permlog

extension ImportFormat: ExpressibleByArgument {
  /// In the help; a shell completes all of them.
  public static var allValueStrings: [String] {
    ["auto", "ndjson", "csv", "arrow", "a preset of `permlog mapping show`"]
  }

  public static var defaultCompletionKind: CompletionKind { .list(allCases.map(\.rawValue)) }
}
extension ReadingOptions.Identity: ExpressibleByArgument {}

extension Moment: ExpressibleByArgument {
  /// A date, or a time with its zone.
  public init?(argument: String) {
    let text = Array(argument.utf8)
    if let date = CivilDate(parsing: argument) {
      self = .startOf(date)
    } else if let time = text.withUnsafeBytes({ Timestamp.parse(rfc3339: $0) }) {
      self = .time(time)
    } else {
      return nil
    }
  }
}

struct ImportFormOptions: ParsableArguments {
  @Option(help: "Format of the files; auto detects it from the content.")
  var format: ImportFormat = .auto

  @Option("A mapping of your own (YAML); may be given several times.", value: "file")
  var mapping: [String] = []

  @Option(help: "What counts as one user of a vendor's export: the install (device) or the account.")
  var identity: ReadingOptions.Identity = .device

  @Option(
    "Time zone of the project, for exports in its local time (Mixpanel projects from before 2023).",
    value: "zone")
  var projectTimeZone: String?

  @Option("Time zone for times without one, like Europe/Berlin; by default such lines are rejected.", value: "zone")
  var inputTimeZone: String?

  @Option("Name of the event, for files that do not have it (CleverTap's pages, each of one event).", value: "name")
  var eventName: String?

  @Option(
    "The moment of files in which each row is a user at one time, like 2026-03-01 or 2026-03-01T06:00:00Z.",
    value: "time")
  var snapshotTime: Moment?

  @Option(
    "Read assignments to this experiment from a property of any row (push_copy, $feature/push_copy, [Experiment] push_copy). Repeatable.",
    value: "flag")
  var experiment: [String] = []

  @Option(
    "Read the state of a permission from a property of any row, like notifications=push_enabled. Repeatable.",
    value: "state")
  var state: [String] = []

  @Flag(
    help: "Do not join ids that the files say are one install (PostHog: $identify, $create_alias; a mapping's link).")
  var noJoin = false

  @Flag(name: .customLong("keep-ids"), help: "Keep spaces at the ends of ids; by default they are cut.")
  var keepIDs = false

  @Flag(help: "Keep permissions outside the taxonomy under their own names.")
  var allowCustomPermissions = false

  @Flag(help: "Accept timestamps up to the year 2100; by default, up to 25 hours from now.")
  var allowFuture = false

  @Flag(help: "Keep the readable part of a damaged file; by default nothing is stored.")
  var keepPartial = false

  func options() throws -> IngestOptions {
    var options = IngestOptions()
    options.format = format
    options.mappings = mapping.map { .file($0) }
    options.identity = identity
    options.projectTimeZone = projectTimeZone
    options.inputTimeZone = inputTimeZone
    options.eventName = eventName
    options.snapshotTime = snapshotTime
    options.keepsBlanksOfIDs = keepIDs
    options.joinsLinkedIDs = !noJoin
    options.experiments = experiment
    options.states = try state.map { text in
      guard let state = PermissionState(text) else {
        throw CommandFailure.usage(
          "--state \(text): write a permission and its property, like notifications=push_enabled")
      }
      return state
    }
    options.allowsCustomPermissions = allowCustomPermissions
    options.allowsFutureTimes = allowFuture
    options.keepsPartialFiles = keepPartial
    options.words = ToolWords.text
    return options
  }
}

struct RejectedLineOptions: ParsableArguments {
  @Option(
    "Write each rejected line with its reason to this file (NDJSON). With --hash-users, the text of the line is left out.",
    value: "file")
  var rejects: String?

  @Option(
    "Largest size of the --rejects file: a whole number with kB, MB or GB. Further lines are only counted.",
    value: "size")
  var rejectsLimit = ByteSize(bytes: 1_000_000_000)

  func apply(to options: inout IngestOptions) {
    options.rejectsFile = rejects
    options.rejectsLimit = rejectsLimit.bytes
  }
}
