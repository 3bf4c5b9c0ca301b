// Where it is written how an app should ask: pages of Apple's guidelines and documentation, else the catalogue.

import PermissionAnalysis

enum AuditReference {
  private static let apple = "https://developer.apple.com/"
  private static let privacy = apple + "design/human-interface-guidelines/privacy"
  private static let review = apple + "app-store/review/guidelines/#privacy"
  private static let protected = apple + "documentation/uikit/requesting-access-to-protected-resources"

  /// An address of the web, or a section of a file of this project.
  static func text(_ finding: AuditFinding) -> String {
    switch finding.check {
    case .coldAsk, .askedAtOnce, .severalAtOnce: privacy
    case .askedAfterNotNow, .pestering: review
    case .askedAfterDenial, .missingPurpose: protected
    case .noWayBack: apple + "documentation/uikit/uiapplication/opensettingsurlstring"
    case .partialLeft: partial(finding.permission) ?? catalogue(finding.check)
    case .weakPurpose: apple + "videos/play/tech-talks/110152/"
    default: catalogue(finding.check)
    }
  }

  static func catalogue(_ check: AuditCheck) -> String { "docs/audit.md#" + check.rawValue }

  private static func partial(_ permission: String?) -> String? {
    switch permission {
    case "photo_library":
      apple + "documentation/photokit/delivering-an-enhanced-privacy-experience-in-your-photos-app"
    case "notifications": apple + "documentation/usernotifications/asking-permission-to-use-notifications"
    case "calendars": apple + "documentation/eventkit/accessing-the-event-store"
    case "location_always": apple + "documentation/corelocation/requesting-authorization-to-use-location-services"
    default: nil
    }
  }
}
