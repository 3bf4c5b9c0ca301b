// The presets' texts, a vendor each. `mapping show` prints them, so that their comments explain them.

import PermissionEvents

extension Presets {
  static let amplitude = """
    # Amplitude: export API and S3 export. One JSON object a line.
    record:
      form: json
      # A file is Amplitude's if a line has all places of one of these lists.
      recognise:
        - [/event_type, /event_time]
        - [/event_type, /$insert_id]
        - [/event_type, /insert_id]
        - [/event_type, /device_id, /time]
        - [/event_type, /user_id, /time]
      # The table of merged ids comes along with S3 exports. It holds no events.
      companions:
        - [/merge_time, /amplitude_id, /merged_amplitude_id]
      event: /event_type
      user: [/device_id, /user_id, /amplitude_id]
      account: [/user_id, /device_id, /amplitude_id]
      # "2025-11-24 18:03:21.412000" has no zone and is UTC. It is the device's clock, corrected by the server.
      time: {from: [/event_time, /client_event_time, /time], zone: UTC}
      # $insert_id is unique within a device; it may be empty, then the row's own id is taken.
      id: {from: [/$insert_id, /insert_id, /uuid], within: /device_id}
      properties: [/event_properties]
    fields:
    \(indented(commonFields))
      screen: [screen_name, screen, "[Amplitude] Screen Name", page]
      app_version: [/version_name, /app_version]
      os_version: /os_version
      platform: /platform
      locale: /language
      country: /country
    \(ending("/event_type"))
    \(active(["session_start", "[Amplitude] Start Session", "[Amplitude] Application Opened",
      "[Amplitude] Screen Viewed", "Application Opened", "app_open", "app_opened", "App Opened"],
      installed: ["[Amplitude] Application Installed", "Application Installed"],
      ignored: ["$identify", "$groupidentify", "session_end", "[Amplitude] End Session",
      "[Amplitude] Application Backgrounded", "Application Backgrounded"]))
    """

  static let mixpanel = """
    # Mixpanel: raw export. One JSON object a line.
    record:
      form: json
      recognise: [/event, /properties/time]
      # Other vendors' events may have a property named time; Mixpanel's have no more than event and properties.
      unless: [/messageId, /anonymousId, /uuid, /distinct_id, /timestamp]
      event: /event
      user:
        - /properties/$device_id
        - {from: /properties/distinct_id, without: "$device:"}
        - /properties/$user_id
      account:
        - /properties/$user_id
        - {from: /properties/distinct_id, without: "$device:"}
        - /properties/$device_id
      # Seconds, or milliseconds if the export was asked for with time_in_ms=true: told by the size of the number.
      # Projects from before 2023 wrote the wall clock of the project: give its zone\(Remedy.nameProjectZone.advice).
      time: {from: /properties/time, zone: project}
      # Raw exports are not deduplicated. Mixpanel's key, with the time in whole seconds, so that both kinds of export
      # give the same id.
      id: {derived_from: [/event, /properties/distinct_id, time_in_seconds, /properties/$insert_id], needs: /properties/$insert_id}
      properties: [/properties]
    fields:
    \(indented(commonFields))
      screen: [screen_name, screen, current_page_title, page]
      app_version: [$app_version_string, $app_version]
      os_version: $os_version
      platform: $os
      locale: [locale, $locale]
      country: [mp_country_code, $country_code]
    \(ending("/event"))
    \(active(["$ae_session", "$session_start", "$app_open", "$mp_web_page_view", "App Open", "App Session",
      "App Opened", "Application Opened", "app_open", "app_opened", "session_start"],
      installed: ["$ae_first_open", "Application Installed"],
      ignored: ["$identify", "$create_alias", "$merge", "Application Backgrounded"]))
    """

