// The properties that an event's meaning depends on.

/// Values of one event by what they may tell, as texts; empty or nil if absent.
package struct TellingProperties: Hashable, Sendable {
  /// A property that holds yes or no under its own name: `granted: false`.
  package struct Flag: Hashable, Sendable {
    package var name: String
    package var value: [UInt8]

    package init(name: String, value: [UInt8]) {
      self.name = name
      self.value = value
    }
  }

  /// What the event is about: `permission`, `permission_type`.
  package var permission: [UInt8]?
  /// The same under names that may mean something else: `type`, `resource`.
  package var permissionHint: [UInt8]?
  package var statuses: [[UInt8]] = []
  package var results: [[UInt8]] = []
  package var flags: [Flag] = []
  package var source: [UInt8]?
  package var screen: [UInt8]?
  package var button: [UInt8]?
  /// What may say whose screen it was: `prompt_type`, `step`.
  package var scenes: [[UInt8]] = []
  /// The feature of a `feature_used`; it may be the name of a permission's event.
  package var feature: [UInt8]?

  package init() {}

  /// Stands for a value that is no short text: a list, an object, a sentence. It is there, so that it must not pass for
  /// absent, and nobody reads it.
  package static let unreadable = Array("(a list or a long text)?".utf8)
}
