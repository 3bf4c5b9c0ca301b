// Events to canonical NDJSON, into one large buffer that is written out when it is full. No String is made per event.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writing failed: `code` is the errno of the system call.
public struct WriteError: Error, Equatable {
  public let code: Int32
}

/// Formats lines and hands them to `sink` in large pieces.
struct LineWriter {
  private var buffer: [UInt8] = []
  private let sink: (UnsafeRawBufferPointer) throws -> Void
  private static let capacity = 1 << 20
  private static let longestLine = 1_024
  private static let hexDigits = Array("0123456789abcdef".utf8)

  private let seed: UInt64
  private let kinds = Vocabulary.kinds.map { Array(",\"event\":\"\($0)\"".utf8) }
  private let permissions = PermissionHabits.all.map { Array(",\"permission\":\"\($0.name)\"".utf8) }
  private let statuses = Vocabulary.statuses.map { Array(",\"status\":\"\($0)\"".utf8) }
  private let variants = Vocabulary.variants.map { Array(",\"variant\":\"\($0)\"".utf8) }
  private let surfaces = Vocabulary.surfaces.map { Array(",\"surface\":\"\($0)\"".utf8) }
  private let features = Vocabulary.features.map { Array(",\"feature\":\"\($0)\"".utf8) }
  private let appVersions = Vocabulary.appVersions.map { Array(",\"app_version\":\"\($0)\"".utf8) }
  private let osVersions = Vocabulary.osVersions.map { Array(",\"os_version\":\"\($0)\"".utf8) }
  private let locales = Vocabulary.locales.map { Array(",\"locale\":\"\($0)\"".utf8) }
  private let countries = Vocabulary.countries.map { Array(",\"country\":\"\($0.code)\"}\n".utf8) }
  private let openEventID = Array("{\"event_id\":\"".utf8)
  private let openUserID = Array("\",\"user_id\":\"".utf8)
  private let openTimestamp = Array("\",\"timestamp\":\"".utf8)
  /// `YYYY-MM-DDT` of every day that an event can fall on.
  private let dates: [[UInt8]]

  /// A writer for `days` days from `start`; event and user ids follow from `seed`.
  init(start: CivilDate, days: Int, seed: UInt64, sink: @escaping (UnsafeRawBufferPointer) throws -> Void) {
    self.seed = seed
    self.sink = sink
    dates = (0..<days).map { Array((start.adding(days: $0).description + "T").utf8) }
    buffer.reserveCapacity(Self.capacity + Self.longestLine)
  }

  /// Appends one event's line.
  mutating func append(_ event: Event, member: Member, appVersion: Int, osVersion: Int) throws {
    buffer.append(contentsOf: openEventID)
    appendUUID(
      RandomSource.mix(event.serial &* 2 ^ seed &* 0x9E6D_62D0_6F6A_3E55),
      RandomSource.mix(event.serial &* 2 &+ 1 ^ seed &* 0xC2B2_AE3D_27D4_EB4F))
    buffer.append(contentsOf: openUserID)
    var identity = RandomSource(seed: seed, stream: UInt64(event.user) << 1 | 1)
    appendUUID(identity.next(), identity.next())
    buffer.append(contentsOf: openTimestamp)
    appendTimestamp(event.time)
    buffer.append(contentsOf: kinds[Int(event.kind.rawValue)])
    if event.permission != Event.absent { buffer.append(contentsOf: permissions[Int(event.permission)]) }
    if event.status != .none { buffer.append(contentsOf: statuses[Int(event.status.rawValue)]) }
    if event.variant != Event.absent { buffer.append(contentsOf: variants[Int(event.variant)]) }
    if event.surface != Event.absent { buffer.append(contentsOf: surfaces[Int(event.surface)]) }
    if event.feature != Event.absent { buffer.append(contentsOf: features[Int(event.feature)]) }
    buffer.append(contentsOf: appVersions[appVersion])
    buffer.append(contentsOf: osVersions[osVersion])
    buffer.append(contentsOf: locales[Int(member.locale)])
    buffer.append(contentsOf: countries[Int(member.country)])
    if buffer.count >= Self.capacity { try flush() }
  }

  /// Hands what is left to the sink.
  mutating func flush() throws {
    try buffer.withUnsafeBytes(sink)
    buffer.removeAll(keepingCapacity: true)
  }

  /// A random (version 4, RFC 9562) UUID of 122 of the given bits.
  private mutating func appendUUID(_ high: UInt64, _ low: UInt64) {
    let first = high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let second = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    appendHex(first, from: 60, to: 32)
    buffer.append(UInt8(ascii: "-"))
    appendHex(first, from: 28, to: 16)
    buffer.append(UInt8(ascii: "-"))
    appendHex(first, from: 12, to: 0)
    buffer.append(UInt8(ascii: "-"))
    appendHex(second, from: 60, to: 48)
    buffer.append(UInt8(ascii: "-"))
    appendHex(second, from: 44, to: 0)
  }

  private mutating func appendHex(_ word: UInt64, from high: Int, to low: Int) {
    var shift = high
    while shift >= low {
      buffer.append(Self.hexDigits[Int(truncatingIfNeeded: word >> UInt64(shift)) & 15])
      shift -= 4
    }
  }

  private mutating func appendTimestamp(_ time: Int64) {
    let day = Int(time / Event.millisecondsPerDay)
    var rest = Int(time % Event.millisecondsPerDay)
    buffer.append(contentsOf: dates[day])
    let hour = rest / 3_600_000
    rest %= 3_600_000
    appendTwoDigits(hour, then: ":")
    appendTwoDigits(rest / 60_000, then: ":")
    rest %= 60_000
    appendTwoDigits(rest / 1_000, then: ".")
    rest %= 1_000
    buffer.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / 100))
    appendTwoDigits(rest % 100, then: "Z")
    buffer.append(UInt8(ascii: "\""))
  }

  private mutating func appendTwoDigits(_ value: Int, then mark: Unicode.Scalar) {
    buffer.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10))
    buffer.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
    buffer.append(UInt8(ascii: mark))
  }
}

/// Writes all of `bytes` to a file descriptor.
public func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(WriteError) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let piece = UnsafeRawBufferPointer(rebasing: rest)
    let written = write(descriptor, piece.baseAddress, piece.count)
    if written < 0 {
      if errno == EINTR { continue }
      throw WriteError(code: errno)
    }
    rest = rest.dropFirst(written)
  }
}
