// Errors of the module as one type: a code to decide by, a sentence for a person, and the underlying error.

import EventImport
import EventLog
import EventMapping
import Folding
import PermissionAnalysis
import Statistics
import SystemCalls

/// An error of the library: a code, a sentence with the problem, its location and the remedy, and the cause.
///
/// For example:
///
/// ```swift
/// do {
///   try PermissionLog(path).compact()
/// } catch {
///   if error.code == .busy { print("Another process writes; later, then.") }
/// }
/// ```
public struct PermlogError: Error, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable, CaseIterable {
    /// The request contradicts itself, or is not possible.
    case usage
    /// The log or the file does not exist.
    case notFound
    /// The bytes of a log or of an export are damaged.
    case damaged
    /// The log was written by a newer version.
    case newerFormat
    /// Another process writes to the log.
    case busy
    /// A key that the log needs is missing or wrong.
    case key
    /// The data were read but cannot be used: an unknown form, a heading without a column.
    case dataRefused
    /// There is more than the format or the machine can hold.
    case limit
    /// The system refused: disk full, no permission.
    case inputOutput
    /// The caller's closure threw; `cause` is its error.
    case stopped
  }

  /// A part of a request: the subject of an error, and the name of each field. The raw value is the name in addresses
  /// and in Python; with `-` for `_` it is the command's option. A field of only one question declares its name in its
  /// own file.
  public struct Argument: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ name: String) { rawValue = name }

    // The moment to look from, and the windows.
    public static let timeZone = Argument("time_zone"), asOf = Argument("as_of"), atOnce = Argument("at_once")
    public static let responseWindow = Argument("response_window"), followUp = Argument("follow_up")
    public static let logStart = Argument("log_start")

    // The journeys of the question.
    public static let week = Argument("week"), weekStart = Argument("week_start"), from = Argument("from"),
      to = Argument("to")
    public static let permission = Argument("permission"), experiment = Argument("experiment")
    public static let steps = Argument("steps"), conditions = Argument("where"), properties = Argument("by")

    // How messages are compared, and an experiment is planned.
    public static let messages = Argument("messages"), variants = Argument("variants"), metric = Argument("metric")
    public static let split = Argument("split"), contaminated = Argument("contaminated"), adjust = Argument("adjust")
    public static let rule = Argument("rule"), looks = Argument("looks"), plan = Argument("plan")
    public static let baseline = Argument("baseline"), traffic = Argument("traffic"), effect = Argument("effect")
    public static let effectDeviation = Argument("effect_sd")
    public static let importList = Argument("import_list"), receipt = Argument("receipt"), keep = Argument("keep"),
      linkFile = Argument("link_file")
    public static let users = Argument("users"), days = Argument("days"), power = Argument("power")
    public static let messageSource = Argument("variant_from"), screen = Argument("screen")
    public static let comparedProperty = Argument("property"), minimumEffect = Argument("minimum_effect")
    public static let guardrails = Argument("guardrail"), plannedUsers = Argument("planned_n")

    // The findings of an audit.
    public static let examples = Argument("examples"), thresholds = Argument("threshold")
    public static let infoPlist = Argument("info_plist"), only = Argument("only")
    public static let sourceCode = Argument("source")

    // Files, keys and the reading of rows.
    public static let format = Argument("format"), mapping = Argument("mapping"), mappings = Argument("mappings")
    public static let states = Argument("state")
    public static let rejects = Argument("rejects"), before = Argument("before"), start = Argument("start")
    public static let now = Argument("now"), save = Argument("save"), scratch = Argument("scratch")
    public static let output = Argument("output"), question = Argument("question")
    public static let eventName = Argument("event_name")
    public static let projectTimeZone = Argument("project_time_zone"), inputTimeZone = Argument("input_time_zone")
    public static let userKey = Argument("hash_users"), erasureKey = Argument("key")
    public static let newErasureKey = Argument("move_key"), sums = Argument("from_sums")
  }

  public var code: Code
  /// The sentence in its pieces, for callers with their own words for the remedy.
  public var explanation: ErrorExplanation
  /// The part of the request that is wrong; nil if it is not known or does not matter.
  public var argument: Argument?
  /// The underlying error: a `SystemError`, or the error of a closure.
  public var cause: (any Error)?

  /// - Parameter finding: the problem and its location.
  public init(
    _ code: Code, _ finding: String, _ remedy: Remedy? = nil, argument: Argument? = nil, cause: (any Error)? = nil
  ) {
    self.code = code
    explanation = ErrorExplanation(finding, remedy)
    self.argument = argument
    self.cause = cause
  }

  /// A request that contradicts itself, for callers with rules of their own.
  public static func usage(_ finding: String, _ argument: Argument? = nil) -> PermlogError {
    PermlogError(.usage, finding, argument: argument)
  }

  /// The error of a file that could not be read; call it right after the failed call.
  static func unreadable(_ path: String, _ operation: String, _ argument: Argument? = nil) -> PermlogError {
    let error = SystemError(operation: operation, path: path, number: errno)
    return PermlogError(
      error.number == ENOENT ? .notFound : .inputOutput, "\(path): \(error.reason). Name a file that you may read.",
      argument: argument, cause: error)
  }

  /// The sentence: the problem, its location, and what to do.
  public var message: String { explanation.text }
  /// The remedy, if the caller has one.
  public var remedy: Remedy? { explanation.remedy }
  public var description: String { message }

  /// Does something, and adds to its errors which part of the request they are about.
  static func naming<Value>(
    _ argument: Argument, _ body: () throws(PermlogError) -> Value
  ) throws(PermlogError) -> Value {
    do { return try body() } catch {
      var named = error
      named.argument = argument
      throw named
    }
  }
}

