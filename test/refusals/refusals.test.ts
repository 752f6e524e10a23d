/**
 * Tests lines that are refused before any request, grouped by their first word: exit code and full output. To add one, append a line
 * `$ svcctl …` to a file in `golden/`; `npm test -- test/refusals -u` writes the output below it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { splitCommand } from '../../src/base/shell-words.js'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const goldenFolder = join(import.meta.dirname, 'golden')
const server = useRecorder()
const getNow = () => new Date('2026-11-21T12:00:00Z')

const readLines = (file: string): readonly string[] =>
  readFileSync(join(goldenFolder, file), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('$ '))

/** Runs `$ NAME=value svcctl …`. @returns the line with its output */
const refuse = async (line: string): Promise<string> => {
  const words = splitCommand(line.slice(2))
  const at = words.indexOf('svcctl')
  const variables = words.slice(0, at).map((word) => word.split(/=(.*)/s, 2))
  const env = { SVC_BASE_URL: server.url, SVC_TOKEN: 'secret-token' }
  const { code, stdout, stderr } = await svcctl(words.slice(at + 1), {
    env: { ...env, ...Object.fromEntries(variables) },
    io: { now: getNow },
  })
  const requests = server.seen.splice(0).map(({ method, url }) => `${method} ${url}`)
  expect({ line, isRefused: code !== 0, stdout, requests }).toEqual({
    line,
    isRefused: true,
    stdout: '',
    requests: [],
  })
  const said = stderr.replaceAll(server.url, 'https://instance.example').trimEnd().split('\n')
  return [line, `exit ${code}`, ...said.map((text) => `  ${text}`.trimEnd()), ''].join('\n')
}

it.each(readdirSync(goldenFolder))('%s', { timeout: 120_000 }, async (file) => {
  const lines = readLines(file)
  expect(lines.length).toBeGreaterThan(0)
  expect(new Set(lines).size, 'no line stands there twice').toBe(lines.length)
  const said: string[] = []
  for (const line of lines) said.push(await refuse(line))
  await expect(`${said.join('\n')}`).toMatchFileSnapshot(join(goldenFolder, file))
})
