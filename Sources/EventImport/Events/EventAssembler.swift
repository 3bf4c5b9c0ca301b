// From the values of one line to one packed event: the rules of the canonical form, for files of any format. Values
// come as bytes and leave as codes; nothing here makes a String unless a line is refused.

import Buffers
import EventMapping
import PermissionEvents

/// Checks the values of lines and packs them into a batch. Owned by one thread and one sink.
final class EventAssembler {
  let options: ImportOptions
  let latestTime: Milliseconds
  /// Replaces user ids that are not to be stored.
  let pseudonyms: UserPseudonyms?
  let dictionary: EventDictionary
  let batch = EventBatch()
  let respelling = Respelling()
  /// Whether a value of the current line was in another spelling than its list's.
  var isRespelled = false
  /// Events of the chunk with an id made of all their values.
  @exclusivity(unchecked) var contentIDs = 0
  /// Events of the batch with names that were read, which are counted by name. Kept if `countsKinds` is set.
  var named: Set<Int> = []
  /// Reads the times that are not in RFC 3339.
  let times: RecordTime
  private let cache = CodeCache(fields: ImportField.codeCount)
  private let contexts = TupleCache(bits: 12)
  private let attributes = TupleCache(bits: 15)
  /// Codes of the fields of the current line. They are words, because they are loaded as words right after they were stored.
  let codes = Buffer<UInt64>(repeating: 0, count: ImportField.codeCount)
  /// Values of the fields of the current line, for derived ids.
  let spans = Buffer(repeating: UnsafeRawBufferPointer(start: nil, count: 0), count: ImportField.codeCount)

  init(options: ImportOptions, dictionary: EventDictionary) {
    self.options = options
    self.dictionary = dictionary
    latestTime = options.latestTime
    times = RecordTime(unit: .auto, clock: options.clock(.unsaid))
    pseudonyms = options.rows.userKey.map { UserPseudonyms(key: $0, isKeptOut: options.isKeptOut) }
  }

  /// The id of an event by its vendor's key: a hash, keyed if user ids are hidden, since they may be part of it.
  func derivedID(of key: [UInt8]) -> EventBatch.Identifier {
    key.withUnsafeBytes { bytes in
      pseudonyms.map { $0.identifier(of: bytes) } ?? DerivedEventID.make(ofKey: bytes)
    }
  }

  /// The code of a missing field: no value, and no kind.
  static func absentCode(_ field: Int) -> UInt64 { field == ImportField.event ? .max : 0 }

  /// The code of a field's value; nil if the value is not in its closed list. The value has at most 256 bytes
  /// and is not empty.
  /// - Parameter words: its first 16 bytes.
  @inline(__always)
  func code(_ field: Int, _ text: PaddedBytes, _ words: (low: UInt64, high: UInt64)) -> UInt32? {
    cache.find(field, text, words) ?? newCode(field, text, words)
  }

  /// The code of a value as it was written; nil if the general path has to read it: it is in another spelling, not in
  /// its closed list, too long or not UTF-8. The value is not empty.
  @inline(__always)
  func plainCode(_ field: Int, _ text: PaddedBytes) -> UInt32? {
    let words = text.words
    return cache.find(field, text, words) ?? newPlainCode(field, text, words)
  }

  @inline(never)
  private func newPlainCode(_ field: Int, _ text: PaddedBytes, _ words: (low: UInt64, high: UInt64)) -> UInt32? {
    guard text.count <= StringField.maximumLength, Self.isUTF8(text.bytes) else { return nil }
    return newCode(field, text, words)
  }

  @inline(never)
  private func newCode(_ field: Int, _ text: PaddedBytes, _ words: (low: UInt64, high: UInt64)) -> UInt32? {
    let code: UInt32
    switch field {
    case ImportField.event, ImportField.status:
      let list = field == ImportField.event ? ClosedList.kinds : ClosedList.statuses
      guard let index = ClosedList.index(of: text.bytes, in: list) else { return nil }
      code = UInt32(index)
    default:
      guard let stringField = StringField(rawValue: field) else { return nil }
      if stringField == .permission, ClosedList.index(of: text.bytes, in: ClosedList.permissions) == nil {
        // `Camera` is the camera, also among names of one's own: the general path has the list's spelling.
        guard options.rows.allowsCustomPermissions, respelling.find(field, text.bytes) == nil else { return nil }
      }
      code = dictionary.code(stringField, text.bytes)
    }
    cache.insert(field, text, words, code: code)
    return code
  }

