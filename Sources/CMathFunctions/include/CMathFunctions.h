// The one function of Swift's runtime that needs a new C library: hypotf, which glibc has under a new version since 2.35. With it in
// the tool, a release build also starts with glibc 2.34. Only the tool's own program has it, so that no user of the library gets
// another hypotf than the system's.

#pragma once

#ifdef __linux__

/// √(x² + y²), as in <math.h>.
float hypotf(float x, float y);

#endif
