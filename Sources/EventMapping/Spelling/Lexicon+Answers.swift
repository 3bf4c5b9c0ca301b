// Words of yes, no and not now. Opposites come in pairs, so that anyone who adds a word for no also adds the one for
// yes. Otherwise an app with known denials but unknown approvals would seem to be refused by all users.

import PermissionEvents

extension Lexicon {
  /// Words for yes and their opposites, in the past and in the present.
  static let opposites: [(yes: String, no: String)] = [
    ("granted", "denied not_granted"),
    ("grant grants", "deny denies do_not_grant dont_grant"),
    ("allowed", "disallowed not_allowed didnt_allow did_not_allow"),
    ("allow allows", "disallow dont_allow don_t_allow do_not_allow doesnt_allow does_not_allow"),
    ("accepted", "declined rejected refused turned_down blocked not_accepted didnt_accept did_not_accept"),
    ("accept accepts", "decline declines reject rejects refuse refuses dont_accept do_not_accept"),
    ("approved", "disapproved not_approved"),
    ("approve approves", "disapprove disapproves"),
    ("authorized authorised", "unauthorized unauthorised not_authorized not_authorised"),
    ("authorize authorise", "dont_authorize do_not_authorize"),
    ("permitted", "forbidden prohibited not_permitted"),
    ("permit", "forbid"),
    ("agreed", "disagreed not_agreed"),
    ("agree", "disagree"),
    ("confirmed", "not_confirmed"),
    ("confirm", "dont_confirm"),
    ("enabled", "not_enabled"),
    ("sharing_authorized", "sharing_denied"),
    ("opted_in", "opted_out"),
    ("allow_tracking", "ask_app_not_to_track ask_not_to_track do_not_track dont_track"),
  ]

  /// Words for switching off later, with their opposites.
  static let switches: [(on: String, off: String)] = [
    ("subscribed", "unsubscribed"), ("turned_on", "turned_off"), ("enabled", "disabled"),
    ("re_enabled", "revoked withdrawn"),
    ("activate", "deactivated"), ("switch_on", "switched_off"),
  ]

  mutating func addAnswers() {
    for (yes, no) in Self.opposites {
      add(yes, .yes)
      add(no, .no)
    }
    for answer in ["granted", "allowed", "authorized", "accepted", "approved", "permitted"] {
      add("wasnt_\(answer) isnt_\(answer) hasnt_been_\(answer) not_been_\(answer)", .no)
    }
    add("yes true", [.yes, .boolean])
    add("no false", [.no, .boolean, .determiner])
    add(
      """
      grant grants allow allows accept accepts approve approves authorize authorise permit agree confirm allow_tracking
      deny denies disallow decline declines reject rejects refuse refuses forbid enable enables turn_on switch_on activate
      """, .call)
    add(
      """
      grant grants allow allows accept accepts approve approves authorize authorise permit agree confirm allow_tracking
      deny denies disallow dont_allow don_t_allow do_not_allow decline declines reject rejects refuse refuses forbid disagree
      disapprove ask_app_not_to_track ask_not_to_track do_not_track enable enables turn_on switch_on activate
      """, .button)
    add("enable enables turn_on switch_on activate", .yes)
    add("subscribed", .yes)
    add("dont_enable do_not_enable", .no)
    for (_, off) in Self.switches { add(off, .revoked) }
    add(
      """
      re_enabled reenabled enabled_later turned_on enabled_in_settings enabled_from_settings enabled_via_settings
      granted_in_settings granted_from_settings granted_via_settings regranted re_granted turned_on_in_settings switched_on
      turned_back_on allowed_in_settings authorized_in_settings
      """, .reEnabled)
    add(
      """
      granted denied not_granted authorized authorised not_authorized unauthorized allowed not_allowed disallowed
      """, .plain)
    add(
      """
      blocked opted_out rejected refused declined enabled opted_in subscribed accepted approved disabled
      turned_off unsubscribed withdrawn turned_on re_enabled reenabled enabled_in_settings enabled_from_settings
      granted_in_settings granted_from_settings
      """, .switched)
    add("revoked", .plain)
    // The same rules hold for a yes and for its no.
    for (yes, no) in Self.opposites {
      for traits in [Traits.plain, .switched]
      where wordList(yes).contains(where: { self[$0]?.traits.contains(traits) == true }) {
        add(no, traits)
      }
    }
    add(
      """
      skipped skip skips later not_now maybe_later dismissed dismiss dismisses closed close cancelled canceled cancel
      ignored ignore snoozed snooze deferred postponed no_thanks no_thank_you remind_me_later ask_me_later ask_later not_yet next_time
      do_later do_it_later swiped_away backed_out abandoned not_interested
      """, .skip)
    add("closed", .answer)
    addStatuses()
  }

