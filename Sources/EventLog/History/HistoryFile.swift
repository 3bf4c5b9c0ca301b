// A log's memory of its ingests, in a file of its own that is immutable, like a part: each ingest writes a new one, and the
// manifest says which is live.
//
// file    := magic 8, version 2, zeros 2, ingests 4, id 8, next varint, ingests varint, ingest × ingests, files varint,
//            file × files, checksum of all before 8
// ingest  := number varint, time 8, undone varint, files varint, names varint, text × names, new varint, duplicates varint,
//            measures varint, (text, count varint) × measures, findings varint, finding × findings
// finding := text, count varint, of varint, usual 8, ingests varint, reference varint
// file    := text, size varint, time 8, checksum 8, reading 8, ingest varint
// text    := length varint, bytes
//
// `undone` is 0, or 1 and the time as 8 bytes; `usual` is the bits of a double.

import PermissionEvents

/// The description of the file in a manifest.
package struct HistoryDescription: NumberedFile, Sendable, Hashable {
  static let word = "history"

  package var id: UInt64
  /// The last eight bytes of the file.
  package var checksum: UInt64
  /// Ingests that are remembered.
  package var ingests: UInt32

  package var name: String { Self.name(id) }
}

enum HistoryFile {
  private static let magic: UInt64 = 0x3148_474F_4C4D_5250  // "PRMLOGH1"
  private static let version: UInt16 = 1
  static let maximumLength = 1 << 28
  /// Of no ingest.
  private static let leastLength = 8 + 2 + 2 + 4 + 8 + 3 + 8
  private static let longestPath = 1 << 15
  private static let mostFindings = IngestRecord.mostMeasures

  static func encode(_ history: IngestHistory, id: UInt64) -> (bytes: [UInt8], description: HistoryDescription) {
    var w = ByteWriter()
    let count = UInt32(truncatingIfNeeded: history.ingests.count)
    w.u64(magic)
    w.u16(version)
    w.u16(0)
    w.u32(count)
    w.u64(id)
    w.varint(UInt64(history.nextNumber))
    w.varint(UInt64(count))
    for record in history.ingests { write(record, &w) }
    w.varint(UInt64(history.files.count))
    for file in history.files {
      w.text(file.path.bytes)
      w.varint(UInt64(file.stamp.size))
      w.u64(UInt64(bitPattern: file.stamp.modified))
      w.u64(file.checksum)
      w.u64(file.reading)
      w.varint(UInt64(file.ingest))
    }
    let checksum = Checksum.of(w.bytes, seed: id)
    w.u64(checksum)
    return (w.bytes, HistoryDescription(id: id, checksum: checksum, ingests: count))
  }

  private static func write(_ record: IngestRecord, _ w: inout ByteWriter) {
    func text(_ text: String) { w.text(Array(text.utf8)) }
    w.varint(UInt64(record.number))
    w.u64(UInt64(bitPattern: record.time))
    w.varint(record.undone == nil ? 0 : 1)
    if let undone = record.undone { w.u64(UInt64(bitPattern: undone)) }
    w.varint(UInt64(record.files))
    w.varint(UInt64(record.names.count))
    record.names.forEach(text)
    w.varint(UInt64(record.new))
    w.varint(UInt64(record.duplicates))
    w.varint(UInt64(record.measures.count))
    for (name, count) in record.measures.sorted(by: { $0.key < $1.key }) {
      text(name)
      w.varint(UInt64(count))
    }
    w.varint(UInt64(record.findings.count))
    for finding in record.findings {
      text(finding.measure)
      w.varint(UInt64(finding.count))
      w.varint(UInt64(finding.of))
      w.u64(finding.usual.bitPattern)
      w.varint(UInt64(finding.ingests))
      w.varint(UInt64(finding.reference))
    }
  }

