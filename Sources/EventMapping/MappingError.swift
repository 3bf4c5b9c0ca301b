// Why a mapping file cannot be used: a sentence with its place.

import PermissionEvents

/// A mapping that cannot be read or understood.
package struct MappingError: Error, Equatable {
  package var explanation: Explanation

  package init(_ finding: String, _ remedy: Remedy? = nil) { explanation = Explanation(finding, remedy) }

  init(_ name: String, line: Int, _ text: String, _ remedy: Remedy? = nil) {
    self.init("\(name), line \(line): \(text)", remedy)
  }

  /// One sentence with file, line and remedy.
  package var message: String { explanation.text }
}
