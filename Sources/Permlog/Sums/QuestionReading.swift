// Reads a question from an untrusted file. A question that is only half understood would silently get a wrong answer.

import EventImport
import EventLog
import PermissionAnalysis
import PermissionEvents
import SystemCalls

extension Question {
  /// The question in the bytes of a file. One line feed at the end is left out.
  /// - Parameter name: the file, for messages.
  /// - Throws: `newerFormat` for a schema of a later version; `usage`, with the key, for anything else that is not a
  ///   question.
  public init(_ bytes: [UInt8], name: String) throws(PermlogError) {
    try self.init(
      bytes, name: name, (noQuestion: "Name a file that a question was saved to.", other: "Save the question again."))
  }

  /// - Parameter advice: what to do if it is not a question, and if it is a question for another version.
  init(_ bytes: [UInt8], name: String, _ advice: (noQuestion: String, other: String)) throws(PermlogError) {
    let bytes = bytes.last == 0x0A ? Array(bytes.dropLast()) : bytes
    func complain(_ problem: String) -> PermlogError {
      .usage("\(name): \(problem). \(advice.other)")
    }
    guard bytes.count <= Self.longest else {
      throw complain("it is larger than \(Self.longest >> 20) MiB, too large for a question")
    }
    guard let tree = JSONTree(document: bytes) else {
      throw .usage("\(name): it is not a question, because it is not a JSON object. \(advice.noQuestion)")
    }
    var fields = try PlanFields(tree, schema: Self.schema, name, "a question", complain)
    let kind: Kind = try fields.choice("kind")
    let fold = try fields.text("fold")
    guard fold.utf8.elementsEqual(kind.fold.utf8) else {
      let problem = "it asks for the sums \(fold), but this version counts \(kind.fold)"
      guard Self.isLater(fold, than: kind.fold) else { throw fields.refuse("fold", problem) }
      throw PermlogError(.newerFormat, "\(name): fold: \(problem). Update permlog.")
    }
    let zone = try ZoneTable(&fields, complain)
    let request = try kind.request.read(&fields, in: zone)
    let now = try fields.moment("now")
    try fields.finish()
    do { try self.init(counting: request, in: zone, now: now) } catch { throw complain(error.explanation.finding) }
    guard encoded == bytes else { throw complain("it is not in the exact form in which permlog writes questions") }
  }

  /// Whether a fold like `report 5` is a later version of one like `report 4`.
  private static func isLater(_ fold: String, than own: String) -> Bool {
    let (words, ours) = (fold.split(separator: " "), own.split(separator: " "))
    guard words.count == 2, ours.count == 2, words[0].utf8.elementsEqual(ours[0].utf8),
      let version = Int(words[1]), let known = Int(ours[1])
    else { return false }
    return version > known
  }
}

extension CountedRequest {
  /// Reads the keys of this kind's fields. The other keys have no meaning for it.
  fileprivate static func read(_ fields: inout PlanFields, in zone: ZoneTable) throws(PermlogError)
    -> any CountedRequest
  {
    var request = Self()
    request.scope.timeZone = zone.name
    let counted = Self.fields.compactMap(\.counted)
    for key in QuestionKey.allCases {
      switch key {
      case .kind, .fold, .timeZone, .now: continue
      case .asOf: request.scope.asOf = .time(try fields.moment(key.rawValue))
      case _ where key.isOptional && !fields.has(key.rawValue): continue
      case .settingsWindow where followsJourneys:
        let settings = Int(Question.settingsWindow)
        _ = try fields.integer(key.rawValue, in: settings...settings)
      default:
        guard let field = counted.first(where: { $0.key == key }) else {
          try fields.null(key.rawValue)
          continue
        }
        try field.read(&request, &fields)
      }
    }
    return request
  }
}

extension ZoneTable {
  fileprivate init(_ fields: inout PlanFields, _ complain: @escaping PlanFields.Complaint) throws(PermlogError) {
    var zone = try PlanFields(try fields.take("time_zone"), path: "time_zone.", complain)
    let name = try zone.text("name")
    guard SystemZones.isName(name) else { throw zone.refuse("name", "it is not the name of a zone") }
    let changes = try zone.objects("transitions") { (item) throws(PermlogError) in
      var change = item
      let at = try change.optionalMoment("at", in: -Timestamp.latest...2 * Timestamp.latest)
      let offset = Milliseconds(try change.integer("offset_s", in: -86_400...86_400)) * 1000
      try change.finish()
      return (at: at, offset: offset)
    }
    try zone.finish()
    let later = changes.dropFirst()
    let transitions = later.compactMap { change in change.at.map { Transition(at: $0, offset: change.offset) } }
    guard let first = changes.first, first.at == nil, transitions.count == later.count,
      name != "UTC" || later.isEmpty && first.offset == 0,
      let table = ZoneTable(checking: name, initialOffset: first.offset, transitions: transitions)
    else { throw zone.refuse("transitions", "no known zone has these clock changes") }
    self = table
  }
}

// Values that occur only in questions.
extension PlanFields {
  fileprivate mutating func null(_ key: String) throws(PermlogError) {
    guard try take(key) == .null else { throw refuse(key, "it has no meaning for this kind of question") }
  }

  /// A time like `2026-03-02T10:00:00.000Z`.
  fileprivate mutating func moment(_ key: String) throws(PermlogError) -> Milliseconds {
    guard let time = try optionalMoment(key) else { throw refuse(key, "it is missing") }
    return time
  }

  mutating func optionalMoment(
    _ key: String, in range: ClosedRange<Milliseconds> = Question.times
  ) throws(PermlogError) -> Milliseconds? {
    let value = try take(key)
    if value == .null { return nil }
    guard let time = Self.time(value, in: range) else {
      throw refuse(key, "it is not a time like 2026-03-02T10:00:00.000Z")
    }
    return time
  }

  mutating func conditions(_ key: String) throws(PermlogError) -> [ExposureCondition] {
    let complain = complaint
    return try list(key) { (item, path) throws(PermlogError) in
      guard case .text(let text) = item else { throw complain("\(path): it is not a text") }
      do throws(ConditionError) { return try ExposureCondition(parsing: text) } catch {
        throw complain("\(path): \(error.description)")
      }
    }
  }

  mutating func properties(_ key: String) throws(PermlogError) -> [StringField] {
    try texts(key, orNo: "not a property of the exposure") { name in
      ExposureCondition.fields.first { $0.name.utf8.elementsEqual(name.utf8) }
    }
  }
}

// MARK: Files

extension Question {
  /// Reads a question from a file.
  /// - Throws: `notFound` or `inputOutput` if the file cannot be read; `usage` if it is not a question; `newerFormat`
  ///   if a later version wrote it.
  public init(contentsOf path: String) throws(PermlogError) {
    guard let bytes = try SmallFile.read(path, limit: Self.longest + 1, argument: .question) else {
      throw .usage("\(path): it is larger than \(Self.longest >> 20) MiB, too large for a question", .question)
    }
    self = try PermlogError.naming(.question) { () throws(PermlogError) in try Question(bytes, name: path) }
  }

  /// Whether a file has other content than a question: an export that was named by mistake must not be replaced. False
  /// if the file does not exist or is empty, and for pipes and devices.
  package static func isOther(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return false }
    guard let bytes = try? SmallFile.read(path, limit: longest + 1, argument: .question) else { return true }
    return !bytes.starts(with: Array(#"{"schema":"permlog.question/"#.utf8))
  }

  /// The content of the question's file: one line.
  public var line: [UInt8] { encoded + [0x0A] }
}
