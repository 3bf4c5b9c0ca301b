// Runs the built tool as a user would.

import Foundation
import Testing

/// What a run of the tool printed and how it ended.
struct ToolResult {
  var status: Int32
  var output: Data
  var errors: String
  var text: String { String(decoding: output, as: UTF8.self) }
}

/// A directory of a test's own, removed with it.
final class Workspace {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("permlog-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  @discardableResult
  func write(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: url.appendingPathComponent(name))
    return path(name)
  }

  func read(_ name: String) throws -> Data { try Data(contentsOf: url.appendingPathComponent(name)) }
}

extension Workspace {
  /// Asks a question of the sums of shards.
  /// - Parameters:
  ///   - question: a command that can be saved, without a log and a format.
  ///   - shards: the lines of each.
  ///   - reading: how they are read.
  /// - Returns: the answer as JSON.
  func answer(_ question: [String], ofShards shards: [[Data]], _ reading: [String]) throws -> Data {
    let saved = path("question-\(UUID().uuidString).json")
    #expect(try Tool.run(question + ["--save-question", saved]).status == 0)
    var from: [String] = []
    for (number, lines) in shards.enumerated() {
      let sums = path("\(UUID().uuidString).sums")
      let shard = ["--shard", "\(number + 1)/\(shards.count)", "--job", "j", "--output", sums, "--quiet"]
      let made = try Tool.run(
        ["sums", "make", "-", "--question", saved] + reading + shard, input: lines.asLines)
      #expect(made.status == 0, "\(made.errors)")
      from += ["--from-sums", sums]
    }
    let answer = try Tool.run([question[0]] + from + ["--format", "json"])
    #expect(answer.status == 0, "\(answer.errors)")
    return answer.output
  }
}

enum Tool {
  /// The executable that was built with the tests.
  static let path: String = {
    #if os(macOS)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
      let directory = bundle?.bundleURL.deletingLastPathComponent() ?? URL(fileURLWithPath: ".")
    #else
      let directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    #endif
    return directory.appendingPathComponent("permlog").path
  }()

  /// Runs the tool, or another program, to its end.
  static func run(
    _ arguments: [String], program: String = path, input: Data? = nil, environment: [String: String] = [:],
    in folder: String? = nil
  ) throws -> ToolResult {
    let process = Process()
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    // What is expected is written in UTF-8, whatever the locale that the tests are started in.
    process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C.UTF-8"]) { $1 }
      .merging(environment) { $1 }
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    let standardInput = Pipe()
    process.standardInput = input == nil ? FileHandle.nullDevice : standardInput
    try process.run()
    if let input {
      DispatchQueue.global().async {
        try? standardInput.fileHandleForWriting.write(contentsOf: input)
        try? standardInput.fileHandleForWriting.close()
      }
    }
    let errorText = LockedData()
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {
      errorText.set(errors.fileHandleForReading.readDataToEndOfFile())
    }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    group.wait()
    process.waitUntilExit()
    return ToolResult(
      status: process.terminationStatus, output: data, errors: String(decoding: errorText.get(), as: UTF8.self))
  }
}

extension Sequence<Data> {
  /// The lines of a file. Foundation makes `Data` of a joined sequence byte by byte, at a hundred times the cost.
  var asLines: Data {
    var all = Data()
    for line in self {
      all.append(line)
      all.append(0x0A)
    }
    return all
  }
}

/// Data handed from one thread to another.
final class LockedData: @unchecked Sendable {
  private let lock = NSLock()
  private var data = Data()
  func set(_ value: Data) { lock.withLock { data = value } }
  func get() -> Data { lock.withLock { data } }
}
