// What the recorder knows besides the events that wait: a small file, and all records of the journal that came after it.

import Foundation

/// Whether the user agrees that events leave the phone.
public enum Consent: String, Codable, Sendable {
  /// Not asked yet: events are kept, and nothing is sent.
  case pending
  case granted
  /// Nothing is kept, and what was is erased here and on the server.
  case denied
}

struct JournalState: Codable, Sendable, Equatable {
  /// What is known of a permission.
  struct Known: Codable, Sendable, Equatable {
    var status: PermissionStatus?
    /// The app's version that saw it.
    var version: String?
    /// Whether the system was asked for more than what was on: it shows that dialog once.
    var wasAskedForMore = false
    /// A dialog whose answer is not in the journal.
    var isOpen = false
    /// The time of the last answer.
    var answered: String?
  }

  /// A number of events of a kind, by `kind reason`.
  typealias Losses = [String: Int]

  /// Events that are about to be taken out of a file. If the file is another one at the next launch, they were.
  struct Removal: Codable, Sendable, Equatable {
    var segment: UInt32
    var bytes: Int
    var losses: Losses
  }

  /// The install's id, made at the first launch; nil while nothing may be recorded.
  var install: String?
  /// The number of the next event: 1, 2, … for the events of an install.
  var next: UInt64 = 1
  var consent: Consent
  /// Since when the consent is pending, in seconds since 1970.
  var pendingSince: Double?
  /// By `Permission.rawValue`.
  var permissions: [String: Known] = [:]
  /// The message that the user has of each experiment.
  var variants: [String: String] = [:]
  /// Installs whose events the server shall erase.
  var erasures: [String] = []
  /// Files of lower numbers are erased; no file had this number or a higher one yet.
  var firstSegment: UInt32 = 1
  var nextSegment: UInt32 = 1
  /// What is not kept, and not told in an event yet.
  var losses: Losses = [:]
  var removal: Removal?
  /// Whether an event may have left the phone.
  var wasSent = false

  init(_ consent: Consent) { self.consent = consent }

  /// - Returns: nil for a file that is damaged.
  init?(record bytes: [UInt8]) {
    guard let line = Record.contents(of: bytes, longest: .max).lines.first,
      let state = try? JSONDecoder().decode(JournalState.self, from: Data(line))
    else { return nil }
    self = state
  }

  /// An event that is in the journal. Those before `next` are in the file already.
  mutating func apply(_ event: Event) {
    if let loss = event.loss {
      let (key, left) = (loss.key, (losses[loss.key] ?? 0) - loss.count)
      losses[key] = left > 0 ? left : nil
    }
    if event.event == .assigned, let experiment = event.experiment { variants[experiment] = event.variant }
    guard let permission = event.permission?.rawValue else { return }
    var known = permissions[permission] ?? Known()
    switch event.event {
    case .promptShown:
      known.isOpen = true
      if known.status?.isOn == true { known.wasAskedForMore = true }
    case .granted, .denied: (known.isOpen, known.answered) = (false, event.timestamp)
    case .skipped where event.status != nil: known.isOpen = false
    case .statusChecked, .reEnabled, .revoked: known.isOpen = false
    default: break
    }
    if let status = event.status { (known.status, known.version) = (status, event.app_version) }
    permissions[permission] = known
  }

  mutating func lose(_ more: Losses) { losses.merge(more, uniquingKeysWith: +) }

  // MARK: Ids

  /// UUIDv8 of the install and the number of its event: the number is in the last 12 digits, so that a server sees which are missing.
  static func eventID(_ install: String, _ number: UInt64) -> String {
    let hash = install.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    let digits = Array(String(format: "%016llx", hash)).map(String.init)
    func part(_ range: Range<Int>) -> String { digits[range].joined() }
    let number = String(format: "%012llx", number)
    return "\(part(0..<8))-\(part(8..<12))-8\(part(12..<15))-8\(digits[15])00-\(number)"
  }

  /// The number of an event by its id; nil for another id.
  static func number(ofEventID id: some Sequence<UInt8>) -> UInt64? {
    let digits = Array(id).suffix(12)
    // As it is: twelve bytes.
    return digits.count == 12 ? UInt64(String(decoding: digits, as: UTF8.self), radix: 16) : nil
  }
}
