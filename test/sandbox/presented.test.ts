/** Tests every field of the sample data that the embedded instance presents, in every answer to a GET. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listObjects } from '../../src/base/objects.js'
import { getPath } from '../../src/catalogue/endpoint.js'
import { areas } from '../../src/catalogue/index.js'
import { startTimedSandbox } from './instance.js'

type Instance = Awaited<ReturnType<typeof startTimedSandbox>>

/** The field of a list's records whose value replaces a placeholder; the default is `id`. */
const keyFields: Readonly<Record<string, string>> = {
  issue_iid: 'iid',
  merge_request_iid: 'iid',
  key: 'key',
  slug: 'slug',
  domain: 'domain',
}
/** Values for lists that the instance does not have, or whose first records have few fields. */
const knownValues: Readonly<Record<string, readonly string[]>> = {
  '/projects/': ['1', '6'],
  '/users/': ['1', '2'],
  '/vulnerabilities/': ['1', '2'],
}
/** The number of records of a list that are read one by one. */
const maxRecords = 2

/** Returns the addresses of an endpoint's path, with IDs that the instance has. */
const listAddresses = async (instance: Instance, path: string): Promise<string[]> => {
  const [before = '', name] = path.split(/:(\w+)/, 2)
  if (name === undefined) return [path]
  const after = path.slice(before.length + name.length + 1)
  const values =
    knownValues[before] ??
    (await listValues(instance, before.slice(0, -1), keyFields[name] ?? 'id'))
  const addresses: string[] = []
  for (const value of values.slice(0, maxRecords))
    addresses.push(
      ...(await listAddresses(instance, `${before}${encodeURIComponent(value)}${after}`)),
    )
  return addresses
}

const listValues = async (instance: Instance, list: string, key: string): Promise<string[]> => {
  const came = await instance.send(`GET ${list}?per_page=100`)
  return came.status === 200 ? listObjects(came.body).map((record) => String(record[key])) : []
}

/** Formats a record as text, one line a field. */
const toLines = (record: unknown): string[] =>
  typeof record === 'object' && record !== null
    ? Object.entries(record).map(([name, value], i) => {
        const lead = i === 0 ? '-' : ' '
        return `  ${lead} ${name}: ${JSON.stringify(value)}`
      })
    : [`  - ${JSON.stringify(record)}`]

/** Returns the answers of an area as text. */
const readAnswers = async (instance: Instance, paths: readonly string[]): Promise<string> => {
  const lines: string[] = []
  for (const path of paths)
    for (const address of await listAddresses(instance, path)) {
      const came = await instance.send(`GET ${address}`)
      const { status, text } = came
      const body = status === 200 ? came.body : came.refusal
      const records: readonly unknown[] = Array.isArray(body)
        ? body.slice(0, maxRecords)
        : [body ?? text]
      lines.push(`${address} ${status}`, ...records.flatMap(toLines))
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
  instance = await startTimedSandbox()
})
afterAll(async () => {
  await instance.end()
})

describe('of the sample data', () => {
  it.each(presented.filter(([, paths]) => paths.length > 0))(
    '%s are presented as before',
    async (name, paths) => {
      const answers = await readAnswers(instance, paths)
      expect(answers).toMatch(/ 200\n {2}- /)
      await expect(answers).toMatchFileSnapshot(`golden/presented-${name}.txt`)
    },
  )
})
