// How much of a report is shown to a person.

/// A section of a report, under the name that asks for it.
public enum ReportSectionName: String, Sendable, Hashable, CaseIterable {
  case lead, attention, values, granted, explanation, prompt, time, cold, timing, returning, settings
  case afterGrant = "after-grant"
  case engagement, retention, reach, activity, weeks

  /// Sections that CSV has a table of their own for.
  public static let withOwnTable: [ReportSectionName] = [.values, .timing]
}

/// What is shown of a report in the forms for people.
public enum ReportPart: Sendable, Hashable {
  /// One screen of text: the last complete week, what changed, what to look at. Other forms have everything.
  case summary
  case full
  /// These sections alone.
  case sections(Set<ReportSectionName>)
}