  @inline(__always)
  func contextCode() -> UInt32 {
    let search = contexts.search(
      codes[0] | codes[1] &<< 32, codes[2] | codes[3] &<< 32, codes[4] | codes[ImportField.status] &<< 32)
    return contexts.code(search) { newContext($0) }
  }

  @inline(never)
  private func newContext(_ tuple: TupleCache.Search) -> UInt32 {
    let status = AuthorizationStatus(rawValue: UInt8(truncatingIfNeeded: tuple.third >> 32))
    return dictionary.code(
      ContextTuple(
        permission: UInt32(truncatingIfNeeded: tuple.first), variant: UInt32(truncatingIfNeeded: tuple.first >> 32),
        experiment: UInt32(truncatingIfNeeded: tuple.second), surface: UInt32(truncatingIfNeeded: tuple.second >> 32),
        feature: UInt32(truncatingIfNeeded: tuple.third), status: status ?? .none))
  }

  /// Begins the search for the code of the line's attributes. There are many in a file, so that it takes time.
  @inline(__always)
  func searchAttributes() -> TupleCache.Search {
    attributes.search(codes[5] | codes[6] &<< 32, codes[7] | codes[8] &<< 32, codes[9])
  }

  @inline(__always)
  func attributeCode(_ search: TupleCache.Search) -> UInt32 { attributes.code(search) { newAttributes($0) } }

  @inline(never)
  private func newAttributes(_ tuple: TupleCache.Search) -> UInt32 {
    dictionary.code(
      AttributeTuple(
        appVersion: UInt32(truncatingIfNeeded: tuple.first), osVersion: UInt32(truncatingIfNeeded: tuple.first >> 32),
        platform: UInt32(truncatingIfNeeded: tuple.second), locale: UInt32(truncatingIfNeeded: tuple.second >> 32),
        country: UInt32(truncatingIfNeeded: tuple.third)))
  }

  // MARK: The rules, field by field, for the values of a line that is not in the common form. The first rule
  // that a line breaks is its reason.

  /// The source of values: the rules for plain text differ a little from those for JSON.
  enum Origin { case json, text }

  /// Checks the values of a line, by `ImportField` number, and appends its event to the batch.
  /// - Parameters:
  ///   - time: a time that was read already, with its value for messages; else it is read from the values.
  ///   - exported: the same time as the file has it, for an id that is made of the whole event: an ingest that forgot the
  ///     zone of the times makes the same ids.
  ///   - madeEventID: an id that was made of a vendor's key; else it is read from the values, or made of all of them.
  ///   - naming: called for an event that is not a kind; it may change the values.
  /// - Returns: false if the event is understood and nothing is stored of it.
  /// - Throws: why the line is refused; the batch is as it was then.
  func append(
    _ values: borrowing Buffer<FieldValue>, form: Origin, time known: (Milliseconds, FieldValue)? = nil,
    exported: Milliseconds? = nil, madeEventID: EventBatch.Identifier? = nil,
    naming: () throws(Rejection) -> EventNaming = { () throws(Rejection) in .listed }
  ) throws(Rejection) -> Bool {
    isRespelled = false
    let user = try userID(values[ImportField.userID], form)
    let event = try eventID(values[ImportField.eventID], form)
    let time =
      if let known { try checked(known.0, known.1) } else { try time(values[ImportField.timestamp], form) }
    do throws(Rejection) {
      return try append(values, form: form, (user, event, time), exported: exported, madeEventID, naming: naming)
    } catch {
      // It is refused, but it has arrived.
      noteRefused(event, user, time)
      throw error
    }
  }

