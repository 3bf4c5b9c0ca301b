// A mapping of the user's own: where it comes from, and reading it.

import EventImport
import EventMapping

/// A description of exports in YAML (docs/mapping.md).
public enum MappingSource: Sendable {
  /// A file's path.
  case file(String)
  /// The text itself, and a name for messages.
  case yaml([UInt8], name: String)

  /// The file, for messages.
  var name: String {
    switch self {
    case .file(let path): path
    case .yaml(_, let name): name
    }
  }

  func mapping() throws -> Mapping {
    switch self {
    case .yaml(let text, let name): return try Mapping(yaml: text, name: name)
    case .file(let path):
      guard let text = try SmallFile.read(path, limit: 1 << 20, argument: .mapping) else {
        throw PermlogError(.usage, "\(path): it is larger than 1 MiB, which no mapping is", argument: .mapping)
      }
      return try Mapping(yaml: text, name: path)
    }
  }
}
