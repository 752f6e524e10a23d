/** How a request travels: build, authenticate, send, retry, follow pages, fail. */
export { documented, legible, meaningIn } from './answers/spoken.js'
export { createClient } from './client.js'
export { toCurl } from './request/curl.js'
export { buildRequest } from './request/request.js'
