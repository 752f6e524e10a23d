/** A parameter in the words of help, questions and `explain`: its type, its choices, the word that stands for its value. */
import { isFile, type Param } from './params.js'

const formats: Readonly<Record<string, string>> = {
  date: 'YYYY-MM-DD|[+]30d',
  datetime: 'YYYY-MM-DD[Thh:mm:ssZ]|[+]30d',
  duration: '1h30m',
  url: 'url',
}

/** The longest list of values that stands in a flag's own term. */
const inTerm = 40

/** The word that stands for a value in help. */
export const placeholder = (param: Param): string => {
  if (param.placeholder !== undefined) return param.placeholder
  switch (param.type) {
    case 'integer':
      return param.names === undefined ? 'n' : 'level'
    case 'enum':
      return param.values.join('|').length <= inTerm ? param.values.join('|') : 'value'
    case 'list':
      return param.of === 'integer' ? 'n,…' : 'a,b,…'
    case 'hash':
      return 'key=value'
    case 'json':
      return 'json|@file'
    case 'project':
    case 'group':
      return 'id|path'
    case 'string':
      if (isFile(param)) return 'file'
      return param.secret === true ? 'secret' : (formats[param.format ?? ''] ?? 'text')
    default:
      return 'value'
  }
}

/** The type: `integer`, `list of string`. */
export const typeText = (param: Param): string =>
  param.type === 'list' ? `list of ${param.of === 'enum' ? 'string' : param.of}` : param.type

/** What a person can choose from, where that is fixed. */
export const choicesOf = (param: Param): readonly string[] => {
  if (param.type === 'enum') return param.values
  if (param.type === 'boolean') return ['true', 'false']
  if (param.type === 'list') return param.values ?? []
  return param.type === 'integer' ? (param.offers ?? Object.keys(param.names ?? {})) : []
}

/** A value as an example, of the sample data where it names a project or a group. */
export const exampleOf = (param: Param): unknown => {
  switch (param.type) {
    case 'enum':
      return param.values[0]
    case 'project':
      return 'platform/app'
    case 'group':
      return 'platform'
    case 'integer':
      return Object.keys(param.names ?? {}).at(-1) ?? 1
    case 'boolean':
      return true
    default:
      return param.type === 'list' ? ['…'] : '…'
  }
}
