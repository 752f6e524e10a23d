/** The first line of a run's journal: what is sent, by whom, and where. */
import type { Fields } from '../../../../base/objects.js'
import { isSecretName } from '../../../../base/secrets/names.js'
import type { Endpoint } from '../../../../catalogue/endpoint.js'
import { flagName, scopeOf } from '../../../../commands/derive/index.js'
import type { Plan } from '../../../../commands/described.js'
import { maskingOf } from '../../../../commands/kept.js'
import { paramFile } from '../../../plan/texts.js'
import type { Raw } from '../../../words/line.js'

/** Where a secret came from: `env:NAME`, `@file`; not what it is. */
const origin = (name: string, { params }: Endpoint, { flags }: Raw): string => {
  const param = params[name]
  const text = param === undefined ? undefined : flags.get(flagName(name, param))?.at(-1)
  if (text !== undefined) return /^(?:env:|@)/.test(text) ? text : 'given'
  const further = flags.get('param')?.findLast((one) => one.startsWith(`${name}=`)) ?? ''
  const file = paramFile(further)
  return file === undefined ? 'given' : `@${file.path}`
}

/** What all objects of a run are sent: neither the object itself nor what it belongs to. */
export const valuesOf = (
  { endpoint, values, extra }: Plan,
  raw: Raw,
  rowFields: readonly string[] = [],
): Fields => {
  const own = [...(endpoint.args ?? []), scopeOf(endpoint)?.placeholder]
  const common = Object.entries({ ...extra, ...values }).filter(
    ([name, value]) => value !== undefined && !own.includes(name) && !rowFields.includes(name),
  )
  const shown = maskingOf(endpoint)(Object.fromEntries(common)) ?? {}
  const rows = rowFields.map((name): [string, unknown] => [name, { row: name }])
  const shared = common.map(([name]): [string, unknown] => {
    const secret = endpoint.params[name]?.secret === true || isSecretName(name)
    return [name, secret ? { secret: origin(name, endpoint, raw) } : shown[name]]
  })
  return Object.fromEntries([...shared, ...rows])
}
