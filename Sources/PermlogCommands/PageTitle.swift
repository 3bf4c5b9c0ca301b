// The title that a page may be given.

enum PageTitle {
  private static let longest = 200

  /// Throws for a title that is none, or that goes with another format.
  static func check(_ title: String?, _ format: String) throws {
    guard let title else { return }
    if title.allSatisfy(\.isWhitespace) || title.count > longest {
      throw CommandFailure.usage("--title takes a text of 1 to \(longest) characters")
    }
    guard format == "html" || format == "markdown" else {
      throw CommandFailure.usage("--title is for the formats html and markdown")
    }
  }
}