  private func append(
    _ values: borrowing Buffer<FieldValue>, form: Origin,
    _ read: (user: UnsafeRawBufferPointer, event: UnsafeRawBufferPointer, time: Milliseconds), exported: Milliseconds?,
    _ madeEventID: EventBatch.Identifier?, naming: () throws(Rejection) -> EventNaming
  ) throws(Rejection) -> Bool {
    let (user, event, time) = read
    var isNamed = false
    var listed = listedKind(values[ImportField.event])
    if listed == nil, isName(values[ImportField.event]) {
      switch try naming() {
      case .listed: break
      case .respelled:
        isRespelled = true
        isNamed = true
        listed = listedKind(values[ImportField.event])
      case .nothing: return false
      }
    }
    let kind = if let listed { listed } else { try respelledKind(values[ImportField.event], form) }
    for field in 0..<ImportField.stringCount where kind != .assigned || field != StringField.permission.rawValue {
      try string(field, values[field], kind, form)
    }
    let status = kind == .assigned ? .none : try status(values[ImportField.status], kind, form)
    if kind == .assigned, !beginAssignment() { throw .missingAssignment(codes[StringField.experiment.rawValue] == 0) }

    if isNamed, options.countsKinds { named.insert(batch.count) }
    // Nothing is put into the batch before every rule has been kept.
    let names = pseudonyms?.names(of: user)
    let userIdentifier = names?.stored ?? identifier(user)
    let hash = Self.hash(of: userIdentifier, user)
    if options.rows.replacesEvents, kind != .assigned, madeEventID == nil, event.isEmpty { contentIDs += 1 }
    var eventIdentifier: EventBatch.Identifier
    if kind == .assigned {
      eventIdentifier = assignmentID(time)
    } else if let madeEventID {
      eventIdentifier = madeEventID
    } else if event.isEmpty {
      let hashed = names.flatMap { pseudonyms?.text(of: $0.first) } ?? user
      eventIdentifier = DerivedEventID.make(user: hashed, time: exported ?? time, kind: kind, status: status) {
        spans[$0.rawValue]
      }
    } else {
      eventIdentifier = hiddenEventID(event)
    }
    if let pseudonyms { eventIdentifier = pseudonyms.renewed(event: eventIdentifier, of: kind) }
    batch.append(
      userHash: hash, user: userIdentifier, event: eventIdentifier, time: time, kind: kind, context: contextCode(),
      attributes: attributeCode(searchAttributes()))
    noteRecorded(event)
    if kind == .assigned, options.rows.replacesEvents, madeEventID != nil || !event.isEmpty {
      // The row may have been another event, with its own id.
      batch.appendNoEvent(
        userHash: hash, user: userIdentifier, event: storedEventID(madeEventID, event), time: time,
        context: contextCode(), attributes: attributeCode(searchAttributes()))
    }
    return true
  }

  // MARK: Numbers

  /// The user of the last row that is not stored, and whether they were erased from the log.
  private var lastUnstored: (user: UInt64, isErased: Bool)?

  /// Notes the number in an event id of `PermissionRecorder`, for the event that was appended last.
  private func noteRecorded(_ id: UnsafeRawBufferPointer) {
    guard let (counter, number) = Self.recorded(id) else { return }
    batch.note(counter: hidden(counter: counter), number: number, ofEvent: batch.count - 1)
  }

  /// Notes the number of a row of `PermissionRecorder` that is refused.
  private func noteRefused(_ id: UnsafeRawBufferPointer, _ user: UnsafeRawBufferPointer, _ time: Milliseconds) {
    guard let (counter, number) = Self.recorded(id) else { return }
    note(counter: counter, number: number, text: user, time: time, attributes: attributes(.absent, .absent))
  }

  private static func recorded(_ id: UnsafeRawBufferPointer) -> (counter: UInt64, number: UInt64)? {
    guard id.count == 36, let (_, high, low) = IdentifierText.packUUID(id) else { return nil }
    return EventNumber.recorded(high: high, low: low)
  }

  /// Counters and their keyed hashes, by the counters' highest bits.
  @exclusivity(unchecked) private var hiddenCounters: [(UInt64, UInt64)] = []

  /// The hash by which a log knows what counts: keyed if user ids are hidden, since it may be made of one.
  @inline(__always)
  func hidden(counter: UInt64) -> UInt64 {
    guard let pseudonyms else { return counter }
    let slot = Int(truncatingIfNeeded: counter >> 52)
    if hiddenCounters.isEmpty { hiddenCounters = Array(repeating: (0, 0), count: 1 << 12) }
    if hiddenCounters[slot].0 == counter { return hiddenCounters[slot].1 }
    let hidden = withUnsafeBytes(of: counter.littleEndian) { UserHash.mix(pseudonyms.counter(of: $0)) }
    hiddenCounters[slot] = (counter, hidden)
    return hidden
  }

  /// The code of attributes with a version of the app and a platform alone.
  func attributes(_ version: FieldValue, _ platform: FieldValue) -> UInt32 {
    for field in 0..<ImportField.codeCount { codes[field] = 0 }
    func set(_ field: StringField, _ value: FieldValue) {
      guard !value.text.isEmpty, let code = plainCode(field.rawValue, value.text) else { return }
      codes[field.rawValue] = UInt64(code)
    }
    set(.appVersion, version)
    set(.platform, platform)
    return attributeCode(searchAttributes())
  }

