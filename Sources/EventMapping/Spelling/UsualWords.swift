// The words by which apps say what happened, in normal form.

enum UsualWords {
  /// The app's own screen before the system's.
  static let explanation = [
    "primer", "priming", "pre_prompt", "preprompt", "soft_prompt", "softprompt", "soft_ask", "softask", "explanation",
    "explainer", "rationale", "education", "nudge", "pre_permission", "prepermission",
  ]
  /// A screen that asks.
  static let prompt = ["prompt", "prompted", "dialog", "dialogue"]
  /// Words that mean such a screen only beside a word like permission: `friend_request_notification` is none.
  static let promptOfPermission = ["alert", "request", "requested", "popup", "pop_up", "ask", "asked", "triggered"]
  static let permission = [
    "permission", "permissions", "authorization", "authorisation", "opt_in", "optin", "consent",
  ]
  static let asked = ["request", "requested", "ask", "asked", "prompted", "triggered"]
  static let shown = [
    "shown", "show", "viewed", "view", "displayed", "display", "presented", "impression", "seen", "appeared",
  ]
  static let granted = [
    "granted", "grant", "allowed", "allow", "accepted", "accept", "enabled", "authorized", "authorised", "approved",
    "opted_in", "subscribed", "confirmed", "limited", "provisional", "ephemeral", "full_access", "write_only",
    "when_in_use", "while_using", "always", "sharing_authorized",
  ]
  static let denied = [
    "denied", "deny", "declined", "decline", "blocked", "rejected", "refused", "disallowed", "not_allowed",
    "dont_allow",
    "don_t_allow", "not_granted", "not_authorized", "opted_out", "sharing_denied", "restricted",
  ]
  static let skipped = [
    "skipped", "skip", "later", "not_now", "maybe_later", "dismissed", "dismiss", "closed", "cancelled", "canceled",
    "ignored", "snoozed", "deferred", "no_thanks", "not_determined", "default",
  ]
  static let revoked = ["revoked", "disabled", "turned_off", "unsubscribed", "withdrawn"]
  static let reEnabled = [
    "re_enabled", "reenabled", "enabled_later", "turned_on", "enabled_in_settings", "enabled_from_settings",
    "granted_in_settings", "granted_from_settings", "regranted",
  ]
  static let tapped = [
    "tapped", "tap", "clicked", "click", "pressed", "continue", "continued", "engaged", "opened", "yes", "ok",
  ]
  /// Words that tell an answer from a look at the state.
  static let answer = [
    "result", "response", "responded", "answer", "answered", "outcome", "decision", "choice", "selected", "completed",
    "closed", "action",
  ]
  static let settingsScreen = [
    "settings_prompt", "settings_alert", "settings_dialog", "settings_popup", "open_settings_shown",
    "settings_redirect_shown",
  ]
  static let settingsOpened = [
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
  static let yes: Set<String> = ["true", "yes", "1", "y"]
  static let no: Set<String> = ["false", "no", "0", "n"]
}
