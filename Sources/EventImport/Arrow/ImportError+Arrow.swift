// Why an Arrow stream is refused.

import PermissionEvents

extension ImportError {
  static func damagedArrow(_ name: String, _ cause: String) -> ImportError {
    ImportError(
      .damaged, name, "the Arrow stream is damaged or incomplete (\(cause))", mending: "write it again", cause: cause)
  }

  static func endlessArrow(_ name: String) -> ImportError {
    damagedArrow(name, "its end marker is missing: the program that writes it may have stopped early")
  }

  static func continuedArrow(_ name: String) -> ImportError {
    ImportError(
      .damaged, name, "bytes follow the end marker of the Arrow stream: perhaps two streams were joined",
      mending: "give one at a time", cause: "bytes follow the end marker")
  }

  static func compressedArrow(_ name: String) -> ImportError {
    ImportError(
      .unknownFormat, name,
      "the batches of the Arrow stream are compressed, which permlog does not read; write it without compression "
        + "(the whole file may be compressed)")
  }

  static func bigEndianArrow(_ name: String) -> ImportError {
    ImportError(
      .unknownFormat, name,
      "the Arrow stream is big-endian, which permlog does not read; write it "
        + "little-endian")
  }

  static func otherArrowVersion(_ name: String, _ version: Int) -> ImportError {
    ImportError(
      .unknownFormat, name,
      "the Arrow stream has metadata of version \(version); permlog reads versions 4 and 5, which every Arrow since "
        + "0.15 writes"
    )
  }

  static func largeArrowMessage(_ name: String) -> ImportError {
    ImportError(
      .unknownFormat, name,
      "a message of the Arrow stream has more than 16 MiB of metadata; leave out columns, or write the stream again"
    )
  }

  static func largeArrowBatch(_ name: String) -> ImportError {
    ImportError(
      .unknownFormat, name,
      "a batch of the Arrow stream has more than 1 GiB; write batches of fewer rows, such as 65,536")
  }

  static func unreadArrowType(_ name: String, _ column: String, _ type: String) -> ImportError {
    ImportError(
      .unknownFormat, name,
      "the column \(UnknownForm.legible(column)) is of the type \(type), which permlog does not read; write it as "
        + "text (a nested value as JSON text), or leave it out")
  }

  /// A column that no row can have right: all its values have a type that says too little.
  static func unfitArrowColumn(_ name: String, _ column: String, _ fault: ArrowTable.Fault) -> ImportError {
    let column = "the column \(UnknownForm.legible(column))"
    return switch fault {
    case .noZone:
      ImportError(
        .badHeader, name, "\(column) has times without a zone; name the zone of these times", .nameInputZone)
    case .decimals:
      ImportError(
        .badHeader, name,
        "\(column) has decimal numbers where text is needed, and 18.1 may have been 18.10; read it as text, from where it comes"
      )
    case .notText(let type):
      ImportError(
        .badHeader, name, "\(column) has \(type) where text is needed; convert it to text")
    }
  }

  static func brokenColumnName(_ name: String, _ column: String) -> ImportError {
    ImportError(
      .badHeader, name,
      "the name of the column \(UnknownForm.legible(column)) has a line break in it; rename the column")
  }

  /// - Parameters:
  ///   - columns: their names, if they may be shown.
  ///   - missing: columns of the canonical form that the table does not have.
  static func unknownArrow(_ name: String, _ columns: [String], missing: [String]) -> ImportError {
    let list = columns.lazy.map(UnknownForm.legible).listed(upTo: 12)
    let names = columns.isEmpty ? "" : "Its columns: \(list). "
    return ImportError(
      .unknownFormat, name,
      "its format is not known. \(names)Canonical tables have user_id, timestamp and event; "
        + "\(Self.list(missing)) \(missing.count == 1 ? "is" : "are") missing. Rename the columns, or give a mapping")
  }

  /// `user_id`, `user_id and event`, `user_id, timestamp and event`.
  private static func list(_ names: [String]) -> String {
    names.count < 2
      ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
  }

  static func isArrow(_ name: String, _ format: String) -> ImportError {
    ImportError(.unknownFormat, name, "is an Arrow stream, not \(format)", .tellFormByContent)
  }

  static func notArrow(_ name: String) -> ImportError {
    ImportError(
      .unknownFormat, name, "does not begin like an Arrow stream (Apache Arrow's IPC streaming format)",
      .tellFormByContent)
  }

  static func arrowToDraft(_ path: String) -> ImportError {
    ImportError(
      .unknownFormat, path,
      "is an Arrow stream, from which permlog drafts no mapping; write its first rows as lines of JSON, and draft "
        + "from those"
    )
  }
}
