// Preloaded into the program by tests of what it shows: it is always this moment.
const moment = Date.parse('2026-11-20T12:00:00Z')
const Real = Date

globalThis.Date = class extends Real {
  constructor(...args) {
    super(...(args.length === 0 ? [moment] : args))
  }
  static now() {
    return moment
  }
}
