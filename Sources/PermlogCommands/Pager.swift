// Long text on a terminal goes through a pager, as git does it: $PERMLOG_PAGER, else $PAGER, else less.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum Pager {
  /// The command that shows long text; nil if there is to be none.
  private static var command: String? {
    func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    if !Terminal.isCapable { return nil }
    // Without a word of an error where there is no less.
    let usual = "command -v less >/dev/null 2>&1 || exit 127; exec less"
    let command = value("PERMLOG_PAGER") ?? value("PAGER") ?? usual
    return command.isEmpty || command == "cat" ? nil : command
  }

  /// Shows text on the terminal that standard output is, else writes it there.
  static func show(_ bytes: [UInt8]) throws {
    guard Output.isTerminal, let command, try page(bytes, command) else { return try Output.result(bytes) }
  }

  /// Hands the text to a pager and waits for its end; false if it could not be started.
  private static func page(_ bytes: [UInt8], _ command: String) throws -> Bool {
    // Quit if it fits on the screen, colours as they are, leave the text there: unless the user has options of their own.
    setenv("LESS", "FRX", 0)
    setenv("LV", "-c", 0)
    // A pager that is a pipeline of its own needs the signal that we ignore.
    signal(SIGPIPE, SIG_DFL)
    let pipe = popen(command, "w")
    signal(SIGPIPE, SIG_IGN)
    guard let pipe else { return false }
    // The keys that interrupt are the pager's.
    let interrupt = signal(SIGINT, SIG_IGN)
    let quit = signal(SIGQUIT, SIG_IGN)
    defer {
      signal(SIGINT, interrupt)
      signal(SIGQUIT, quit)
    }
    // A pager that quits early has seen enough.
    _ = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, pipe) }
    let status = pclose(pipe)
    // The shell's own statuses for a command that is not there or cannot be run.
    let exit = status >> 8 & 0xFF
    return !(status & 0x7F == 0 && (exit == 126 || exit == 127))
  }
}