  /// Notes the number of a row that is not stored.
  /// - Parameter form: of the row's values.
  func note(
    counter: UInt64, number: UInt64, user value: FieldValue, time: Milliseconds, attributes: UInt32, form: Origin
  ) throws(Rejection) {
    let text = try userID(value, form)
    guard (Timestamp.earliest...latestTime).contains(time) else { return }
    note(counter: counter, number: number, text: text, time: time, attributes: attributes)
  }

  private func note(
    counter: UInt64, number: UInt64, text: UnsafeRawBufferPointer, time: Milliseconds, attributes: UInt32
  ) {
    // Nothing of the row is stored, so that its user's text does not go into the batch.
    let hidden = pseudonyms?.names(of: text).stored
    let user = hidden.map { Self.hash(of: $0, text) } ?? UserHash.of(text)
    if lastUnstored?.user != user {
      let stored = pseudonyms.flatMap { names in hidden.map { Array(names.text(of: $0)) } } ?? Array(text)
      lastUnstored = (user, options.isKeptOut(stored))
    }
    let isErased = lastUnstored?.isErased == true
    batch.numbers.append(
      EventNumber(
        counter: self.hidden(counter: counter), number: isErased ? EventNumber.withdrawn : number,
        user: isErased ? 0 : user,
        time: time, attributes: attributes))
  }

  // MARK: Assignments

  private struct Assignment: Hashable {
    var experiment, variant: UInt64
    var day: Int64
  }

  /// Ids by what they are made of. Flags are logged at every launch, with few values.
  @exclusivity(unchecked) private var assignments: [Assignment: EventBatch.Identifier] = [:]
  private static let mostAssignments = 1 << 14

  /// Takes from the line what an assignment does not have, a permission and a status.
  /// - Returns: false if it lacks the experiment or the variant.
  @inline(__always)
  func beginAssignment() -> Bool {
    let codes = codes.unsafeAddress
    codes[StringField.permission.rawValue] = 0
    codes[ImportField.status] = 0
    return codes[StringField.experiment.rawValue] != 0 && codes[StringField.variant.rawValue] != 0
  }

  /// The id of the line's assignment, of whatever row: that of its experiment, variant and UTC day. So a flag that an app
  /// logs at every launch is stored once a day, whatever ids the rows have.
  @inline(never)
  func assignmentID(_ time: Milliseconds) -> EventBatch.Identifier {
    let (experiment, variant) = (codes[StringField.experiment.rawValue], codes[StringField.variant.rawValue])
    let assignment = Assignment(
      experiment: experiment, variant: variant, day: floorDivide(time, millisecondsPerDay))
    if let id = assignments[assignment] { return id }
    let id = DerivedEventID.make(
      experiment: dictionary.value(.experiment, UInt32(truncatingIfNeeded: experiment)),
      variant: dictionary.value(.variant, UInt32(truncatingIfNeeded: variant)), day: assignment.day)
    if assignments.count >= Self.mostAssignments { assignments.removeAll(keepingCapacity: true) }
    assignments[assignment] = id
    return id
  }

  private func isName(_ event: FieldValue) -> Bool {
    event.kind == .string && event.text.count <= StringField.maximumLength && !event.text.isEmpty
      && Self.isUTF8(event.bytes)
  }

  private func identifier(_ bytes: UnsafeRawBufferPointer) -> EventBatch.Identifier {
    if bytes.count == 36, let base = bytes.baseAddress, let uuid = UUIDPacker.pack(base) {
      return EventBatch.Identifier(
        form: uuid.form == 2 ? .uppercaseUUID : .lowercaseUUID, high: uuid.high, low: uuid.low)
    }
    return batch.identifier(bytes)
  }

  /// The id that an app wrote: hidden as the users' ids are, since it may be made of one. Ids that a program made by a hash stay.
  private func hiddenEventID(_ id: UnsafeRawBufferPointer) -> EventBatch.Identifier {
    guard options.eventIDs.areKeyed, let key = options.rows.userKey, !IdentifierText.isPseudonym(id) else {
      return identifier(id)
    }
    return key.identifier(ofEvent: id)
  }

  /// The id of a row that may have been an event: of the kinds that one row makes.
  private func storedEventID(
    _ made: EventBatch.Identifier?, _ id: UnsafeRawBufferPointer
  ) -> EventBatch.Identifier {
    let id = made ?? hiddenEventID(id)
    return pseudonyms?.renewed(event: id, of: nil) ?? id
  }

