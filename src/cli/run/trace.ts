/** `-v`: one exchange as text; `-vv` with headers and bodies. Credentials are redacted already. */
import type { Exchange } from '../../http/types.js'

const headerLines = (mark: string, headers: Readonly<Record<string, string>> = {}): string[] =>
  Object.entries(headers).map(([name, value]) => `${mark} ${name}: ${value}`)

/** The lines of a trace, each ended. */
export const traceText = (
  exchange: Exchange,
  level: number,
  visible: (text: string) => string,
): string => {
  const { method, url, status, milliseconds, error, requestId } = exchange
  const outcome = status === undefined ? (error ?? 'no answer') : String(status)
  const id = requestId === undefined ? '' : ` (request ${requestId})`
  const { sudo } = exchange.requestHeaders
  const as = sudo === undefined ? '' : ` as ${sudo}`
  const head = `* ${method} ${url}${as} → ${outcome} in ${Math.round(milliseconds)} ms${id}`
  const rest =
    level < 2
      ? []
      : [
          ...headerLines('>', exchange.requestHeaders),
          ...(exchange.requestBody === undefined ? [] : [`> ${exchange.requestBody}`]),
          ...headerLines('<', exchange.responseHeaders),
          ...(exchange.responseBody === undefined ? [] : [`< ${exchange.responseBody}`]),
        ]
  return [head, ...rest].map((line) => `${visible(line)}\n`).join('')
}
