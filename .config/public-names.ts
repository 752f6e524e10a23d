/**
 * Collects the names that scripts depend on: commands, arguments, flags, columns, fields, exit codes, formats, environment
 * variables, profile settings, help topics and library exports. `npm run names` writes those of a release to
 * .github/public-names.json; a test compares every later build with them.
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

/** The content of the file. */
export interface PublicNames {
  readonly version: string
  readonly names: readonly string[]
  /** Deprecated names, which a later release may remove. */
  readonly deprecated: readonly string[]
}

/** Returns the properties of a shape; for a list, those of its items. */
const getFields = (schema: unknown): readonly string[] => Object.keys(getProperties(schema) ?? {})

const listFlagNames = (flags: readonly Flag[], of = ''): readonly string[] =>
  flags.filter(({ hidden }) => hidden !== true).map(({ name }) => `flag ${of}--${name}`)

const getNames = (command: CommandFacts): readonly string[] => {
  const name = [command.area, command.words].filter(Boolean).join(' ')
  const endpoints = Object.values(command.endpoints)
  return [
    `command ${name}`,
    ...command.args.map((arg) => `argument ${name} <${arg.name}>`),
    ...listFlagNames(command.flags, `${name} `),
    ...endpoints.flatMap(({ columns = [] }) => columns.map((one) => `column ${name}: ${one}`)),
    ...endpoints.flatMap(({ returns }) =>
      'shape' in returns ? getFields(returns.shape).map((one) => `field ${name}: ${one}`) : [],
    ),
  ]
}

const listDeprecated = (command: CommandFacts): readonly string[] => {
  const name = [command.area, command.words].filter(Boolean).join(' ')
  return listFlagNames(
    command.flags.filter(({ param }) => param.deprecated !== undefined),
    `${name} `,
  )
}

/** Collects the names of this build. */
export const collectPublicNames = async (version: string): Promise<PublicNames> => {
  const commands = await loadAllCommands()
  const everybodys = [...globalFlags, ...flagSets.sort, ...flagSets.group, ...flagSets.journal]
  const all = [
    ...commands.flatMap(getNames),
    ...listFlagNames(everybodys),
    ...Object.entries(exitCodes).map(([category, code]) => `exit ${code} ${category}`),
    ...formatNames.map((name) => `format ${name}`),
    ...Object.keys(environmentVariables).map((name) => `variable ${name}`),
    ...Object.keys(settings).map((name) => `setting ${name}`),
    ...Object.keys(topics).map((name) => `topic ${name}`),
    ...Object.keys(client).map((name) => `export svcctl/client: ${name}`),
    ...Object.keys(lines).map((name) => `export svcctl/run: ${name}`),
    ...Object.keys(sandbox).map((name) => `export svcctl/sandbox: ${name}`),
  ]
  const sorted = (names: readonly string[]): readonly string[] => [...new Set(names)].sort()
  return { version, names: sorted(all), deprecated: sorted(commands.flatMap(listDeprecated)) }
}

export const readReleasedNames = (): PublicNames =>
  JSON.parse(readFileSync(file, 'utf8')) as PublicNames

/**
 * Returns the names of a release that a build lacks, each with the step that was missed before.
 * @param changelog the text of CHANGELOG
 */
export const findBrokenNames = (
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
  writeFileSync(file, `${JSON.stringify(await collectPublicNames(version), undefined, 2)}\n`)
}
