/** A terminal that hangs up, and signals while the pager has it: the process ends by the signal, without a core file. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { head } from '../faults/answers.js'
import { lie } from '../faults/server.js'
import { configuration, folder, program } from '../support/program.js'
import { has, openTerminal, type Terminal } from '../support/terminal.js'

const { signals } = constants
const byHangUp = 128 + signals.SIGHUP
let sandbox: Sandbox
const terminals: Terminal[] = []

beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: folder() })
})
afterAll(() => sandbox.close())
afterEach(async () => {
  for (const terminal of terminals.splice(0)) await terminal.close()
})

const patience = 20_000

/** A number that a file comes to hold. */
const numberIn = async (file: string): Promise<number> => {
  for (const end = Date.now() + patience; Date.now() < end; await wait(20)) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    if (text.endsWith('\n')) return Number(text)
  }
  throw new Error(`nothing came to stand in ${file}`)
}

/** Waits until a process has no terminal any more, as Linux tells it: closing one takes effect a moment later. */
const withoutTerminal = async (pid: number): Promise<void> => {
  const stat = `/proc/${pid}/stat`
  const terminalOf = (): string | undefined =>
    readFileSync(stat, 'utf8').split(') ')[1]?.split(' ')[4]
  for (const end = Date.now() + patience; existsSync(stat) && terminalOf() !== '0'; await wait(20))
    if (Date.now() > end) throw new Error(`process ${pid} still has its terminal`)
}

/** The program at a terminal of few rows, below a shell that outlives it and keeps its exit code. */
const at = (line: string, more: Readonly<Record<string, string>> = {}) => {
  const [home, cwd] = [folder(), folder()]
  const file = (name: string): string => join(home, name)
  const inner = `echo $$ >'${file('pid')}'; exec ${process.execPath} ${program} ${line}`
  const script = `ulimit -c unlimited; trap : HUP INT; sh -c "$0"; echo $? >'${file('code')}'; exec cat`
  const terminal = openTerminal(['sh', '-c', script, inner], {
    cwd,
    rows: 12,
    env: {
      TERM: 'screen',
      SVC_CONFIG_DIR: configuration(),
      SVC_BASE_URL: sandbox.url,
      SVC_TOKEN: sandbox.users[0]?.token ?? '',
      SVC_PAGER: 'less -X',
      ...more,
    },
  })
  terminals.push(terminal)
  return {
    terminal,
    kill: async (signal: NodeJS.Signals) => process.kill(await numberIn(file('pid')), signal),
    /** Closes the terminal, and waits until the program has none. */
    hangUp: async () => {
      await terminal.close()
      await withoutTerminal(await numberIn(file('pid')))
    },
    ended: () => numberIn(file('code')),
    /** What is left where it ran: a core file, on most machines. */
    left: () => readdirSync(cwd),
  }
}

const paged: Readonly<Record<string, string>> = {
  help: 'help recipes',
  'a list': 'jobs list -P platform/app -L all --fields id,name',
}
const atPrompt = /^:/m

describe.skipIf(!has('tmux', '-V'))('a terminal that hangs up', () => {
  it.each<readonly [string, string, RegExp]>([
    ...Object.entries(paged).map(
      ([what, line]) => [`the pager with ${what}`, line, atPrompt] as const,
    ),
    ['a question', 'runners get', /shared-macos/],
    ['a watch', 'runners list --watch 1', /s; press Ctrl-C to stop/],
    ['an agent that is served', 'mcp serve --sandbox', /Model Context Protocol/],
  ])('ends %s by SIGHUP', async (_, line, shown) => {
    const run = at(line)
    await run.terminal.until(shown)
    await run.terminal.close()
    expect(await run.ended()).toBe(byHangUp)
    expect(run.left()).toEqual([])
  })

  it('ends a question by SIGHUP where a read fails before a write does', async () => {
    const fail = join(folder(), 'fail.cjs')
    writeFileSync(
      fail,
      `process.on('SIGUSR2', () => process.stdin.destroy(Object.assign(new Error('read EIO'), { code: 'EIO' })))`,
    )
    const run = at('runners get', { NODE_OPTIONS: `--require ${fail}` })
    await run.terminal.until(/shared-macos/)
    await run.kill('SIGUSR2')
    expect(await run.ended(), await run.terminal.screen()).toBe(byHangUp)
  })

  it('ends the embedded instance by SIGHUP, once it is told', async () => {
    const run = at(`sandbox serve --state-dir ${folder()}`)
    await run.terminal.until(/sandbox-gus-token/)
    await run.hangUp()
    await run.kill('SIGHUP')
    expect(await run.ended()).toBe(byHangUp)
    expect(run.left()).toEqual([])
  })

  it('ends a download by SIGHUP where standard input alone is the terminal', async () => {
    let begun = (): void => {}
    const asked = new Promise<void>((resolve) => {
      begun = resolve
    })
    const type = { 'content-type': 'application/zip', 'content-length': '9000000' }
    const server = await lie((_asked, socket) => {
      socket.write(head('200 OK', type))
      socket.write('PK\x03\x04 and so on', begun)
    })
    try {
      const line = 'artifacts download 7 -P 1 >/dev/null 2>&1'
      const run = at(line, { SVC_BASE_URL: server.url })
      await asked
      await run.hangUp()
      await run.kill('SIGTERM')
      expect(await run.ended()).toBe(byHangUp)
      expect(run.left()).toEqual([])
    } finally {
      await server.close()
    }
  })
})

describe.skipIf(!has('tmux', '-V'))('the pager', () => {
  it.each(['SIGTERM', 'SIGHUP'] as const)('ends with the program, by %s', async (signal) => {
    for (const line of Object.values(paged)) {
      const run = at(line)
      await run.terminal.until(atPrompt)
      await run.kill(signal)
      expect(await run.ended()).toBe(128 + signals[signal])
    }
  })

  it('ends with the program at SIGQUIT, which leaves no core file', async () => {
    const run = at('help recipes')
    await run.terminal.until(atPrompt)
    await run.kill('SIGQUIT')
    expect(await run.ended()).toBe(128 + signals.SIGQUIT)
    expect(run.left()).toEqual([])
  })

  it('outlives Ctrl-C, which then is what the program ends by', async () => {
    const run = at('help recipes')
    await run.terminal.until(atPrompt)
    run.terminal.press('C-c')
    // What was typed before the pager heard of it is lost.
    await run.terminal.until((screen) => {
      if (screen.includes('(END)')) return true
      run.terminal.press('G')
      return false
    })
    run.terminal.press('q')
    expect(await run.ended()).toBe(128 + signals.SIGINT)
  })

  it('is left with 0', async () => {
    const run = at('help recipes')
    await run.terminal.until(atPrompt)
    run.terminal.press('q')
    expect(await run.ended()).toBe(0)
  })
})
