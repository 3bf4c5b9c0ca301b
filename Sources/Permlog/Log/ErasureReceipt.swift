// What an erasure did, as a file without any id in clear, and the proof that nothing of it came back.

import EventImport
import EventLog
import KeyedHashes
import PermissionEvents
import ReportRendering
import SystemCalls

/// The receipt of an erasure. Its ids are keyed hashes. The key is in the receipt, so that it proves something about any copy
/// of the log; if the log's list of erased users has its key outside, the receipt uses that key and does not have it.
public struct ErasureReceipt: Sendable, Equatable {
  /// One request, in the order in which the ids were given.
  public struct Request: Sendable, Equatable {
    public var outcome: ErasedID.Outcome
    public var events: Int
    public var requestedBefore: Milliseconds?
    /// Hashes of all ids of the person.
    var ids: [UInt128]
    /// The hashes of those of them that the log's list of erased users has.
    var keptOut: [UInt128]
  }

  /// A state of the log.
  public struct State: Sendable, Equatable {
    public var commits: Int
    public var fingerprint: String
  }

  static let schema = "permlog.receipt/1"
  static let largest = 1 << 28
  private static let noChecksum = String(repeating: "0", count: 64)

  /// The version of permlog that erased.
  public var version: String
  /// In milliseconds since 1970, by the clock of the machine.
  public var time: Milliseconds
  /// The log's directory, as it was given.
  public var log: String
  public var before: State
  public var after: State
  /// Files that the log had before and does not have after.
  public var removedFiles: [String]
  public var users: Int
  public var events: Int
  public var requests: [Request]
  /// Nil if it is that of the log's list of erased users, which is kept elsewhere.
  private var key: ErasureKey?
  private var keyCheck: String
  private var listCheck: String
  /// Of the key under which the users of the log were hashed; nil if they were not.
  private(set) var userKeyCheck: String?

  init(
    _ erasure: Erasure, of log: String, at time: Milliseconds, _ before: CommittedState, _ after: CommittedState,
    _ list: ErasureList, users userKey: UserKey?
  ) throws {
    version = PermlogVersion.text
    (self.time, self.log) = (time, log)
    self.before = State(commits: before.commits, fingerprint: before.fingerprint)
    self.after = State(commits: after.commits, fingerprint: after.fingerprint)
    removedFiles = before.files.filter { !after.files.contains($0) }
    (users, events) = (erasure.found, erasure.events)
    let own = list.keyOutside == nil ? ErasureKey() : nil
    let key = own ?? list.keyOutside ?? ErasureKey()
    userKeyCheck = userKey.map { Hex.text(UInt128($0.check)) }
    (self.key, keyCheck, listCheck) = (own, Hex.text(key.check), Hex.text(list.keyCheck))
    requests = try erasure.requests.map { request in
      Request(
        outcome: request.outcome, events: request.events, requestedBefore: request.requestedBefore,
        ids: request.allIDs.map(key.hash),
        keptOut: try request.allIDs.map(list.hash).filter(list.contains(hash:)))
    }
  }

  // MARK: The file

  var json: [UInt8] {
    let bytes = document(checksum: Self.noChecksum)
    return document(checksum: Hex.text(sha256(bytes)))
  }

  private func document(checksum: String) -> [UInt8] {
    func state(_ state: State) -> JSONMembers { ["commits": state.commits, "fingerprint": state.fingerprint] }
    return JSONWriter.document(
      [
        "schema": Self.schema, "version": version, "time": Timestamp.text(time), "log": log, "before": state(before),
        "after": state(after), "removed_files": removedFiles, "users": users, "events": events,
        "key": key.map { Hex.text($0.bytes) }, "key_check": keyCheck, "list_key_check": listCheck,
        "user_key_check": userKeyCheck,
        "requests": requests.map { request in
          [
            "outcome": request.outcome.rawValue, "events": request.events,
            "requested_before": request.requestedBefore.map { Timestamp.text($0) },
            "ids": request.ids.map { Hex.text($0) }, "kept_out": request.keptOut.map { Hex.text($0) },
          ] as JSONMembers
        },
        "checksum": checksum,
      ] as JSONMembers)
  }

