// What a record of looks takes from a comparison; the looks themselves come with the rule of decision.
import PermissionEvents
extension Comparison {
  public var record: RecordedArm { RecordedArm(variant: b.variant, days: []) }
  public var decidedOn: DayNumber? { nil }
}
