// One user's events of permissions as bits, if they are few enough for a word, as nearly always. Reused from user to
// user.

import Buffers
import PermissionEvents

/// Which of a user's events belong to which permission, and which are of which kinds.
struct PermissionBits: ~Copyable {
  static let mostEvents = 64

  /// By permission code; 0 if it has no events that were not taken.
  private let members: Buffer<UInt64>
  private let permissions: Buffer<UInt32>
  private(set) var permissionCount = 0
  /// By kind, then by `KindSet`.
  private let kinds = Buffer<UInt64>(repeating: 0, count: 16)
  private let sets = Buffer<UInt64>(repeating: 0, count: 16)

  init(permissionCount: Int) {
    members = Buffer(repeating: 0, count: permissionCount)
    permissions = Buffer(repeating: 0, count: Self.mostEvents + 1)
  }

  @inline(__always) func permission(_ number: Int) -> UInt32 { permissions[number] }

  /// Events are written in locals of the loop that goes over them.
  struct Writer {
    fileprivate let members: UnsafeMutablePointer<UInt64>
    fileprivate let permissions: UnsafeMutablePointer<UInt32>
    fileprivate let kinds: UnsafeMutablePointer<UInt64>
    fileprivate var permissionCount = 0

    /// - Parameter number: of the event, below `mostEvents`.
    @inline(__always)
    mutating func add(_ number: Int, kind: Int, permission: UInt32) {
      let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: number & 63)
      kinds[kind] |= bit
      let before = members[Int(permission)]
      members[Int(permission)] = before | bit
      permissions[permissionCount] = permission
      permissionCount &+= before == 0 ? 1 : 0
    }
  }

  /// Begins with a user's events.
  @inline(__always)
  func begin() -> Writer {
    kinds.unsafeAddress.update(repeating: 0, count: 16)
    return Writer(members: members.unsafeAddress, permissions: permissions.unsafeAddress, kinds: kinds.unsafeAddress)
  }

  /// Takes over what was written.
  @inline(__always)
  mutating func end(_ writer: Writer, _ codes: UnsafePointer<UInt32>) {
    permissionCount = writer.permissionCount
    let kinds = kinds.unsafeAddress
    let grants = kinds[Int(KindCode.granted)] | kinds[Int(KindCode.reEnabled)]
    let denied = kinds[Int(KindCode.denied)]
    let prompts = kinds[Int(KindCode.promptShown)]
    let revoked = kinds[Int(KindCode.revoked)]
    let checked = kinds[Int(KindCode.statusChecked)] | kinds[Int(KindCode.call)]
    let skipped = kinds[Int(KindCode.skipped)]
    var (foundOn, foundOff) = (grants, revoked)
    // What checks found; most users have none.
    var checks = checked
    while checks != 0 {
      let check = checks.trailingZeroBitCount
      let bit = checks & (0 &- checks)
      if CheckedStatus.isOn(codes[check]) { foundOn |= bit }
      if CheckedStatus.isDenied(codes[check]) { foundOff |= bit }
      checks ^= bit
    }
    var refusals = skipped
    var skips = skipped
    while skips != 0 {
      if CheckedStatus.isUndetermined(codes[skips.trailingZeroBitCount]) { refusals ^= skips & (0 &- skips) }
      skips &= skips &- 1
    }
    let sets = sets.unsafeAddress
    let screens = kinds[Int(KindCode.explanationShown)] | prompts
    sets[KindSet.screens.rawValue] = screens
    sets[KindSet.prompts.rawValue] = prompts
    sets[KindSet.answers.rawValue] = grants | denied | skipped
    sets[KindSet.settingsPrompts.rawValue] = kinds[Int(KindCode.settingsPromptShown)]
    sets[KindSet.settingsOpened.rawValue] = kinds[Int(KindCode.settingsOpened)]
    sets[KindSet.telling.rawValue] = grants | denied | revoked | checked
    sets[KindSet.foundOn.rawValue] = foundOn
    sets[KindSet.foundOff.rawValue] = foundOff
    sets[KindSet.enablingEvidence.rawValue] = kinds[Int(KindCode.reEnabled)] | checked
    sets[KindSet.revokingEvidence.rawValue] = revoked | checked
    sets[KindSet.checks.rawValue] = checked
    sets[KindSet.exposing.rawValue] = screens | refusals
    sets[KindSet.unseenPrompts.rawValue] = kinds[Int(KindCode.unseenPrompt)]
    sets[KindSet.explanations.rawValue] = kinds[Int(KindCode.explanationShown)]
    sets[KindSet.decisions.rawValue] = grants | denied
    sets[KindSet.results.rawValue] = kinds[Int(KindCode.granted)] | denied | skipped
  }

  /// True if any of the user's events is of these.
  @inline(__always) func contains(_ kinds: KindSet) -> Bool { sets[kinds.rawValue] != 0 }

  /// The user's events of a kind, as bits.
  @inline(__always) func events(ofKind kind: UInt8) -> UInt64 { kinds[Int(kind)] }

  /// The events of a permission, which are then no longer here. Valid until the next user.
  @inline(__always)
  func takeEvents(
    of permission: UInt32, _ times: UnsafePointer<Milliseconds>, _ codes: UnsafePointer<UInt32>
  ) -> EventBits {
    let events = EventBits(times: times, codes: codes, members: members[Int(permission)], ofKinds: sets.unsafeAddress)
    members[Int(permission)] = 0
    return events
  }
}
