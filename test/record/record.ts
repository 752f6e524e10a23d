/**
 * Writes down what a build of the program prints, answers and asks for many command lines, so that two builds can be compared:
 * `node .config/run-ts.mjs test/record/record.ts <file> [words that a line contains]`. SVCCTL_PROGRAM names another build.
 * Working material of the rebuilding: it goes when the old engine has gone.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { splitCommand } from '../../src/base/shell-words.js'
import { writes } from '../../src/catalogue/endpoint.js'
import { allCommands, examplesOf } from '../../src/commands/index.js'
import {
  calls,
  hasForm,
  lists,
  named,
  rehearsable,
  selectsOf,
} from '../../src/engine/command/derive/index.js'
import type { Command } from '../../src/engine/command/types.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { program } from '../support/program.js'
import { runIn, startHost } from '../support/within.js'
import { inputs, objects, readable } from './lines.js'

interface Line {
  readonly line: string
  readonly input?: string
}

const formats = ['', '-o json', '-o ndjson', '-o csv']

const variantsOf = (command: Command, line: string): string[] =>
  [...formats, '--curl', ...(rehearsable(command) ? ['--dry-run', '--dry-run -o json'] : [])].map(
    (more) => `${line} ${more}`.trim(),
  )

const confirmed = (command: Command, line: string): string =>
  Object.values(command.endpoints).some(writes) && !/--yes|--dry-run/.test(line)
    ? `${line} --yes`
    : line

const linesOf = async (command: Command): Promise<readonly Line[]> => {
  const name = named(command)
  const examples = (await examplesOf(command)).filter(
    (line) => !/[|<>]|--exec|--resume-after|--watch/.test(line),
  )
  const plain = examples.flatMap((line) => variantsOf(command, confirmed(command, line)))
  const [two, rest = ''] = objects[name] ?? []
  const several: Line[] = []
  if (two !== undefined) {
    const all = [`${name} ${two} ${rest}`, `${name} ${two} 99999 ${rest}`, `${name} 99999 ${rest}`]
    for (const line of all)
      several.push(
        ...variantsOf(command, confirmed(command, line.trim())).map((one) => ({ line: one })),
      )
    const input = `${two.split(' ').join('\n')}\n`
    for (const line of variantsOf(command, confirmed(command, `${name} - ${rest}`.trim())))
      several.push({ line, input })
  }
  const piped = (inputs[name] ?? []).flatMap(({ rest: more, input }) =>
    variantsOf(command, confirmed(command, `${name} - ${more}`.trim())).map((line) => ({
      line,
      input,
    })),
  )
  const first = two?.split(' ')[0]?.replace(/^.*[!#]/, '')
  const spread: string[] = []
  const flags = rest.replace(/-[PG] \S+/g, '').trim()
  if (hasForm(command, 'project') && (lists(command) || two !== undefined))
    for (const where of [
      '-P platform/app,web/site',
      '-P platform/app -P nope/nope',
      '-G platform',
      '--all-projects',
    ])
      spread.push(
        ...variantsOf(
          command,
          confirmed(
            command,
            [name, lists(command) ? '' : first, readable[name] ?? flags, where]
              .filter(Boolean)
              .join(' '),
          ),
        ),
      )
  const fact = selectsOf(command)
  if (fact !== undefined)
    for (const where of ['', '-P platform/app,web/site'])
      spread.push(
        ...variantsOf(
          command,
          confirmed(command, `${name} --select id>0 ${readable[name] ?? rest} ${where}`.trim()),
        ),
      )
  if (lists(command) && command.open !== true)
    for (const more of ['-L 1', '--where id>1', '--where nosuch=1', '--fields id'])
      spread.push(
        ...examples
          .slice(0, 1)
          .flatMap((line) => formats.map((format) => `${line} ${more} ${format}`.trim())),
      )
  return [...[...plain, ...spread].map((line) => ({ line })), ...several, ...piped]
}

const files: Readonly<Record<string, string>> = {
  '.gitlab-ci.yml': 'build:\n  script: [make]\n',
  'deploy/site.yml': 'deploy:\n  script: [make deploy]\n',
  'README.md': 'What it is for.\n',
  'ci.pub': 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN3FXXtqJIUKP2hbkPRAQMoMBUjsUnWWb7lHxS9H40mA ci\n',
  'robot.pub':
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICoS6+d5khSc162e66Mf1y02Paf7xqFPI+Qs29NEEi0O robot\n',
}

const normalised = (text: string, url: string, folder: string): string =>
  text
    .replaceAll(url, 'URL')
    .replaceAll(folder, 'FOLDER')
    .replace(/\b\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d\d:\d\d)/g, 'TIME')
    .replace(/\b\d{8}T\d{6}-/g, 'RUN-')
    .replace(/127\.0\.0\.1:\d+/g, 'HOST')
    .replace(/\b[0-9a-f]{40}\b/g, 'SHA')
    .replace(/\b[0-9a-f]{8}\b/g, 'SHORT')
    .replace(/\b[0-9a-f]{32}\b/g, 'HEX')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replace(/\d+(?:\.\d+)? (?:s|ms)\b/g, 'N s')
    .replace(/"(duration|queued_duration)":\d+(\.\d+)?/g, '"$1":N')

/** Runs one line on an instance of its own. */
const recorded = async (host: ReturnType<typeof startHost>, { line, input }: Line) => {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-record-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, 'work', name, '..'), { recursive: true })
    writeFileSync(join(folder, 'work', name), text)
  }
  const sandbox: Sandbox = await startSandbox({
    stateDir: join(folder, 'state'),
    speed: Number.POSITIVE_INFINITY,
  })
  const requests: string[] = []
  const proxy = createServer((request, response) => {
    const body: Buffer[] = []
    request.on('data', (chunk: Buffer) => body.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(body)
      requests.push(`${request.method} ${request.url}${text.length === 0 ? '' : ` ${text}`}`)
      const { port } = new URL(sandbox.url)
      const onward = forward(
        {
          host: '127.0.0.1',
          port,
          path: request.url,
          method: request.method,
          headers: request.headers,
        },
        (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers)
          answer.pipe(response)
        },
      )
      onward.end(text)
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  try {
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      SVC_BASE_URL: url,
      SVC_TOKEN: 'sandbox-root-token',
      SVC_CONFIG_DIR: join(folder, 'config'),
      ...(line.startsWith('jobs current') || line.startsWith('jobs agents')
        ? { SVC_JOB_TOKEN: 'sandbox-job-token' }
        : {}),
    }
    const written = line.replace(/https:\/\/(svc|staging)\.example/, url)
    const ran = await runIn(host, {
      args: splitCommand(written),
      env,
      cwd: join(folder, 'work'),
      ...(input === undefined ? {} : { input }),
    })
    const same = (text: string): string => normalised(text, url, folder)
    return {
      line,
      ...(input === undefined ? {} : { input }),
      code: ran.code,
      stdout: same(ran.stdout),
      stderr: same(ran.stderr),
      requests: requests.map(same),
    }
  } finally {
    proxy.closeAllConnections()
    proxy.close()
    await sandbox.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const [, , file = 'record.ndjson', ...words] = process.argv
const commands = (await allCommands()).filter((command) => calls(command) || command.open === true)
const lines = (await Promise.all(commands.map(linesOf)))
  .flat()
  .filter(({ line }) => words.every((word) => line.includes(word)))
const unique = [...new Map(lines.map((one) => [JSON.stringify(one), one])).values()]
const results: unknown[] = new Array(unique.length)
let next = 0
const worker = async (): Promise<void> => {
  let host = startHost(program)
  while (next < unique.length) {
    const n = next++
    const one = unique[n]
    if (one === undefined) return
    try {
      results[n] = await Promise.race([
        recorded(host, one),
        new Promise<never>((_, reject) =>
          setTimeout(() => reject(new Error('no end in 60 s')), 60_000).unref(),
        ),
      ])
    } catch (error) {
      results[n] = { line: one.line, error: String(error).split('\n')[0] }
      host.process.kill('SIGKILL')
      host = startHost(program)
    }
  }
  host.process.kill()
}
await Promise.all([worker(), worker(), worker()])
writeFileSync(file, results.map((one) => `${JSON.stringify(one)}\n`).join(''))
console.log(`${results.length} lines`)
process.exit(0)
