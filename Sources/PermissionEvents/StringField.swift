// The string fields of an event besides its ids. Their order is stored in the log and cannot change.

/// A string field that is kept as a code of a dictionary; code 0 is the absent (or empty) value.
public enum StringField: Int, CaseIterable, Sendable {
  case permission = 0
  case variant, experiment, surface, feature
  case appVersion, osVersion, platform, locale, country

  public static let names: [String] = [
    "permission", "variant", "experiment", "surface", "feature", "app_version", "os_version", "platform", "locale",
    "country",
  ]

  public var name: String { Self.names[rawValue] }

  /// Longest value, in bytes.
  public static let maximumLength = 256
}

/// Codes of some of the string fields, each a code of its field's dictionary, 0 if the value is absent.
public protocol FieldTuple: Hashable, Sendable {
  /// The fields that it has, in the order of a footer of format 1.
  static var fields: [StringField] { get }
  init(_ code: (StringField) -> UInt32)
  /// The code of a field; 0 for one that it does not have.
  subscript(_ field: StringField) -> UInt32 { get }
}

/// Codes of what an event is about.
public struct ContextTuple: Hashable, Sendable {
  public var permission: UInt32
  public var variant: UInt32
  public var experiment: UInt32
  public var surface: UInt32
  public var feature: UInt32
  public var status: AuthorizationStatus

  public init(
    permission: UInt32 = 0, variant: UInt32 = 0, experiment: UInt32 = 0, surface: UInt32 = 0, feature: UInt32 = 0,
    status: AuthorizationStatus = .none
  ) {
    self.permission = permission
    self.variant = variant
    self.experiment = experiment
    self.surface = surface
    self.feature = feature
    self.status = status
  }
}

/// Codes of what the event's device and app were.
public struct AttributeTuple: FieldTuple {
  public var appVersion: UInt32
  public var osVersion: UInt32
  public var platform: UInt32
  public var locale: UInt32
  public var country: UInt32

  public init(
    appVersion: UInt32 = 0, osVersion: UInt32 = 0, platform: UInt32 = 0, locale: UInt32 = 0, country: UInt32 = 0
  ) {
    self.appVersion = appVersion
    self.osVersion = osVersion
    self.platform = platform
    self.locale = locale
    self.country = country
  }

  public static let fields: [StringField] = [.appVersion, .osVersion, .platform, .locale, .country]

  public init(_ code: (StringField) -> UInt32) {
    self.init(
      appVersion: code(.appVersion), osVersion: code(.osVersion), platform: code(.platform), locale: code(.locale),
      country: code(.country))
  }

  public subscript(_ field: StringField) -> UInt32 {
    switch field {
    case .appVersion: appVersion
    case .osVersion: osVersion
    case .platform: platform
    case .locale: locale
    case .country: country
    case .permission, .variant, .experiment, .surface, .feature: 0
    }
  }
}