  /// Reads a receipt.
  /// - Parameter name: the file, for messages.
  /// - Throws: `damaged` if a byte is not as it was written; `newerFormat`; `usage` if it is no receipt.
  init(_ bytes: [UInt8], name: String) throws(PermlogError) {
    func refuse(_ problem: String) -> PermlogError {
      PermlogError(
        .damaged, "\(name): \(problem). The receipt was changed or is damaged: take another copy of it.",
        argument: .receipt)
    }
    guard let tree = JSONTree(document: bytes) else {
      throw .usage("\(name): it is not a receipt, because it is not a JSON object.", .receipt)
    }
    var fields = try PlanFields(tree, schema: Self.schema, name, "a receipt", argument: .receipt, refuse)
    func hex(_ text: String, _ count: Int) throws(PermlogError) -> [UInt8] {
      guard let bytes = Hex.bytes(text), bytes.count == count else {
        throw refuse("a hash does not have \(2 * count) digits")
      }
      return bytes
    }
    func state(_ key: String, _ fields: inout PlanFields) throws(PermlogError) -> State {
      var state = try PlanFields(fields.take(key), path: key + ".", refuse)
      let read = State(
        commits: try state.integer("commits", in: 0...Int.max), fingerprint: try state.text("fingerprint"))
      try state.finish()
      return read
    }
    func hashes(_ tree: JSONTree) throws(PermlogError) -> UInt128 {
      guard case .text(let text) = tree else { throw refuse("a hash is not a text") }
      return try hex(text, 16).reduce(0) { $0 << 8 | UInt128($1) }
    }
    version = try fields.text("version")
    time = try fields.time("time")
    guard case .text(let log) = try fields.take("log") else { throw refuse("log: it is not a text") }
    self.log = log
    before = try state("before", &fields)
    after = try state("after", &fields)
    removedFiles = try fields.list("removed_files") { item, path throws(PermlogError) in
      guard case .text(let text) = item else { throw refuse("\(path): it is not a text") }
      return text
    }
    users = try fields.integer("users", in: 0...Int.max)
    events = try fields.integer("events", in: 0...Int.max)
    if let text = try fields.optionalText("key") {
      key = ErasureKey(stored: try hex(text, ErasureKey.length))
    }
    keyCheck = try fields.text("key_check")
    listCheck = try fields.text("list_key_check")
    userKeyCheck = try fields.optionalText("user_key_check")
    requests = try fields.objects("requests") { fields throws(PermlogError) in
      var fields = fields
      let outcome: ErasedID.Outcome = try fields.choice("outcome")
      let events = try fields.integer("events", in: 0...Int.max)
      let before = try fields.take("requested_before")
      let request = Request(
        outcome: outcome, events: events,
        requestedBefore: PlanFields.time(before, in: Timestamp.earliest...Timestamp.latest),
        ids: try fields.list("ids") { item, _ throws(PermlogError) in try hashes(item) },
        keptOut: try fields.list("kept_out") { item, _ throws(PermlogError) in try hashes(item) })
      try fields.finish()
      return request
    }
    _ = try fields.text("checksum")
    try fields.finish()
    // The same bytes from what was read: a later change of any byte shows.
    guard json == bytes else { throw refuse("its checksum does not match") }
  }
}

/// Bytes as hexadecimal digits.
enum Hex {
  static func text(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(bounded: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }

  static func text(_ number: UInt128) -> String {
    text((0..<16).map { UInt8(truncatingIfNeeded: number >> (120 - 8 * UInt128($0))) })
  }

  /// Nil if a character is no digit, or one is missing.
  static func bytes(_ text: String) -> [UInt8]? {
    let digits = text.utf8.map { byte in byte < 0x80 ? Character(Unicode.Scalar(byte)).hexDigitValue : nil }
    guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
    let values = digits.compactMap { $0 }
    return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }
}

/// The file of a receipt. It is opened before anything is erased, so that a directory that cannot be written to stops the
/// erasure and not its receipt.
struct ReceiptFile {
  private let path: String
  private let file: WholeFile

  init(_ path: String, log: String) throws(PermlogError) {
    if access(path, F_OK) == 0 {
      throw .usage(
        "\(path): it exists, and a receipt never replaces a file. Nothing was erased. Name a new file.", .receipt)
    }
    self.path = path
    file = try translating { try WholeFile(path, besides: ProtectedFiles(log: log), replaces: false, isPrivate: true) }
  }

