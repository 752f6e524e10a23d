/** The completion scripts in the real shells, driven by keys, judged by what the screen shows. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { createProgramPath } from '../support/shell.js'
import { hasProgram, openTerminal, type Terminal } from '../support/terminal.js'

interface Shell {
  readonly name: string
  readonly command: readonly string[]
  readonly load: string
  /** Keys that show every candidate. */
  readonly list: readonly string[]
}

const shells: readonly Shell[] = [
  {
    name: 'bash',
    command: ['bash', '--norc', '--noprofile', '-i'],
    load: 'source <(svcctl completion bash)',
    list: ['Tab', 'Tab'],
  },
  {
    name: 'zsh',
    command: ['zsh', '-f', '-i'],
    load: 'source <(svcctl completion zsh)',
    list: ['Tab'],
  },
  {
    name: 'fish',
    command: ['fish', '--no-config', '-i'],
    load: 'svcctl completion fish | source',
    list: ['Tab'],
  },
]

let sandbox: Sandbox
let hostile: Server
const path = createProgramPath()

beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder() })
  hostile = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const names = [
      '$(touch pwned)',
      '`touch pwned`',
      ';touch pwned;',
      "'\ntouch pwned\n'",
      'good/one',
    ]
    response.end(
      JSON.stringify(
        names.map((n) => ({ path_with_namespace: n, description: `$(touch pwned) ${n}` })),
      ),
    )
  })
  await new Promise<void>((done) => hostile.listen(0, '127.0.0.1', done))
})
afterAll(async () => {
  hostile.closeAllConnections()
  hostile.close()
  await sandbox.close()
})

const ready = 'READY> '

describe.each(shells.map((shell) => [shell.name, shell] as const))('%s', (name, shell) => {
  const there = hasProgram('tmux', '-V') && hasProgram(name)
  let terminal: Terminal
  let cwd: string

  const open = async (baseUrl: string): Promise<void> => {
    cwd = createFolder()
    mkdirSync(join(cwd, 'home'))
    writeFileSync(join(cwd, 'pipeline.yml'), '')
    const env = {
      PATH: path,
      HOME: join(cwd, 'home'),
      SVC_CONFIG_DIR: createConfiguration(),
      SVC_BASE_URL: baseUrl,
      SVC_TOKEN: sandbox.users[0]?.token ?? '',
      PS1: ready,
    }
    terminal = openTerminal(shell.command, { env, cwd })
    await terminal.until(/(READY>|[>#])$/m)
    terminal.type(`cd ${cwd}; ${shell.load}; echo loa''ded`)
    terminal.press('Enter')
    await terminal.until(/^loaded/m)
    await clear()
  }
  /** Leaves the prompt alone on the screen, with nothing behind it. */
  const clear = async (): Promise<void> => {
    terminal.press('C-u')
    terminal.type('clear')
    terminal.press('Enter')
    await terminal.until(/^.*(READY>|[>#])\s*$/)
  }
  const keys = (text: string, ...more: readonly string[]): void => {
    terminal.type(text)
    terminal.press(...more)
  }

  /** Presses keys again until they show what the instance has: a TAB asks it for less than a second, and completes nothing then. */
  const completed = async (pressed: readonly string[], wanted: RegExp): Promise<string> => {
    for (let left = 9; ; left--) {
      terminal.press(...pressed)
      try {
        return await terminal.until(wanted, 3_000)
      } catch (error) {
        if (left === 0) throw error
      }
    }
  }

  beforeAll(async () => {
    if (there) await open(sandbox.url)
  })
  afterEach(async () => {
    if (there) await clear()
  })
  afterAll(async () => {
    if (there) await terminal.close()
  })

  it.skipIf(!there)('completes areas, verbs and two-word verbs', async () => {
    keys('svcctl vuln', 'Tab')
    await terminal.until(/svcctl vulnerabilities$/m)
    keys('conf', 'Tab')
    await terminal.until(/svcctl vulnerabilities confirm/)
    terminal.press('C-u')
    keys('svcctl approvals ru', 'Tab')
    await terminal.until(/svcctl approvals rules/)
    keys('up', 'Tab')
    await terminal.until(/svcctl approvals rules update/)
  })

  it.skipIf(!there)('completes flags, enumerations, formats and fields', async () => {
    keys('svcctl runners list --tag', 'Tab')
    await terminal.until(/list --tag-list/)
    terminal.press('C-u')
    keys('svcctl runners list --status onl', 'Tab')
    await terminal.until(/--status online/)
    keys('-o nd', 'Tab')
    await terminal.until(/-o ndjson/)
    keys('--fields id,descr', 'Tab')
    await terminal.until(/--fields id,description/)
  })

  it.skipIf(!there)(
    'completes conditions: fields, then their words, in quotes as well',
    async () => {
      keys('svcctl runners list --where arch', 'Tab')
      await terminal.until(/--where architecture/)
      terminal.press('C-u')
      keys('svcctl runners list --where status=onl', 'Tab')
      await terminal.until(/--where status=online/)
      terminal.press('C-u')
      keys("svcctl runners pause --select 'contacted_at>30d,runner_type=inst", 'Tab')
      await terminal.until(/--select '?contacted_at\\?>30d,runner_type\\?=instance_type/)
    },
  )

  it.skipIf(!there)('completes after an equals sign', async () => {
    keys('svcctl runners list --status=onl', 'Tab')
    await terminal.until(/--status=online/)
  })

  it.skipIf(!there)('shows what there is, described', async () => {
    keys('svcctl runners get ')
    const screen = await completed(shell.list, /shared-linux-2/)
    expect(screen).toMatch(/shared-macos/)
  })

  it.skipIf(!there)('completes project paths and what belongs to a project', async () => {
    keys('svcctl projects get platform/ap')
    await completed(['Tab'], /get platform\/app/)
    terminal.press('C-u')
    keys('svcctl integrations get -P platform/app ema')
    await completed(['Tab'], /platform\/app emails-on-push/)
  })

  it.skipIf(!there)('leaves files to the shell', async () => {
    keys('svcctl ci lint pipel', 'Tab')
    await terminal.until(/lint pipeline\.yml/)
    terminal.press('C-u')
    keys('svcctl runners list --to pipel', 'Tab')
    await terminal.until(/--to pipeline\.yml/)
  })

  it.skipIf(!there)('completes the kinds of reports, and files after them', async () => {
    keys('svcctl ci lint --report jun', 'Tab')
    await terminal.until(/--report junit=/)
    terminal.press('C-u')
    keys('svcctl ci lint --report junit=pipel', 'Tab')
    await terminal.until(/--report junit=pipeline\.yml/)
  })

  it.skipIf(!there)('runs nothing that a name says', async () => {
    await terminal.close()
    const { port } = hostile.address() as AddressInfo
    await open(`http://127.0.0.1:${port}`)
    keys('svcctl projects get ')
    await completed(['Tab'], /get good\/one/)
    keys('x', 'Enter')
    await terminal.until(/(READY>|[>#])$/m)
    expect(existsSync(join(cwd, 'pwned'))).toBe(false)
  })
})
