/** Hostile text of an instance outside tables: in pages, notes, questions, errors and logs of jobs. */

import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { openScreen } from '../support/screen.js'

/** Colour, hidden text, a link, a title, the clipboard, a change of text direction, and a line of its own. */
const escapeText =
  ' \u001b[8m\u001b[31;1m\u001b]8;;https://evil.example\u0007x\u001b]8;;\u0007\u001b]0;t\u0007\u001b]52;c;ZQ==\u0007\u009b2J\u202e\r\nFORGED line\n'
/** The first line is as long as a terminal's, so that the next one begins with what looks like a hint. */
const hostileText = `${escapeText}${'y'.repeat(70)} hint: FORGED`
/** Fields that the program has to understand or must not change. */
const keptNames =
  /(_at|_on|_date|_url|_type)$|^(path|path_with_namespace|full_path|url|username|key|iid|id)$/

const addEscapes = (value: unknown, keeps: RegExp, key = ''): unknown => {
  // A plan counts the lines of a text that has several.
  const said = key.endsWith('_text') ? hostileText.replaceAll(/[\r\n]/g, '') : hostileText
  if (typeof value === 'string') return keeps.test(key) ? value : `${value}${said}`
  if (Array.isArray(value)) return value.map((one: unknown) => addEscapes(one, keeps, key))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    addEscapes(inner, keeps, name),
  ])
  return { ...Object.fromEntries(entries), [`more${hostileText}_count`]: hostileText }
}

/** Creates a proxy of the embedded instance that adds hostile text to all texts. */
const createHostileServer = (sandbox: Sandbox, keeps: RegExp): Server =>
  createServer(async (request, response) => {
    const { method = 'GET', url = '', headers } = request
    if (url.includes('/artifacts/')) {
      response.writeHead(200, { 'content-type': 'text/plain' })
      return response.end(`building${hostileText}`)
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const { host: _, connection: __, 'content-length': ___, ...sent } = headers
    const answer = await fetch(`${sandbox.url}${url}`, {
      method,
      headers: Object.fromEntries(Object.entries(sent).map(([k, v]) => [k, String(v)])),
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    })
    const text = await answer.text()
    const type = answer.headers.get('content-type') ?? 'application/json'
    const link = answer.headers.get('link')
    response.writeHead(answer.status, {
      'content-type': type,
      ...(link === null ? {} : { link: link.replaceAll(sandbox.url, `http://${headers.host}`) }),
    })
    response.end(type.includes('json') ? JSON.stringify(addEscapes(JSON.parse(text), keeps)) : text)
  })

let sandbox: Sandbox
const servers: Server[] = []
const urls: Record<string, string> = {}
const cwd = createFolder()
const config = createConfiguration()
beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder(), speed: Number.POSITIVE_INFINITY })
  const ways = {
    'names and words': keptNames,
    names: new RegExp(`${keptNames.source}|stat(e|us)$`),
  }
  for (const [way, keeps] of Object.entries(ways)) {
    const server = createHostileServer(sandbox, keeps)
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    urls[way] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  writeFileSync(
    join(cwd, 'wanted.yml'),
    'version: 1\nsite:\n  settings: { after_sign_up_text: hello }\nprojects:\n  platform/app:\n    approval_rules:\n      Security: { approvals_required: 2 }\n      New: { approvals_required: 1 }\n',
  )
  writeFileSync(join(cwd, 'ci.yml'), 'build: { scrip: [make] }\n')
})
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  await sandbox.close()
})

/** Runs a line at a terminal without colours, so that any colour code came from the instance. */
const runOnTerminal = async (url: string, line: string, answer: string) => {
  const screen = openScreen([line], {
    cwd,
    env: {
      SVC_CONFIG_DIR: config,
      XDG_STATE_HOME: config,
      SVC_TOKEN: sandbox.users[0]?.token ?? '',
      SVC_BASE_URL: url,
      SVC_ACCESSIBLE: '1',
      NO_COLOR: '1',
    },
  })
  screen.type(answer)
  await screen.ended
  await screen.close()
  return screen.written().replaceAll('\r\n', '\n')
}

const lines: Readonly<Record<string, readonly [line: string, answer?: string]>> = {
  overview: ['overview'],
  'a check': ['check runners'],
  'a check of certificates': ['check certificates --warn 60d'],
  'Explain why a job is waiting': ['jobs why 15 -P platform/app'],
  'where somebody is a member': ['members where ana'],
  doctor: ['doctor'],
  replication: ['geo status'],
  events: ['events list -P platform/app -L 5'],
  'a configuration': ['ci lint ci.yml'],
  plan: ['plan wanted.yml'],
  drift: ['drift wanted.yml'],
  'a dry run': ['runners update 1 --description builder --dry-run'],
  'a bulk write and its failures': ['runners pause 1 999 2'],
  'journal show': ['journal show last'],
  'a question': ['deploy-keys delete 1 -P platform/app', 'no\r'],
  'a list to choose from': ['runners pause', '1\r'],
  'a failure': ['runners get 999'],
  'a trace that a job kept': ['artifacts file build.log --job-id 13 -P platform/app --to -'],
}
/** Codes that readline writes for a question that is answered on one line. */
const questionCodes = new RegExp(`${String.fromCharCode(27)}\\[\\d*[GJ]`, 'g')
/** Characters that a terminal obeys, except line breaks and tabs. */
const controlCharacters = /[^\P{Cc}\t\n]|[\u200e\u200f\u2028-\u202e\u2066-\u2069]/u

describe('what the instance says', () => {
  for (const way of ['names and words', 'names'])
    it.each(Object.entries(lines))(
      `steers no terminal by its ${way}: %s`,
      async (_, [line, answer = '']) => {
        const all = await runOnTerminal(urls[way] ?? '', `${line} --no-pager`, answer)
        expect(all).toMatch(/\\u(001b|\{1b\})\[8m/)
        expect(controlCharacters.exec(all.replaceAll(questionCodes, ''))?.[0]).toBeUndefined()
        // A file of a job is printed as it is, so its lines may begin with anything.
        if (!line.startsWith('artifacts')) expect(all).not.toMatch(/^FORGED/m)
        // Hints are only in the words of the program.
        expect(all).not.toMatch(/^svcctl: .*\n(?: +.*\n)*? {2}hint: FORGED/m)
      },
    )
})
