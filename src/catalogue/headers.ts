/** The documented names of headers and cookies that the program uses. An instance may have others. */

/** The headers of responses that the program reads. */
export const readHeaders: readonly string[] = [
  'link',
  'retry-after',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'x-next-page',
  'x-page',
  'x-per-page',
  'x-prev-page',
  'x-request-id',
  'x-total',
  'x-total-pages',
]

/** The documented name of the session cookie. */
export const sessionCookie = '_svc_session'