  private static func hash(of id: EventBatch.Identifier, _ text: UnsafeRawBufferPointer) -> UInt64 {
    id.form == .text ? UserHash.text(text) : UserHash.uuid(high: id.high, low: id.low)
  }

  /// Appends a record that is not an event: an ingest that replaces removes the event with its id from the log.
  func appendNoEvent(
    user value: FieldValue, eventID: FieldValue, madeEventID: EventBatch.Identifier?, time: Milliseconds, form: Origin
  ) throws(Rejection) {
    let user = try userID(value, form)
    let event = try self.eventID(eventID, form)
    guard madeEventID != nil || !event.isEmpty, (Timestamp.earliest...latestTime).contains(time) else { return }
    for field in 0..<ImportField.codeCount { codes[field] = 0 }
    let identifier = pseudonyms?.names(of: user).stored ?? identifier(user)
    batch.appendNoEvent(
      userHash: Self.hash(of: identifier, user), user: identifier, event: storedEventID(madeEventID, event), time: time,
      context: contextCode(), attributes: attributeCode(searchAttributes()))
  }

  /// A link: two ids of a record that are one user.
  /// - Returns: nil if both are the same.
  func link(_ a: FieldValue, _ b: FieldValue, _ form: Origin) throws(Rejection) -> UserLink? {
    func stored(_ value: FieldValue) throws(Rejection) -> [UInt8] {
      let id = try userID(value, form)
      return pseudonyms.map { Array($0.text(of: $0.names(of: id).stored)) } ?? Array(id)
    }
    return UserLink(try stored(a), try stored(b))
  }

  private func userID(_ value: FieldValue, _ form: Origin) throws(Rejection) -> UnsafeRawBufferPointer {
    let field = ImportField.userID
    if value.isAbsent { throw .missing(field) }
    let value = try checkedIdentifier(field, value, maximum: ImportField.maximumUserID, form)
    if Self.isNobody(value.bytes) { throw .nobody(value) }
    // If ids were hashed twice, every user would be in the log again, and erased users would reappear.
    if pseudonyms != nil, IdentifierText.isPseudonym(value.bytes) { throw .pseudonym(value) }
    return value.bytes
  }

  /// Empty if the event has no id, or a placeholder: all events of a user that have `NULL` would be one.
  private func eventID(_ value: FieldValue, _ form: Origin) throws(Rejection) -> UnsafeRawBufferPointer {
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    if value.isAbsent { return none }
    let id = try checkedIdentifier(ImportField.eventID, value, maximum: ImportField.maximumEventID, form).bytes
    return Self.isNobody(id) ? none : id
  }

  /// Cheap test for the fast path: no spaces at either end, and not obviously a number rounded by a spreadsheet. May
  /// return false for good ids, which the rules here then check.
  @inline(__always)
  static func isPlainID(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let first = text.first, let last = text.last else { return true }
    if first <= 0x20 || last <= 0x20 { return false }
    // `E+15`: a plus before the last one, two or three signs.
    guard first &- 48 <= 9, text.count > 4 else { return true }
    let end = text.count
    return text[end - 2] != 0x2B && text[end - 3] != 0x2B && text[end - 4] != 0x2B
  }

  /// Whether an id names no user, and no event. The exact rule makes a String, so it is used only for likely ids: those with a space
  /// at an end, with at most nine bytes, or with a UUID of zeros.
  @inline(__always)
  static func isNobody(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let first = text.first, let last = text.last else { return true }
    // UUIDs of version 7 begin with one zero for centuries.
    if first > 0x20, last > 0x20, text.count > 9, text.count != 36 || first != 0x30 || text[1] != 0x30 { return false }
    return IdentifierText.standsForNobody(text)
  }

  /// An id is a string, or an integer that is stored as its digits. Spaces at its ends are trimmed.
  private func checkedIdentifier(
    _ field: Int, _ value: FieldValue, maximum: Int, _ form: Origin
  ) throws(Rejection) -> FieldValue {
    var value = value
    guard value.kind == .string || value.kind == .number else {
      throw .wrongType(field, value, wanted: "a string or an integer")
    }
    if !options.rows.keepsBlanksOfIDs { value.text = value.text.part(IdentifierText.trimmed(value.bytes)) }
    if IdentifierText.isRounded(value.bytes) { throw .roundedID(field, value) }
    guard value.kind == .string || Self.isInteger(value.bytes) else {
      throw .wrongType(field, value, wanted: "a string or an integer")
    }
    try checkText(field, value, maximum: maximum, form)
    return value
  }

