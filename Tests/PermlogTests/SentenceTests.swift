// A library does not know who shows its sentences: none of them names an option or a command of the tool.

import Foundation
import Permlog
import Testing

@Suite struct SentenceTests {
  /// Modules whose words are those of the command line.
  private static let commandLine: Set<String> = ["PermlogCommands", "permlog"]
  /// The style sheet has variables that begin with two hyphens, and the words of the command line are in a file of their own.
  private static let others: Set<String> = ["PageStyle.swift", "CommandWords.swift"]

  @Test func noLibraryNamesAnOption() throws {
    var files = 0
    for path in try Self.sources() {
      let name = (path as NSString).lastPathComponent
      let module = path.dropFirst(Sample.root.count + "/Sources/".count).prefix { $0 != "/" }
      if Self.commandLine.contains(String(module)) || Self.others.contains(name) {
        continue
      }
      files += 1
      let lines = try String(contentsOfFile: path, encoding: .utf8).split(
        separator: "\n", omittingEmptySubsequences: false)
      for (number, line) in lines.enumerated() {
        let code = line.drop { $0 == " " }
        if code.hasPrefix("//") { continue }
        #expect(!Self.namesAnOption(code), "\(path):\(number + 1): \(code)")
      }
    }
    #expect(files > 200)
  }

  @Test func anOptionIsRecognised() {
    for text in [#""give --time-zone""#, #""(--allow-future keeps it)""#, "  # --input-time-zone. Without"] {
      #expect(Self.namesAnOption(text[...]), "\(text)")
    }
    for text in ["a -- b", "let x = y--z", #""a--b""#, #""---""#] { #expect(!Self.namesAnOption(text[...]), "\(text)") }
  }

  /// Two hyphens before a letter, with nothing before them that they could belong to.
  private static func namesAnOption(_ line: Substring) -> Bool {
    // A regular expression on each of 70,000 lines takes half a minute.
    line.utf8.contains(UInt8(ascii: "-")) && line.contains("--") && line.contains(/(^|[\s(`"'\[])--[a-z]/)
  }

  private static func sources() throws -> [String] {
    let enumerator = FileManager.default.enumerator(atPath: Sample.root + "/Sources")
    let names = (enumerator?.allObjects ?? []).compactMap { $0 as? String }
    return names.filter { $0.hasSuffix(".swift") }.map { Sample.root + "/Sources/" + $0 }
  }

  @Test func aRemedyEndsTheSentenceOrSaysNothing() {
    let remedies: [Remedy] = [
      .makeLog(path: "x"), .nameEmptyDirectory, .fillLog, .restoreOrSalvage, .compact, .verifyAndReport, .tryLater,
      .useFewerThreads, .giveErasureKey, .giveRightErasureKey, .moveErasureKey, .eraseWithKey, .nameNewKeyFile,
      .giveUserKey, .giveNoUserKey, .eraseWithUserKey, .eraseWithoutUserKey,
      .draftMapping(path: "x"), .tellFormByContent, .leaveOutMappings, .showPreset, .allowCustomPermissions,
      .keepCustomPermission,
      .keepFutureTime, .nameInputZone, .tryMapping, .preferAccount, .nameProjectZone,
      .choosePermission(["a", "b"]), .nameBaselineRate, .askForShorterInterval,
    ]
    for remedy in remedies {
      let explanation = ErrorExplanation("something is wrong", remedy, addition: "!")
      #expect(explanation.text == "something is wrong" + remedy.advice + "!")
      #expect(explanation.text { _ in "; do this" } == "something is wrong; do this!")
      #expect(remedy.advice.isEmpty || [".", ";", ",", " ", ":"].contains(remedy.advice.prefix(1)), "\(remedy)")
    }
  }
}
