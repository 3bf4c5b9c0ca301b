// Bodies on the disk, before they are answered. Requests that come at the same time wait for the disk together.

import Foundation
import NIOPosix

/// Keeps bodies until they are in the log.
actor Spool {
  /// Why a body was not taken.
  enum Refusal: Error {
    /// Too much waits: for the disk, or to be read.
    case overloaded
    /// The disk is full, or fails.
    case disk(DiskError)
    /// The server is about to end.
    case draining
  }

  static let ending = ".spool"
  nonisolated let directory: String
  /// The most bytes of all files: what waits to be read.
  private let limit: Int
  private let metrics: ServerMetrics
  private var nextID: UInt64
  private var nextFile: UInt64
  private var file: AppendFile?
  private var waiting: [(record: SpoolRecord, done: CheckedContinuation<Result<UInt64, Refusal>, Never>)] = []
  private var isWriting = false
  private var isDraining = false
  /// Bytes in all files.
  private var bytes: Int
  private var sealing: [CheckedContinuation<UInt64, Never>] = []
  /// Tells the reader that there is something.
  nonisolated let arrivals: AsyncStream<Void>
  private let arrival: AsyncStream<Void>.Continuation
  /// A file begins anew at this size.
  private static let fileSize = 4 << 20
  /// The most bytes that are written and waited for at once.
  private static let groupSize = 4 << 20

  /// Opens the spool of an earlier run, too: what it has will be read.
  init(_ directory: String, limit: Int, metrics: ServerMetrics) throws {
    self.directory = directory
    self.limit = limit
    self.metrics = metrics
    try Disk.makeDirectory(directory)
    let names = try Disk.names(in: directory, ending: Self.ending)
    bytes = names.reduce(0) { $0 + Disk.size(directory + "/" + $1) }
    let last = names.last.flatMap { UInt64($0.dropLast(Self.ending.count)) } ?? 0
    nextFile = last + 1
    // Ids of this run come after those of all before.
    nextID = UInt64(Date().timeIntervalSince1970) << 24
    (arrivals, arrival) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    metrics.set(.spoolBytes, bytes)
    if !names.isEmpty { arrival.yield() }
  }

  /// Returns when the body is on the disk.
  /// - Returns: the record's id.
  /// - Parameter isAwaited: whether somebody will ask what became of it.
  func append(
    _ body: [UInt8], _ endpoint: Endpoint, key: String?, received: Int64, isAwaited: Bool = false
  ) async throws(Refusal) -> UInt64 {
    guard !isDraining else { throw .draining }
    let before = bytes + waiting.reduce(0) { $0 + $1.record.body.count }
    guard before + body.count <= limit else { throw .overloaded }
    let id = nextID
    nextID += 1
    var record = SpoolRecord(
      head: SpoolRecord.Head(id: id, endpoint: endpoint, key: key, received: received), body: body)
    if isAwaited { record.head.isAwaited = true }
    return try await withCheckedContinuation { done in
      waiting.append((record, done))
      writeSoon()
    }.get()
  }

  private func writeSoon() {
    guard !isWriting else { return }
    isWriting = true
    Task { await writeAll() }
  }

  private func writeAll() async {
    while !waiting.isEmpty {
      var (group, size) = (0, 0)
      while group < waiting.count, group == 0 || size + waiting[group].record.body.count <= Self.groupSize {
        size += waiting[group].record.body.count
        group += 1
      }
      let now = Array(waiting[..<group])
      waiting.removeFirst(group)
      let result = await write(now.map(\.record))
      for one in now { one.done.resume(returning: result.map { one.record.head.id }) }
      if case .success = result { arrival.yield() }
      // Between two groups, so that requests without end do not keep the reader waiting.
      if !sealing.isEmpty { seal() }
    }
    isWriting = false
  }

  private func write(_ records: [SpoolRecord]) async -> Result<Void, Refusal> {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(records.reduce(0) { $0 + $1.body.count + 256 })
    for record in records { record.append(to: &bytes) }
    let begin = ContinuousClock.now
    let (all, open, directory, number) = (bytes, file, directory, nextFile)
    // A number is not used twice, also if the file cannot be made.
    if open == nil { nextFile += 1 }
    do {
      // The disk blocks, and must not hold a thread of the pool that serves requests.
      let file = try await NIOThreadPool.singleton.runIfActive { () throws -> AppendFile in
        if let open {
          try open.append(all)
          return open
        }
        let path = directory + "/" + Self.name(number)
        let made = try AppendFile(path)
        do {
          try made.append(SpoolRecord.magic + all)
          try Disk.synchronizeDirectory(directory)
        } catch {
          // Its bytes may be on the disk, or not: nobody is told that they are.
          try? Disk.remove(path)
          throw error
        }
        return made
      }
      self.bytes += bytes.count
      self.file = file.length < Self.fileSize ? file : nil
      metrics.observe(.spoolSync, ContinuousClock.now - begin)
      metrics.set(.spoolBytes, self.bytes)
      return .success(())
    } catch let error as DiskError {
      // After a failed write it is not known what the disk has: nothing is added to that file.
      file = nil
      metrics.add(.spoolFailures, 1)
      return .failure(.disk(error))
    } catch {
      return .failure(.draining)
    }
  }

  static func name(_ number: UInt64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 16 - digits.count)) + digits + ending
  }

  // MARK: The reader's side

  /// Ends the file that is written to, so that the reader may have it.
  /// - Returns: the names of all files that are whole, the oldest first.
  func sealed() async throws -> [String] {
    // What is begun after that moment has a higher number, whenever this task goes on.
    let end = isWriting ? await withCheckedContinuation { sealing.append($0) } : seal()
    return try Disk.names(in: directory, ending: Self.ending).filter {
      UInt64($0.dropLast(Self.ending.count)).map { $0 < end } ?? false
    }
  }

  /// Called between two writes.
  /// - Returns: files with lower numbers are whole.
  @discardableResult
  private func seal() -> UInt64 {
    file = nil
    let waiting = sealing
    sealing = []
    for one in waiting { one.resume(returning: nextFile) }
    return nextFile
  }

  /// Removes a file whose content is in the log.
  func remove(_ name: String) throws {
    let path = directory + "/" + name
    let size = Disk.size(path)
    try Disk.remove(path)
    bytes = max(0, bytes - size)
    metrics.set(.spoolBytes, bytes)
  }

  /// From now on nothing is taken. What was taken is on the disk.
  func drain() { isDraining = true }

  /// Wakes the reader, although nothing came.
  nonisolated func wake() { arrival.yield() }

  /// Ends the reader's waiting.
  nonisolated func endArrivals() { arrival.finish() }
}
