// Snowplow: enriched events as tab-separated values.

extension Presets {
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
    \(active(["application_foreground", "application_install", "screen_view", "page_view", "page_ping"]))
    """

  private static var columnLines: String {
    let lines = snowplowColumns.split(separator: "\n").map { line in
      line.split(separator: " ").joined(separator: ", ")
    }
    return lines.joined(separator: ",\n    ")
  }
}