  private func checkText(_ field: Int, _ value: FieldValue, maximum: Int, _ form: Origin) throws(Rejection) {
    if value.bytes.count > maximum { throw .tooLong(field, value.bytes.count, maximum: maximum) }
    // JSON was checked as a whole.
    if form == .text, !Self.isUTF8(value.bytes) { throw .fieldNotUTF8(field) }
  }

  private func checkString(_ field: Int, _ value: FieldValue, _ form: Origin) throws(Rejection) {
    guard value.kind == .string else { throw .wrongType(field, value, wanted: "a string") }
    try checkText(field, value, maximum: StringField.maximumLength, form)
  }

  private func time(_ value: FieldValue, _ form: Origin) throws(Rejection) -> Milliseconds {
    if value.isAbsent { throw .missing(ImportField.timestamp) }
    switch value.kind {
    case .number where value.bytes.first == 0x2D && Self.isInteger(value.bytes): throw .tooEarly(value)
    case .number: break
    case .string: if let time = Timestamp.parse(rfc3339: value.bytes) { return try checked(time, value) }
    default: throw .wrongType(ImportField.timestamp, value, wanted: "a string or an integer")
    }
    let reading: RecordTime.Reading
    do {
      reading = try times.read(value)
    } catch {
      if case .badRecordTime = error { throw .badTimestamp(value) }
      throw error
    }
    return try checked(reading.time, value)
  }

  private func checked(_ time: Milliseconds, _ value: FieldValue) throws(Rejection) -> Milliseconds {
    if time < Timestamp.earliest { throw .tooEarly(value) }
    if time > latestTime { throw .tooLate(value, allowFuture: options.rows.allowsFutureTimes) }
    return time
  }

  private func listedKind(_ value: FieldValue) -> EventKind? {
    guard value.kind == .string, value.text.count <= StringField.maximumLength,
      let code = code(ImportField.event, value)
    else { return nil }
    return EventKind(rawValue: UInt8(truncatingIfNeeded: code))
  }

  private func respelledKind(_ value: FieldValue, _ form: Origin) throws(Rejection) -> EventKind {
    let field = ImportField.event
    if value.isAbsent { throw .missing(field) }
    try checkString(field, value, form)
    guard let code = respelled(field, value)?.code,
      let kind = EventKind(rawValue: UInt8(truncatingIfNeeded: code))
    else { throw .unknownKind(value) }
    return kind
  }

  private func status(
    _ value: FieldValue, _ kind: EventKind, _ form: Origin
  ) throws(Rejection) -> AuthorizationStatus {
    let field = ImportField.status
    codes[field] = 0
    if value.isAbsent { return .none }
    try checkString(field, value, form)
    let listed = code(field, value)
    guard let code = listed ?? respelled(field, value)?.code,
      let status = AuthorizationStatus(rawValue: UInt8(truncatingIfNeeded: code))
    else { throw .unknownStatus(value) }
    if listed == nil, StatusWords.contradicts(status, kind) { throw .contraryStatus(value, kind) }
    codes[field] = UInt64(code)
    return status
  }

  private func string(_ field: Int, _ value: FieldValue, _ kind: EventKind, _ form: Origin) throws(Rejection) {
    let isPermission = field == StringField.permission.rawValue
    codes[field] = 0
    spans[field] = PaddedBytes.none.bytes
    if value.isAbsent {
      if isPermission, kind.needsPermission { throw .missingPermission(kind) }
      return
    }
    try checkString(field, value, form)
    if let code = code(field, value) {
      codes[field] = UInt64(code)
      spans[field] = value.bytes
      return
    }
    guard isPermission, let usual = respelled(field, value) else { throw .unknownPermission(value) }
    codes[field] = UInt64(usual.code)
    spans[field] = usual.text.value.bytes
  }

  /// The value of the closed list that is meant by a value that it does not have; nil if that is not known.
  private func respelled(_ field: Int, _ value: FieldValue) -> Respelling.Meant? {
    guard let meant = respelling.find(field, value.bytes) else { return nil }
    isRespelled = true
    return meant
  }

  private func code(_ field: Int, _ value: FieldValue) -> UInt32? {
    value.text.isEmpty ? nil : code(field, value.text, value.text.words)
  }

  private static func isInteger(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let digits = bytes.first == 0x2D ? bytes.dropFirst() : bytes[...]
    return !digits.isEmpty && digits.allSatisfy { $0 >= 48 && $0 <= 57 }
  }

  static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
  }
}
