/**
 * The output of a list, in every format, can be piped into every verb that takes its objects. Every format can select the fields that
 * the columns show.
 */
import { describe, expect, it } from 'vitest'
import { areas } from '../../src/catalogue/index.js'
import { getKindByName, kinds } from '../../src/catalogue/kinds.js'
import { pick } from '../../src/catalogue/pick.js'
import { loadAllCommands } from '../../src/commands/index.js'
import { canListRecords, getCommandName } from '../../src/engine/command/derive.js'
import type { Command } from '../../src/engine/command/types.js'
import { readObjects } from '../../src/engine/plan/objects.js'
import { parsePipedObjects } from '../../src/engine/plan/stdin/reader.js'
import { printValues } from '../output/open.js'
import { useSharedSandbox } from '../sandbox/instance.js'
import { createConfiguration } from '../support/program.js'
import { svcctl } from '../support/within.js'

const instance = useSharedSandbox()
const config = createConfiguration()
const run = async (line: string, ...more: readonly string[]): Promise<string> => {
  const env = {
    SVC_BASE_URL: instance.url(),
    SVC_TOKEN: 'sandbox-root-token',
    SVC_CONFIG_DIR: config,
  }
  const ran = await svcctl([...line.split(' '), ...more], { env })
  expect(ran, line).toMatchObject({ code: 0 })
  expect(ran.stderr, line).not.toContain('no field')
  return ran.stdout
}

/** Arguments for every way to list something, by command. */
const listArguments: Readonly<Record<string, readonly string[]>> = {
  'runners list': ['--instance', '-P platform/app', '-G platform'],
  'runners jobs': ['1'],
  'jobs list': ['-P platform/app'],
  'jobs bridges': ['-P platform/app --pipeline 2'],
  'commits list': ['-P platform/app'],
  'commits refs': ['main -P platform/app'],
  'issues list': ['--scope all', '-G platform --scope all'],
  'issues related-mrs': ['platform/app#3'],
  'mr list': ['--scope all', '-P platform/app'],
  'mr closes-issues': ['platform/app!1'],
  'approvals rules list': ['-P platform/app'],
  'members list': ['-P platform/app --inherited', '-G platform'],
  'members billable list': ['-G platform'],
  'members billable memberships': ['6 -G platform'],
  'events list': ['-P platform/app'],
  'projects list': ['', '--user ana'],
  'integrations list': ['-P platform/app'],
  'deploy-keys list': ['-P platform/app', '--instance'],
  'pages-domains list': ['-P web/site', '--instance'],
  'vulnerabilities list': ['-P platform/app'],
  'dependencies list': ['-P platform/app'],
  'geo nodes list': [''],
  'geo status': [''],
  'error-tracking keys list': ['-P platform/app --show-secrets'],
}
const commands = await loadAllCommands()
const listing = commands.filter((c) => canListRecords(c) && c.open !== true)
const cases = listing.flatMap((c) =>
  (listArguments[getCommandName(c)] ?? []).map(
    (way) => [`${getCommandName(c)} ${way}`.trim(), c] as const,
  ),
)

const getListedKind = (c: Command): string | undefined =>
  Object.values(c.endpoints).find((e) => e.returns.kind === 'many')?.lists

/** Lists the commands that take several objects of a kind. */
const listVerbs = (kind: string): readonly Command[] =>
  commands.filter((c) => c.args[0]?.variadic === true && c.args[0].param?.completes === kind)

const splitCells = (text: string): string[][] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))

describe('lists', () => {
  it('are all tried here', () => {
    expect(
      listing.map(getCommandName).sort(),
      'add a row to "ways" for the new list: how it is called on the embedded instance',
    ).toEqual(Object.keys(listArguments).sort())
  })

  it('say what they list wherever a verb takes it', () => {
    const listed = new Set(listing.map(getListedKind))
    for (const [kind, { areas: rows }] of Object.entries(kinds))
      if (rows.length > 0)
        expect([...listed], `set "lists" on the endpoint that lists ${kind}`).toContain(kind)
    for (const c of commands) {
      const [first] = c.args
      if (first?.variadic !== true || Object.keys(c.endpoints).length === 0) continue
      const free = ['settings get', 'ci lint', 'pages-domains add'].includes(getCommandName(c))
      if (!free)
        expect(
          getKindByName(first.param?.completes),
          `say in "completes" of the argument of ${getCommandName(c)} which objects it takes`,
        ).toBeDefined()
    }
  })

  it('belong to the areas that their kind names', async () => {
    for (const row of areas)
      for (const e of Object.values(await row.load()))
        if (e.lists !== undefined)
          expect(
            getKindByName(e.lists)?.areas,
            `add the area to the kind that ${e.route} lists, in src/catalogue/kinds.ts`,
          ).toContain(row.name)
  })

  it.each(cases)('%s: what it prints is read back', { timeout: 60_000 }, async (line, c) => {
    const [table, csv, json] = await Promise.all([
      run(line),
      run(line, '-o', 'csv'),
      run(line, '-o', 'json'),
    ])
    const records: unknown[] = JSON.parse(json)
    expect(records.length).toBeGreaterThan(0)
    const [heading = []] = splitCells(table)
    // Every format can select the fields that the columns show.
    const chosen = JSON.parse(await run(line, '-o', 'json', '--fields', heading.join(',')))
    const selected = records.map((_, i) => heading.map((name) => chosen[i]?.[name] ?? null))
    const flat = await run(line, '--fields', heading.join(','))
    const empty = (rows: readonly (readonly unknown[])[], k: number): number =>
      rows.filter((row) => `${row[k] ?? ''}` === '').length
    for (const [k, name] of heading.entries())
      expect(empty(selected, k), name).toBe(empty(splitCells(flat).slice(1), k))
    const kind = getListedKind(c)
    const known = getKindByName(kind)
    if (kind === undefined || known === undefined) return
    const names = [...known.names, ...(known.also ?? [])]
    const keys = Object.keys(records[0] ?? {})
    const options = { fields: [...keys].reverse() }
    const texts = {
      table,
      csv,
      json,
      flat,
      ndjson: await printValues('ndjson', records),
      fields: await printValues('table', records, options),
      'fields in csv': await printValues('csv', records, options),
      'fields in ndjson': await printValues('ndjson', records, options),
    }
    const only = known.names.find((name) => pick(records[0], name) !== undefined)
    if (only !== undefined)
      Object.assign(texts, { [only]: await printValues('table', records, { fields: [only] }) })
    for (const verb of listVerbs(kind))
      for (const [form, text] of Object.entries(texts)) {
        const piped = await parsePipedObjects(text, await readObjects(verb.args[0]))
        const found = piped.map(({ text: object }) => object)
        expect(found.length, `${form} into ${getCommandName(verb)}`).toBe(records.length)
        for (const [i, object] of found.entries()) {
          const numbers = [pick(records[i], 'project_id'), pick(records[i], 'iid')]
          const mark = 'mark' in known ? known.mark : ''
          const named_ = [
            ...names.map((name) => String(pick(records[i], name))),
            numbers.join(mark),
          ]
          expect(named_, `${form} into ${getCommandName(verb)}`).toContain(object)
        }
      }
  })
})
