/** Implements `version`, `commands` and `client types`, which report facts about svcctl and the instance. */

import { toDay } from '../base/dates.js'
import { isObject } from '../base/objects.js'
import { version } from '../base/version.js'
import { settings } from '../catalogue/areas/settings.js'
import { describeType, getParamValues } from '../catalogue/params.js'
import type { Context } from '../engine/command/context.js'
import { getCommandName, isExtension } from '../engine/command/derive.js'
import type { CommandFacts, Flag } from '../engine/command/types.js'
import { createNoteRow, createTextRow, yieldRecords } from '../engine/rows.js'
import { Failure, recoverFrom } from '../errors.js'
import { getPaths } from '../profile/index.js'
import { readKnown } from '../profile/known.js'
import { loadChecked, loadEndpoints } from '../vocabulary/index.js'
import { isNarrow } from './answers.js'
import { define } from './define.js'
import { getOwnSettings } from './known.js'
import { getVocabularyFile, readVersion } from './vocabulary-reading.js'

const isConfigured = async ({ place }: Context): Promise<boolean> => {
  const { globals, env } = place
  if (globals.sandbox || globals.baseUrl !== undefined || env.SVC_BASE_URL) return true
  return (await place.profile()) !== undefined
}

/** Reads the version of the instance; null if it does not report one. The reason is printed as a warning. */
const readInstance = async (context: Context) => {
  let address: string | undefined
  try {
    address = (await context.place.session()).baseUrl
    return { name: 'instance', version: (await readVersion(context)) ?? null, address }
  } catch (error) {
    context.ui.warn(`cannot read the version of the instance: ${recoverFrom(error).message}`)
    return address === undefined ? undefined : { name: 'instance', version: null, address }
  }
}

export const versionCommand = define({
  description: [
    'If an instance is configured, svcctl asks it for its version. If it does not respond, svcctl prints a warning, and the exit code is still 0.',
    'svcctl --version prints the version of svcctl alone and sends nothing.',
  ],
  readOnly: true,
  rows: async function* (context) {
    const instance = (await isConfigured(context)) ? await readInstance(context) : undefined
    const tool = { name: 'svcctl', version }
    yield* yieldRecords(instance === undefined ? [tool] : [tool, instance], {
      columns: ['name', 'version', 'address'],
    })
  },
})

// `svcctl commands` lists the commands and endpoints of the running program.

const createFlagRow = (flag: Flag) => ({
  name: flag.name,
  type: describeType(flag.param),
  required: flag.required,
  values:
    getParamValues(flag.param).length > 0 ? getParamValues(flag.param) : (flag.param.words ?? null),
  parameter: flag.parameter ?? null,
})

/** Returns the row of a command, with the paths of the catalogue. */
const toCommandRow = (command: CommandFacts) => ({
  command: getCommandName(command),
  summary: command.summary,
  endpoints: Object.values(command.endpoints).map((e) => e.route),
  arguments: command.args.map(({ name, required, variadic }) => ({ name, required, variadic })),
  flags: command.flags.filter((f) => f.hidden !== true).map(createFlagRow),
  ...(isExtension(command) && { from: Object.values(command.endpoints)[0]?.from }),
})

export const commands = define({
  rows: async function* ({ answer, place }: Context) {
    const rows = (await place.listCommands()).map(toCommandRow)
    const routes = isNarrow(answer) ? [] : ['endpoints']
    yield* yieldRecords(rows, { columns: ['command', 'summary', ...routes] })
  },
})

// `client types` prints the undocumented parts of an instance as TypeScript declarations for programs that import `svcctl/client`.

/** Returns the TypeScript type of a JSON value; `unknown` for null and for nested values. */
const getValueType = (value: unknown): string => {
  if (Array.isArray(value)) {
    const kinds = [...new Set(value.map((item) => typeof item))]
    const plain = kinds.length === 1 && /^(string|number|boolean)$/.test(kinds[0] ?? '')
    return `readonly ${plain ? kinds[0] : 'unknown'}[]`
  }
  return /^(string|number|boolean)$/.test(typeof value) ? typeof value : 'unknown'
}

/** Formats a text as a TypeScript literal in printable ASCII. */
const toLiteral = (text: string): string =>
  JSON.stringify(text).replace(
    /[^ -~]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const formatField = (name: string, type: string): string =>
  `readonly ${/^[a-z_]\w*$/i.test(name) ? name : toLiteral(name)}: ${type}`

const formatBlock = (name: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0
    ? []
    : [`    readonly ${name}: {`, ...lines.map((line) => `      ${line}`), '    }']

/** Collects the undocumented values of parameters, by area and name. */
const collectFurtherValues = async (
  values: (of: string) => readonly string[],
): Promise<readonly string[]> => {
  const names = (await loadEndpoints()).flatMap(({ area, endpoint }) =>
    Object.keys(endpoint.params).map((name) => `${area}.${name}`),
  )
  return [...new Set(names)].sort().flatMap((name) => {
    const further = values(name)
    if (further.length === 0) return []
    // The client has the names of areas in camel case.
    const own = name.replace(/^[^.]+/, (area) =>
      area.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
    )
    return [formatField(own, further.map(toLiteral).join(' | '))]
  })
}

export const types = define({
  description: [
    'Reads the application settings and prints a declaration with the name and type of each setting that the API documents do not have. A setting that is null has the type unknown. It also has additional values of parameters, from the vocabulary and from responses that `svcctl doctor` has seen. It contains no values of settings.',
    'Put the file into a project that imports svcctl/client. settings.get and settings.update then know these settings, and inputs accept these values.',
  ],
  readOnly: true,
  rows: async function* ({ instance, place }) {
    const { data } = await instance.call(settings.get, {})
    if (!isObject(data))
      throw new Failure('unreachable', 'the response to GET /application/settings is not an object')
    const file = getVocabularyFile(place)
    const words = file === undefined ? undefined : await loadChecked(file)
    const own = getOwnSettings(data, words).toSorted(([a], [b]) => (a < b ? -1 : 1))
    const { baseUrl, profile } = await place.session()
    const seen =
      profile === undefined
        ? undefined
        : readKnown(getPaths(place.env), { ...profile, baseUrl })?.values
    const values = await collectFurtherValues((of) => [
      ...new Set([...(words?.values(of) ?? []), ...(seen?.[of] ?? [])]),
    ])
    const day = toDay(place.clock.now())
    const lines = [
      `// What ${baseUrl} has beyond the API documents, as of ${day}. Made by: svcctl client types`,
      "import 'svcctl/client'",
      '',
      "declare module 'svcctl/client' {",
      '  interface InstanceTypes {',
      ...formatBlock(
        'settings',
        own.map(([name, value]) => formatField(name, getValueType(value))),
      ),
      ...formatBlock('values', values),
      '  }',
      '}',
      '',
    ]
    yield createTextRow(lines.join('\n'))
    yield createNoteRow(
      `${own.length} settings and ${values.length} parameters beyond the API documents`,
    )
  },
})
