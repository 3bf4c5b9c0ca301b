// Samples with bytes changed at random, from a seed: no parser may trap, and every line is an event, rejected or passed over.

import EventMapping
import Foundation
import Testing

@testable import EventImport

/// Changes bytes as damage and malice do.
private struct Mutator {
  var random: SeededGenerator

  private static let tokens: [[UInt8]] =
    [
      "\"", "{", "}", "[", "]", ":", ",", "\\", "\\u0000", "\\ud800", "null", "1e999", "-", "\t", "\n", "\r\n",
      "\u{FEFF}",
      "{\"key\":\"permission\",\"value\":{\"string_value\":\"camera\"}}", "\"properties\":\"{}\"",
      "{\"string\":\"{\\\"permission\\\":1}\"}",
      "{\"schema\":\"iglu:a/b/c/d\",\"data\":{}}", "99999999999999999999999", "\"event\":", ",,",
    ].map { Array($0.utf8) } + [[0xFF], [0xC3, 0x28], [0]]

  mutating func change(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
      let at = Int.random(in: 0..<bytes.count, using: &random)
      let end = min(bytes.count, at + Int.random(in: 1...40, using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes[at] = UInt8.random(in: 0...255, using: &random)
      case 2: bytes.removeSubrange(at..<end)
      case 3: bytes.insert(contentsOf: bytes[at..<end], at: at)
      case 4: bytes.insert(contentsOf: Self.tokens.randomElement(using: &random) ?? [], at: at)
      default: bytes.removeSubrange(at...)
      }
    }
    return bytes
  }
}

@Suite struct FuzzTests {
  /// Samples by the form that they are read as.
  static let forms: [(ImportFormat, String)] = [
    (.vendor("amplitude"), "amplitude/187520_2025-11-24_18#0.json"),
    (.vendor("mixpanel"), "mixpanel/milliseconds.jsonl"),
    (.vendor("segment"), "segment/archive.ndjson"), (.vendor("ga4"), "ga4/events_20251124.json"),
    (.vendor("posthog"), "posthog/properties_as_text.jsonl"),
    (.vendor("snowplow"), "snowplow/enriched.tsv"), (.auto, "ga4/array.json"), (.auto, "segment/batch.json"),
  ]

  @Test(arguments: forms.indices) func changedLines(form: Int) throws {
    let (format, sample) = Self.forms[form]
    let text = try Array(Samples.text(sample).utf8)
    let isDocument = format == .auto
    let pieces = isDocument ? [text] : text.split(separator: 0x0A).map { Array($0) }
    for seed in 1...UInt64(6) {
      var mutator = Mutator(random: SeededGenerator(seed: seed &* 1000 &+ UInt64(form)))
      var data: [UInt8] = isDocument ? [] : pieces[0] + [0x0A]
      for _ in 0..<(isDocument ? 1 : 60) {
        data += mutator.change(pieces.randomElement(using: &mutator.random) ?? []) + [0x0A]
      }
      var options = testOptions(format: format)
      options.rows.keepsPartialFiles = seed % 2 == 0
      do {
        let outcome = try importText(Data(data), options)
        let counts = outcome.counts
        #expect(counts.lines == counts.events + counts.rejected + counts.unmapped, "seed \(seed)")
        #expect(outcome.events.allSatisfy { !$0.user.isEmpty && $0.user.utf8.count <= 256 }, "seed \(seed)")
      } catch is ImportError {
        // A file may be refused as a whole.
        continue
      }
    }
  }

  @Test(arguments: [
    "amplitude/export.zip", "posthog/export.tar.gz", "snowplow/enriched.tsv.xz", "segment/archive.ndjson.gz",
  ])
  func changedArchives(sample: String) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Samples.path(sample))))
    for seed in 1...UInt64(12) {
      var mutator = Mutator(random: SeededGenerator(seed: seed))
      let data = Data(mutator.change(bytes))
      for keeps in [false, true] {
        var options = testOptions()
        options.rows.keepsPartialFiles = keeps
        _ = try? importText(data, options)
      }
    }
  }

  @Test func changedMappings() {
    for (index, name) in Presets.names.enumerated() {
      let text = Array((Presets.text(name) ?? "").utf8)
      var mutator = Mutator(random: SeededGenerator(seed: UInt64(index) + 77))
      for _ in 0..<20 { _ = try? Mapping(yaml: mutator.change(text), name: "m") }
    }
  }
}
