// See CMathFunctions.h.

#include "CMathFunctions.h"

#ifdef __linux__

#include <math.h>

float hypotf(float x, float y) {
  // ISO C, Annex F.10.4.3: an infinite side makes the hypotenuse infinite, even if the other is not a number.
  if (isinf(x) || isinf(y)) return INFINITY;
  // The product of two floats is exact in a double, and no sum of two such squares is too big or too small for one. So only
  // the sum and the root are rounded, in 53 bits, before the result is rounded to 24: never off by more than half a
  // unit in the last place and its 2⁻²⁸th part.
  return (float)sqrt((double)x * x + (double)y * y);
}

#endif
