// Why an import stopped. The sentences are built here and nowhere else.

import CArchive
import EventMapping
import PermissionEvents
import SystemCalls

/// An input that cannot be read to its end. Nothing of the import may be stored then.
package struct ImportError: Error, Equatable {
  package enum Code: String, Sendable {
    case notFound
    /// The system refused to open or read it.
    case unreadable
    /// Compressed data or an archive is damaged or torn.
    case damaged
    case unknownFormat
    /// A CSV header without a required column, or with one twice.
    case badHeader
    case usage
    /// The process ran out of memory or threads.
    case resources
  }

  package var code: Code
  package var explanation: ErrorExplanation
  package var path: String
  package var line: Int?
  /// The message of the system or a library.
  package var cause: String?
  /// The number of the system's error, if it was the system.
  package var errorNumber: Int32?
  /// Whether everything before the damage is valid and can be kept.
  package var leavesTheBeginning: Bool

  /// - Parameters:
  ///   - finding: what is wrong, without the location.
  ///   - mending: what to do, for an import that stored nothing; empty if the remedy says it.
  init(
    _ code: Code, _ path: String, line: Int? = nil, _ finding: String, mending: String? = nil, _ remedy: Remedy? = nil,
    cause: String? = nil, errorNumber: Int32? = nil
  ) {
    let location = line.map { "\(path), line \($0)" } ?? path
    self.init(code, path, ErrorExplanation("\(location): \(finding)", remedy), line: line)
    explanation.outcome = mending.map { .init(mending: $0) }
    self.cause = cause
    self.errorNumber = errorNumber
  }

  private init(_ code: Code, _ path: String, _ explanation: ErrorExplanation, line: Int? = nil) {
    self.code = code
    self.explanation = explanation
    self.path = path
    self.line = line
    leavesTheBeginning = code == .damaged
  }

  /// One sentence with the location and the remedy.
  package var message: String { explanation.text }

  // MARK: Files that cannot be opened or read

  static func systemText(_ number: Int32) -> String { String(cString: strerror(number)) }

  static func cannotOpen(_ path: String, _ number: Int32) -> ImportError {
    if number == ENOENT {
      return ImportError(.notFound, path, "no such file or directory; check the path", errorNumber: ENOENT)
    }
    let cause = systemText(number)
    return ImportError(
      .unreadable, path, "cannot be opened (\(cause)); check that it is a file that you may read", cause: cause,
      errorNumber: number)
  }

  static func cannotRead(_ path: String, _ number: Int32) -> ImportError {
    let cause = systemText(number)
    return ImportError(
      .unreadable, path, "cannot be read (\(cause))", mending: "run the import again when it can be read", cause: cause,
      errorNumber: number)
  }

  static func shrank(_ path: String) -> ImportError {
    ImportError(
      .unreadable, path, "became shorter while it was read", mending: "run the import again when it is complete")
  }

  static func damaged(_ name: String, _ what: String, cause: String) -> ImportError {
    ImportError(
      .damaged, name, "\(what) is damaged or incomplete (\(cause))", mending: "fetch the file again", cause: cause)
  }

  /// - Parameters:
  ///   - location: where the other data is.
  ///   - comesFirst: it is before the data that could be kept, which is then not a beginning.
  static func otherData(_ name: String, _ what: String, _ location: String, comesFirst: Bool) -> ImportError {
    var error = ImportError(
      .damaged, name, "\(what) has other data \(location): perhaps two archives were joined",
      mending: "unpack them separately", cause: "other data \(location)")
    error.leavesTheBeginning = !comesFirst
    return error
  }

  /// The file's last line has no line end and is not complete.
  /// - Parameter isKept: the lines before it are kept.
  static func cutOff(_ name: String, line: Int, _ cut: LineCut, isKept: Bool) -> ImportError {
    ImportError(
      .damaged, name, line: line, "the last line is cut off (\(cut.text))", mending: "export the file again",
      isKept ? nil : .keepPartialFiles, cause: cut.text)
  }

  static func packedAfterText(_ name: String) -> ImportError {
    ImportError(
      .damaged, name, "packed data follow its text: perhaps two files were joined", mending: "separate them",
      cause: "packed data follow its text")
  }

  static func oneVolume(_ name: String) -> ImportError {
    ImportError(.damaged, name, "the zip archive is one of several volumes", mending: "join them to one zip first")
  }

  static func largeWindow(_ name: String) -> ImportError {
    ImportError(
      .damaged, name, "was packed by zstd with a window of more than 128 MiB, which readers refuse by default",
      mending: "", .unpackLargeWindow(path: name))
  }

  static func blockDevice(_ path: String) -> ImportError {
    ImportError(.unreadable, path, "is a disk or another block device; name a file, a directory or a pipe")
  }

  static func socket(_ path: String) -> ImportError {
    ImportError(.unreadable, path, "is a socket, not a file; name a file, a directory or a pipe")
  }

  /// A zip from a pipe could not be kept in a file of this directory.
  static func cannotKeep(_ name: String, _ directory: String, _ number: Int32) -> ImportError {
    let cause = systemText(number)
    return ImportError(
      .resources, name,
      "is a zip archive from a pipe, and permlog cannot store it in \(directory) while reading it (\(cause))",
      mending: "save it to a file and name that file, or set TMPDIR to another "
        + "directory", cause: cause, errorNumber: number
    )
  }

  static func tooLargeToKeep(_ name: String, _ gibibytes: Int) -> ImportError {
    ImportError(
      .resources, name, "is a zip archive of more than \(gibibytes) GiB from a pipe",
      mending: "save it to a file and name that file")
  }

  static let standardInputTwice = ImportError(
    .usage, "-", ErrorExplanation("standard input (-) is named twice, but can be read only once; name it once"))

  static func noArchiveLibrary(_ path: String) -> ImportError {
    let cause = String(cString: carchive_load_error())
    return ImportError(
      .resources, path,
      "libarchive, which unpacks it, is not on this machine (\(cause)); install it (libarchive13 on Debian), or "
        + "unpack the file and import that", cause: cause)
  }

  static func outOfMemory(_ path: String) -> ImportError {
    ImportError(.resources, path, "there is not enough memory to read it; use fewer threads")
  }

  // MARK: Text in another encoding

  static func mixedText(_ name: String) -> ImportError {
    ImportError(
      .damaged, name, "begins as Windows-1252 and goes on as UTF-8",
      mending: "save it in one encoding and import it again")
  }

  /// - Parameter offset: of the first byte that is not text, in the unpacked file.
  static func notText(_ name: String, _ encoding: TextEncoding, offset: Int, isTorn: Bool) -> ImportError {
    let fault = isTorn ? "is the last one, and its character is incomplete" : "does not begin a character"
    let cause = "byte \(offset) " + fault
    return ImportError(
      .damaged, name, "cannot be read as \(encoding.name) (\(cause))",
      mending: "convert the file to UTF-8 or fetch it again", cause: cause)
  }

  static func noConversion(_ name: String, _ encoding: TextEncoding) -> ImportError {
    ImportError(
      .resources, name,
      "is \(encoding.name), which the C library of this machine cannot convert; convert the file to UTF-8")
  }

  // MARK: Forms that are not known

  static func unknownForm(_ name: String, _ form: UnknownForm) -> ImportError {
    ImportError(
      .unknownFormat, name, "its format is not known. " + form.sentences.joined(separator: " "),
      form.sketch.form == .text ? nil : .draftMapping(path: name))
  }

  /// The error with the path as the user can give it, which the form's detection does not know.
  func naming(draft path: String) -> ImportError {
    guard case .draftMapping = explanation.remedy else { return self }
    var error = self
    error.explanation.remedy = .draftMapping(path: path)
    return error
  }

  /// The error for a file that was found, not named: leaving it out is another way to go on.
  func found(inArchive: Bool) -> ImportError {
    var error = self
    let location =
      inArchive ? "It was found in an archive; take it out of there" : "It was found in a directory; move it elsewhere"
    error.explanation.addition += (message.hasSuffix(".") ? " " : ". ") + location + " to leave it out."
    return error
  }

  static func foreignContent(_ name: String, _ content: ForeignContent) -> ImportError {
    if content.isColumnar {
      return ImportError(
        .unknownFormat, name, "is \(content.name), which permlog does not read directly", .readWithPython(path: name))
    }
    if content.isSpreadsheet { return workbook(name, "is \(content.name), which is not read") }
    return ImportError(
      .unknownFormat, name, "is \(content.name), which permlog does not read; export or unpack it as JSON lines or CSV")
  }

  /// - Parameter finding: the fault of the workbook.
  static func workbook(_ name: String, _ finding: String) -> ImportError {
    ImportError(
      .unknownFormat, name,
      "\(finding). Open it, choose the sheet with the events, and save as CSV: File, Save As (or Export), CSV UTF-8")
  }

  static func nothingToDraft(_ path: String, _ log: LogText?) -> ImportError {
    if let log {
      return ImportError(
        .unknownFormat, path, "permlog cannot draft a mapping from it. " + log.sentences.joined(separator: " "))
    }
    return ImportError(
      .unknownFormat, path,
      "it begins neither like JSON nor like a table with a heading, so permlog cannot draft a mapping; name a file "
        + "of events")
  }

  static func noTable(_ path: String, isEmpty: Bool) -> ImportError {
    ImportError(
      .unknownFormat, path,
      isEmpty
        ? "has no events, so it is not a table; name a file with a heading"
        : "is not a table with column names; name a CSV file with a heading, or an Arrow stream")
  }

  static func nothingInArchive(_ path: String) -> ImportError {
    ImportError(.unknownFormat, path, "no file in it has events; name an archive of exports")
  }

  static func prettyPrinted(_ name: String) -> ImportError {
    ImportError(
      .unknownFormat, name,
      "a record spans several lines; write one record a line, or an array of records (as jq -s does)")
  }

  static func archiveInside(_ name: String) -> ImportError {
    ImportError(
      .unknownFormat, name,
      "is an archive inside an archive, which permlog does not open; unpack it and import it "
        + "again")
  }

  static func otherForm(_ name: String, _ vendor: String) -> ImportError {
    ImportError(.unknownFormat, name, "does not look like an export of \(vendor)", .tellFormByContent)
  }

  static func badMapping(_ name: String, _ error: MappingError) -> ImportError {
    ImportError(.usage, name, error.explanation)
  }

  // MARK: Headers of CSV

  /// - Parameter line: of the heading; nil for an Arrow stream.
  static func missingColumns(_ name: String, _ columns: [String], line: Int?) -> ImportError {
    let table = line == nil ? "Arrow stream" : "CSV header"
    let list = columns.joined(separator: ", ")
    return ImportError(
      .badHeader, name, line: line, "the \(table) has no column \(list); name the columns as documented")
  }

  /// - Parameters:
  ///   - field: the field, or the name that a mapping reads.
  ///   - names: the columns as the table names them.
  ///   - line: of the heading; nil for an Arrow stream.
  static func duplicateColumn(_ name: String, _ field: String, _ names: [String], line: Int?) -> ImportError {
    func shown(_ column: String) -> String { line == nil ? UnknownForm.legible(column) : column }
    let same = names.allSatisfy { $0 == field }
    let what =
      same
      ? "the column \(shown(field)) twice"
      : "two columns for \(shown(field)), " + names.map(shown).joined(separator: " and ")
    let table = line == nil ? "Arrow stream" : "CSV header"
    return ImportError(.badHeader, name, line: line, "the \(table) has \(what); keep one of them")
  }

  static func secondHeading(_ name: String, line: Int) -> ImportError {
    ImportError(.badHeader, name, line: line, "a second heading with other columns; split the file there")
  }

  static func unreadableHeader(_ name: String, line: Int) -> ImportError {
    ImportError(
      .badHeader, name, line: line,
      "the CSV header has a misplaced quote or is longer than 64 KiB; write it as RFC 4180 says")
  }
}
