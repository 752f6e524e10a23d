/** The law of composition: a line that runs within a command gives the records that the line prints by itself. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { splitCommand } from '../../src/base/shell-words.js'
import { loadAllCommands } from '../../src/commands/index.js'
import {
  canListRecords,
  getCommandName,
  hasEndpoints,
  hasScopeEndpoint,
} from '../../src/engine/command/derive.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { type McpServer, openContext, serve } from '../support/mcp.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

let sandbox: Sandbox
let around: Awaited<ReturnType<typeof openContext>>
let served: McpServer
let env: Record<string, string> = {}
beforeAll(async () => {
  const now = new Date('2026-11-01T12:00:00Z')
  sandbox = await startSandbox({ stateDir: createFolder(), now: () => now })
  env = {
    SVC_BASE_URL: sandbox.url,
    SVC_TOKEN: 'sandbox-root-token',
    SVC_CONFIG_DIR: createConfiguration(),
  }
  around = await openContext({ env })
  served = await serve({ env })
})
afterAll(async () => {
  await served.close()
  await around.close()
  await sandbox.close()
})

/** Lists that need nothing but a place. */
const listing = (await loadAllCommands()).filter(
  (command) =>
    hasEndpoints(command) &&
    canListRecords(command) &&
    command.args.length === 0 &&
    !command.flags.some(({ name, required }) => required && name !== 'project' && name !== 'group'),
)

const lines = listing.flatMap((command) => {
  const name = getCommandName(command)
  const placed = [
    ...(hasScopeEndpoint(command, 'project')
      ? [`${name} -P platform/app`, `${name} -P web/site,platform/app`]
      : []),
    ...(hasScopeEndpoint(command, 'group') ? [`${name} -G platform`] : []),
  ]
  return (placed.length > 0 ? placed : [name]).map((line) => [line] as const)
})

/** Parses what `-o ndjson` prints. */
const parseRecords = (text: string): readonly unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

const printRecords = async (line: string): Promise<readonly unknown[]> => {
  const { code, stdout, stderr } = await svcctl(splitCommand(`${line} --limit all -o ndjson`), {
    env,
  })
  expect([code, stderr], line).toEqual([0, expect.anything()])
  return parseRecords(stdout)
}

describe('a list', () => {
  it('is tried for most areas', () => {
    expect(lines.length).toBeGreaterThan(25)
  })

  it.each(lines)('is within a command what it prints by itself: %s', async (line) => {
    const records: unknown[] = []
    const { code } = await around.context.place.runs.readLine({
      words: splitCommand(line),
      takeRecord: (record, parent) => {
        const value: unknown = JSON.parse(Buffer.from(record).toString())
        records.push(parent === undefined ? value : { [parent.column]: parent.name, record: value })
      },
    })
    expect([code, records]).toEqual([0, await printRecords(line)])
  })

  it.each(lines.filter(([line]) => !line.includes(',')))(
    'is for an agent what it prints by itself: %s',
    async (line) => {
      const [, name = '', flag, value] = /^(.*?)(?: -([PG]) (.*))?$/.exec(line) ?? []
      const place = flag === undefined ? {} : { [flag === 'P' ? 'project' : 'group']: value }
      const records: unknown[] = []
      let cursor: string | undefined
      do {
        const page = await served.call('read', { command: name, arguments: place, cursor })
        expect([page.isError, page.text], line).toEqual([false, expect.anything()])
        records.push(...page.data.records)
        cursor = page.cursor
      } while (cursor !== undefined)
      expect(records).toEqual(await printRecords(line))
    },
  )
})
