// Standard output and standard error: results go to standard output, everything else to standard error. If the reader
// has gone away, the command ends quietly.

import ArgumentParser
import Permlog
import ReportRendering
import Threads
import SystemCalls

enum Output {
  static var isTerminal: Bool { isatty(1) == 1 }
  static var isErrorTerminal: Bool { isatty(2) == 1 }

  /// Writes to a descriptor. Returns false if its reader has gone away.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) throws -> Bool {
    var done = 0
    while done < bytes.count {
      let n = bytes.withUnsafeBytes { buffer in
        buffer.baseAddress.map { SystemCalls.write(descriptor, $0 + done, bytes.count - done) } ?? 0
      }
      if n < 0 {
        if errno == EINTR { continue }
        if errno == EPIPE { return false }
        if errno == EBADF {
          throw CommandFailure.failed("standard output is closed, but the result goes there. Leave it open.")
        }
        throw CommandFailure.failed(
          "cannot write the result: \(String(cString: strerror(errno))). Free some space or write elsewhere.")
      }
      done += n
    }
    return true
  }

  private static let statusIfUnread = Mutex<Int32>(0)

  /// The exit status if the result is not read: the condition was met anyway.
  static func setStatusIfUnread(_ status: Int32) { statusIfUnread.withLock { $0 = status } }

  /// If the reader has gone away, ends the process quietly, with the status so far.
  static func result(_ bytes: [UInt8]) throws {
    if try !write(bytes, to: 1) { exit(statusIfUnread.withLock { $0 }) }
  }

  /// Writes the result to the file, all or nothing, if one is named; else to standard output.
  static func result(
    _ bytes: [UInt8], to path: String?, besides protected: ProtectedFiles, option: String = "--output"
  ) throws {
    // Without a copy: a report may have megabytes.
    guard path != nil else { return try result(bytes) }
    let stream = try ResultStream(path: path, option: option, besides: protected)
    try bytes.withUnsafeBytes { try stream.write($0) }
    try stream.close()
  }

  /// Throws before any work is done if the result's file is another file of the command.
  static func checkFile(_ path: String?, besides protected: ProtectedFiles, option: String = "--output") throws {
    guard let path else { return }
    do { try protected.checkOutput(path) } catch { throw ResultStream.failure(error, option) }
  }

  /// Throws for `-`: a file named `-` would surprise a user who means standard output.
  static func checkName(_ path: String?) throws {
    guard path == "-" else { return }
    throw ValidationError("--output needs the name of a file; leave it out to write to standard output")
  }

  static func result(_ text: String) throws { try result(Array(text.utf8)) }

  /// The summary of a command that has done its work. If it cannot be written, the error says that nothing else is missing.
  static func summary(_ bytes: [UInt8]) throws {
    do { try result(bytes) } catch let failure as CommandFailure {
      throw CommandFailure(
        status: failure.status,
        message: failure.message + " The command has done its work: only its summary is missing.")
    }
  }

  static func summary(_ text: String) throws { try summary(Array(text.utf8)) }

  /// Reports what the figures leave out.
  static func tell(_ unknown: UnknownVocabulary) { if let note = unknown.note { message(note) } }

  /// Messages that are held back; nil if messages are printed at once.
  private static let held = Mutex<[String]?>(nil)

  private static let warned = Mutex(false)
  private static let spoken = Mutex(false)

  /// Whether there was a message, even if it is held back.
  static var hasSpoken: Bool { spoken.withLock { $0 } }

  /// Whether there was a warning.
  static var hasWarned: Bool { warned.withLock { $0 } }

  /// From here on, messages are held back, and printed only if the command fails.
  static func holdMessages() { held.withLock { $0 = $0 ?? [] } }

  /// Prints the messages that were held back; later messages are printed at once.
  static func tellHeldMessages() {
    let texts = held.withLock { held in
      defer { held = nil }
      return held ?? []
    }
    texts.forEach(message)
  }

  /// A message to a person, of one line. If standard error is closed, it is dropped.
  static func message(_ line: String) { message(lines: [line]) }

  /// A message of several lines. A name inside a line cannot end the line: names come from outside, and messages quote
  /// them. A warning is never held back: figures may be wrong.
  static func message(lines: [String]) {
    spoken.withLock { $0 = true }
    if lines.first?.hasPrefix("WARNING: ") == true {
      warned.withLock { $0 = true }
      return show(lines)
    }
    let isHeld = held.withLock { held in
      held? += lines
      return held != nil
    }
    if !isHeld { show(lines) }
  }

  private static func show(_ lines: [String]) {
    let style = TextStyle(isASCII: !Terminal.isUTF8)
    _ = try? write(Array(lines.map { style.legible($0) + "\n" }.joined().utf8), to: 2)
  }

  /// Prints a message of the command line's parser. It quotes the arguments as they are.
  static func message(parser text: String, arguments: [String]) {
    var text = text
    for argument in arguments where !isLegible(argument) {
      // Of `--name=value` it quotes the value alone.
      for quoted in [argument, argument.split(separator: "=", maxSplits: 1).last.map(String.init) ?? argument] {
        text = text.replacing(quoted, with: TextStyle().legible(quoted))
      }
    }
    message(lines: text.split(separator: "\n", omittingEmptySubsequences: false).map { LongNames.cut(String($0)) })
  }

  /// Whether a name can be shown as it is.
  static func isLegible(_ name: String) -> Bool { TextStyle().legible(name).utf8.elementsEqual(name.utf8) }

  /// Text to standard error as it is, for the progress line.
  static func raw(_ text: String) { _ = try? write(Array(text.utf8), to: 2) }

  static func error(_ text: String) { message("permlog: " + text) }
}

