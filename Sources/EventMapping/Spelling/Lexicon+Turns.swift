// Words that turn what is beside them, or say that it was so before, may come, or is something else. A name with one of them
// is left unread, unless the whole phrase is an entry of its own (`not_granted`).

extension Lexicon {
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

  /// Messages inside the app: a primer there is one, but what it switches is the app's own.
  static let inApp: Set<String> = ["in_app", "inapp"]

  /// Words that say nothing of a permission: grammar, platforms, places in an app. They may be beside an answer without
  /// turning it. Many, because an unknown word leaves a name unread.
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
