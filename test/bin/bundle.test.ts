/** Tests the list that the build writes: which modules are bundled, and in which file. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const dist = join(import.meta.dirname, '../../dist')
const bundled = readFileSync(join(dist, 'modules.txt'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t'))
  .map(([file = '', module = '']) => ({ file, module }))
const protocolModules = bundled.filter(({ module }) => module.includes('@modelcontextprotocol/'))

describe('the library of the Model Context Protocol', () => {
  it('is bundled with its server, and without its client', () => {
    expect(bundled.length).toBeGreaterThan(1000)
    const paths = protocolModules.map(({ module }) => module.replace(/^.*\/esm\//, ''))
    expect(paths).toContain('server/mcp.js')
    expect(paths.filter((path) => path.startsWith('client/'))).toEqual([])
  })

  it('brings no HTTP transport, no web server and no signing of tokens along', () => {
    const strange =
      /streamableHttp|webStandard|\bsse\b|\/server\/auth\/|\/middleware\/|node_modules\/(?:@hono|express|express-rate-limit|hono|jose|eventsource|eventsource-parser|cors|raw-body|body-parser|cross-spawn|pkce-challenge)\//i
    expect(strange.test('node_modules/@modelcontextprotocol/sdk/dist/esm/server/sse.js')).toBe(true)
    expect(strange.test('node_modules/express/index.js')).toBe(true)
    const ours = bundled.filter(({ module }) => !module.includes('execa/'))
    const execas = /node_modules\/cross-spawn\//
    expect(ours.filter(({ module }) => strange.test(module) && !execas.test(module))).toEqual([])
  })

  it('is loaded by nothing but mcp serve', () => {
    const files = new Set(protocolModules.map(({ file }) => file))
    const [file = ''] = files
    expect(files.size).toBe(1)
    const others = [...new Set(bundled.map((one) => one.file))].filter((one) => one !== file)
    const loading = others.filter((one) => readFileSync(join(dist, one), 'utf8').includes(file))
    const modules = bundled.filter((one) => loading.includes(one.file)).map(({ module }) => module)
    expect(modules).toContain('src/commands/mcp/index.ts')
    expect(
      modules.filter((module) => !/^src\/commands\/(?:mcp|data|derive)\b/.test(module)),
    ).toEqual([])
  })

  it('takes at most 110 KB of the package, compressed', async () => {
    const { gzipSync } = await import('node:zlib')
    const [{ file = '' } = {}] = protocolModules
    expect(gzipSync(readFileSync(join(dist, file)), { level: 9 }).length).toBeLessThan(110_000)
  })
})

it('is built without a word on how long the bundler took', () => {
  const config = join(import.meta.dirname, '../../.config')
  const builders = readdirSync(config, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(mjs|ts)$/.test(name))
    .map((name) => ({ name, text: readFileSync(join(config, name), 'utf8') }))
    .filter(({ text }) => text.includes("from 'rolldown'"))
  expect(builders.length).toBeGreaterThanOrEqual(3)
  for (const { name, text } of builders)
    expect(text.includes('bundlerTimings: false'), `checks of the builds in ${name}`).toBe(true)
})
