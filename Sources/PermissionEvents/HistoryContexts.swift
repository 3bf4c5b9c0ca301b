// What is asked of a log for an analysis, and what the codes mean that come back.

/// What a reader of histories asks the log for.
public struct HistorySelection: Sendable, Hashable {
  /// Contexts also tell variant and experiment apart.
  public var variants: Bool
  /// The property of each event of a permission to hand over.
  public var property: StringField?
  /// Attributes (`app_version` to `country`) whose combinations are to be looked up for single events of permissions.
  public var attributes: [StringField]
  /// The same of all events, use of the app among them, at once: for a fold that looks at every event. Without it a look-up
  /// takes as long as the user has events before, and use of the app has no attributes.
  public var allAttributes: Bool
  package var handsOverAllAttributes: Bool { allAttributes && !attributes.isEmpty }
  /// Ids of users can be read.
  public var userIDs: Bool
  /// Contexts also tell surfaces apart.
  public var surfaces: Bool

  public init(
    variants: Bool = false, property: StringField? = nil, attributes: [StringField] = [], userIDs: Bool = false,
    surfaces: Bool = false, allAttributes: Bool = false
  ) {
    self.allAttributes = allAttributes
    self.variants = variants
    self.surfaces = surfaces
    self.property = property
    self.attributes = attributes
    self.userIDs = userIDs
  }
}

/// What the codes of a `HistoryBatch` mean.
public struct HistoryContexts: Sendable {
  public struct Context: Hashable, Sendable {
    /// Code in `permissions`; 0 is none.
    public var permission: UInt32
    /// Codes in `variants` and `experiments`; 0 if absent or not asked for.
    public var variant: UInt32
    public var experiment: UInt32
    /// Code in `surfaces`; 0 if absent or not asked for.
    public var surface: UInt32
    public init(permission: UInt32, variant: UInt32, experiment: UInt32, surface: UInt32 = 0) {
      self.permission = permission
      self.variant = variant
      self.experiment = experiment
      self.surface = surface
    }
  }

  public var contexts: [Context]
  /// Names by code; code 0 is the absent value. The taxonomy has the codes of `PermissionCode`.
  public var permissions: [[UInt8]]
  public var variants: [[UInt8]]
  public var experiments: [[UInt8]]
  public var surfaces: [[UInt8]]
  /// Values of the selected property by code; code 0 is the absent value.
  public var properties: [[UInt8]]
  /// Combinations of the selected attributes by code, each value a code in `attributeValues`; code 0 is all absent.
  public var attributes: [[UInt32]]
  /// Values of each selected attribute by code; code 0 is the absent value.
  public var attributeValues: [[[UInt8]]]
  /// Times of the oldest and of the newest event: what to lay out tables for. Nothing that is counted depends on it.
  public var times: ClosedRange<Milliseconds>
  /// Threads that count at the same time, and folds that do so on each. They share the memory for it; nothing that is counted depends on it.
  package var threads = 1
  /// By permission code whether the log has no screens of it, so that its answers stand alone; empty if no permission is such.
  package var answeredAlone: [Bool] = []
  package var folds = 1

  public init(
    contexts: [Context], permissions: [[UInt8]], variants: [[UInt8]], experiments: [[UInt8]], properties: [[UInt8]],
    attributes: [[UInt32]] = [], attributeValues: [[[UInt8]]] = [], surfaces: [[UInt8]] = [[]],
    times: ClosedRange<Milliseconds> = Timestamp.earliest...Timestamp.earliest
  ) {
    self.contexts = contexts
    self.permissions = permissions
    self.variants = variants
    self.experiments = experiments
    self.surfaces = surfaces
    self.properties = properties
    self.attributes = attributes
    self.attributeValues = attributeValues
    self.times = times
  }

  @inline(__always)
  package func isAnsweredAlone(_ permission: UInt32) -> Bool {
    answeredAlone.isEmpty ? false : answeredAlone[Int(permission)]
  }

  // MARK: Names, for folds that count under them

  /// The permission of a context by its number, as `UserHistory.context` gives it; empty for an event of no permission.
  public func permission(of context: Int) -> String { Self.text(permissions, contexts[context].permission) }

  /// The variant of a context; empty if it has none, or variants were not selected.
  public func variant(of context: Int) -> String { Self.text(variants, contexts[context].variant) }

  /// The experiment of a context, in the same way.
  public func experiment(of context: Int) -> String { Self.text(experiments, contexts[context].experiment) }

  /// The surface of a context; empty if it has none, or surfaces were not selected.
  public func surface(of context: Int) -> String { Self.text(surfaces, contexts[context].surface) }

  /// The value of a property's code, as `UserHistory.property` gives it; empty for an event without it.
  public func property(of code: Int) -> String { Self.text(properties, UInt32(truncatingIfNeeded: code)) }

  /// The value of a selected attribute, by its number in `HistorySelection.attributes` and the code that
  /// `UserHistory.attributes` gives; empty for an event without it.
  public func attribute(_ number: Int, of code: Int) -> String {
    Self.text(attributeValues[number], attributes[code][number])
  }

  private static func text(_ names: [[UInt8]], _ code: UInt32) -> String {
    String(decoding: names[Int(code)], as: UTF8.self)
  }
}
