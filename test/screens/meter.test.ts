/** Tests progress: its texts, and the screens of a bulk write, a long list and a slow request. */
import { writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { formatMeterLine } from '../../src/terminal/progress.js'
import { createConfiguration } from '../support/program.js'
import {
  createNullOutput,
  openScreen,
  pipeToScreen,
  type Screen,
  type ScreenLine,
} from '../support/screen.js'

describe('a line of progress', () => {
  it.each([
    [
      { done: 4210, failed: 3, total: 10_000, seconds: 35.7 },
      'runners pause  4,213/10,000  42%  3 failed  118/s  ETA 49 s',
    ],
    [{ done: 0, failed: 0, total: 40, seconds: 1 }, 'runners pause  0/40  0%'],
    [{ done: 1, failed: 0, total: 4, seconds: 2 }, 'runners pause  1/4  25%  0.5/s  ETA 6 s'],
    [{ done: 1_234_567, failed: 0, seconds: 10 }, 'runners pause  1,234,567  123,457/s'],
    [{ done: 0, failed: 0, seconds: 3.9 }, 'runners pause  waiting for a response, 3 s'],
  ])('of %j', (counts, line) => {
    expect(formatMeterLine('runners pause', counts)).toBe(line)
    const waiting = { milliseconds: 11_400, why: 'the instance allows 600 a minute' }
    expect(formatMeterLine('x', { done: 1, failed: 0, seconds: 1, rate: 2, waiting })).toBe(
      'x  1  2/s  (waiting 12 s: the instance allows 600 a minute)',
    )
  })
})

const closing: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Starts a server that answers this many requests, and holds the others until the test releases them. */
const startHoldingServer = async (
  atOnce: number,
  answer: (url: string, response: ServerResponse) => void,
) => {
  const held: (() => void)[] = []
  let seen = 0
  const server = createServer((request, response) => {
    const go = (): void => answer(request.url ?? '', response)
    request.resume().on('end', () => {
      if (seen++ < atOnce) go()
      else held.push(go)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const release = (): void => {
    seen = Number.NEGATIVE_INFINITY
    for (const go of held.splice(0)) go()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, release }
}

const sendJson = (response: ServerResponse, value: unknown): void => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
}

const openLine = (
  url: string,
  line: ScreenLine,
  env: Readonly<Record<string, string>> = {},
  columns = 100,
): Screen => {
  const screen = openScreen([line], {
    columns,
    env: { SVC_BASE_URL: url, SVC_TOKEN: 'any', ...env },
  })
  closing.push(screen.close)
  return screen
}

const sendRunner = (url: string, response: ServerResponse): void => {
  if (url.endsWith('/3')) response.statusCode = 404
  sendJson(response, { id: Number(url.split('/').at(-1)), description: 'built' })
}

describe('at a terminal', () => {
  it('many updates show how many, and leave nothing behind', async () => {
    // The first answer is for the current user.
    const { url, release } = await startHoldingServer(6, sendRunner)
    const ids = Array.from({ length: 60 }, (_, i) => i + 1).join(' ')
    const terminal = openLine(url, {
      line: `runners pause ${ids} --concurrency 1 --no-undo-record`,
      stdout: createNullOutput,
    })
    const shown = await terminal.until(
      /runners pause {2}5\/60 {2}8% {2}1 failed {2}[\d.]+\/s {2}ETA/,
    )
    expect(shown.match(/\/60 /g)).toHaveLength(1)
    release()
    const after = await terminal.until(/^exit \d/m)
    expect(after).not.toContain('/60 ')
    expect(after).toContain('1 of 60 failed')
  })

  it('a list of many pages shows its records', async () => {
    const { url, release } = await startHoldingServer(2, (asked, response) => {
      const page = Number(/[?&]page=(\d+)/.exec(asked)?.[1] ?? 1)
      const next = asked.replace(/[?&]page=\d+/, '').concat(`&page=${page + 1}`)
      response.setHeader('x-total', '1200')
      if (page < 12) response.setHeader('link', `<${next}>; rel="next"`)
      sendJson(
        response,
        Array.from({ length: 100 }, (_, i) => ({ id: page * 100 + i })),
      )
    })
    const terminal = openLine(url, { line: 'runners list --limit all', stdout: createNullOutput })
    await terminal.until(/runners list {2}200\/1,200 {2}16% {2}[\d.]+\/s {2}ETA/)
    release()
    expect(await terminal.until(/^exit 0/m)).not.toContain('/1,200')
  })

  it('many projects show how many were asked', async () => {
    const { url, release } = await startHoldingServer(3, (_, response) =>
      sendJson(response, [{ id: 1 }]),
    )
    const projects = Array.from({ length: 6 }, (_, i) => `g/p${i}`).join(',')
    const terminal = openLine(url, {
      line: `jobs list -P ${projects} --concurrency 1`,
      stdout: createNullOutput,
    })
    await terminal.until(/jobs list {2}3\/6 {2}50% {2}[\d.]+\/s {2}ETA/)
    release()
    expect(await terminal.until(/^exit 0/m)).not.toContain('/6 ')
  })

  it('one slow request shows that it is waited for', async () => {
    const { url, release } = await startHoldingServer(0, sendRunner)
    const terminal = openLine(url, 'runners get 1')
    await terminal.until(/runners get {2}waiting for a response, [1-9]\d* s/)
    release()
    const after = await terminal.until(/^exit 0/m)
    expect(after).toContain('built')
    expect(after).not.toContain('waiting')
  })

  it('one question of many requests shows that it is worked on, and leaves nothing behind', async () => {
    const { url, release } = await startHoldingServer(0, (_, response) => sendJson(response, []))
    const terminal = openLine(url, { line: 'overview', stdout: createNullOutput })
    await terminal.until(/looking/)
    release()
    expect((await terminal.until(/^exit \d/m)).trim().split('\n').at(-1)).toMatch(/^exit \d/)
    expect(await terminal.screen()).not.toContain('looking')
  })

  it('several instances share one line', async () => {
    const { url, release } = await startHoldingServer(0, (_, response) => sendJson(response, []))
    const config = createConfiguration()
    const profiles = { a: { name: 'a', baseUrl: url }, b: { name: 'b', baseUrl: url } }
    writeFileSync(join(config, 'config.json'), JSON.stringify({ version: 1, profiles }), {
      mode: 0o600,
    })
    const env = { SVC_CONFIG_DIR: config, SVC_BASE_URL: '', SVC_TOKEN: '' }
    const terminal = openLine(url, { line: 'overview -p a,b', stdout: createNullOutput }, env)
    const shown = await terminal.until(/looking/)
    expect(shown.match(/looking/g)).toHaveLength(1)
    release()
    const after = await terminal.until(/^exit \d/m)
    expect(after).not.toMatch(/looking|\bora\b/)
  })

  it.each([
    ['mr rebase 1 -P 1 --wait -o json', 'rebasing'],
    ['mr rebase 1 -P 1 --wait', 'rebasing'],
    ['runners list --limit all -o ndjson', 'runners list'],
    ['runners get 1 -o json', 'waiting for a response'],
    ['overview -o json', 'looking'],
  ])('is gone before a program that reads the answer writes to it: %s', async (line, text) => {
    const { url, release } = await startHoldingServer(0, (asked, response) =>
      sendJson(
        response,
        asked.includes('/merge_requests/1')
          ? { id: 1, iid: 1, rebase_in_progress: false, merge_error: null }
          : asked.includes('/runners/') && !asked.includes('/all')
            ? { id: 1 }
            : [{ id: 1 }],
      ),
    )
    const terminal = openLine(url, { line, stdout: pipeToScreen('read: ') })
    await terminal.until(new RegExp(text))
    release()
    const after = await terminal.until(/^exit \d/m)
    const lines = after.split('\n').filter((one) => one.includes('read: '))
    expect(lines.length).toBeGreaterThan(0)
    for (const one of lines) expect(one).toMatch(/^read: /)
    expect(after).not.toMatch(/[⠀-⣿]/)
  })

  it('one plain line is said where nothing may be redrawn', async () => {
    const { url, release } = await startHoldingServer(0, sendRunner)
    const terminal = openLine(url, 'runners get 1', { SVC_ACCESSIBLE: '1' })
    await terminal.until(/^runners get …$/m)
    release()
    await terminal.until(/^exit 0/m)
  })

  it('one plain line is said where the terminal does not know its width', async () => {
    const { url, release } = await startHoldingServer(0, sendRunner)
    const terminal = openLine(url, 'runners get 1', {}, 0)
    await terminal.until(/^runners get …$/m)
    release()
    await terminal.until(/^exit 0/m)
  })
})