  /// - Throws: `inputOutput` if it cannot be written. The users are erased then.
  func write(_ receipt: ErasureReceipt) throws {
    do {
      try receipt.json.withUnsafeBytes { try file.write($0) }
      if try file.close() { return }
      throw SystemError(operation: "write", path: path, number: EEXIST)
    } catch let error as SystemError {
      throw PermlogError(
        .inputOutput,
        "the users are erased, but the receipt could not be written: \(error). Erase the same ids again with "
          + "another file for the receipt: it will say that they are erased.", argument: .receipt, cause: error)
    }
  }
}

// MARK: The proof

/// The comparison of a receipt with a log.
public struct ReceiptVerification: Sendable, Equatable {
  public var receipt: ErasureReceipt
  /// Numbers of requests, from 1 on, of which the log has an id: in an event, or in a link.
  public var found: [Int] = []
  /// Numbers of requests of which an id is not kept out; nil if the log's list of erased users has another key, so that it
  /// cannot be told. A log without a list keeps no user out.
  public var readmitted: [Int]?
  /// Ids that were compared.
  public var compared = 0
}

extension PermissionLog {
  /// Looks for the ids of a receipt in every file of the log.
  /// - Parameter erasureKey: the key of the list of erased users, if the receipt was made with it.
  /// - Throws: `damaged` if the receipt or the log is; `key` if the receipt needs a key.
  public func verify(receipt file: String, erasureKey: ErasureKeySource? = nil) throws(PermlogError)
    -> ReceiptVerification
  {
    guard let bytes = try SmallFile.read(file, limit: ErasureReceipt.largest, argument: .receipt) else {
      throw .usage("\(file): it is too large for a receipt", .receipt)
    }
    let receipt = try ErasureReceipt(bytes, name: file)
    let given = try erasureKey?.key(besides: path)
    guard let key = try receipt.key(given, name: file) else {
      throw PermlogError(
        .key, "\(file): its ids are hashed under the key of the list of erased users, which is kept outside the log",
        .giveErasureKey)
    }
    if given != nil, receipt.hasOwnKey {
      throw .usage("\(file): the receipt has its own key, but another one was given. Leave it out", .erasureKey)
    }
    return try translating {
      let snapshot = try LogSnapshot(directory)
      // A keyed hash of an id does not show that it is the id.
      if snapshot.userKeyChecks.contains(where: { Hex.text(UInt128($0)) != receipt.userKeyCheck }) {
        throw PermlogError(
          .key,
          "\(file): the receipt is of \(receipt.userKeyCheck == nil ? "plain user ids" : "user ids that are hashed under one key"), but the log has "
            + "\(snapshot.hasMixedUsers ? "also " : "")user ids that are hashed under \(receipt.userKeyCheck == nil ? "a" : "another") key: these cannot be compared"
        )
      }
      var requests: [UInt128: [Int]] = [:]
      for (i, request) in receipt.requests.enumerated() {
        for id in request.ids { requests[id, default: []].append(i + 1) }
      }
      var result = ReceiptVerification(receipt: receipt)
      var found: Set<Int> = []
      try snapshot.forEachStoredID { id in
        result.compared += 1
        if let numbers = requests[key.hash(id)] { found.formUnion(numbers) }
      }
      try snapshot.forEachWordOfFileNames { word in
        if let numbers = requests[key.hash(word)] { found.formUnion(numbers) }
      }
      result.found = found.sorted()
      let list = try snapshot.lockedErasures()
      if list.map(receipt.isOfList) ?? true {
        result.readmitted = receipt.requests.indices.filter { i in
          !receipt.requests[i].keptOut.allSatisfy { list?.contains(hash: $0) ?? false }
        }.map { $0 + 1 }
      }
      return result
    }
  }
}

extension ErasureReceipt {
  /// The key of its hashes; nil if it needs one that was not given.
  fileprivate func key(_ given: ErasureKey?, name: String) throws(PermlogError) -> ErasureKey? {
    let key = self.key ?? given
    guard let key, Hex.text(key.check) != keyCheck else { return key }
    throw PermlogError(
      .key, "\(name): the given key is not that of the receipt", .giveRightErasureKey)
  }

  fileprivate var hasOwnKey: Bool { key != nil }

  fileprivate func isOfList(_ list: ErasureList) -> Bool { Hex.text(list.keyCheck) == listCheck }
}
