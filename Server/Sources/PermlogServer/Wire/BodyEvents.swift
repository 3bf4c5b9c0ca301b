// A body as lines: each event on a line of its own, with what the vendor's server would have added. A torn body gives the events that
// are whole, and the rest as what it is.

import Foundation

/// The events of one body.
struct BodyEvents {
  /// One event a line, each with its line end.
  private(set) var lines: [UInt8] = []
  private(set) var count = 0
  /// Pieces that are no whole event, each with the reason.
  private(set) var broken: [(bytes: [UInt8], reason: String)] = []
  /// The project's key as the body names it, or else its first event that does.
  var key: String? { bodyKey ?? firstKey }
  private var bodyKey: String?
  private var firstKey: String?
  /// Whose the body is: of `batch` what its members say.
  private(set) var form: WireForm
  /// The events' own ids (`uuid`), for answers that name each event; empty if they are not wanted.
  private(set) var ids: [String] = []

  private let type: String?
  /// The time at which the body came, as the text of a JSON string.
  private let received: String
  private let wantsIDs: Bool

  /// - Parameters:
  ///   - body: unpacked.
  ///   - received: RFC 3339, for events without a time.
  init(_ body: [UInt8], _ endpoint: Endpoint, received: String, wantsIDs: Bool = false) {
    (form, type, self.received, self.wantsIDs) = (endpoint.form, endpoint.type, received, wantsIDs)
    if endpoint.form == .canonical, let count = Self.countOfLines(body) {
      (lines, self.count) = (body, count)
      if body.last != 0x0A { lines.append(0x0A) }
      return
    }
    let body = Self.withoutForm(body)
    lines.reserveCapacity(body.count + 64)
    body.withUnsafeBufferPointer { read(JSONWalk(bytes: $0)) }
  }

  /// The number of lines of a body that has one object a line, as most canonical bodies have: they need no walk, because the importer
  /// reads each line by itself. Nil for any other body.
  private static func countOfLines(_ body: [UInt8]) -> Int? {
    body.withUnsafeBufferPointer { bytes in
      var (count, start) = (0, 0)
      while start < bytes.count {
        guard bytes[start] == 0x7B else { return nil }
        var end = start + 1
        while end < bytes.count, bytes[end] != 0x0A {
          // Perhaps two objects on one line.
          if bytes[end] == 0x7B, bytes[end - 1] == 0x7D { return nil }
          end += 1
        }
        let last = bytes[end - 1] == 0x0D ? end - 2 : end - 1
        guard bytes[last] == 0x7D else { return nil }
        (count, start) = (count + 1, end + 1)
      }
      return count > 0 ? count : nil
    }
  }

  // MARK: Around the events