  /// - Parameter expected: its description in the manifest; nil without a manifest.
  static func read(_ file: OpenFile, id: UInt64, expected: HistoryDescription?) throws -> IngestHistory {
    func damaged(_ what: String) -> LogError { .damaged(file.path, "list of ingests", what) }
    let size = try file.size()
    guard size <= maximumLength, size >= leastLength else {
      throw damaged("it has \(size) bytes, which is not its length")
    }
    let bytes = try file.read(size, at: 0)
    return try bytes.withUnsafeBytes { buffer in
      var r = ByteReader(.init(rebasing: buffer.dropLast(8)))
      var tail = ByteReader(.init(rebasing: buffer.suffix(8)))
      guard r.u64() == magic else { throw damaged("it is not the list of ingests of a log") }
      guard let version = r.u16(), version <= Self.version else {
        throw LogError.newerFormat(file.path, version, newest: Self.version)
      }
      let checksum = Checksum.of(.init(rebasing: buffer.dropLast(8)), seed: id)
      guard checksum == tail.u64(), expected?.checksum ?? checksum == checksum else {
        throw damaged("its checksum does not match")
      }
      guard let history = history(&r, id), expected?.ingests ?? UInt32(history.ingests.count) == history.ingests.count,
        encode(history, id: id).bytes.elementsEqual(buffer)
      else { throw damaged("it is not as permlog writes it") }
      return history
    }
  }

  private static func history(_ r: inout ByteReader, _ id: UInt64) -> IngestHistory? {
    guard r.u16() == 0, let count = r.u32(), r.u64() == id, let next = r.number(), r.number() == Int(count) else {
      return nil
    }
    var ingests: [IngestRecord] = []
    for _ in 0..<count {
      guard let record = record(&r) else { return nil }
      ingests.append(record)
    }
    var files: [IngestedFile] = []
    guard let count = r.count(unit: 27) else { return nil }
    for _ in 0..<count {
      guard let path = r.text(maximum: longestPath), let size = r.number(), let modified = r.u64(),
        let checksum = r.u64(), let reading = r.u64(), let ingest = r.number()
      else { return nil }
      var file = IngestedFile(
        path: FilePath(bytes: path), stamp: FileStamp(size: size, modified: Int64(bitPattern: modified)),
        checksum: checksum, reading: reading)
      file.ingest = ingest
      files.append(file)
    }
    guard r.remaining == 0 else { return nil }
    return IngestHistory(ingests: ingests, files: files, nextNumber: next)
  }

  private static func record(_ r: inout ByteReader) -> IngestRecord? {
    guard let number = r.number(), let time = r.u64(), let isUndone = r.u8(), isUndone <= 1 else { return nil }
    var undone: Milliseconds?
    if isUndone == 1 {
      guard let time = r.u64() else { return nil }
      undone = Milliseconds(bitPattern: time)
    }
    guard let files = r.number(), let nameCount = r.count(), nameCount <= IngestRecord.mostNames else { return nil }
    var names: [String] = []
    for _ in 0..<nameCount {
      guard let name = r.string(maximum: IngestRecord.longestFileName) else { return nil }
      names.append(name)
    }
    guard let new = r.number(), let duplicates = r.number(), let measureCount = r.count(unit: 2),
      measureCount <= IngestRecord.mostMeasures
    else { return nil }
    var measures: [String: Int] = [:]
    for _ in 0..<measureCount {
      guard let name = r.string(maximum: IngestRecord.longestName), let count = r.number() else { return nil }
      measures[name] = count
    }
    var record = IngestRecord(
      number: number, time: Milliseconds(bitPattern: time), files: files, names: names, new: new,
      duplicates: duplicates, measures: measures)
    record.undone = undone
    guard let findings = r.count(unit: 13), findings <= mostFindings else { return nil }
    for _ in 0..<findings {
      guard let measure = r.string(maximum: IngestRecord.longestName), let count = r.number(), let of = r.number(),
        let usual = r.u64(), let ingests = r.number(), let reference = r.number(),
        Double(bitPattern: usual).isFinite
      else { return nil }
      record.findings.append(
        HealthFinding(
          measure: measure, count: count, of: of, usual: Double(bitPattern: usual), ingests: ingests,
          reference: reference))
    }
    return record
  }
}

extension ByteReader {
  /// A count of the size that counts can have.
  fileprivate mutating func number() -> Int? {
    guard let value = varint(), value <= UInt64(IngestTally.limit) << 8 else { return nil }
    return Int(value)
  }

  fileprivate mutating func string(maximum: Int) -> String? {
    guard let bytes = text(maximum: maximum) else { return nil }
    return String(boundedExactly: bytes)
  }
}
