/** Every field that the embedded instance presents of its sample data, in every answer that it gives to a GET. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listObjects } from '../../src/base/objects.js'
import { getPath } from '../../src/catalogue/endpoint.js'
import { areas } from '../../src/catalogue/index.js'
import { timedSandbox } from './instance.js'

type Instance = Awaited<ReturnType<typeof timedSandbox>>

/** Which field of a list's records stands for a placeholder; `id` where none is named. */
const keys: Readonly<Record<string, string>> = {
  issue_iid: 'iid',
  merge_request_iid: 'iid',
  key: 'key',
  slug: 'slug',
  domain: 'domain',
}
/** Values where the instance has no list of them, or one of which most records present nothing more. */
const known: Readonly<Record<string, readonly string[]>> = {
  '/projects/': ['1', '6'],
  '/users/': ['1', '2'],
  '/vulnerabilities/': ['1', '2'],
}
/** So many of a list are asked for one by one. */
const several = 2

/** The addresses of an endpoint's path, with IDs of what the instance has. */
const addressesOf = async (instance: Instance, path: string): Promise<string[]> => {
  const [before = '', name] = path.split(/:(\w+)/, 2)
  if (name === undefined) return [path]
  const after = path.slice(before.length + name.length + 1)
  const values = known[before] ?? (await listed(instance, before.slice(0, -1), keys[name] ?? 'id'))
  const addresses: string[] = []
  for (const value of values.slice(0, several))
    addresses.push(
      ...(await addressesOf(instance, `${before}${encodeURIComponent(value)}${after}`)),
    )
  return addresses
}

const listed = async (instance: Instance, list: string, key: string): Promise<string[]> => {
  const came = await instance.send(`GET ${list}?per_page=100`)
  return came.status === 200 ? listObjects(came.body).map((record) => String(record[key])) : []
}

/** A record as text, a field a line. */
const linesOf = (record: unknown): string[] =>
  typeof record === 'object' && record !== null
    ? Object.entries(record).map(([name, value], i) => {
        const lead = i === 0 ? '-' : ' '
        return `  ${lead} ${name}: ${JSON.stringify(value)}`
      })
    : [`  - ${JSON.stringify(record)}`]

/** Answers of an area as text. */
const answersOf = async (instance: Instance, paths: readonly string[]): Promise<string> => {
  const lines: string[] = []
  for (const path of paths)
    for (const address of await addressesOf(instance, path)) {
      const came = await instance.send(`GET ${address}`)
      const { status, text } = came
      const body = status === 200 ? came.body : came.refusal
      const records: readonly unknown[] = Array.isArray(body)
        ? body.slice(0, several)
        : [body ?? text]
      lines.push(`${address} ${status}`, ...records.flatMap(linesOf))
    }
  const { host } = new URL(instance.url())
  return `${lines.join('\n').replaceAll(host, 'instance')}\n`
}

const presented = await Promise.all(
  areas.map(async (area) => {
    const endpoints = Object.values(await area.load())
    const paths = endpoints
      .filter(({ route, returns }) => route.startsWith('GET ') && returns.kind !== 'file')
      .map(getPath)
    return [area.name, [...new Set(paths)]] as const
  }),
)

let instance: Instance
beforeAll(async () => {
  instance = await timedSandbox()
})
afterAll(async () => {
  await instance.end()
})

describe('of the sample data', () => {
  it.each(presented.filter(([, paths]) => paths.length > 0))(
    '%s are presented as before',
    async (name, paths) => {
      const answers = await answersOf(instance, paths)
      expect(answers).toMatch(/ 200\n {2}- /)
      await expect(answers).toMatchFileSnapshot(`golden/presented-${name}.txt`)
    },
  )
})