  /// The status that the system reports, if it is more than yes or no.
  private mutating func addStatuses() {
    add("limited authorized_limited granted_limited", .yes, status: .limited)
    add("provisional provisionally", .yes, status: .provisional)
    add("ephemeral", .yes, status: .ephemeral)
    add("full_access", .yes, status: .fullAccess)
    add("write_only", .yes, status: .writeOnly)
    add(
      """
      when_in_use authorized_when_in_use while_using while_in_use while_using_app while_using_the_app
      allow_while_using_app allow_while_using_the_app granted_when_in_use
      """, .yes, status: .whenInUse)
    add("always authorized_always granted_always always_allow allow_always", .yes, status: .always)
    add("reduced_accuracy", .yes, status: .reducedAccuracy)
    add("allowed_once allow_once authorized_once granted_once", .yes, status: .allowedOnce)
    add("declined_sharing", .no, status: .declinedSharing)
    add("approved_with_data_access", .yes, status: .approvedWithDataAccess)
    add("restricted", .no, status: .restricted)
    add("not_determined undetermined not_asked", .skip, status: .notDetermined)
    add("never_ask_again permanently_denied denied_permanently denied_forever", .no, status: .denied)
  }

  // MARK: Words that reverse their neighbours, or mean that it was so before, may come, or is something else. A name
  // with one of them is left unread, unless the whole phrase is an entry of its own (`not_granted`).

  mutating func addTurns() {
    add(
      """
      not never no_longer cannot can_not cant can_t nt dont don_t don doesnt doesn_t didnt didn_t isnt isn_t wasnt wasn_t
      arent arent werent wont won_t wouldnt couldnt shouldnt hasnt hasn_t havent hadnt aint neither nor nobody none nothing
      non un dis without lacking lack lacks missing absent absence except instead unless until unable barely hardly
      scarcely unlikely impossible refusal withheld prevented prevent prevents stopped undo undone reverted revert reset
      removed remove cleared withdrew lost invalid null nil undefined nope void hide hidden suppressed suppress
      fails fail failed failing failure error errors errored exception crash crashed timeout timed_out timedout expired
      unavailable unsupported not_supported unknown uncertain unclear
      turn_off turns_off turning_off switch_off disable disables disabling revoke revokes withdraw withdraws unsubscribe mute
      mutes denying denial denials declining refusing rejecting skipping revoking disabling blocking gave_up give_up off
      inactive rescinded lapsed until silence silences block blocks stop stops pause pauses lose loses delete deletes opt_out optout ban anti minus
      inverse inverted negative opposite zero postpone postpones delay delays abort aborts avoid quit w_o nah nay
      de mis neg negated contrary reverse reversed counter delayed defer defers paused muted exit exits leave leaves abandon
      abandons avoided hides bypass bypassed unexpected brak ani yok khong nee nix
      nej degil hayir tidak bukan jangan
      nicht kein keine keinen ohne nie niemals nein pas jamais sans aucun aucune ne nunca sin ningun tampoco senza mai
      nessun nessuna nao sem nem nunca jamas niet geen zonder inte ikke ei nie bez
      """, .negator)
    add(
      """
      already previously previous earlier before existing formerly had was_already current currently prior initial last still
      once is status_check status_is
      """, .earlier)
    add(
      """
      will would should could might may can maybe perhaps if whether try tries tried trying attempt attempted attempting
      about_to going_to want wants wanted need needs needed must expected expect assume assumed pretend fake mock mocked
      dummy simulated simulate hypothetical pending waiting awaiting scheduled almost nearly partially except but or
      unless either versus vs question rate ratio percent percentage count total number_of
      pseudo rarely seldom shall wish wishes hope hopes hoped planned plans ever yet initially defaults defaults_to suppose
      supposed half semi
      to_be expects predicted inferred presumed assumes default test testing debug by_app by_system automatically auto
      toggle toggles toggled switch option options days since time times time_to timestamp duration seconds minutes hours
      friend friends child children partner family group groups member members guest others peer peers invitation
      precise accuracy precise_location full_accuracy temporary temporarily critical
      email e_mail emails sms whatsapp telegram slack discord newsletter marketing promo promotional promotions gdpr cookie
      cookies consent terms privacy_policy
      git docker delivered received sent sending send scheduled_notification
      """, .doubt)
    add("in_app inapp", .doubt)
    // Part of a phrase that is read as a whole.
    add("if_denied if_granted", .doubt)
  }

