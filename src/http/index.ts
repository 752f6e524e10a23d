/** How a request travels: build, authenticate, send, retry, follow pages, fail. */
export { normalizeBaseUrl } from './address.js'
export { createClient } from './client.js'
export { toCurl } from './curl.js'
export { buildRequest, checkAddress } from './request.js'
export { isSecretName, safeAddress } from './secrets.js'
