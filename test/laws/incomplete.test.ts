/** If a list cannot be read, or not completely, results made of it never count as OK: groups, snapshots and policies. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { getPath } from '../../src/catalogue/endpoint.js'
import { areas } from '../../src/catalogue/index.js'
import { createFolder } from '../support/program.js'
import { type ScriptedAnswer, useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = useRecorder()

/** Every list of the instance, and every list of all projects or groups. */
const lines: string[] = []
for (const area of areas)
  for (const endpoint of Object.values(await area.load())) {
    const path = getPath(endpoint)
    const scope = /^\/(project|group)s\/:id\//.exec(path)?.[1]
    const places = (path.match(/:\w+/g) ?? []).length
    if (endpoint.returns.kind !== 'many' || places > (scope === undefined ? 0 : 1)) continue
    const form = endpoint.when === undefined ? '' : ` --${endpoint.when.flag}`
    const spread = scope === undefined ? '' : ` --all-${scope}s`
    lines.push(`${area.name} ${endpoint.command}${form}${spread}`)
  }

const getSpread = (line: string): string => /--all-(projects|groups)$/.exec(line)?.[1] ?? ''
/** One list of the instance, one of all projects and one of all groups. */
const oneEach = ['', 'projects', 'groups'].flatMap((spread) =>
  lines.filter((line) => getSpread(line) === spread).slice(0, 1),
)

/** Faulty answers of an instance, each with the lists it is tried on. */
const faults: readonly (readonly [string, ScriptedAnswer, readonly string[]])[] = [
  ['a 403', { status: 403, body: { message: '403 Forbidden' } }, lines],
  ['a 404', { status: 404, body: { message: '404 Not found' } }, oneEach],
  ['a 500', { status: 500, body: { message: 'broken' } }, oneEach],
  ['a cut answer', { body: '[{"id":1,"name":"one"},{"id":2,"na' }, oneEach],
]
const parents: Readonly<Record<string, readonly object[]>> = {
  projects: [{ id: 1, path_with_namespace: 'a/b', archived: false }],
  groups: [{ id: 1, full_path: 'a' }],
}

const run = (line: readonly string[]) =>
  svcctl([...line, '--retries', '0'], { env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'any' } })

it('knows every list', () => {
  expect(lines.length).toBeGreaterThan(25)
  expect(oneEach).toHaveLength(3)
})

describe.each(faults)('%s', (_, fault, some) => {
  it.each(some)('of %s', async (line) => {
    const spread = getSpread(line)
    server.answer = ({ url }) => {
      const [path = ''] = url.replace('/api/v4', '').split('?')
      return path === `/${spread}` ? { body: parents[spread] } : fault
    }
    const words = line.split(' ')
    const [at, policy] = [join(createFolder(), 'kept'), join(createFolder(), 'policy.yml')]
    writeFileSync(
      policy,
      JSON.stringify({
        policy: 1,
        rules: [
          { name: 'count', list: `${line} --count`, where: 'count>1000' },
          { name: 'none', list: line, where: 'id=0' },
        ],
      }),
    )
    const taken = await run(['snapshot', line, '--to', at])
    const codes = {
      groups: (await run([...words, '--count'])).code,
      snapshot: taken.code,
      from: (await run([...words, '--limit', 'all', '--from', at])).code,
      policy: (await run(['check', 'policy', policy])).code,
      kept: (await run(['check', 'policy', policy, '--from', at])).code,
    }
    expect(codes.groups, 'groups of a list that could not be read must not end well').not.toBe(0)
    expect(codes, 'say what could not be read, and end with partial (8)').toMatchObject({
      snapshot: 8,
      policy: 8,
      kept: 8,
    })
    expect([4, 8]).toContain(codes.from)
  })
})
