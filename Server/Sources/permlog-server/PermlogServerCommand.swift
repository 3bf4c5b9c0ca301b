// The command: options to settings, and a server.

import ArgumentParser
import Foundation
import Permlog
import PermlogServer

@main
struct PermlogServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "permlog-server",
    abstract: "Takes events from apps into permlog's logs, and loses none.",
    discussion: """
      An app points its analytics library here: Segment's, RudderStack's, PostHog's, Amplitude's and Mixpanel's are understood, and \
      permlog's own POST /v1/events. Each body is on the disk before it is answered, and in the log a moment later.
      """,
    version: PermlogVersion.text, subcommands: [Run.self, Requeue.self], defaultSubcommand: Run.self)
}

/// Which settings a command uses.
struct SettingsOptions: ParsableArguments {
  @Option(help: "The file of settings (JSON); docs/server.md lists them.")
  var settings: String?

  @Option(help: "Without a file: the one log. Any key is accepted, and the server listens on this machine alone.")
  var log: String?

  @Option(help: "Without a file: where bodies wait until they are in the log. (default: LOG-server)")
  var state: String?

  @Option(help: "Without a file: the port. (default: 8087)")
  var port: Int?

  func validate() throws {
    guard (settings == nil) != (log == nil) else {
      throw ValidationError("give --settings FILE, or --log LOG to try it out")
    }
    if settings != nil, state != nil || port != nil {
      throw ValidationError("--state and --port are in the file of settings")
    }
  }

  func made() throws -> ServerSettings {
    if let settings { return try ServerSettings(contentsOf: settings) }
    let log = log ?? ""
    var made = ServerSettings(state: state ?? log + "-server", keys: [.init(key: "any", log: log)])
    made.acceptsAnyKey = true
    made.listen = "127.0.0.1:\(port ?? 8087)"
    return made
  }
}

struct Run: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Serve until SIGTERM or ctrl-C.")
  @OptionGroup var options: SettingsOptions

  func run() async throws {
    let server = try await running {
      try PermlogServer(options.made(), settingsFile: options.settings, logger: ServerLog.logger)
    }
    try await running {
      try await server.run { address in
        print("permlog-server listens on http://\(address)")
        fflush(nil)
      }
    }
  }
}

struct Requeue: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Read the quarantine again, after a mapping or a key was mended.",
    discussion: """
      For a server that does not run. While it runs: curl -X POST -H "Authorization: Bearer TOKEN" http://ADDRESS/v1/requeue
      """)
  @OptionGroup var options: SettingsOptions

  func run() async throws {
    let counts = try await running {
      try await PermlogServer(options.made(), settingsFile: options.settings, logger: ServerLog.logger).requeue()
    }
    print("entries    \(counts.before) were read again, \(counts.after) stay in quarantine")
  }
}

/// Ends with a sentence, as permlog does, and not with a description of a type.
private func running<Value>(_ body: () async throws -> Value) async throws -> Value {
  do { return try await body() } catch let error as PermlogError { throw Failure(error.message) } catch let error
    as SettingsError
  {
    throw Failure(error.description)
  }
}

private struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
