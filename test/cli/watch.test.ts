/** Tests `--watch` in a pipe: it prints an answer each round, until the reader or the person leaves. */

import { constants } from 'node:os'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadAllCommands } from '../../src/commands/index.js'
import { canRepeat, getCommandName } from '../../src/engine/command/derive.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { openScreen } from '../support/screen.js'
import { svcctl } from '../support/within.js'

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder() })
})
afterAll(() => sandbox.close())

/** Runs a line until `enough` accepts the text of standard output, then interrupts it. */
const runUntil = async (args: readonly string[], enough: (text: string) => boolean) => {
  const stop = new AbortController()
  let text = ''
  const stdout = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString('utf8')
      if (enough(text)) stop.abort()
      done()
    },
  })
  const writeNow = (bytes: Uint8Array): number => {
    stdout.write(bytes)
    return bytes.length
  }
  const how = { env: createEnv(), io: { stdout, writeNow }, stop: stop.signal }
  const { code, stderr } = await svcctl(args, how)
  return { text, code, stderr }
}

const listLines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

const createEnv = (): Record<string, string> => ({
  SVC_CONFIG_DIR: createConfiguration(),
  SVC_BASE_URL: sandbox.url,
  SVC_TOKEN: sandbox.users[0]?.token ?? '',
})

describe('--watch at a terminal', () => {
  it('redraws in place, marks what changed, and leaves the last picture', async () => {
    const terminal = openScreen(['runners list --watch 1'], { env: createEnv() })
    try {
      await terminal.until(/shared-linux-1 .*online[\s\S]*Ctrl-C to stop/)
      await svcctl(['runners', 'pause', '1'], { env: createEnv() })
      const screen = await terminal.until(/^~ 1 .*paused/m)
      expect(screen.match(/shared-linux-1/g)).toHaveLength(1)
      terminal.press('C-c')
      expect(await terminal.until(/exit 130/)).toContain('shared-linux-1')
    } finally {
      await terminal.close()
    }
  })

  it('redraws nothing with SVC_ACCESSIBLE=1', async () => {
    const env = { ...createEnv(), SVC_ACCESSIBLE: '1' }
    const terminal = openScreen(['runners get 2 --fields id --watch 1'], { env })
    try {
      await terminal.until((screen) => (screen.match(/^id/gm) ?? []).length >= 2)
    } finally {
      await terminal.close()
    }
  })
})

describe('--watch', () => {
  it('writes one JSON document a round, says its note once, ends by the signal', async () => {
    const args = ['runners', 'list', '-L', '2', '--fields', 'id', '--watch', '1', '-o', 'json']
    const { text, code, stderr } = await runUntil(args, (t) => listLines(t).length >= 2)
    for (const line of listLines(text)) expect(JSON.parse(line)).toEqual([{ id: 1 }, { id: 2 }])
    expect(listLines(text).length).toBeGreaterThanOrEqual(2)
    expect(stderr.match(/there are more/g)).toHaveLength(1)
    expect(code).toBe(128 + constants.signals.SIGINT)
  })

  it('writes a record set a round as ndjson, without anything that moves a cursor', async () => {
    const args = ['runners', 'get', '1', '--fields', 'id', '--watch=1', '-o', 'ndjson']
    const { text } = await runUntil(args, (t) => listLines(t).length >= 2)
    expect(listLines(text).slice(0, 2)).toEqual(['{"id":1}', '{"id":1}'])
    expect(text).not.toContain('\x1b')
  })

  it('is for commands that read only', async () => {
    const ran = await svcctl(['runners', 'pause', '1', '--watch', '--sandbox'])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('--watch')
  })

  it('is on every get and list of an area, and on geo status', async () => {
    const commands = (await loadAllCommands()).filter((c) => Object.keys(c.endpoints).length > 0)
    const reading = commands.filter((c) => /(^| )(get|list)$|^status$/.test(c.words))
    for (const c of reading) expect(canRepeat(c), getCommandName(c)).toBe(true)
    const writing = commands.filter((c) => /(^| )(update|delete|create|pause)$/.test(c.words))
    for (const c of writing) expect(canRepeat(c), getCommandName(c)).toBe(false)
  })

  it('ends when the first round fails', async () => {
    const env = { SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.users[0]?.token ?? '' }
    const ran = await svcctl(['runners', 'get', '9999', '--watch', '1'], { env })
    expect(ran.code).toBe(4)
  })
})
