// From the errors of the modules beneath to those of the library.

import EventImport
import EventLog
import EventMapping
import Folding
import PermissionAnalysis

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Does something, and gives every error of the modules beneath its code.
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
      // No walk counts so far: a file says so.
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

/// The system's words for an error.
func systemText(_ number: Int32) -> String { String(cString: strerror(number)) }
