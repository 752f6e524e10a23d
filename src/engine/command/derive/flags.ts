/** Endpoints → flags: their placeholders and parameters, one flag for all endpoints of a command. */
import type { Endpoint } from '../../../catalogue/endpoint.js'
import type { Param } from '../../../catalogue/params.js'
import type { Flag } from '../types.js'
import { flagName, kebab } from './names.js'
import { type ScopeKind, scopeOf } from './scope.js'

/** Parameters that the paging flags carry. */
const paging = new Set(['page', 'per_page'])

/** The letters of what a command's object belongs to. */
export const scopeLetters: Readonly<Record<ScopeKind, { readonly short?: string }>> = {
  project: { short: 'P' },
  group: { short: 'G' },
  user: {},
}

/** The API's own name beside a flag that has another. */
const alias = (name: string, param: Param): { aliases?: readonly string[] } =>
  param.name !== undefined && param.name !== kebab(name) ? { aliases: [kebab(name)] } : {}

/** The flag of a parameter that is not given by position. */
const flagOf = (parameter: string, param: Param, required: boolean): Flag => ({
  name: flagName(parameter, param),
  param,
  parameter,
  required,
  ...alias(parameter, param),
})

/** Flags that fill the placeholders of a path, all of which it needs. */
const pathFlags = (e: Endpoint): Flag[] => {
  const scope = scopeOf(e)
  return Object.entries(e.path)
    .filter(([name]) => e.args?.includes(name) !== true)
    .map(([parameter, param]) =>
      scope?.placeholder === parameter
        ? {
            name: scope.kind,
            param,
            parameter,
            required: true,
            path: true,
            ...scopeLetters[scope.kind],
          }
        : { ...flagOf(parameter, param, true), path: true },
    )
}

const selector = ({ when }: Endpoint): Flag[] =>
  when === undefined
    ? []
    : [
        {
          name: when.flag,
          param: { type: 'boolean', help: when.help },
          required: false,
          selects: true,
        },
      ]

/** Flags that the placeholders and parameters of one endpoint make. */
const flagsOf = (e: Endpoint): Flag[] => [
  ...pathFlags(e),
  ...Object.entries(e.params)
    .filter(([name]) => e.args?.includes(name) !== true && !paging.has(name))
    .map(([name, param]) => flagOf(name, param, param.required === true)),
  ...selector(e),
]

/** Of two enumerations of one name the longer: the endpoint chosen later narrows it again. */
const widest = (a: Flag, b: Flag): Flag =>
  a.param.type === 'enum' &&
  b.param.type === 'enum' &&
  b.param.values.length > a.param.values.length
    ? b
    : a

/** One flag for all endpoints of a command; required only where every endpoint requires it. */
export const mergeFlags = (endpoints: readonly Endpoint[]): Flag[] => {
  const merged = new Map<string, { flag: Flag; required: number }>()
  for (const flag of endpoints.flatMap(flagsOf)) {
    const known = merged.get(flag.name)
    merged.set(flag.name, {
      flag: known === undefined ? flag : widest(known.flag, flag),
      required: (known?.required ?? 0) + (flag.required ? 1 : 0),
    })
  }
  return [...merged.values()].map(({ flag, required }) => ({
    ...flag,
    required: required === endpoints.length,
  }))
}
