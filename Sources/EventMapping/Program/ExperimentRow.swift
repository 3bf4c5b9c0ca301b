// The rows in which tools for experiments and feature flags say who got which variant. They turn up in the exports of
// every vendor, because these tools send them on, so they belong to no preset.

import PermissionEvents

/// Rows of one or more names, compiled for a mapping.
package struct ExperimentRow: Sendable {
  /// In normal form.
  let names: Set<String>
  /// All slots that decide.
  let slots: [Int]
  private let experiment, variant: [Int]
  /// A value with both: `EXP-VARIANT`.
  private let both: [Int]
  private let isTester, isActive: [Int]

  /// A few words on what is left out, the same for all rows.
  private static let noVariant = "an experiment without a variant"
  private static let tester = "a tester's variant"
  private static let inactive = "the variant of an experiment that is not running"
  /// Values that say that the user has no variant.
  private static let absent: Set<String> = ["null", "none", "nil", "undefined", "not_set", "n_a"]

  /// What tools call their rows, and the properties with the experiment and the variant, the first that is there.
  private static let tools: [(names: String, experiment: String, variant: String, both: String)] = [
    // Segment's specification, also of RudderStack, Customer.io, GrowthBook, Optimizely, LaunchDarkly, Eppo.
    (
      "experiment_viewed", "experiment_name experiment_id experiment experiment_key",
      "variation_name variant_name variation_id variant_id variation variant variation_key", ""
    ),
    // Amplitude Experiment: as sent, and as its own exports have it.
    (
      "exposure experiment_exposure impression experiment_impression", "flag_key [Experiment]_Flag_Key experiment_key",
      "variant [Experiment]_Variant experiment_variant", ""
    ),
    // PostHog.
    ("feature_flag_called", "$feature_flag", "$feature_flag_response", ""),
    // Mixpanel, and others under its name.
    (
      "experiment_started", "Experiment_name $experiment_name experiment_name $experiment_id experiment_id",
      "Variant_name $variant_name variant_name variant $experiment_variant $variant_id variant_id", ""
    ),
    // Google Analytics' guide for third parties.
    ("experience_impression", "", "", "exp_variant_string"),
    // Statsig, as exported and as sent on.
    (
      "statsig_experiment_exposure statsig_gate_exposure statsig_config_exposure",
      "experimentName config statsig::config gate statsig::gate gateName configName",
      "group statsig::group groupName gateValue statsig::gateValue ruleID statsig::ruleID", ""
    ),
    // Flagsmith.
    ("flag_exposure", "feature_name feature flag flag_key", "value variant", ""),
  ]

  static func all(_ places: inout ValuePaths) -> [ExperimentRow] {
    tools.map { tool in
      // Spaces divide the names of this table, so that an underscore after a capital stands for the space of a name.
      func slots(_ names: String) -> [Int] {
        places.slotsAnywhere(
          of: wordList(names).map { name in
            .name(
              name.first?.isUppercase == true || name.first == "[" ? String(name.map { $0 == "_" ? " " : $0 }) : name)
          })
      }
      return ExperimentRow(
        names: Set(wordList(tool.names)), experiment: slots(tool.experiment), variant: slots(tool.variant),
        both: slots(tool.both), isTester: slots("$is_qa_tester is_qa_tester"),
        isActive: slots("$is_experiment_active is_experiment_active"))
    }
  }

  private init(names: Set<String>, experiment: [Int], variant: [Int], both: [Int], isTester: [Int], isActive: [Int]) {
    self.names = names
    (self.experiment, self.variant, self.both) = (experiment, variant, both)
    (self.isTester, self.isActive) = (isTester, isActive)
    slots = experiment + variant + both + isTester + isActive
  }

  /// Whether a value gives a variant.
  package static func isVariant(_ value: some Collection<UInt8>) -> Bool {
    !value.isEmpty && !absent.contains(NormalName(value).text)
  }

  /// - Parameter value: the text in a slot.
  /// - Returns: nil if the row names no experiment: others' rows may have the same name.
  func decision(_ value: (Int) -> [UInt8]?) -> MappingDecision? {
    func first(_ slots: [Int]) -> [UInt8]? {
      for slot in slots {
        if let found = value(slot), found != TellingProperties.unreadable { return found }
      }
      return nil
    }
    func says(_ slots: [Int], _ words: [String]) -> Bool {
      first(slots).map { found in words.contains { $0.utf8.elementsEqual(found.map { $0 | 0x20 }) } } ?? false
    }
    var (experiment, variant) = (first(experiment), first(variant))
    if let both = first(both), let hyphen = both.lastIndex(of: UInt8(ascii: "-")) {
      (experiment, variant) = (Array(both[..<hyphen]), Array(both[(hyphen + 1)...]))
    }
    guard let experiment, !experiment.isEmpty else { return nil }
    if says(isTester, ["true", "1", "yes"]) { return MappingDecision(outcome: .nothing(Self.tester)) }
    if says(isActive, ["false", "0", "no"]) { return MappingDecision(outcome: .nothing(Self.inactive)) }
    guard let variant, Self.isVariant(variant) else { return MappingDecision(outcome: .nothing(Self.noVariant)) }
    var decision = MappingDecision(outcome: .event(.assigned))
    decision.fields = [
      (.experiment, .init(slots: [], otherwise: experiment)), (.variant, .init(slots: [], otherwise: variant)),
    ]
    return decision
  }
}
