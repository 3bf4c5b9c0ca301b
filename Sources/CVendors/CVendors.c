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

#define VENDOR(name) {#name, name, sizeof name}

static const struct cv_vendor vendors[] = {
    VENDOR(amplitude), VENDOR(mixpanel), VENDOR(segment), VENDOR(ga4), VENDOR(posthog), VENDOR(snowplow),
    VENDOR(airship),
};

size_t cv_count(void) { return sizeof vendors / sizeof *vendors; }

struct cv_vendor cv_vendor(size_t index) { return vendors[index]; }
