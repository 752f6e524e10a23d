/**
 * What only the terminal of a system shows, which all else of terminals does without (`support/screen.ts`): hanging up, the mode
 * that is left behind, suspending, another size; no end leaves a core file.
 */
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

const variables = (): Record<string, string> => ({
  TERM: 'screen',
  SVC_CONFIG_DIR: configuration(),
  SVC_BASE_URL: sandbox.url,
  SVC_TOKEN: sandbox.users[0]?.token ?? '',
})

/** A shell that can stop what it started. */
const shell = (): Terminal => {
  const command = ['bash', '--norc', '--noprofile', '-i']
  const terminal = openTerminal(command, { cwd: folder(), env: { ...variables(), PS1: '$ ' } })
  terminals.push(terminal)
  return terminal
}

/** The program at a terminal of few rows, below a shell that outlives it and keeps its exit code. */
const at = (line: string, more: Readonly<Record<string, string>> = {}, after = ':') => {
  const [home, cwd] = [folder(), folder()]
  const file = (name: string): string => join(home, name)
  const inner = `echo $$ >'${file('pid')}'; exec ${process.execPath} ${program} ${line}`
  const script = `ulimit -c unlimited; trap : HUP INT; sh -c "$0"; echo $? >'${file('code')}'; ${after}; exec cat`
  const terminal = openTerminal(['sh', '-c', script, inner], {
    cwd,
    rows: 12,
    env: {
      ...variables(),
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

const atPrompt = /^:/m

describe.skipIf(!has('tmux', '-V'))('a terminal that hangs up', () => {
  it.each<readonly [string, string, RegExp]>([
    ['the pager with a list', 'jobs list -P platform/app -L all --fields id,name', atPrompt],
    ['a question', 'runners get', /shared-macos/],
  ])('ends %s by SIGHUP', async (_, line, shown) => {
    const run = at(line)
    await run.terminal.until(shown)
    await run.terminal.close()
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
})

/** Says when it is loaded how the terminal is left: raw while a question is asked, else as the shell had it. */
const mode = "stty -a | tr ' ;' '\\n\\n' | grep -xE -- '-?(icanon|echo)' | tr '\\n' ' '; echo left."

describe.skipIf(!has('tmux', '-V'))('a question', () => {
  it('leaves the terminal as it was, at Ctrl-C and when the program breaks down', async () => {
    const fail = join(folder(), 'fail.cjs')
    writeFileSync(fail, "process.on('SIGUSR2', () => { throw new Error('broken down') })")
    for (const leave of ['C-c', 'SIGUSR2'] as const) {
      const run = at('runners get', { NODE_OPTIONS: `--require ${fail}` }, mode)
      await run.terminal.until(/shared-macos/)
      if (leave === 'C-c') run.terminal.press(leave)
      else await run.kill(leave)
      expect(await run.terminal.until(/left\./)).toMatch(/^icanon echo left/m)
      expect(await run.ended()).toBe(leave === 'C-c' ? 128 + signals.SIGINT : 1)
      await run.terminal.close()
    }
  })

  it.skipIf(!has('bash'))('is suspended by Ctrl-Z, and goes on where it was', async () => {
    const terminal = shell()
    await terminal.until(/\$$/m)
    terminal.type(`${process.execPath} ${program} runners get; echo "exit $?"`)
    terminal.press('Enter')
    await terminal.until(/shared-macos/)
    terminal.type('shared-linux')
    await terminal.until((screen) => !screen.includes('shared-macos'))
    terminal.press('C-z')
    await terminal.until(/Stopped/)
    terminal.type('fg')
    terminal.press('Enter')
    await terminal.until(/\$ fg.*\n.* runners get$/m)
    terminal.press('Down')
    await terminal.until(/❯ \[ \] 2/)
    terminal.press('Enter')
    expect(await terminal.until(/description/)).toMatch(
      /svcctl runners get 2$[\s\S]*shared-linux-2/m,
    )
  })
})

describe.skipIf(!has('tmux', '-V'))('what is watched', () => {
  it('is drawn anew for a terminal that became another size, in the colours that it has', async () => {
    const run = at('runners list --watch 1')
    expect(await run.terminal.until(/more lines/)).not.toContain('shop-tests')
    run.terminal.resize(120, 30)
    await run.terminal.until(/shop-tests/)
    expect(await run.terminal.coloured()).toContain('\x1b[32m● online')
    const dumb = at('runners list --watch 1', { TERM: 'dumb' })
    await dumb.terminal.until(/shared-macos/)
    expect(await dumb.terminal.coloured()).toBe(await dumb.terminal.screen())
    for (const { terminal, ended } of [run, dumb]) {
      terminal.press('C-c')
      expect(await ended()).toBe(128 + signals.SIGINT)
    }
  })
})
