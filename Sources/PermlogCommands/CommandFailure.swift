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
  /// The option, up to what is said of its value. A file's sentence begins with its path.
  fileprivate var commandText: String {
    switch self {
    case .timeZone: "--time-zone: "
    case .valueLimit: "--by-limit: "
    case .steps: "--steps: "
    case .thresholds: "--threshold: "
    case .examples: "--examples: "
    case .projectTimeZone: "--project-time-zone: "
    case .inputTimeZone: "--input-time-zone: "
    case .mappings: "--mapping: "
    case .format: "--format "
    case .mapping: "--mapping "
    case .userKey: "--hash-users "
    case .erasureKey: "--key "
    case .newErasureKey: "--move-key "
    case .rejects: "--rejects "
    case .before: "--before: "
    case .variants: ""
    case .permission: "--permission: "
    case .experiment: "--experiment: "
    case .metric: "--metric: "
    case .responseWindow: "--response-window: "
    case .atOnce: "--at-once: "
    case .followUp: "--follow-up: "
    case .split: "--split: "
    case .adjust: "--adjust: "
    case .contaminated: "--contaminated: "
    case .minimumEffect: "--minimum-effect: "
    case .guardrails: "--guardrail: "
    case .plannedUsers: "--planned-n: "
    case .rule: "--rule: "
    case .plan: "--plan "
    case .save: "--save "
    case .conditions: "--where: "
    case .properties: "--by: "
    case .infoPlist: "--info-plist "
    case .scratch: "--scratch "
    case .output: "--output "
    case .asOf: "--as-of: "
    case .from: "--from: "
    case .to: "--to: "
    case .logStart: "--log-start: "
    case .comparedProperty: "--property: "
    case .question: "--question "
    case .sums: "--from-sums "
    }
  }
}
