// Why a mapping file cannot be used: a sentence with its place.

/// A mapping that cannot be read or understood.
package struct MappingError: Error, Equatable {
  /// One sentence with file, line and remedy.
  package var message: String

  package init(_ message: String) { self.message = message }

  init(_ name: String, line: Int, _ text: String) { message = "\(name), line \(line): \(text)" }
}
