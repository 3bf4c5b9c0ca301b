// What to see in a section of a page, in a sentence or two. The definitions of its numbers fold away below.

extension Section {
  /// nil if the section's own words are short enough to be read first.
  var caption: String? {
    switch name {
    case .weeks:
      "The share of users who granted, week by week, with its 95 % interval. Look for a week outside its usual range, the grey band, and for versions "
        + "of the app that began then."
    case .explanation: "How many users go from the first screen to the grant, and at which step the others leave."
    case .time: "How long users take to answer. Answers within a second were hardly read."
    case .granted: "How many users have granted after 28 days, however they did it, and how many grants are partial."
    case .cold:
      "Do users who see your explanation first grant more often than users who see the system's prompt at once?"
    case .returning: "How many users who did not grant enabled the permission later, and how soon."
    case .settings: "Does your alert that points to Settings bring users back?"
    case .afterGrant: "How many users take a grant back."
    case .engagement: "Do users who granted use the app more than the others?"
    case .retention: "Do users who granted come back more often than the others?"
    case .reach: "How many of your active users you can reach now with each permission."
    case .arrived: "Whether events are lost on their way: look for a week or a version with fewer than the others."
    case .lead, .attention, .values, .prompt, .timing, .activity: nil
    case nil: Self.captions[id]
    }
  }

  /// Of the sections of other pages, by their addresses.
  private static let captions = [
    "flows":
      "From left to right: what users are asked for first, second and third. A band is as thick as the flows that went on; what ends at a bar has no band.",
    "days":
      "The difference between the messages on each day, with the interval that decides. A message wins when the whole interval lies on one side of 0.",
  ]
}
