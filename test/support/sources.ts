/** The sources of a line's values that have nothing: no variable and no standard input. */
export const emptySources = {
  env: {},
  now: new Date(0),
  readStdin: async () => '',
  note: () => {},
  warn: () => {},
}
