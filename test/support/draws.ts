/**
 * Returns the number of cases that a property test tries: all of them if SVCCTL_TEST_SEED is set, otherwise a quarter. The default
 * seed draws the same cases each time.
 */
export const countDraws = (cases: number): number =>
  process.env.SVCCTL_TEST_SEED === undefined ? Math.ceil(cases / 4) : cases