  /// Messages inside the app: a primer is one, but a switch there is the app's own.
  static let inApp: Set<String> = ["in_app", "inapp"]

  /// Words that say nothing about a permission: grammar, platforms, pages of an app. They do not change an answer.
  /// There are many of them, because a name with an unknown word is not read.
  mutating func addPlaces() {
    add(
      """
      services service subscription usage data app apps ios system os user the by has have was event events to for of on at a an
      and_was their his her my your our we with as from in via through this that it its been being be did do does
      i_os i_os_app iphone ipad android mobile client device native apple use used full
      """, .filler)
    add(
      """
      onboarding onboard signup sign_up signin sign_in login log_in logged_in registration register welcome 
      introduction tutorial walkthrough tour ftue ftux fre nux first_run first_launch first_time first launch launched
      startup start started boot home homepage dashboard feed timeline profile account settings_page settings_screen chat
      chats message messages messaging inbox conversation thread call calls video voice map maps scanner scan scanning qr
      barcode document checkout cart payment payments wallet shop store product search explore discover library media
      upload uploads uploading import imported importing export sync syncing synced picker capture recorder recording
      gallery_screen editor edit create creation post posting story stories live stream streaming room meeting meetings
      workout run running ride trip travel booking flight hotel food order_screen delivery driver rider store_finder nearby
      contact_sync find_friends game level quest
      flow funnel step_flow process journey setup set_up configuration config configure preference preferences       feature features flag experiment variant ab abtest ab_test a_b_test control treatment campaign
      analytics log logged track tracked metric metrics telemetry amplitude mixpanel segment firebase ga ga4
      posthog snowplow braze onesignal sdk api web js rn react flutter expo cordova capacitor swift objc kotlin kt
      type name value key id ids code info details detail category label source target reason context trigger origin page_name
      screen_name button_name view_model manager helper handler controller delegate coordinator presenter service_worker
      new v version beta prod production dev release internal main primary secondary default_flow top bottom
      left right header footer tab tabs menu nav navigation bar list item items row cell section widget widgets
      done finish finished complete completion final
      change changed changes update updated updates updating check checked checking get got set setting saved save receive
      received_result returned return returns came back detected detect observed observe found refresh refreshed evaluated
      during once again       push_service remote local system_level top_level legacy basic premium pro plus free trial paywall upsell
      us uk eu go now here
      """, .neutral)
    add("success successful successfully succeeded", [.answer, .neutral])
  }
}
