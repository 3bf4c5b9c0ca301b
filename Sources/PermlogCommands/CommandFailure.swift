// How a command fails: a sentence and an exit status.

import EventImport
import EventLog
import EventMapping
import PermissionEvents

/// A failure with its exit status: 1 it failed, 2 the data is at fault, 64 usage.
struct CommandFailure: Error {
  var status: Int32
  var message: String

  static func failed(_ message: String) -> CommandFailure { CommandFailure(status: 1, message: message) }
  static func badData(_ message: String) -> CommandFailure { CommandFailure(status: 2, message: message) }
  static func usage(_ message: String) -> CommandFailure { CommandFailure(status: 64, message: message) }

  /// Runs a command's work and gives every error its status.
  static func wrap<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as LogError {
      throw CommandFailure(status: error.code == .damaged ? 2 : 1, message: error.explanation.commandText)
    } catch let error as FileError {
      throw CommandFailure.failed(error.sentence)
    } catch let error as ImportError {
      throw CommandFailure(status: error.exitStatus, message: error.explanation.commandText)
    } catch let error as MappingError {
      throw CommandFailure.usage(error.explanation.commandText)
    }
  }
}

extension ImportError {
  var exitStatus: Int32 {
    switch code {
    case .damaged, .unknownFormat, .badHeader: 2
    case .usage: 64
    case .notFound, .unreadable, .resources: 1
    }
  }
}
