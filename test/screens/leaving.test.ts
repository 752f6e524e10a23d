/** Tests prompts, pagers and other users of the terminal that are left before the end. */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { constants } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createFolder } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { openScreen } from '../support/screen.js'

const { signals } = constants
const server = useRecorder()

/** Starts a server with four pages of runners. It sends all but the first once `ready` resolves. */
const startPagedServer = async (ready: () => Promise<void>) => {
  const pages = createServer(async ({ url = '' }, response) => {
    const page = Number(new URLSearchParams(url.split('?')[1]).get('page') ?? 1)
    if (page > 1) await ready()
    const next = `<http://127.0.0.1:${port}/api/v4/runners/all?page=${page + 1}>; rel="next"`
    response.writeHead(200, {
      'content-type': 'application/json',
      ...(page === 4 ? {} : { link: next }),
    })
    const ids = Array.from({ length: 100 }, (_, i) => ({ id: page * 100 + i }))
    response.end(JSON.stringify(ids))
  })
  pages.listen(0, '127.0.0.1')
  await once(pages, 'listening')
  const { port } = pages.address() as AddressInfo
  return { pages, url: `http://127.0.0.1:${port}` }
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('a pager', () => {
  it('that is left while the next page loads ends the command', async () => {
    const file = join(createFolder(), 'pid')
    // Once the process is gone, the program has seen the end of its child.
    const left = () =>
      vi.waitFor(() => expect(isRunning(Number(readFileSync(file, 'utf8')))).toBe(false), 20_000)
    const { pages, url } = await startPagedServer(left)
    const terminal = openScreen(['runners list --instance --limit all'], {
      env: {
        SVC_BASE_URL: url,
        SVC_TOKEN: 'any',
        SVC_PAGER: `sh -c 'echo $$ >${file}; head -n 2'`,
      },
    })
    try {
      expect(await terminal.until(/^exit \d+/m)).toMatch(/^exit 0$/m)
    } finally {
      await terminal.close()
      pages.close()
    }
  })
})

const questions: Readonly<Record<string, readonly [line: string, asked: RegExp]>> = {
  'a confirmation': ['deploy-keys delete 7 -P 1', /\(y\/N\)/],
  'a name to be typed': ['-p guarded deploy-keys delete 7 -P 1', /Type the profile name \(/],
  'a value': ['deploy-keys add -P 1', /Title|title/],
  'a value from a list': ['members add 7 -P 1', /developer/],
  'several values from a list': ['runners update 7', /attributes/i],
  'a secret': ['auth login other', /Token/],
  'an address': ['auth login other', /Base URL/],
}

describe('Ctrl-D', () => {
  it.each(Object.entries(questions))('at %s is an interruption', async (name, [line, asked]) => {
    const config = createFolder()
    const profile = { baseUrl: server.url, protected: true }
    writeFileSync(join(config, 'config.json'), JSON.stringify({ profiles: { guarded: profile } }))
    const terminal = openScreen([line], {
      env: {
        SVC_CONFIG_DIR: config,
        SVC_TOKEN: 'any',
        SVC_NO_KEYRING: '1',
        SVC_BASE_URL: name === 'an address' ? '' : server.url,
      },
    })
    try {
      await terminal.until(asked)
      terminal.press('C-d')
      const screen = await terminal.until(/^exit \d+/m)
      expect(screen).toMatch(/^exit 130$/m)
      expect(screen).toMatch(/svcctl: interrupted: the question was left without an answer/)
      expect(server.lines().filter((asking) => !asking.startsWith('GET'))).toEqual([])
    } finally {
      await terminal.close()
    }
  })
})

/** A pager that runs until it is killed. */
const waitingPager = { SVC_PAGER: `sh -c 'echo paged; cat >/dev/null; exec sleep 600'` }

/** Opens a line at a terminal, and waits until the screen matches. */
const openAt = async (line: string, shown: RegExp, more: Readonly<Record<string, string>> = {}) => {
  const screen = openScreen([line], {
    rows: 12,
    env: { SVC_SANDBOX: '1', ...waitingPager, ...more },
  })
  await screen.until(shown)
  return screen
}

describe('a terminal that hangs up', () => {
  const rows: readonly (readonly [string, string, RegExp, 'told' | 'unreadable'])[] = [
    ['the pager with help', 'help recipes', /paged/, 'told'],
    ['the pager with a list', 'jobs list -P platform/app -L all --fields id,name', /paged/, 'told'],
    ['a question', 'runners get', /shared-macos/, 'told'],
    ['a question, where a read fails before a write does', 'runners get', /mac/, 'unreadable'],
    ['a watch', 'runners list --watch 60', /press Ctrl-C to stop/, 'told'],
    ['an agent that is served', 'mcp serve', /Model Context Protocol/, 'told'],
  ]
  it.each(rows)('ends %s by SIGHUP', async (_, line, shown, heard) => {
    const screen = await openAt(line, shown)
    screen.hangUp(heard)
    expect(await screen.ended).toBe(128 + signals.SIGHUP)
  })

  it('ends the embedded instance by SIGHUP', async () => {
    const line = `sandbox serve --state-dir ${createFolder()}`
    const screen = await openAt(line, /sandbox-gus-token/, { SVC_SANDBOX: '' })
    screen.hangUp()
    expect(await screen.ended).toBe(128 + signals.SIGHUP)
  })
})

describe('the pager ends with the line', () => {
  it.each(['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)('by %s', async (signal) => {
    for (const line of ['help recipes', 'jobs list -P platform/app -L all --fields id,name']) {
      const screen = await openAt(line, /paged/)
      screen.send(signal)
      expect(await screen.ended).toBe(128 + signals[signal])
    }
  })
})
