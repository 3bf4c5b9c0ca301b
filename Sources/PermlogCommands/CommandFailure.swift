// The failure of a command: a sentence and an exit status.

import Permlog

/// A failure with its exit status: 1 failure, 2 the data is at fault, 3 a condition like --max-age was met, 64 usage.
struct CommandFailure: Error {
  var status: Int32
  var message: String

  init(status: Int32, message: String) { (self.status, self.message) = (status, LongNames.cut(message)) }

  static func failed(_ message: String) -> CommandFailure { CommandFailure(status: 1, message: message) }
  static func badData(_ message: String) -> CommandFailure { CommandFailure(status: 2, message: message) }
  static func holds(_ message: String) -> CommandFailure { CommandFailure(status: 3, message: message) }
  static func usage(_ message: String) -> CommandFailure { CommandFailure(status: 64, message: message) }

  /// Runs a command's work, and gives every error its exit status and its words for the command line.
  static func wrap<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as PermlogError {
      // The command's own closure threw this error; the library passed it on unchanged.
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

  /// The sentence for the command line. It begins with the option that is wrong.
  var commandText: String { (argument?.commandText ?? "") + explanation.commandText }
}

extension PermlogError.Argument {
  var option: String { CommandWords.option(rawValue) }

  /// The option, up to the sentence about its value. A sentence about a file begins with the file's path.
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

extension ErrorExplanation {
  var commandText: String { text(saying: ToolWords.text) }
}
