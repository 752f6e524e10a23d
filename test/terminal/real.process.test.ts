/**
 * Tests what only a real terminal shows, and other tests of terminals (`support/screen.ts`) cannot: hanging up, the mode that is
 * left behind, suspending, resizing; and that no end leaves a core file.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { buildHead } from '../faults/answers.js'
import { startLyingServer } from '../faults/server.js'
import { createConfiguration, createFolder, program } from '../support/program.js'
import { hasProgram, openTerminal, type Terminal } from '../support/terminal.js'

const { signals } = constants
const hangupCode = 128 + signals.SIGHUP
let sandbox: Sandbox
const terminals: Terminal[] = []

beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder() })
})
afterAll(() => sandbox.close())
afterEach(async () => {
  for (const terminal of terminals.splice(0)) await terminal.close()
})

const patience = 20_000

/** Waits until a file contains a number. */
const readNumber = async (file: string): Promise<number> => {
  for (const end = Date.now() + patience; Date.now() < end; await wait(20)) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    if (text.endsWith('\n')) return Number(text)
  }
  throw new Error(`nothing came to stand in ${file}`)
}

/** Waits until a process has no terminal any more: on Linux, closing one takes effect a moment later. */
const waitForHangup = async (pid: number): Promise<void> => {
  const stat = `/proc/${pid}/stat`
  const terminalOf = (): string | undefined =>
    readFileSync(stat, 'utf8').split(') ')[1]?.split(' ')[4]
  for (const end = Date.now() + patience; existsSync(stat) && terminalOf() !== '0'; await wait(20))
    if (Date.now() > end) throw new Error(`process ${pid} still has its terminal`)
}

const createEnv = (): Record<string, string> => ({
  TERM: 'screen',
  SVC_CONFIG_DIR: createConfiguration(),
  SVC_BASE_URL: sandbox.url,
  SVC_TOKEN: sandbox.users[0]?.token ?? '',
})

/** Opens a shell with job control. */
const openShell = (): Terminal => {
  const command = ['bash', '--norc', '--noprofile', '-i']
  const terminal = openTerminal(command, {
    cwd: createFolder(),
    env: { ...createEnv(), PS1: '$ ' },
  })
  terminals.push(terminal)
  return terminal
}

/** Runs a line at a terminal with few rows, below a shell that outlives the program and stores its exit code. */
const openLine = (line: string, more: Readonly<Record<string, string>> = {}, after = ':') => {
  const [home, cwd] = [createFolder(), createFolder()]
  const file = (name: string): string => join(home, name)
  const inner = `echo $$ >'${file('pid')}'; exec ${process.execPath} ${program} ${line}`
  const script = `ulimit -c unlimited; trap : HUP INT; sh -c "$0"; echo $? >'${file('code')}'; ${after}; exec cat`
  const terminal = openTerminal(['sh', '-c', script, inner], {
    cwd,
    rows: 12,
    env: {
      ...createEnv(),
      SVC_PAGER: 'less -X',
      ...more,
    },
  })
  terminals.push(terminal)
  return {
    terminal,
    kill: async (signal: NodeJS.Signals) => process.kill(await readNumber(file('pid')), signal),
    /** Closes the terminal, and waits until the program has none. */
    hangUp: async () => {
      await terminal.close()
      await waitForHangup(await readNumber(file('pid')))
    },
    ended: () => readNumber(file('code')),
    /** Returns the files in the working folder: a core file, on most machines, after a crash. */
    left: () => readdirSync(cwd),
  }
}

const atPrompt = /^:/m

describe.skipIf(!hasProgram('tmux', '-V'))('a terminal that hangs up', () => {
  it.each<readonly [string, string, RegExp]>([
    ['the pager with a list', 'jobs list -P platform/app -L all --fields id,name', atPrompt],
    ['a question', 'runners get', /shared-macos/],
  ])('ends %s by SIGHUP', async (_, line, shown) => {
    const run = openLine(line)
    await run.terminal.until(shown)
    await run.terminal.close()
    expect(await run.ended()).toBe(hangupCode)
    expect(run.left()).toEqual([])
  })

  it('ends a download by SIGHUP where standard input alone is the terminal', async () => {
    let begun = (): void => {}
    const asked = new Promise<void>((resolve) => {
      begun = resolve
    })
    const type = { 'content-type': 'application/zip', 'content-length': '9000000' }
    const server = await startLyingServer((_asked, socket) => {
      socket.write(buildHead('200 OK', type))
      socket.write('PK\x03\x04 and so on', begun)
    })
    try {
      const line = 'artifacts download 7 -P 1 >/dev/null 2>&1'
      const run = openLine(line, { SVC_BASE_URL: server.url })
      await asked
      await run.hangUp()
      await run.kill('SIGTERM')
      expect(await run.ended()).toBe(hangupCode)
      expect(run.left()).toEqual([])
    } finally {
      await server.close()
    }
  })
})