  static let segment = """
    # Segment: S3 archive (one call a line) and batch bodies.
    record:
      form: json
      recognise:
        - [/type, /messageId]
        - [/type, /anonymousId, /timestamp]
        - [/type, /userId, /timestamp]
        - [/type, /anonymousId, /originalTimestamp]
      # A call without an event (identify, group, alias, screen, page) goes by its type.
      event: [/event, /type]
      user: [/anonymousId, /context/device/id, /userId]
      account: [/userId, /anonymousId, /context/device/id]
      # The device's clock, corrected: receivedAt - (sentAt - originalTimestamp).
      time: {from: [/timestamp, /originalTimestamp, /receivedAt, /sentAt]}
      id: /messageId
      properties: [/properties]
    fields:
    \(indented(commonFields))
      screen: [/name, screen_name, screen, name, page]
      app_version: /context/app/version
      os_version: /context/os/version
      platform: /context/os/name
      locale: /context/locale
      country: /context/location/country
    \(ending("/event"))
    \(active(["Application Opened", "Application Foregrounded", "Application Updated", "screen", "page", "Session Started",
      "session_start"],
      installed: ["Application Installed"],
      ignored: ["identify", "group", "alias", "Application Backgrounded", "Application Uninstalled"]))
    """

  static let ga4 = """
    # GA4 / Firebase: rows of the BigQuery export as JSON, in either dialect, one a line or as an array.
    record:
      form: json
      recognise: [/event_name, /event_timestamp]
      event: /event_name
      # The app instance. null if consent was refused.
      user: [/user_pseudo_id, /user_id]
      account: [/user_id, /user_pseudo_id]
      time: {from: /event_timestamp, unit: microseconds}
      # The export has no id. It is made of what every copy of the row has: the batch fields are columns of the daily table and
      # parameters of the intraday one. Two events of one name, permission, microsecond and upload are taken for one.
      id: {derived_from: [/user_pseudo_id, /event_timestamp, /event_name, /event_bundle_sequence_id, permission, permission_type, permission_name]}
      # Logs from before 0.3.0 keep their ids.
      former_id: {derived_from: [/user_pseudo_id, /event_timestamp, /event_name, /event_bundle_sequence_id, /batch_event_index, /batch_page_id, /batch_ordering_id]}
      properties: [/event_params]
    fields:
    \(indented(commonFields))
      screen: [firebase_screen, screen_name, firebase_screen_class, screen_class]
      app_version: /app_info/version
      os_version: /device/operating_system_version
      platform: /platform
      locale: /device/language
      country: /geo/country
    \(ending("/event_name"))
    \(active(["session_start", "user_engagement", "screen_view", "app_update", "os_update"],
      installed: ["first_open"],
      ignored: ["app_remove", "app_exception", "app_clear_data"]))
    """

  static let posthog = """
    # PostHog: batch export as JSON lines (properties as an object or as a string), and capture bodies.
    record:
      form: json
      recognise:
        - [/event, /distinct_id, /timestamp]
        - [/event, /uuid, /properties]
        - [/event, /properties/distinct_id, /timestamp]
      # A batch export's list of files.
      companions:
        - [/files]
      event: /event
      # The device if the library names it, else the id as captured.
      user: [/properties/$device_id, /distinct_id, /properties/distinct_id]
      account: [/distinct_id, /properties/distinct_id, /properties/$device_id]
      time: {from: [/timestamp, /created_at], zone: UTC}
      # The iOS library names no device: an install has another id after it signs in. These events say that both are one.
      link:
        - {event: $identify, from: [/distinct_id, /properties/distinct_id], with: /properties/$anon_distinct_id, unless: /properties/$device_id}
        - {event: $create_alias, from: [/distinct_id, /properties/distinct_id], with: /properties/alias, unless: /properties/$device_id}
      session: /properties/$session_id
      # A uuid alone may belong to two different events.
      id: {derived_from: [/uuid, /event, time], needs: /uuid}
      # Logs from before 0.3.0 keep their ids.
      former_id: {derived_from: [/uuid, /event, time, /distinct_id], needs: /uuid}
      properties: [/properties]
    fields:
    \(indented(commonFields))
      # A feature flag as variant: add it in front, like [$feature/push_copy, variant].
      screen: [$screen_name, screen_name, screen, page]
      app_version: $app_version
      os_version: $os_version
      platform: $os
      locale: $locale
      country: $geoip_country_code
    \(ending("/event"))
    \(active(["Application Opened", "Application Became Active", "Application Updated", "$screen", "$pageview",
      "Session Started", "session_start"],
      installed: ["Application Installed"],
      ignored: ["$identify", "$set", "$groupidentify", "$create_alias", "$merge_dangerously", "$feature_flag_called",
      "$pageleave", "Application Backgrounded"]))
    """

