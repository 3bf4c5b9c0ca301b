// What a log remembers of its ingests: when each was, what it read, and which files.

import PermissionEvents

/// One ingest, as the log remembers it.
public struct IngestRecord: Sendable, Hashable {
  /// 1 for the log's first remembered ingest; never used twice.
  public var number: Int
  /// The time of its commit, in milliseconds since 1970, by the clock of the machine that ingested.
  public var time: Milliseconds
  /// Files that were read.
  public var files: Int
  /// The names of some of them, as they were named or found.
  public var names: [String]
  /// Events that the log did not have.
  public var new: Int
  /// Copies of events that it had, or that came twice.
  public var duplicates: Int
  /// What the ingest counted, by name: `lines`, `users`, `answers notifications`. A later version may have other names.
  public var measures: [String: Int]
  /// What fell outside the log's own past when it was ingested.
  public var findings: [HealthFinding] = []
  /// When it was taken back; nil if it was not.
  public var undone: Milliseconds?

  /// Most names of files that are kept.
  package static let mostNames = 3
  package static let mostMeasures = 512
  static let longestName = 256 + 64
  static let longestFileName = 4096

  package init(
    number: Int = 0, time: Milliseconds, files: Int, names: [String], new: Int, duplicates: Int,
    measures: [String: Int] = [:]
  ) {
    self.number = number
    self.time = time
    self.files = files
    self.names = names.prefix(Self.mostNames).map { String(bounded: $0.utf8.prefix(Self.longestFileName / 4)) }
    self.new = new
    self.duplicates = duplicates
    self.measures = measures
  }
}

/// A count of an ingest that is outside what the log's own past makes likely.
public struct HealthFinding: Sendable, Hashable {
  /// The measure: `rejected`, `denied notifications`.
  public var measure: String
  /// The count, of how many.
  public var count: Int
  public var of: Int
  /// The usual count of as many, from the ingests before: the median of their shares.
  public var usual: Double
  /// The ingests that the count is of: this one and those before it.
  public var ingests: Int
  /// The ingests that the usual count is from.
  public var reference: Int

  package init(measure: String, count: Int, of: Int, usual: Double, ingests: Int, reference: Int) {
    self.measure = measure
    self.count = count
    self.of = of
    self.usual = usual
    self.ingests = ingests
    self.reference = reference
  }
}

/// A file that is in the log: the same bytes, read in the same way, need not be read again.
package struct IngestedFile: Sendable, Hashable {
  /// Absolute, without links.
  package var path: FilePath
  package var stamp: FileStamp
  /// Of its bytes as they are stored: XXH3, 64 bits.
  package var checksum: UInt64
  /// Of everything that decides how the file was read.
  package var reading: UInt64
  /// The number of its ingest.
  package var ingest = 0

  package init(path: FilePath, stamp: FileStamp, checksum: UInt64, reading: UInt64) {
    self.path = path
    self.stamp = stamp
    self.checksum = checksum
    self.reading = reading
  }
}

