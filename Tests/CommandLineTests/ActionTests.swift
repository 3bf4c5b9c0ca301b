// The hook for pre-commit and the action for GitHub's workflows: they install this version, and give the tool what they were given.

import Foundation
import Testing

@Suite struct ActionTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: Self.root + "/" + name, encoding: .utf8)
  }

  @Test("Hook and action install the version of this tool")
  func versions() throws {
    let printed = try Tool.run(["--version"]).text.trimmingCharacters(in: .whitespacesAndNewlines)
    let version = try #require(printed.split(separator: " ").last.map(String.init))
    let package = try text("pyproject.toml")
    #expect(package.contains("version = \"\(version)\"\n"))
    #expect(package.contains("dependencies = [\"permlog==\(version)\"]"))
    #expect(try text("action.yml").contains("default: \(version)\n"))
    #expect(try text("python/src/permlog/_version.py").contains("\"\(version)\""))
  }

  @Test("What the hook calls is a command of this tool")
  func hook() throws {
    let entry = try #require(
      try text(".pre-commit-hooks.yaml").split(separator: "\n").first { $0.hasPrefix("  entry: permlog ") })
    let words = entry.split(separator: " ").dropFirst(2).map(String.init)
    let workspace = try Workspace()
    let infoPlist = try workspace.write(
      "Info.plist", "<plist><dict><key>DTXcode</key><string>1</string></dict></plist>")
    let source = try workspace.write(
      "Scan.swift", "import AVFoundation\nAVCaptureDevice.requestAccess(for: .video) { _ in }")
    let result = try Tool.run(words + ["--info-plist", infoPlist, "--source", source], in: workspace.url.path)
    #expect(result.status == 3 && result.text.contains("NSCameraUsageDescription"), "\(result.errors)")
  }

  /// Runs the script of the action with a Python that makes an environment in which the tool prints its arguments.
  private func run(_ inputs: [String: String]) throws -> ToolResult {
    let workspace = try Workspace()
    let lines = try text("action.yml").split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.hasSuffix("run: |") })
    let script = lines[(start + 1)...].map { $0.dropFirst(8) }.joined(separator: "\n")
    let path = try workspace.write("step.sh", script)
    let tool = "#!/bin/sh\nfor word in \"$@\"; do printf '%s\\n' \"<$word>\"; done\n"
    try workspace.write("tool", tool)
    try FileManager.default.createDirectory(atPath: workspace.path("bin"), withIntermediateDirectories: true)
    try workspace.write(
      "bin/python3",
      "#!/bin/sh\nmkdir -p \"$4/bin\"\ncp '\(workspace.path("tool"))' \"$4/bin/permlog\"\nprintf '#!/bin/sh\\n' > \"$4/bin/python\"\n"
        + "chmod +x \"$4/bin/permlog\" \"$4/bin/python\"\n")
    for name in ["tool", "bin/python3"] {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: workspace.path(name))
    }
    var environment = [
      "RUNNER_TEMP": workspace.path("runner temp"), "PATH": workspace.path("bin") + ":/usr/bin:/bin",
      "PERMLOG_INPUT_INFO_PLIST": "", "PERMLOG_INPUT_SOURCE": "", "PERMLOG_INPUT_FAIL_ON": "error",
      "PERMLOG_INPUT_FORMAT": "github", "PERMLOG_INPUT_OUTPUT": "", "PERMLOG_INPUT_VERSION": "0.4.0",
    ]
    environment.merge(inputs) { $1 }
    return try Tool.run(
      ["--noprofile", "--norc", "-eo", "pipefail", path], program: "/bin/bash", environment: environment,
      in: workspace.url.path)
  }

  #if os(Linux)
    @Test("The action's inputs are arguments, a line each, whatever is in them")
    func inputs() throws {
      let hostile = ["$(touch x)", "`touch x`", "a b", "--all", "\"; touch x; \"", "*", "${{ x }}"]
      let result = try run([
        "PERMLOG_INPUT_INFO_PLIST": hostile.joined(separator: "\n") + "\n", "PERMLOG_INPUT_SOURCE": "App",
        "PERMLOG_INPUT_OUTPUT": "a b.sarif", "PERMLOG_INPUT_FORMAT": "sarif",
      ])
      #expect(result.status == 0, "\(result.errors)")
      let expected =
        ["audit", "--format=sarif"] + hostile.map { "--info-plist=" + $0 }
        + ["--source=App", "--fail-on=error", "--output=a b.sarif"]
      #expect(result.text == expected.map { "<\($0)>\n" }.joined())
    }

    @Test(
      "A version that is none is refused before anything is installed", arguments: ["", "0.4 0", "*", "$(touch x)"])
    func noVersion(_ version: String) throws {
      let result = try run(["PERMLOG_INPUT_VERSION": version])
      #expect(result.status == 1 && result.text.contains("::error::version must be one like"), "\(result.text)")
    }
  #endif
}
