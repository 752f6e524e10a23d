/** What a command takes as data: the parameters of its endpoints, by the API's names. */
import { isFile, type Param } from '../../catalogue/params.js'
import type { Argument, Described, Flag } from './types.js'

/** One value of a command. */
export interface Datum {
  readonly name: string
  readonly param: Param
  readonly required: boolean
  /** The flag that it fills; without one it stands at its place among the arguments. */
  readonly flag?: Flag
}

const snake = (name: string): string => name.replaceAll('-', '_')

/** One that fills no parameter: a text, or the words that its name lists (`projects|groups`). */
const wordOf = ({ name, help, required }: Argument): Datum =>
  name.includes('|')
    ? { name: 'what', param: { type: 'enum', values: name.split('|'), help }, required }
    : { name: snake(name), param: { type: 'string', help }, required }

const ofArgument = (argument: Argument): readonly Datum[] => {
  const { parameter, param, required, file } = argument
  if (parameter !== undefined && param !== undefined) return [{ name: parameter, param, required }]
  return file === true ? [] : [wordOf(argument)]
}

/** What it belongs to and what picks an endpoint is called as its flag, whatever the path says. Files have no place among data. */
const ofFlag = (flag: Flag): readonly Datum[] => {
  const { name, param, parameter, required, path, selects } = flag
  const isOfApi = parameter !== undefined || path === true || selects === true
  if (!isOfApi || flag.hidden === true || isFile(param)) return []
  const scope = ['project', 'group', 'user'].includes(name) && path === true
  return [{ name: scope ? name : (parameter ?? snake(name)), param, required, flag }]
}

/** The values that a command takes, those by position first. Flags of the tool itself are none. */
export const getData = ({ args, flags }: Pick<Described, 'args' | 'flags'>): readonly Datum[] => [
  ...args.flatMap(ofArgument),
  ...flags.flatMap(ofFlag),
]
