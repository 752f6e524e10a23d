/** Text of answers for messages: made fit for one line, and what each HTTP status is called. */
/** Controls, directional overrides and separators that could move a cursor or reorder a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

const shown = (char: string): string => `\\u{${char.charCodeAt(0).toString(16)}}`

/** White space collapsed, control characters made visible. */
export const oneLine = (text: string): string =>
  text
    .replace(/[ \t\r\n]+/g, ' ')
    .replace(hidden, shown)
    .trim()

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
}

export const isPage = (text: string): boolean => /^\s*<(!doctype|html|head|body|\?xml)/i.test(text)

/** An HTML page in words: by its title, else its first heading. */
export const pageTitle = (text: string): string | undefined => {
  const [, title] =
    /<title[^>]*>([^<]{1,500})/i.exec(text) ?? /<h1[^>]*>([^<]{1,500})/i.exec(text) ?? []
  if (title === undefined) return undefined
  const plain = oneLine(title.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (e) => entities[e] ?? e))
  return plain === '' ? undefined : plain
}

/** What each status is called (the IANA registry of HTTP status codes). */
const names: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  203: 'Non-Authoritative Information',
  204: 'No Content',
  205: 'Reset Content',
  206: 'Partial Content',
  207: 'Multi-Status',
  208: 'Already Reported',
  226: 'IM Used',
  300: 'Multiple Choices',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  305: 'Use Proxy',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  421: 'Misdirected Request',
  422: 'Unprocessable Entity',
  423: 'Locked',
  424: 'Failed Dependency',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  506: 'Variant Also Negotiates',
  507: 'Insufficient Storage',
  508: 'Loop Detected',
  511: 'Network Authentication Required',
}

const classes: Readonly<Record<number, string>> = {
  2: 'a success',
  3: 'a redirect',
  4: 'a refusal',
  5: 'a failure of the instance',
}

/** The name of a status; undefined for one that is not registered. */
export const nameOfStatus = (status: number): string | undefined => names[status]

/** `404 Not Found`, `499 (a refusal of no known name)`: never the number alone. */
export const statusText = (status: number): string => {
  const name = names[status]
  if (name !== undefined) return `${status} ${name}`
  return `${status} (${classes[Math.floor(status / 100)] ?? 'a status'} of no known name)`
}