/// The destination of the result, and the style of its text.
struct ResultOptions: ParsableArguments {
  @Option(
    "Write the result to this file, whole or not at all. Without --format, the name decides the format: x.html, x.json, ...",
    value: "file")
  var output: String?

  @OptionGroup var appearance: TextOptions

  func validate() throws { try Output.checkName(output) }

  var style: TextStyle { appearance.style(toFile: output != nil) }
}

struct PlainResultOptions: ParsableArguments {
  @Option("Write the result to this file, whole or not at all.", value: "file")
  var output: String?

  func validate() throws { try Output.checkName(output) }
}

// MARK: Results that are too long for memory, written in pieces: to a file, all or nothing, or to standard output

final class ResultStream {
  private let file: WholeFile?
  private let option: String

  init(path: String?, option: String, besides protected: ProtectedFiles, isPrivate: Bool = false) throws {
    self.option = option
    do {
      file = try path.map { try WholeFile($0, besides: protected, isPrivate: isPrivate) }
    } catch { throw Self.failure(error, option) }
  }

  /// - Throws: `CommandFailure` if a file cannot take it all. A reader of standard output that has gone away ends the
  ///   process quietly.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard let file else { return try Output.result(Array(bytes)) }
    do { try file.write(bytes) } catch { throw Self.failure(error, option) }
  }

  /// The file exists only when this has returned.
  func close() throws {
    do { _ = try file?.close() } catch { throw Self.failure(error, option) }
  }

  static func failure(_ error: any Error, _ option: String) -> any Error {
    if let error = error as? PermlogError {
      return CommandFailure(status: error.exitStatus, message: "\(option) \(error.commandText)")
    }
    guard let error = error as? SystemError else { return error }
    let file = "\(option) \(error.path)"
    if error.number == EISDIR { return CommandFailure.failed("\(file): it is a directory. Name a file in it.") }
    let advice =
      [ENOSPC, EDQUOT, EFBIG].contains(error.number)
      ? "There is no room for it: free some space or write elsewhere. An earlier file of that name is unchanged."
      : "Name a file that can be written."
    return CommandFailure.failed("\(file): \(error.reason). \(advice)")
  }
}

// MARK: Descriptors 0, 1 and 2 if they are closed when the process starts
// The next files to be opened would get these numbers, and a message would be written into a log.

enum StandardStreams {
  /// Called before any other file is opened. The replacement of a closed stream fails as the closed stream would:
  /// standard input cannot be read, and the others cannot be written.
  static func occupy() {
    for (descriptor, mode) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)] as [(Int32, Int32)] {
      guard fcntl(descriptor, F_GETFD) < 0, errno == EBADF else { continue }
      // This gets the lowest free number, which is this descriptor.
      _ = open("/dev/null", mode)
    }
  }
}

// MARK: Long text on a terminal goes through a pager, as git does it: $PERMLOG_PAGER, else $PAGER, else less

enum Pager {
  /// The command that shows long text; nil for no pager.
  private static var command: String? {
    func value(_ name: String) -> String? { getenv(name).map { String(cString: $0).bounded } }
    if !Terminal.isCapable { return nil }
    // No error is printed on a machine without less.
    let usual = "command -v less >/dev/null 2>&1 || exit 127; exec less"
    let command = value("PERMLOG_PAGER") ?? value("PAGER") ?? usual
    return command.isEmpty || command == "cat" ? nil : command
  }

  /// Shows text in the pager if standard output is a terminal, else writes it there.
  static func show(_ bytes: [UInt8]) throws {
    guard Output.isTerminal, let command, try page(bytes, command) else { return try Output.result(bytes) }
  }

  /// Hands the text to a pager and waits for its end. Returns false if the pager could not be started.
  private static func page(_ bytes: [UInt8], _ command: String) throws -> Bool {
    // Quit if it fits on the screen, colours as they are, leave the text there: unless the user has options of their own.
    setenv("LESS", "FRX", 0)
    setenv("LV", "-c", 0)
    // A pager that is a pipeline needs the signal that we ignore.
    signal(SIGPIPE, SIG_DFL)
    let pipe = popen(command, "w")
    signal(SIGPIPE, SIG_IGN)
    guard let pipe else { return false }
    // The keys that interrupt belong to the pager.
    let interrupt = signal(SIGINT, SIG_IGN)
    let quit = signal(SIGQUIT, SIG_IGN)
    defer {
      signal(SIGINT, interrupt)
      signal(SIGQUIT, quit)
    }
    // If the user quits the pager early, the rest is not needed.
    _ = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, pipe) }
    let status = pclose(pipe)
    // The shell's statuses for a command that does not exist or cannot be run.
    let exit = status >> 8 & 0xFF
    return !(status & 0x7F == 0 && (exit == 126 || exit == 127))
  }
}
