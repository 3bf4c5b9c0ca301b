// Words of screens: the app's own and the system's, what was done there, and the way to the Settings app.

extension Lexicon {
  mutating func addScreens() {
    add(
      "permission permissions perm perms authorization authorisation opt_in optin ",
      .marker)
    add("access", [.marker, .filler])
    add("status state", .neutral)
    add(
      """
      primer priming pre_prompt preprompt soft_prompt softprompt soft_ask softask explanation explainer rationale education
      nudge pre_permission prepermission pre soft pre_ask preask pre_dialog pre_alert custom_prompt custom_dialog
      permission_primer pitch teaser carousel coach_mark coachmark reprompt second_chance educational warmup warm_up disclosure custom our
      """, .own)
    add("prompt prompts prompted", .prompt)
    add("dialog dialogue", [.prompt])
    add("alert request requests popup pop_up ask asks triggered", .weakPrompt)
    add("requested asked", [.weakPrompt, .asked])
    add("request requests ask asks prompted triggered requesting asking", .asked)
    add("system native sys", .system)
    // Whoever names the system beside the screen means the system's own, whatever form it has.
    for system in ["os", "system", "native", "sys", "ios", "i_os", "apple", "android"] {
      for screen in wordList("prompt alert dialog dialogue popup pop_up sheet modal screen") {
        add("\(system)_\(screen)", [.prompt, .system])
      }
    }
    add("hard_ask hardask", [.prompt, .system])
    add("screen page step slide view_controller", .page)
    add(
      "modal sheet banner card overlay bottom_sheet interstitial tooltip popover snackbar toast drawer",
      [.page, .overlay])
    add("intro introduction onboarding walkthrough tutorial tour upsell welcome setup set_up info video widget", .page)
    add(
      """
      shown show viewed view displayed display presented impression impressions seen appeared appear did_appear
      viewed_event view_event shows displays opened_screen loaded visible
      """, .shown)
    add("tapped tap clicked click pressed press continue continued engaged opened open selected next proceed", .tapped)
    add("ok okay got_it button btn cta", .tapped)
    add(
      "result results response responded answer answered outcome decision decided choice selected completed action resolved",
      .answer)
    addSettings()
  }

  /// Pages that no system asks on.
  static let neverSystem = wordSet(
    """
    banner card overlay bottom_sheet interstitial tooltip popover snackbar toast drawer
    """)
  /// Words of an answer that may as well say whether a prompt was let through: `prompt_not_allowed`.
  static let lettingThrough = wordSet(
    """
    allowed disallowed not_allowed didnt_allow did_not_allow permitted forbidden prohibited not_permitted wasnt_allowed
    isnt_allowed hasnt_been_allowed not_been_allowed wasnt_permitted isnt_permitted hasnt_been_permitted not_been_permitted
    """)

  /// Words between a screen and what became of it.
  static let passives: Set<String> = ["was", "is", "has", "been", "being", "were", "got", "be"]

  private mutating func addSettings() {
    add("settings", .settings)
    add(
      """
      settings_prompt settings_alert settings_dialog settings_popup settings_modal settings_banner open_settings_shown
      settings_redirect_shown open_settings_prompt open_settings_alert open_settings_dialog go_to_settings_prompt
      go_to_settings_alert go_to_settings_dialog
      """, .settingsPrompt)
    add(
      """
      settings_opened opened_settings open_settings go_to_settings settings_tapped settings_clicked redirected_to_settings
      redirect_to_settings navigate_to_settings navigated_to_settings sent_to_settings went_to_settings
      """, .settingsOpened)
    // Settings alone may be the app's own list of switches.
    for system in ["system", "ios", "i_os", "os", "app", "device", "phone", "iphone"] {
      add(
        """
        opened_\(system)_settings \(system)_settings_opened open_\(system)_settings \(system)_settings_open
        go_to_\(system)_settings
        """, [.settingsOpened, .system])
    }
    for way in ["in", "from", "via", "through"] {
      add(
        "\(way)_settings \(way)_system_settings \(way)_ios_settings \(way)_i_os_settings \(way)_os_settings",
        .inSettings)
    }
  }

  /// Values of a source that mean the system's Settings app.
  static let settingsSource = wordSet(
    """
    settings system_settings settings_app ios_settings app_settings os_settings device_settings iphone_settings
    phone_settings
    """)
  static let screenEvents = wordSet(
    """
    screen screen_view screen_viewed screen_shown viewed_screen view_screen screenview page_view page_viewed
    amplitude_screen_viewed loaded_a_screen pageview view viewed screen_presented
    """)
  static let buttonEvents = wordSet(
    """
    button_tapped button_clicked button_click button_tap button_pressed tap click clicked tapped element_clicked
    element_tapped cta_clicked cta_tapped amplitude_element_tapped autocapture tapped_button clicked_button
    """)
}
