// The permissions that a mapping writes down itself: one that does not exist would have every event of its rule rejected.

import PermissionEvents

extension Mapping {
  /// Checks the permissions of all rules: constants, defaults and what values are translated to.
  /// - Parameter file: the file's name for messages.
  /// - Throws: with the line of the rule, where one is outside the taxonomy.
  package func requireKnownPermissions(file: String) throws(MappingError) {
    for rule in rules + otherwise {
      guard case .event(let kind) = rule.result, kind.needsPermission, let source = rule.permission else { continue }
      for text in source.values.values.sorted() + [source.otherwise].compactMap({ $0 })
      where PermissionWords.permission(value: text.utf8) == nil {
        throw MappingError(
          file, line: rule.line,
          "there is no permission \(text); take one of \(PermissionCode.taxonomy.joined(separator: ", "))",
          .allowCustomPermissions)
      }
    }
  }
}
