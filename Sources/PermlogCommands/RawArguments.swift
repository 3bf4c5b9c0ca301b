// Arguments as the system gave them. Swift repairs those that are not UTF-8, and a file of the repaired name does not exist.

import Permlog
import PermissionEvents

/// From repaired arguments back to the bytes that were given.
enum RawArguments {
  /// Those of this process that are not UTF-8, in their order.
  private static let given: [FilePath] = {
    let arguments = CommandLine.unsafeArgv
    return (0..<Int(CommandLine.argc)).compactMap { arguments[$0] }.map { FilePath($0) }
      .filter { String(validating: $0.bytes, as: UTF8.self) == nil }
  }()

  /// The paths of a list of arguments: repaired ones of the same text stand for different bytes, in the same order.
  static func paths(_ arguments: [String]) -> [FilePath] { paths(arguments, given: given) }

  static func path(_ argument: String) -> FilePath { paths([argument])[0] }

  static func paths(_ arguments: [String], given: [FilePath]) -> [FilePath] {
    var left = given
    return arguments.map { argument in
      guard let index = left.firstIndex(where: { String(decoding: $0.bytes, as: UTF8.self) == argument }) else {
        return FilePath(argument)
      }
      return left.remove(at: index)
    }
  }
}
