/** Names of the documents that the program treats in a special way: an instance may have others, or must not have others. */

/**
 * The words that replace names of products in the documentation ("Naming rule" of the general rules). An instance uses its own word
 * everywhere. All other names are the same on all instances.
 */
export const neutralWords = [
  'avatarsvc',
  'cloud',
  'diagram_a',
  'diagram_b',
  'errsvc',
  'monitor',
  'spamsvc',
  'svc',
] as const

/** The names that the program itself uses for all lists. They cannot be translated. */
export const fixedNames: ReadonlySet<string> = new Set([
  'page',
  'per_page',
  'pagination',
  'order_by',
  'sort',
  'id_after',
  'id_before',
  'sudo',
])

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
