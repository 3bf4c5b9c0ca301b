// The words of keys: which of them name an answer, and which say that the value is of something else, or of before the event.

extension Lexicon {
  /// Nouns whose value is an answer: `dialog_result`, `user_choice`.
  static let answerKeys = wordSet(
    """
    result results response responded answer answered outcome decision decided choice selection selected action reply verdict
    """)
  static let statusKeys = wordSet("status state auth authorization authorisation")
  /// Switches: beside a permission's word they are a state that an app sends with every event.
  static let switchKeys = wordSet(
    """
    enabled enable enables disabled subscribed unsubscribed opted_in opted_out turned_on turned_off re_enabled reenabled
    activate deactivated switch_on switched_off not_enabled opt_out optout
    """)
  /// Words beside an answer's that leave its meaning as it is.
  static let aroundKeys = wordSet(
    """
    is was has been the a of to for by user users final new current currently now event app ios i_os android os system native
    sys device sdk value text name label code title type kind string raw native rn expo un av ph cl att actual given got set
    returned received last_step step screen page view my your our their his her update updated change changed prompt dialog
    request requested web api apple google mobile iphone ipad property properties prop props param params data payload key
    """)
  /// What was before the event, or what would be without one.
  static let keysOfBefore = wordSet(
    """
    previous previously prev prior old before initial initially last first was_already already earlier existing formerly had
    original past from default expected assumed planned cached stored saved still since ever once never predicted
    """)
  /// What a key with an answer's word measures or names in place of the answer.
  static let measures = wordSet(
    """
    count counts number num total totals times time at on_date date datetime timestamp ts duration ms millis seconds sec secs
    minutes hours days day index position idx length size rate ratio score percent percentage version url uri link id ids uuid
    hash token reason reasons via source message error errors description method list options option eligible can could
    should would may will again attempts attempt retries limit max min age level language locale color colour format lat lng
    latitude longitude accuracy icon image sound
    """)
  /// Subjects that have answers and states of their own.
  static let otherSubjects = wordSet(
    """
    email emails e_mail mail sms whatsapp telegram slack discord newsletter marketing promo promotional promotions gdpr ccpa
    cookie cookies consent terms privacy policy tos eula payment payments purchase purchases order orders billing subscription
    subscriptions trial plan premium membership account login logged logged_in sign_in signin signup sign_up registration session
    network connection connectivity wifi internet cellular vpn proxy app_state application lifecycle sync upload download
    import export battery call calls video audio game match level quiz survey poll test tests experiment variant ab coupon
    discount refund ticket ride trip booking flight hotel loan credit credits coin coins points reward rewards card
    transaction transfer ad ads advertising invite invitation invitations friend friends kyc verification verified identity
    delivery shipping cart checkout order_status profile onboarding tutorial feature flag http response_code server
    request_id storage in_app inapp marital employment united us country region city address health_status feed job task
    """)

  /// Objects that go with every row and say how things were before the event, by the words of their key.
  static let stateObjects = wordSet(
    """
    user_properties user_property userproperties user_props super_properties super_props superproperties person_properties
    person_props profile_properties profile_props user_traits user_attributes user_attribute user_data user_info traits trait
    context contexts derived_contexts set set_once group_properties group_props groups group device_properties
    device_info global_properties global_context common_properties default_properties app_info device geo
    initial_properties initial_user_properties user_state permission_states permissions_state permission_snapshot person_set
    """)
  /// The same, if they are objects: `user_choice` is an answer.
  static let stateObjectsAlone = wordSet(
    """
    user person profile settings preferences session app library os screen_info permissions consent flags
    integrations metadata headers
    """)
  /// Objects and prefixes that hold what an app says of the event.
  static let propertyObjects = wordSet(
    """
    event_properties event_property properties props prop event_props event_params event_parameters params parameters param
    custom_attributes event_attributes event_data attributes payload data details custom custom_properties customs
    event_custom extra extras values body
    """)
}
