// See CVendors.h. The compiler puts the files in; a file that is missing is an error, and a test looks for files that are not here.

#include "CVendors.h"

// An extension here, and part of C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char amplitude[] = {
#embed "vendors/amplitude.yaml"
};
static const unsigned char mixpanel[] = {
#embed "vendors/mixpanel.yaml"
};
static const unsigned char segment[] = {
#embed "vendors/segment.yaml"
};
static const unsigned char ga4[] = {
#embed "vendors/ga4.yaml"
};
static const unsigned char posthog[] = {
#embed "vendors/posthog.yaml"
};
static const unsigned char snowplow[] = {
#embed "vendors/snowplow.yaml"
};
static const unsigned char airship[] = {
#embed "vendors/airship.yaml"
};
static const unsigned char segment_tables[] = {
#embed "vendors/segment_tables.yaml"
};
static const unsigned char fivetran_amplitude[] = {
#embed "vendors/fivetran_amplitude.yaml"
};
static const unsigned char fivetran_mixpanel[] = {
#embed "vendors/fivetran_mixpanel.yaml"
};
static const unsigned char airbyte_amplitude[] = {
#embed "vendors/airbyte_amplitude.yaml"
};
static const unsigned char airbyte_amplitude_json[] = {
#embed "vendors/airbyte_amplitude_json.yaml"
};
static const unsigned char airbyte_amplitude_typed[] = {
#embed "vendors/airbyte_amplitude_typed.yaml"
};
static const unsigned char airbyte_mixpanel[] = {
#embed "vendors/airbyte_mixpanel.yaml"
};
static const unsigned char airbyte_mixpanel_json[] = {
#embed "vendors/airbyte_mixpanel_json.yaml"
};
static const unsigned char airbyte_mixpanel_typed[] = {
#embed "vendors/airbyte_mixpanel_typed.yaml"
};
static const unsigned char ga4_csv[] = {
#embed "vendors/ga4_csv.yaml"
};
static const unsigned char posthog_csv[] = {
#embed "vendors/posthog_csv.yaml"
};
static const unsigned char posthog_csv_all[] = {
#embed "vendors/posthog_csv_all.yaml"
};
static const unsigned char snowplow_atomic[] = {
#embed "vendors/snowplow_atomic.yaml"
};
static const unsigned char snowplow_tp2[] = {
#embed "vendors/snowplow_tp2.yaml"
};
static const unsigned char appsflyer[] = {
#embed "vendors/appsflyer.yaml"
};
static const unsigned char appsflyer_data_locker[] = {
#embed "vendors/appsflyer_data_locker.yaml"
};
static const unsigned char adjust[] = {
#embed "vendors/adjust.yaml"
};
static const unsigned char branch[] = {
#embed "vendors/branch.yaml"
};
static const unsigned char branch_webhook[] = {
#embed "vendors/branch_webhook.yaml"
};
static const unsigned char mparticle[] = {
#embed "vendors/mparticle.yaml"
};
static const unsigned char matomo[] = {
#embed "vendors/matomo.yaml"
};
static const unsigned char braze[] = {
#embed "vendors/braze.yaml"
};
static const unsigned char braze_http[] = {
#embed "vendors/braze_http.yaml"
};
static const unsigned char onesignal[] = {
#embed "vendors/onesignal.yaml"
};
static const unsigned char clevertap[] = {
#embed "vendors/clevertap.yaml"
};
static const unsigned char clevertap_export[] = {
#embed "vendors/clevertap_export.yaml"
};
static const unsigned char moengage[] = {
#embed "vendors/moengage.yaml"
};
static const unsigned char onesignal_subscriptions[] = {
#embed "vendors/onesignal_subscriptions.yaml"
};
static const unsigned char airship_channels[] = {
#embed "vendors/airship_channels.yaml"
};

#define VENDOR(name) {#name, name, sizeof name}

static const struct cv_vendor vendors[] = {
    VENDOR(amplitude), VENDOR(mixpanel), VENDOR(segment), VENDOR(ga4), VENDOR(posthog), VENDOR(snowplow),
    VENDOR(airship),
    VENDOR(segment_tables),
    VENDOR(fivetran_amplitude),
    VENDOR(fivetran_mixpanel),
    VENDOR(airbyte_amplitude),
    VENDOR(airbyte_amplitude_json),
    VENDOR(airbyte_amplitude_typed),
    VENDOR(airbyte_mixpanel),
    VENDOR(airbyte_mixpanel_json),
    VENDOR(airbyte_mixpanel_typed),
    VENDOR(ga4_csv),
    VENDOR(posthog_csv),
    VENDOR(posthog_csv_all),
    VENDOR(snowplow_atomic),
    VENDOR(snowplow_tp2),
    VENDOR(appsflyer),
    VENDOR(appsflyer_data_locker),
    VENDOR(adjust),
    VENDOR(branch),
    VENDOR(branch_webhook),
    VENDOR(mparticle),
    VENDOR(matomo),
    VENDOR(braze),
    VENDOR(braze_http),
    VENDOR(onesignal),
    VENDOR(clevertap),
    VENDOR(clevertap_export),
    VENDOR(moengage),
    VENDOR(onesignal_subscriptions),
    VENDOR(airship_channels),
};

size_t cv_count(void) { return sizeof vendors / sizeof *vendors; }

struct cv_vendor cv_vendor(size_t index) { return vendors[index]; }