  // MARK: Snowplow: enriched events as tab-separated values.

  /// Columns of the enriched event, in order (docs.snowplow.io, "canonical event").
  static let snowplowColumns = """
    app_id platform etl_tstamp collector_tstamp dvce_created_tstamp event event_id txn_id name_tracker v_tracker
    v_collector v_etl user_id user_ipaddress user_fingerprint domain_userid domain_sessionidx network_userid geo_country
    geo_region geo_city geo_zipcode geo_latitude geo_longitude geo_region_name ip_isp ip_organization ip_domain ip_netspeed
    page_url page_title page_referrer page_urlscheme page_urlhost page_urlport page_urlpath page_urlquery page_urlfragment
    refr_urlscheme refr_urlhost refr_urlport refr_urlpath refr_urlquery refr_urlfragment refr_medium refr_source refr_term
    mkt_medium mkt_source mkt_term mkt_content mkt_campaign contexts se_category se_action se_label se_property se_value
    unstruct_event tr_orderid tr_affiliation tr_total tr_tax tr_shipping tr_city tr_state tr_country ti_orderid ti_sku
    ti_name ti_category ti_price ti_quantity pp_xoffset_min pp_xoffset_max pp_yoffset_min pp_yoffset_max useragent br_name
    br_family br_version br_type br_renderengine br_lang br_features_pdf br_features_flash br_features_java
    br_features_director br_features_quicktime br_features_realplayer br_features_windowsmedia br_features_gears
    br_features_silverlight br_cookies br_colordepth br_viewwidth br_viewheight os_name os_family os_manufacturer
    os_timezone dvce_type dvce_ismobile dvce_screenwidth dvce_screenheight doc_charset doc_width doc_height tr_currency
    tr_total_base tr_tax_base tr_shipping_base ti_currency ti_price_base base_currency geo_timezone mkt_clickid mkt_network
    etl_tags dvce_sent_tstamp refr_domain_userid refr_dvce_tstamp derived_contexts domain_sessionid derived_tstamp
    event_vendor event_name event_format event_version event_fingerprint true_tstamp
    """

  static let snowplow = """
    # Snowplow: enriched events, tab-separated, without a header.
    record:
      form: tsv
      columns: [\(columnLines)]
      # Older pipelines write fewer columns; up to unstruct_event they must be there.
      minimum_columns: 59
      # Structured events are named by category and action, self-describing ones by their schema.
      event: [{join: [/se_category, /se_action]}, /event_name, /event]
      user: [/contexts/data/client_session/userId, /domain_userid, /network_userid, /user_id]
      account: [/user_id, /contexts/data/client_session/userId, /domain_userid, /network_userid]
      time: {from: [/true_tstamp, /derived_tstamp, /dvce_created_tstamp, /collector_tstamp], zone: UTC}
      id: /event_id
      properties: [/unstruct_event/data/data]
    fields:
      permission: [permission, permission_type, permission_name, permissions]
      permission_hint: [type, kind, resource, capability, channel, /se_label]
      # status, result and flag (properties that are true or false) may be added; these are always looked at:
      #   status: \(usual(.status))
      #   result: \(usual(.result))
      #   flag: \(usual(.flag))
      source: [source, from, /se_property]
      screen: [screen_name, screen, name]
      button: [button, button_name, button_text, button_label, cta, element]
      variant: [variant, message_variant, experiment_variant, prompt_variant, message_variation_name, copy]
      experiment: [experiment, experiment_name, experiment_id, test_name]
      surface: [surface, source, screen, screen_name, from, trigger, placement, /se_property]
      feature: [feature, feature_name]
      app_version: /contexts/data/application/version
      os_version: /contexts/data/mobile_context/osVersion
      platform: [/contexts/data/mobile_context/osType, /os_name, /platform]
      locale: /br_lang
      country: /geo_country
    \(ending("/event_name"))
    \(active(["application_foreground", "screen_view", "page_view", "page_ping"], installed: ["application_install"]))
    """

  private static var columnLines: String {
    let lines = snowplowColumns.split(separator: "\n").map { line in
      line.split(separator: " ").joined(separator: ", ")
    }
    return lines.joined(separator: ",\n    ")
  }
}
