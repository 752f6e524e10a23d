/**
 * How many cases a property tries: all of them with a seed that somebody chose, and a quarter with that of every day, which draws
 * the same ones each time.
 */
export const countDraws = (cases: number): number =>
  process.env.SVCCTL_TEST_SEED === undefined ? Math.ceil(cases / 4) : cases
