// The readers of exports under libFuzzer: every parser and every mapping. The first byte of an input says which; the rest is
// a file, the text of a mapping, or the names of an archive's members. Arrow streams are also read without a session around them, which is a hundred times as fast.
//
// Invariants: no trap, no hang, no memory over the limit; every line is an event, rejected or passed over; the errors are
// of the kinds that the import promises.

import EventMapping
import Foundation
import PermissionEvents

@testable import EventImport

private let forms = ImportFormat.allCases

private final class Sink: EventSink {
  let dictionary = EventDictionary()
  var isFull: Bool { false }
  func append(_ batch: EventBatch) throws {
    for event in batch.events {
      precondition(event.time >= Timestamp.earliest && Int(event.kindCode) < EventKind.names.count)
    }
  }
}

private let path = NSTemporaryDirectory() + "permlog-fuzz-\(getpid())"

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let kind = bytes.first else { return 0 }
  let input = Array(bytes.dropFirst())
  let form = Int(kind & 0x7F) % (forms.count + 3)
  if form == forms.count + 2 {
    read(ArchiveOfNames.bytes(input), .auto, keepsPartial: kind & 0x80 != 0)
  } else if form == forms.count + 1 {
    readRows(input)
  } else if form == forms.count {
    _ = try? Mapping(yaml: input, name: "m")
  } else {
    read(input, forms[form], keepsPartial: kind & 0x80 != 0)
  }
  return 0
}

private func read(_ input: [UInt8], _ form: ImportFormat, keepsPartial: Bool) {
  guard FileManager.default.createFile(atPath: path, contents: Data(input)) else { fatalError("no temporary file") }
  var options = ImportOptions(now: 1_767_225_600_000)
  options.rows.format = form
  options.rows.allowsFutureTimes = true
  options.rows.keepsPartialFiles = keepsPartial
  do {
    let session = try ImportSession(.paths([path]), options: options, onReject: { precondition(!$0.reason.isEmpty) })
    let isDone = try session.run(into: Sink())
    precondition(isDone)
    let counts = session.counts
    precondition(counts.lines == counts.events + counts.rejected + counts.unmapped)
    _ = session.eventNames
  } catch is ImportError {
    // A file may be refused as a whole.
  } catch {
    fatalError("an error that is no ImportError: \(error)")
  }
}

private struct Rows {
  let assembler: EventAssembler
  let fast: ArrowParser
  let general: ArrowParser
  let formats: RecordFormats
}

nonisolated(unsafe) private let rows: Rows? = {
  var options = ImportOptions(now: 1_767_225_600_000)
  options.rows.format = .arrow
  options.rows.allowsFutureTimes = true
  let assembler = EventAssembler(options: options, dictionary: EventDictionary())
  guard let formats = try? RecordFormats(rows: options.rows) else { return nil }
  let names = CanonicalNames(tally: EventTally(allowsCustomPermissions: false))
  return Rows(
    assembler: assembler, fast: ArrowParser(assembler, names: names, usesFastRows: true),
    general: ArrowParser(assembler, names: names, usesFastRows: false), formats: formats)
}()

/// Reads a canonical Arrow stream; both paths must come to the same.
private func readRows(_ input: [UInt8]) {
  guard let rows else { fatalError("no presets") }
  do throws(ImportError) {
    let stream = try ArrowStream(ResumedSource(head: input), name: "x")
    let detector = ArrowDetector(schema: stream.schema, formats: rows.formats, name: "x")
    guard case (.arrow(let table), _) = try detector.detect() else { return }
    stream.select(table.places)
    let cutter = ArrowCutter(stream, goal: 5)
    while let part = try cutter.rows() {
      var found: [[Int]] = []
      var events: [[UInt64]] = []
      for parser in [rows.fast, rows.general] {
        var result = ChunkResult(keepsRejects: true)
        rows.assembler.batch.removeAll()
        parser.parse(part, table, into: &result)
        if let failure = result.failure { throw failure }
        precondition(result.counts.events == rows.assembler.batch.count)
        precondition(result.counts.events + result.counts.rejected + result.counts.unmapped == part.range.count)
        found.append(
          [result.counts.events, result.counts.rejected, result.counts.ignoredFields] + result.rejects.map(\.line))
        events.append(
          rows.assembler.batch.events.flatMap {
            [$0.userHash, $0.userWord, $0.order, $0.eventHigh, $0.eventLow, $0.codes]
          })
      }
      precondition(found[0] == found[1] && events[0] == events[1])
    }
  } catch {
    precondition(!error.message.isEmpty)
  }
}

/// Writes the samples as inputs to begin from, if PERMLOG_FUZZ_SEEDS names a directory.
@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(
  _ count: UnsafeMutablePointer<CInt>?,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
  guard let seeds = ProcessInfo.processInfo.environment["PERMLOG_FUZZ_SEEDS"] else { return 0 }
  let samples = FileManager.default.enumerator(atPath: "data/samples")?.compactMap { $0 as? String } ?? []
  for (index, name) in samples.sorted().enumerated() {
    guard let data = FileManager.default.contents(atPath: "data/samples/" + name), !data.isEmpty else { continue }
    let kind = UInt8(name.hasSuffix(".yaml") ? forms.count : 0)
    _ = FileManager.default.createFile(atPath: seeds + "/\(index)", contents: Data([kind]) + data)
    guard name.hasSuffix(".arrows") else { continue }
    _ = FileManager.default.createFile(
      atPath: seeds + "/\(index)-rows", contents: Data([UInt8(forms.count + 1)]) + data)
  }
  for (index, names) in ArchiveOfNames.seeds.enumerated() {
    let data = Data([UInt8(forms.count + 2)] + names)
    _ = FileManager.default.createFile(atPath: seeds + "/names-\(index)", contents: data)
  }
  for name in Presets.names {
    let text = Array((Presets.text(name) ?? "").utf8)
    _ = FileManager.default.createFile(atPath: seeds + "/" + name, contents: Data([UInt8(forms.count)] + text))
  }
  return 0
}
