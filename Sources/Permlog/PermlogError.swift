// What goes wrong, as one type for all of the module: a code to decide by, a sentence for a person, and what was beneath.

/// An error of the library: what it is, a sentence that says what, where and what to do, and what caused it.
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
  /// What kind of failure it is.
  public enum Code: String, Sendable, CaseIterable {
    /// The request contradicts itself, or asks for what cannot be.
    case usage
    /// There is no log, or no file, of the name given.
    case notFound
    /// Bytes of a log or of an export are not what was written.
    case damaged
    /// The log was written by a newer version.
    case newerFormat
    /// Another process writes to the log.
    case busy
    /// A key that the log needs was not given, or another one was.
    case key
    /// The data are read, and are none that can be used: an unknown form, a heading without a column.
    case dataRefused
    /// More than the format or the machine can hold.
    case limit
    /// The system refused: disk full, no permission.
    case inputOutput
    /// A closure of the caller threw; `cause` is what it threw.
    case stopped
  }

  /// A part of a request: what an error is about, and the name of each field. The raw value is the name in addresses and in Python; with `-` for
  /// `_` it is the command's option.
  public enum Argument: String, Sendable, CaseIterable {
    // How far and from where a question looks.
    case timeZone = "time_zone"
    case asOf = "as_of"
    case atOnce = "at_once"
    case responseWindow = "response_window"
    case followUp = "follow_up"
    case logStart = "log_start"
    // Which journeys it is about.
    case week, from, to, permission, experiment, steps
    case conditions = "where"
    case properties = "by"
    case valueLimit = "by_limit"
    // How messages are compared, and an experiment is planned.
    case messages, variants, metric, split, contaminated, adjust, rule, looks, plan, baseline, traffic, effect, users,
      days, power
    case comparedProperty = "property"
    case minimumEffect = "minimum_effect"
    case guardrails = "guardrail"
    case plannedUsers = "planned_n"
    // What an audit reports.
    case examples
    case thresholds = "threshold"
    case infoPlist = "info_plist"
    // Files, keys and how rows are read.
    case format, mapping, mappings, rejects, before, start, now, save, scratch, output, question
    case projectTimeZone = "project_time_zone"
    case inputTimeZone = "input_time_zone"
    case userKey = "hash_users"
    case erasureKey = "key"
    case newErasureKey = "move_key"
    case sums = "from_sums"
  }

  /// What kind of failure it is.
  public var code: Code
  /// The sentence in its pieces, for callers that have words of their own for the way out.
  public var explanation: ErrorExplanation
  /// What is at fault in the request; nil if that is not known or not the point.
  public var argument: Argument?
  /// What was beneath: a `SystemError`, or what a closure threw.
  public var cause: (any Error)?

  /// - Parameters:
  ///   - code: what kind of failure it is.
  ///   - finding: what is wrong and where.
  ///   - remedy: the way out, if it lies with the caller.
  ///   - argument: what is at fault in the request.
  ///   - cause: what was beneath.
  public init(
    _ code: Code, _ finding: String, _ remedy: Remedy? = nil, argument: Argument? = nil, cause: (any Error)? = nil
  ) {
    self.code = code
    explanation = ErrorExplanation(finding, remedy)
    self.argument = argument
    self.cause = cause
  }

  /// The sentence: what, where, and what to do.
  public var message: String { explanation.text }
  /// The way out, if it lies with the caller.
  public var remedy: Remedy? { explanation.remedy }
  public var description: String { message }
}

extension PermlogError {
  /// Does something, and says of its errors what part of the request they are about.
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
  /// What was tried: `open`, `write`.
  public var operation: String
  public var path: String
  /// The system's number for the error, `errno`.
  public var number: Int32

  public init(operation: String, path: String, number: Int32) {
    self.operation = operation
    self.path = path
    self.number = number
  }

  /// The system's words.
  public var reason: String { systemText(number) }
  public var description: String { "cannot \(operation) \(path): \(reason)" }
}