/// A failed call of the operating system.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The failed operation: `open`, `write`.
  public var operation: String
  public var path: String
  /// The system's number for the error, `errno`.
  public var number: Int32

  public init(operation: String, path: String, number: Int32) {
    self.operation = operation
    self.path = path
    self.number = number
  }

  public var reason: String { systemText(number) }
  public var description: String { "cannot \(operation) \(path): \(reason)" }
}

// MARK: From the errors of other modules to those of the library

/// Does something, and gives every error of other modules its code.
func translating<Value>(_ body: () throws -> Value) throws(PermlogError) -> Value {
  do { return try body() } catch { throw PermlogError(error) }
}

extension PermlogError {
  init(_ error: any Error) {
    switch error {
    case let error as PermlogError: self = error
    case let error as LogError: self.init(error)
    case let error as FileError: self.init(.inputOutput, error.sentence, cause: SystemError(error))
    case let error as SystemError:
      self.init(FileError(operation: error.operation, path: error.path, errorNumber: error.number))
    case let error as ImportError: self.init(error)
    case let error as MappingError: self.init(.usage, error.explanation)
    case let error as SumsError: self.init(error)
    case let error as EvidenceError:
      self.init(.usage, "\(error.description); compare another metric", argument: .metric)
    case let error as AdjustmentError: self.init(.usage, error.description)
    // Counted events always fit the formulas; sums that were changed by hand may not.
    case let error as StatisticsError:
      self.init(.dataRefused, "no figure can be computed from these counts: \(error.sentence)", cause: error)
    default: self.init(.stopped, "stopped by the caller: \(error)", cause: error)
    }
  }

  private init(_ code: Code, _ explanation: ErrorExplanation, cause: (any Error)? = nil) {
    self.init(code, "", cause: cause)
    self.explanation = explanation
  }

  private init(_ error: LogError) {
    let code: Code =
      switch error.code {
      case .inputOutput: .inputOutput
      case .damaged: .damaged
      case .locked: .busy
      case .newerFormat: .newerFormat
      case .notFound: .notFound
      case .key: .key
      case .limit: .limit
      }
    self.init(code, error.explanation, cause: error.cause.map { SystemError($0) })
  }

  private init(_ error: SumsError) {
    let code: Code =
      switch error.code {
      case .damaged: .damaged
      case .newerFormat: .newerFormat
      case .otherFold, .otherQuestion, .otherJob: .usage
      // Only a file can have such counts: no walk counts so far.
      case .overflow: .dataRefused
      case .tooManyGroups: .limit
      }
    self.init(code, error.sentence, error.code == .tooManyGroups ? .askForLess : nil, cause: error)
  }

  init(_ error: ImportError) {
    let code: Code =
      switch error.code {
      case .notFound: .notFound
      case .unreadable: .inputOutput
      case .damaged: .damaged
      case .unknownFormat, .badHeader: .dataRefused
      case .usage: .usage
      case .resources: .limit
      }
    self.init(
      code, error.explanation,
      cause: error.errorNumber.map { SystemError(operation: "read", path: error.path, number: $0) })
  }
}

extension SystemError {
  init(_ error: FileError) {
    self.init(operation: error.operation, path: error.path, number: error.errorNumber)
  }
}

func systemText(_ number: Int32) -> String { String(cString: strerror(number)) }
