// Words that say nothing of a permission: grammar, platforms, places in an app. They may stand beside an answer without
// turning it. Many, because an unknown word leaves a name unread.

extension Lexicon {
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
