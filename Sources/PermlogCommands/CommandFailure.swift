// How a command fails: a sentence and an exit status.

import Permlog

/// A failure with its exit status: 1 it failed, 2 the data is at fault, 3 a condition that was asked for holds, 64 usage.
struct CommandFailure: Error {
  var status: Int32
  var message: String

  static func failed(_ message: String) -> CommandFailure { CommandFailure(status: 1, message: message) }
  static func badData(_ message: String) -> CommandFailure { CommandFailure(status: 2, message: message) }
  static func holds(_ message: String) -> CommandFailure { CommandFailure(status: 3, message: message) }
  static func usage(_ message: String) -> CommandFailure { CommandFailure(status: 64, message: message) }

  /// Runs a command's work and gives every error its status and the words of the command line.
  static func wrap<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as PermlogError {
      // What a closure of the command threw went through the library and is as it was.
      if error.code == .stopped, let own = error.cause as? CommandFailure { throw own }
      throw CommandFailure(status: error.exitStatus, message: error.commandText)
    }
  }
}

extension PermlogError {
  var exitStatus: Int32 {
    switch code {
    case .usage, .key: 64
    case .damaged, .dataRefused: 2
    case .notFound, .newerFormat, .busy, .limit, .inputOutput, .stopped: 1
    }
  }

  /// The sentence as a user of the command line reads it: begun with the option that is at fault.
  var commandText: String { (argument?.commandText ?? "") + explanation.commandText }
}

extension PermlogError.Argument {
  /// The option of a field.
  var option: String { FieldNames.option(rawValue) }

  /// The option, up to what is said of its value. A file's sentence begins with its path.
  fileprivate var commandText: String {
    switch self {
    case .messages: ""
    case .mappings: "--mapping: "
    case .format, .mapping, .userKey, .erasureKey, .newErasureKey, .rejects, .plan, .save, .infoPlist, .scratch,
      .output,
      .question, .sums:
      option + " "
    default: option + ": "
    }
  }
}