/// All of a log's memory of its ingests.
package struct IngestHistory: Sendable, Equatable {
  /// In the order of their numbers.
  package private(set) var ingests: [IngestRecord] = []
  /// In the order in which they were read last.
  private(set) var files: [IngestedFile] = []
  private var places: [FilePath: Int] = [:]
  private(set) var nextNumber = 1

  /// Twenty years of daily ingests. Older ones are forgotten.
  static let mostIngests = 8192
  /// Files beyond these are forgotten: they would be read again, and nothing of them would be new.
  static let mostFiles = 1 << 18

  package init() {}

  init?(ingests: [IngestRecord], files: [IngestedFile], nextNumber: Int) {
    (self.ingests, self.nextNumber) = (ingests, nextNumber)
    for file in files {
      guard places[file.path] == nil else { return nil }
      places[file.path] = self.files.count
      self.files.append(file)
    }
    let numbers = ingests.map(\.number)
    guard zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }), numbers.allSatisfy({ $0 >= 1 && $0 < nextNumber }),
      files.allSatisfy({ $0.ingest >= 1 && $0.ingest < nextNumber }), ingests.count <= Self.mostIngests,
      files.count <= Self.mostFiles
    else { return nil }
  }

  var isEmpty: Bool { nextNumber == 1 }

  /// The number of the next ingest.
  package var next: Int { nextNumber }

  /// The newest entry of a path.
  package func file(_ path: FilePath) -> IngestedFile? { places[path].map { files[$0] } }

  mutating func add(_ record: IngestRecord, files new: [IngestedFile]) {
    var record = record
    record.number = nextNumber
    nextNumber += 1
    ingests.append(record)
    if ingests.count > Self.mostIngests { ingests.removeFirst(ingests.count - Self.mostIngests) }
    // A file may have been found by two ways: each path is here once.
    var paths: Set<FilePath> = []
    let distinct = new.filter { paths.insert($0.path).inserted }
    if distinct.contains(where: { places[$0.path] != nil }) { files.removeAll { paths.contains($0.path) } }
    for var file in distinct {
      file.ingest = record.number
      files.append(file)
    }
    if files.count > Self.mostFiles { files.removeFirst(files.count - Self.mostFiles) }
    index()
  }

  /// Marks ingests from one on as taken back, and forgets their files, so that they can be read again.
  mutating func undo(from number: Int, at time: Milliseconds) {
    for i in ingests.indices where ingests[i].number >= number { ingests[i].undone = ingests[i].undone ?? time }
    files.removeAll { $0.ingest >= number }
    index()
  }

  /// Forgets names of files that contain an id, in any case of its letters.
  /// - Returns: whether there were any.
  mutating func forget(naming ids: [[UInt8]]) -> Bool {
    func small(_ text: [UInt8]) -> [UInt8] { text.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 } }
    let ids = ids.map(small)
    func names(_ text: [UInt8]) -> Bool {
      let text = small(text)
      return ids.contains { !$0.isEmpty && text.firstRange(of: $0) != nil }
    }
    let (before, count) = (ingests, files.count)
    for i in ingests.indices { ingests[i].names.removeAll { names(Array($0.utf8)) } }
    files.removeAll { names($0.path.bytes) }
    index()
    return files.count < count || ingests != before
  }

  /// Forgets the newest ingest's names of files that have an id as a word.
  mutating func forgetNames(where holds: ([UInt8]) throws -> Bool) rethrows {
    guard let last = ingests.indices.last else { return }
    let number = ingests[last].number
    let new = ingests[last].names.map { Array($0.utf8) } + files.filter { $0.ingest == number }.map(\.path.bytes)
    // Most files are in one directory, whose name is looked at once.
    let gone = try FileNameWords.names(in: new).filter { try FileNameWords.of($0).contains(where: holds) }
    guard !gone.isEmpty else { return }
    func isGone(_ path: [UInt8]) -> Bool { !gone.isDisjoint(with: FileNameWords.names(in: [path])) }
    ingests[last].names.removeAll { isGone(Array($0.utf8)) }
    files.removeAll { $0.ingest == number && isGone($0.path.bytes) }
    index()
  }

  /// Calls `body` with every word of the names of files; a word can occur several times.
  package func forEachWord(_ body: ([UInt8]) throws -> Void) rethrows {
    let paths = ingests.flatMap(\.names).map { Array($0.utf8) } + files.map(\.path.bytes)
    for name in FileNameWords.names(in: paths) { for word in FileNameWords.of(name) { try body(word) } }
  }

  /// Forgets the files, so that they can be read again: events that were kept out are let in.
  mutating func forgetFiles() {
    files = []
    places = [:]
  }

  private mutating func index() {
    places = [:]
    for (place, file) in files.enumerated() { places[file.path] = place }
  }
}

/// The parts of a file's name that may be the id of a user: a keyed hash can only be compared with a whole id.
enum FileNameWords {
  /// The names of directories and files in some paths, each once.
  static func names(in paths: [[UInt8]]) -> Set<[UInt8]> {
    Set(paths.flatMap { $0.split(separator: 0x2F).map(Array.init) })
  }

  /// A name and its parts, as they are and in small and in capital letters. A part begins and ends anywhere but between two
  /// letters or digits: an id in the middle of a word is not found.
  static func of(_ name: [UInt8]) -> Set<[UInt8]> {
    var words: Set<[UInt8]> = [name]
    let cuts = (0...name.count).filter { $0 == 0 || $0 == name.count || !isWord(name[$0 - 1]) || !isWord(name[$0]) }
    for (number, start) in cuts.enumerated() {
      for end in cuts[(number + 1)...].prefix(mostCuts) { words.insert(Array(name[start..<end])) }
    }
    func changed(_ range: ClosedRange<UInt8>, _ word: [UInt8]) -> [UInt8] {
      word.map { range.contains($0) ? $0 ^ 32 : $0 }
    }
    for word in words {
      words.insert(changed(0x41...0x5A, word))
      words.insert(changed(0x61...0x7A, word))
    }
    return words
  }

  /// Enough for ids with ten signs in them; the parts of a name of 255 signs are a few thousand.
  private static let mostCuts = 24

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: true
    default: false
    }
  }
}
