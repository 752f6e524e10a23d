/**
 * The names that scripts depend on: commands, arguments, flags, columns, fields, exit codes, formats, environment variables,
 * settings of profiles, topics of help and what the libraries export. `npm run names` writes those of a release into
 * .github/public-names.json; a test holds every later build to them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { getProperties } from '../src/catalogue/fields.js'
import { formatNames } from '../src/catalogue/formats.js'
import { environmentVariables, topics } from '../src/cli/help/topics.js'
import { loadAllCommands } from '../src/commands/index.js'
import { flagSets, globalFlags } from '../src/engine/command/global-flags.js'
import type { CommandFacts, Flag } from '../src/engine/command/types.js'
import { exitCodes } from '../src/errors.js'
import * as client from '../src/library/client.js'
import * as sandbox from '../src/library/sandbox.js'
import { settings } from '../src/profile/index.js'
import * as lines from '../src/run.js'

export const file = '.github/public-names.json'

/** What stands in the file. */
export interface PublicNames {
  readonly version: string
  readonly names: readonly string[]
  /** Those of them that are to go, by when they were called so. */
  readonly deprecated: readonly string[]
}

/** The API's shapes below their properties: a list's are those of its items. */
const getFields = (schema: unknown): readonly string[] => Object.keys(getProperties(schema) ?? {})

const flagNames = (flags: readonly Flag[], of = ''): readonly string[] =>
  flags.filter(({ hidden }) => hidden !== true).map(({ name }) => `flag ${of}--${name}`)

const getNames = (command: CommandFacts): readonly string[] => {
  const name = [command.area, command.words].filter(Boolean).join(' ')
  const endpoints = Object.values(command.endpoints)
  return [
    `command ${name}`,
    ...command.args.map((arg) => `argument ${name} <${arg.name}>`),
    ...flagNames(command.flags, `${name} `),
    ...endpoints.flatMap(({ columns = [] }) => columns.map((one) => `column ${name}: ${one}`)),
    ...endpoints.flatMap(({ returns }) =>
      'shape' in returns ? getFields(returns.shape).map((one) => `field ${name}: ${one}`) : [],
    ),
  ]
}

const deprecatedIn = (command: CommandFacts): readonly string[] => {
  const name = [command.area, command.words].filter(Boolean).join(' ')
  return flagNames(
    command.flags.filter(({ param }) => param.deprecated !== undefined),
    `${name} `,
  )
}

/** Those of this build. */
export const publicNames = async (version: string): Promise<PublicNames> => {
  const commands = await loadAllCommands()
  const everybodys = [...globalFlags, ...flagSets.sort, ...flagSets.group, ...flagSets.journal]
  const all = [
    ...commands.flatMap(getNames),
    ...flagNames(everybodys),
    ...Object.entries(exitCodes).map(([category, code]) => `exit ${code} ${category}`),
    ...formatNames.map((name) => `format ${name}`),
    ...environmentVariables.map(({ name }) => `variable ${name}`),
    ...Object.keys(settings).map((name) => `setting ${name}`),
    ...Object.keys(topics).map((name) => `topic ${name}`),
    ...Object.keys(client).map((name) => `export svcctl/client: ${name}`),
    ...Object.keys(lines).map((name) => `export svcctl/run: ${name}`),
    ...Object.keys(sandbox).map((name) => `export svcctl/sandbox: ${name}`),
  ]
  const sorted = (names: readonly string[]): readonly string[] => [...new Set(names)].sort()
  return { version, names: sorted(all), deprecated: sorted(commands.flatMap(deprecatedIn)) }
}

export const released = (): PublicNames => JSON.parse(readFileSync(file, 'utf8')) as PublicNames

/**
 * The names of a release that a build lacks, each with what would have been due before.
 * @param changelog what users are told
 */
export const broken = (
  before: PublicNames,
  now: ReadonlySet<string>,
  changelog: string,
): readonly string[] => {
  const [, removed = ''] = /^### Removed\n([\s\S]*?)(?=^##)/m.exec(`${changelog}\n## `) ?? []
  return before.names
    .filter((name) => !now.has(name))
    .flatMap((name) => [
      ...(before.deprecated.includes(name) ? [] : [`${name} was not deprecated in a release`]),
      ...(removed.includes(`\`${name}\``) ? [] : [`${name} is not in CHANGELOG under "Removed"`]),
    ])
}

if (process.argv[1]?.endsWith('public-names.ts')) {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  writeFileSync(file, `${JSON.stringify(await publicNames(version), undefined, 2)}\n`)
}
