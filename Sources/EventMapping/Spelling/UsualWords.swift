// The words by which apps say what happened, in normal form.

enum UsualWords {
  /// The app's own screen before the system's.
  static let explanation: WordList = [
    "primer", "priming", "pre_prompt", "preprompt", "soft_prompt", "softprompt", "soft_ask", "softask", "explanation",
    "explainer", "rationale", "education", "nudge", "pre_permission", "prepermission",
  ]
  /// A screen that asks.
  static let prompt: WordList = ["prompt", "prompted", "dialog", "dialogue"]
  /// Words that mean such a screen only beside a word like permission: `friend_request_notification` is none.
  static let promptOfPermission: WordList = [
    "alert", "request", "requested", "popup", "pop_up", "ask", "asked", "triggered",
  ]
  static let permission: WordList = [
    "permission", "permissions", "authorization", "authorisation", "opt_in", "optin", "consent",
  ]
  static let asked: WordList = ["request", "requested", "ask", "asked", "prompted", "triggered"]
  static let shown: WordList = [
    "shown", "show", "viewed", "view", "displayed", "display", "presented", "impression", "seen", "appeared",
  ]
  static let granted: WordList = [
    "granted", "grant", "allowed", "allow", "accepted", "accept", "enabled", "authorized", "authorised", "approved",
    "opted_in", "subscribed", "confirmed", "limited", "provisional", "ephemeral", "full_access", "write_only",
    "when_in_use", "while_using", "always", "sharing_authorized",
  ]
  static let denied: WordList = [
    "denied", "deny", "declined", "decline", "blocked", "rejected", "refused", "disallowed", "not_allowed",
    "dont_allow",
    "don_t_allow", "not_granted", "not_authorized", "opted_out", "sharing_denied", "restricted",
  ]
  static let skipped: WordList = [
    "skipped", "skip", "later", "not_now", "maybe_later", "dismissed", "dismiss", "closed", "cancelled", "canceled",
    "ignored", "snoozed", "deferred", "no_thanks", "not_determined", "default",
  ]
  static let revoked: WordList = ["revoked", "disabled", "turned_off", "unsubscribed", "withdrawn"]
  static let reEnabled: WordList = [
    "re_enabled", "reenabled", "enabled_later", "turned_on", "enabled_in_settings", "enabled_from_settings",
    "granted_in_settings", "granted_from_settings", "regranted",
  ]
  static let tapped: WordList = [
    "tapped", "tap", "clicked", "click", "pressed", "continue", "continued", "engaged", "opened", "yes", "ok",
  ]
  /// Words that tell an answer from a look at the state.
  static let answer: WordList = [
    "result", "response", "responded", "answer", "answered", "outcome", "decision", "choice", "selected", "completed",
    "closed", "action",
  ]
  static let settingsScreen: WordList = [
    "settings_prompt", "settings_alert", "settings_dialog", "settings_popup", "open_settings_shown",
    "settings_redirect_shown",
  ]
  static let settingsOpened: WordList = [
    "settings_opened", "opened_settings", "open_settings", "go_to_settings", "settings_tapped", "settings_clicked",
    "opened_system_settings", "system_settings_opened", "app_settings_opened",
  ]
  /// Values of a source that mean the system's Settings app.
  static let settingsSource: Set<String> = [
    "settings", "system_settings", "settings_app", "ios_settings", "app_settings", "os_settings", "device_settings",
  ]
  static let screenEvents: Set<String> = [
    "screen", "screen_view", "screen_viewed", "screen_shown", "viewed_screen", "view_screen", "screenview", "page_view",
    "page_viewed", "amplitude_screen_viewed", "loaded_a_screen", "pageview", "view",
  ]
  static let buttonEvents: Set<String> = [
    "button_tapped", "button_clicked", "button_click", "button_tap", "button_pressed", "tap", "click", "clicked",
    "tapped",
    "element_clicked", "element_tapped", "cta_clicked", "cta_tapped", "amplitude_element_tapped", "autocapture",
  ]
  /// Words by which a name tells of something else than what has just happened, or not for sure.
  static let hedging: WordList = [
    "already", "previously", "previous", "not_denied", "not_declined", "not_blocked", "not_rejected", "not_revoked",
    "will", "failed", "failure", "error",
  ]
  /// Messages that the system does not ask for: `email_notifications_enabled` is a switch of the app's own.
  static let otherChannels: WordList = ["email", "e_mail", "emails", "sms", "whatsapp"]
  /// An `in_app_primer` is one, but `in_app_notifications_enabled` are none that the system asks for.
  static let inApp: WordList = ["in_app"]
  /// Outcomes that a name may have beside a permission alone, `camera_denied`.
  static let plainDenied: WordList = ["denied", "declined", "not_authorized", "not_granted"]
  static let plainRevoked: WordList = ["revoked"]
  static let plainGranted: WordList = ["granted", "authorized", "authorised"]
  /// The same of permissions that are no switch of the app at the same time.
  static let switchDenied: WordList = ["blocked", "opted_out", "rejected", "disallowed", "refused", "not_allowed"]
  static let switchGranted: WordList = ["allowed", "enabled", "opted_in", "subscribed", "accepted"]
  /// What may stand in such a name besides; any other word makes something else of it.
  static let fillers: WordList = [
    "access", "services", "service", "subscription", "usage", "data", "app", "ios", "system", "os", "native", "user",
    "the", "by", "has", "is", "was", "event", "always", "when_in_use", "while_using", "full", "limited", "provisional",
    "ephemeral", "write_only", "in", "from", "settings", "later",
  ]
  static let bareOutcomes =
    (plainDenied + plainRevoked + plainGranted + switchDenied + switchGranted + revoked + reEnabled + fillers).single
  static let settings: WordList = ["settings"]
  static let system: WordList = ["system"]
  static let enable: WordList = ["enable"]
  /// What a screen's name says of an answer that came before: the screen is not the system's prompt.
  static let answeredBefore: WordList = denied + ["granted", "revoked", "skipped", "dismissed"]
  static let yes: Set<String> = ["true", "yes", "1", "y"]
  static let no: Set<String> = ["false", "no", "0", "n"]
}
