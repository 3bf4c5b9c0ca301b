// Authorization statuses as the system reports them, and what each means for access. Raw values are
// stored in the log (0 stands for "no status"), so they cannot change.

/// An authorization status; `none` is the absence of one.
public enum AuthorizationStatus: UInt8, BitwiseCopyable, CaseIterable, Sendable {
  case none = 0
  case notDetermined = 1
  case restricted = 2
  case denied = 3
  case authorized = 4
  case limited = 5
  case provisional = 6
  case ephemeral = 7
  case fullAccess = 8
  case writeOnly = 9
  case whenInUse = 10
  case always = 11

  /// Names by raw value; the empty name is the absence of a status.
  public static let names: [String] = [
    "", "not_determined", "restricted", "denied", "authorized", "limited", "provisional", "ephemeral", "full_access",
    "write_only", "when_in_use", "always",
  ]

  public var name: String { Self.names[Int(rawValue)] }
}

/// What a status says about access to one permission.
public enum Access: Sendable {
  case on, partial, off, restricted, undecided
}

extension AuthorizationStatus {
  /// The access that this status means for a permission, by its code in the taxonomy (custom permissions
  /// have codes past it). `write_only` is all there is for `calendars_write_only`, `when_in_use` is half of
  /// `location_always`.
  public func access(permission: PermissionCode) -> Access {
    switch self {
    case .none, .notDetermined: .undecided
    case .restricted: .restricted
    case .denied: .off
    case .authorized, .fullAccess, .always: .on
    case .limited, .provisional, .ephemeral: .partial
    case .writeOnly: permission == .calendarsWriteOnly ? .on : .partial
    case .whenInUse: permission == .locationAlways ? .partial : .on
    }
  }

  /// True if a grant with this status is partial access.
  public func isPartial(permission: PermissionCode) -> Bool { access(permission: permission) == .partial }
}
