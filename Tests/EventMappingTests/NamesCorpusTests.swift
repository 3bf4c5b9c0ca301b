// Names and properties of public apps, labelled by hand, through a preset as an import goes: nothing reversed, no wrong
// permission, and nine of ten clear ones understood.

import Foundation
import PermissionEvents
import Testing

@testable import EventMapping

@Suite struct NamesCorpusTests {
  struct Line {
    var name: String
    var properties: [(key: String, value: String)]
    /// `denied camera restricted`, `open`, `nothing`.
    var reading: String
    var words: [String] { reading.split(separator: " ").map(String.init) }
  }

  static func lines() throws -> [Line] {
    let url = try #require(Bundle.module.url(forResource: "names", withExtension: "tsv"))
    return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      row in
      let cells = row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      try #require(cells.count == 4, "\(row)")
      let pairs = cells[1].components(separatedBy: "; ").compactMap { pair -> (key: String, value: String)? in
        guard let equals = pair.firstIndex(of: "=") else { return nil }
        return (String(pair[..<equals]), String(pair[pair.index(after: equals)...]))
      }
      return Line(name: cells[0], properties: pairs, reading: cells[2])
    }
  }

  /// What a program makes of an event with these properties, in the words of the labels.
  static func reading(_ program: MappingProgram, _ line: Line) -> String {
    var slots: [Int: [UInt8]] = [:]
    var others: [TellingProperties.Other] = []
    for (key, value) in line.properties where !value.isEmpty {
      let keys = ["properties", key]
      let known = program.places.paths.filter { $0.keys == keys }
      for path in known { slots[path.slot] = Array(value.utf8) }
      switch known.isEmpty ? program.meaning(of: keys) : .nothing {
      case .slot(let slot): slots[slot] = Array(value.utf8)
      case .telling(let telling): others.append(.init(key: telling, value: Array(value.utf8)))
      default: break
      }
    }
    let decision = program.decide(program.plan(Array(line.name.utf8)), others: others) { slots[$0] }
    switch decision.outcome {
    case .nothing: return "nothing"
    case .unknown: return "open"
    case .event(let kind):
      // What is rejected or no answer is in no figure.
      if kind.isEngagement || decision.hasUnknownPermission { return "open" }
      let permission = String(decoding: decision.permission, as: UTF8.self)
      let status = String(decoding: decision.status, as: UTF8.self)
      return [kind.name, permission, status].filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  @Test func nothingIsReversedAndMostIsUnderstood() throws {
    let mapping = try #require(try Presets.mapping("segment"))
    let program = try MappingProgram(mapping, prefersAccount: false)
    let yes: Set<String> = ["granted", "re_enabled"]
    let no: Set<String> = ["denied", "revoked", "skipped"]
    let lines = try Self.lines()
    #expect(lines.count >= 400)
    var clear = 0
    var understood = 0
    var readThoughOpen: [String] = []
    for line in lines {
      let got = Self.reading(program, line).split(separator: " ").map(String.init)
      let want = line.words
      let place = "\(line.name) \(line.properties.map { "\($0.key)=\($0.value)" }): \(got) for \(want)"
      if want[0] == "open" {
        if got[0] != "open" && got[0] != "nothing" { readThoughOpen.append(place) }
        continue
      }
      clear += 1
      #expect(!(yes.contains(got[0]) && no.contains(want[0])), "a no read as a yes: \(place)")
      #expect(!(no.contains(got[0]) && yes.contains(want[0])), "a yes read as a no: \(place)")
      if got.count > 1, want.count > 1 { #expect(got[1] == want[1], "a wrong permission: \(place)") }
      if got[0] == want[0], got.count < 2 || got[1] == want[1], want.count < 3 || got.last == want.last {
        understood += 1
      }
    }
    #expect(understood * 100 >= clear * 90, "understood \(understood) of \(clear)")
    // Which of these is right is a matter of a property that no preset looks at.
    #expect(readThoughOpen.count <= 6, "\(readThoughOpen)")
  }

  /// What a reading says of the answer, by whose screen it was on.
  private enum Side: Equatable {
    case yes, no, goesOn, notNow, unread

    init(_ reading: String) {
      switch reading.split(separator: " ").first {
      case "granted", "re_enabled": self = .yes
      case "denied", "revoked": self = .no
      case "skipped": self = .notNow
      case "nothing": self = .goesOn
      default: self = .unread
      }
    }

    var opposite: Side {
      switch self {
      case .yes: .no
      case .no: .yes
      case .goesOn: .notNow
      case .notNow: .goesOn
      case .unread: .unread
      }
    }
  }

  /// The text with its only word of a plain yes or no replaced by each of the opposites; empty if it has none, or several.
  private static func swapped(_ text: String) -> [String] {
    let lexemes = Lexicon.shared.lexemes(of: NormalName(text))
    let answers = lexemes.indices.filter { !lexemes[$0].traits.isDisjoint(with: .outcomes) }
    guard let only = answers.first, answers.count == 1, lexemes[only].status == nil else { return [] }
    // "Don’t Allow Once" is no button.
    if text.contains("Once") { return [] }
    let pairs = Lexicon.opposites.map { (wordList($0.yes), wordList($0.no)) }
    let opposites =
      pairs.filter { $0.0.contains(lexemes[only].text) }.flatMap(\.1)
      + pairs.filter { $0.1.contains(lexemes[only].text) }.flatMap(\.0)
    return opposites.map { opposite in
      lexemes.indices.map { $0 == only ? opposite : lexemes[$0].text }.joined(separator: "_")
    }
  }

  /// How many of the name and the properties speak of an answer.
  private static func speakers(_ line: Line) -> Int {
    ([line.name] + line.properties.map(\.value) + line.properties.map(\.key)).count { text in
      Lexicon.shared.lexemes(of: NormalName(text)).contains { !$0.traits.isDisjoint(with: .outcomes) }
        || AnswerReading(Array(text.utf8)).status != nil
    }
  }

  /// The yes and the no of one screen are read alike: each as what it says, or neither.
  @Test func theOppositeIsReadAsTheOpposite() throws {
    let mapping = try #require(try Presets.mapping("segment"))
    let program = try MappingProgram(mapping, prefersAccount: false)
    var compared = 0
    for line in try Self.lines() {
      let read = Self.reading(program, line)
      let side = Side(read)
      if side == .unread { continue }
      // What was before the event is no answer of it.
      let answered = line.properties.map { $0.key.hasPrefix("previous") ? [] : Self.swapped($0.value) }
      let swapped = zip(line.properties, answered).map { (key: $0.key, value: $1.first ?? $0.value) }
      var variants = Self.swapped(line.name).map { Line(name: $0, properties: swapped, reading: "") }
      if variants.isEmpty {
        for (place, values) in answered.enumerated() {
          for value in values {
            var other = Line(name: line.name, properties: swapped, reading: "")
            other.properties[place].value = value
            variants.append(other)
          }
        }
      }
      for variant in variants {
        let got = Self.reading(program, variant)
        // Of several that speak of the answer, what is not swapped contradicts what is.
        if Side(got) == .unread, Self.speakers(line) > 1 { continue }
        compared += 1
        #expect(
          Side(got) == side.opposite,
          "\(line.name) \(line.properties) is \(read), and \(variant.name) \(variant.properties) is \(got)")
      }
    }
    #expect(compared >= 300, "\(compared)")
  }
}
