/** How a request travels: build, authenticate, send, retry, follow pages, fail. */
export { createClient, type FormOptions, postForm } from './client.js'
export { toCurl } from './request/curl.js'
export { buildRequest } from './request/request.js'