describe.skipIf(!hasProgram('tmux', '-V'))('the pager', () => {
  it('ends with the program at SIGQUIT, which leaves no core file', async () => {
    const run = openLine('help recipes')
    await run.terminal.until(atPrompt)
    await run.kill('SIGQUIT')
    expect(await run.ended()).toBe(128 + signals.SIGQUIT)
    expect(run.left()).toEqual([])
  })

  it('outlives Ctrl-C, which then is what the program ends by', async () => {
    const run = openLine('help recipes')
    await run.terminal.until(atPrompt)
    run.terminal.press('C-c')
    // Keys that were typed before the pager got the signal are lost.
    await run.terminal.until((screen) => {
      if (screen.includes('(END)')) return true
      run.terminal.press('G')
      return false
    })
    run.terminal.press('q')
    expect(await run.ended()).toBe(128 + signals.SIGINT)
  })
})

/** Prints the mode in which the terminal is left: raw during a prompt, otherwise as the shell had set it. */
const printModeLine =
  "stty -a | tr ' ;' '\\n\\n' | grep -xE -- '-?(icanon|echo)' | tr '\\n' ' '; echo left."

describe.skipIf(!hasProgram('tmux', '-V'))('a terminal', () => {
  it('shows no warning of Node where one variable asks for color and another forbids it', async () => {
    const run = openLine('runners list --instance -L 1', { FORCE_COLOR: '1', NO_COLOR: '1' })
    await run.terminal.until(/shared-linux-1/)
    expect(await run.ended()).toBe(0)
    expect(await run.terminal.until(/shared-linux-1/)).not.toContain('Warning')
    await run.terminal.close()
  })
})

describe.skipIf(!hasProgram('tmux', '-V'))('a question', () => {
  it('leaves the terminal as it was, at Ctrl-C and when the program breaks down', async () => {
    const fail = join(createFolder(), 'fail.cjs')
    writeFileSync(fail, "process.on('SIGUSR2', () => { throw new Error('broken down') })")
    for (const leave of ['C-c', 'SIGUSR2'] as const) {
      const run = openLine('runners get', { NODE_OPTIONS: `--require ${fail}` }, printModeLine)
      await run.terminal.until(/shared-macos/)
      if (leave === 'C-c') run.terminal.press(leave)
      else await run.kill(leave)
      expect(await run.terminal.until(/left\./)).toMatch(/^icanon echo left/m)
      expect(await run.ended()).toBe(leave === 'C-c' ? 128 + signals.SIGINT : 1)
      await run.terminal.close()
    }
  })

  it.skipIf(!hasProgram('bash'))('is suspended by Ctrl-Z, and goes on where it was', async () => {
    const terminal = openShell()
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

describe.skipIf(!hasProgram('tmux', '-V'))('what is watched', () => {
  it('is drawn anew for a terminal that became another size, in the colours that it has', async () => {
    const run = openLine('runners list --watch 1')
    expect(await run.terminal.until(/more lines/)).not.toContain('shop-tests')
    run.terminal.resize(120, 30)
    await run.terminal.until(/shop-tests/)
    expect(await run.terminal.coloured()).toContain('\x1b[32m● online')
    const dumb = openLine('runners list --watch 1', { TERM: 'dumb' })
    await dumb.terminal.until(/shared-macos/)
    expect(await dumb.terminal.coloured()).toBe(await dumb.terminal.screen())
    for (const { terminal, ended } of [run, dumb]) {
      terminal.press('C-c')
      expect(await ended()).toBe(128 + signals.SIGINT)
    }
  })
})