  private mutating func read(_ walk: JSONWalk) {
    var start = walk.skipSpace(walk.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
    guard start < walk.bytes.count else { return }
    // Lines of objects, a single one, a list, or a list inside an object; several of them after one another.
    while start < walk.bytes.count {
      do throws(JSONWalk.Failure) {
        switch walk.bytes[start] {
        case 0x5B: start = try readList(walk, start)
        case 0x7B: start = try readObject(walk, start)
        default: throw .malformed
        }
      } catch {
        return readByLines(walk, from: taken, error)
      }
      start = walk.skipSpace(start)
      // Objects after one another may have a comma between them.
      if start < walk.bytes.count, walk.bytes[start] == 0x2C { start = walk.skipSpace(start + 1) }
      taken = start
    }
  }

  /// Up to here all is read.
  private var taken = 0

  private mutating func readList(_ walk: JSONWalk, _ start: Int) throws(JSONWalk.Failure) -> Int {
    taken = start + 1
    var i = walk.skipSpace(start + 1)
    while true {
      guard i < walk.bytes.count else { throw .torn }
      if walk.bytes[i] == 0x5D { return i + 1 }
      if walk.bytes[i] == 0x2C {
        i = walk.skipSpace(i + 1)
        continue
      }
      let end = try walk.endOfValue(i)
      take(walk, i..<end)
      taken = end
      i = walk.skipSpace(end)
    }
  }

  /// An event, or an object around a list of events.
  private mutating func readObject(_ walk: JSONWalk, _ start: Int) throws(JSONWalk.Failure) -> Int {
    var hadList = false
    var members = walk.members(start)
    while let (name, value) = try members.next() {
      if let list = form.lists.first(where: { name.equals($0) }), value < walk.bytes.count, walk.bytes[value] == 0x5B {
        if form == .batch { form = list == "events" ? .amplitude : .posthog }
        hadList = true
        members.goOn(after: try readList(walk, value))
        continue
      }
      if bodyKey == nil, form.keyMembers.contains(where: { name.equals($0) }) { bodyKey = walk.plainText(value) }
      try members.skipValue()
    }
    if !hadList { take(walk, start..<members.place) }
    return members.place
  }

  /// A torn or damaged body, from where it is: libraries write one event a line, so that lines after the damage may be whole.
  private mutating func readByLines(_ walk: JSONWalk, from start: Int, _ failure: JSONWalk.Failure) {
    var i = start
    while i < walk.bytes.count {
      let stop = walk.bytes[i...].firstIndex(of: 0x0A) ?? walk.bytes.count
      var (first, last) = (walk.skipSpace(i), stop)
      i = stop + 1
      while first < last, walk.bytes[first] == 0x2C || JSONWalk.isSpace(walk.bytes[first]) { first += 1 }
      while first < last, walk.bytes[last - 1] == 0x2C || JSONWalk.isSpace(walk.bytes[last - 1]) { last -= 1 }
      guard first < last else { continue }
      let line = UnsafeBufferPointer(rebasing: walk.bytes[first..<last])
      if line[0] == 0x7B, let end = try? JSONWalk(bytes: line).endOfValue(0), end == line.count {
        take(walk, first..<last)
      } else if !Self.isFrame(line) {
        let reason: String
        switch failure {
        case .torn: reason = "torn"
        case .malformed: reason = "not_json"
        case .tooDeep: reason = "too_deep"
        }
        broken.append((Array(line), reason))
      }
    }
  }

  /// Whether a line is what stands around events: `{"batch":[` and `],"sentAt":"…","writeKey":"…"}`.
  private static func isFrame(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    if line[0] == 0x5D { return true }
    let rest = line.drop { JSONWalk.isSpace($0) || $0 == 0x7B }
    return line[0] == 0x7B && line.last == 0x5B && rest.count < 64
  }

  // MARK: An event

  /// Appends an event as a line, with what it lacks.
  private mutating func take(_ walk: JSONWalk, _ range: Range<Int>) {
    guard walk.bytes[range.lowerBound] == 0x7B else {
      broken.append((Array(walk.bytes[range]), "not_an_event"))
      return
    }
    var has = Members()
    guard has.read(walk, range) else {
      broken.append((Array(walk.bytes[range]), "not_json"))
      return
    }
    if firstKey == nil { firstKey = eventKey(walk, has) }
    if wantsIDs, let id = has.id.flatMap(walk.plainText) { ids.append(id) }
    lines.append(0x7B)
    for addition in additions(has) { lines += addition.utf8 }
    let isEmpty = walk.bytes[walk.skipSpace(range.lowerBound + 1)] == 0x7D
    if lines.last != 0x7B, isEmpty { lines.removeLast() }
    let begin = lines.count
    lines.append(contentsOf: UnsafeBufferPointer(rebasing: walk.bytes[range.lowerBound + 1..<range.upperBound]))
    // A line end inside a string is not allowed in JSON, and elsewhere it is space: as a carriage return it is either for the parser.
    lines.withUnsafeMutableBufferPointer { lines in
      for place in begin..<lines.count where lines[place] == 0x0A { lines[place] = 0x0D }
    }
    lines.append(0x0A)
    count += 1
  }

  private struct Members {
    var hasTime = false
    var hasType = false
    var properties: Int?
    var id: Int?
    var token: Int?

    /// - Returns: false if it is no object of JSON.
    mutating func read(_ walk: JSONWalk, _ range: Range<Int>) -> Bool {
      do throws(JSONWalk.Failure) {
        var members = walk.members(range.lowerBound)
        while let (name, value) = try members.next() {
          note(name, value)
          try members.skipValue()
        }
        return members.place == range.upperBound
      } catch {
        return false
      }
    }

    mutating func note(_ name: UnsafeBufferPointer<UInt8>, _ value: Int) {
      switch name.count {
      case 4:
        if name.equals("type") { hasType = true }
        if name.equals("time") { hasTime = true }
        if name.equals("uuid") { id = value }
      case 5: if name.equals("token") { token = value }
      case 7: if name.equals("api_key") { token = value }
      case 8: if name.equals("writeKey") { token = value }
      case 9: if name.equals("timestamp") { hasTime = true }
      case 10: if name.equals("properties") { properties = value }
      case 17: if name.equals("originalTimestamp") { hasTime = true }
      default: break
      }
    }
  }

  /// Members that the vendor's server would have added, each with its comma.
  private func additions(_ has: Members) -> [String] {
    switch form {
    case .segment:
      return (has.hasType || type == nil ? [] : ["\"type\":\"\(type ?? "")\","])
        + (has.hasTime ? [] : ["\"receivedAt\":\"\(received)\","])
    case .posthog: return has.hasTime ? [] : ["\"timestamp\":\"\(received)\","]
    case .amplitude: return has.hasTime ? [] : ["\"time\":\"\(received)\","]
    case .canonical, .mixpanel, .batch: return []
    }
  }

  /// The project's key, which Mixpanel's events have among their properties.
  private func eventKey(_ walk: JSONWalk, _ has: Members) -> String? {
    if let token = has.token.flatMap(walk.plainText) { return token }
    guard let properties = has.properties, properties < walk.bytes.count, walk.bytes[properties] == 0x7B else {
      return nil
    }
    var members = walk.members(properties)
    while let (name, value) = try? members.next() {
      if name.equals("token") || name.equals("api_key") { return walk.plainText(value) }
      guard (try? members.skipValue()) != nil else { return nil }
    }
    return nil
  }

  // MARK: Forms of web pages

  /// The content of `data=…`, percent-encoded and perhaps base64, as Mixpanel's older libraries send it; other bodies as they are.
  static func withoutForm(_ body: [UInt8]) -> [UInt8] {
    guard let first = body.first(where: { !JSONWalk.isSpace($0) }), first != 0x7B, first != 0x5B else { return body }
    var start = body.startIndex
    while start < body.endIndex, !body[start...].starts(with: "data=".utf8) {
      start = (body[start...].firstIndex(of: 0x26) ?? body.endIndex - 1) + 1
    }
    guard start < body.endIndex else { return body }
    let value = body[(start + 5)...].prefix { $0 != 0x26 }
    var text: [UInt8] = []
    text.reserveCapacity(value.count)
    var i = value.startIndex
    while i < value.endIndex {
      if value[i] == 0x25, i + 2 < value.endIndex,
        let byte = UInt8(String(decoding: value[i + 1...i + 2], as: UTF8.self), radix: 16)
      {
        text.append(byte)
        i += 3
      } else {
        text.append(value[i] == 0x2B ? 0x20 : value[i])
        i += 1
      }
    }
    if let first = text.first, first == 0x7B || first == 0x5B { return text }
    // Blanks were plus signs.
    return Data(base64Encoded: Data(text.map { $0 == 0x20 ? 0x2B : $0 })).map(Array.init) ?? text
  }
}
