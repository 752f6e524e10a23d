/**
 * The embedded instance behind a front that makes it older or newer than the documents: with settings, fields and values that
 * no document has. Its words, its version and the routes that it lacks are the embedded instance's own.
 */
import { afterAll, beforeAll } from 'vitest'
import { isObject } from '../../src/base/objects.js'
import type { SandboxOptions } from '../../src/sandbox/index.js'
import { sandbox } from '../sandbox/instance.js'
import { type Recorder, record, type Scripted, type Seen } from '../support/recorder.js'

type Hash = Record<string, unknown>

export interface Age extends Required<Pick<SandboxOptions, 'asOf' | 'words'>> {
  /** Settings of its own, as they are at the beginning. */
  readonly settings: Hash
  /** What its runners have beside or instead of what the embedded instance answers, by ID. */
  readonly runners: Readonly<Record<string, Hash>>
}

const apiRoot = '/api/v4'

/** Headers of an answer that is not changed any more on its way. */
const passed = (headers: Headers): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...headers].filter(
      ([name]) =>
        !/^(content-(length|encoding)|transfer-encoding|connection|keep-alive)$/.test(name),
    ),
  )

/** Starts it before the tests of a file, and stops it after them. */
export const agedInstance = ({ settings, runners, ...options }: Age) => {
  const embedded = sandbox({ ...options, speed: Number.POSITIVE_INFINITY })
  const own: Hash = { ...settings }

  const forward = async ({ method, url, headers, body }: Seen): Promise<Scripted> => {
    const { connection: _, 'content-length': __, ...sent } = headers
    const came = await fetch(embedded.url() + url, {
      method,
      headers: Object.entries(sent).map(([name, value]): [string, string] => [name, String(value)]),
      redirect: 'manual',
      ...(body === '' ? {} : { body }),
    })
    return {
      status: came.status,
      headers: passed(came.headers),
      body: new Uint8Array(await came.arrayBuffer()),
    }
  }
  const changed = async (seen: Seen, change: (body: unknown) => unknown): Promise<Scripted> => {
    const { status = 200, headers, body } = await forward(seen)
    if (status >= 300) return { status, headers, body }
    return { status, headers, body: change(JSON.parse(Buffer.from(body as Uint8Array).toString())) }
  }
  const asRunner = (record: unknown): unknown =>
    isObject(record) ? { ...record, ...runners[String(record.id)] } : record

  const answer = async (seen: Seen): Promise<Scripted> => {
    const { pathname, searchParams } = new URL(seen.url, 'http://instance.test')
    const path = pathname.slice(apiRoot.length)
    if (path === '/application/settings') {
      const sent: Hash = seen.method === 'PUT' ? JSON.parse(seen.body) : {}
      const names = Object.keys(sent)
      for (const name of names) if (Object.hasOwn(own, name)) own[name] = sent[name]
      // The embedded instance refuses a change of nothing.
      const onlyOwn = names.length > 0 && names.every((name) => Object.hasOwn(own, name))
      return changed(onlyOwn ? { ...seen, method: 'GET', body: '' } : seen, (record) =>
        isObject(record) ? { ...record, ...own } : record,
      )
    }
    if (!/^\/runners(\/all|\/\d+)?$/.test(path)) return forward(seen)
    const status = searchParams.get('status')
    const foreign = Object.values(runners).some((one) => one.status === status)
    const url = foreign ? seen.url.replace(/([?&])status=[^&]*&?/, '$1') : seen.url
    return changed({ ...seen, url }, (found) => {
      if (!Array.isArray(found)) return asRunner(found)
      const all = found.map(asRunner)
      return foreign ? all.filter((one) => isObject(one) && one.status === status) : all
    })
  }
  let front: Recorder | undefined
  beforeAll(async () => {
    front = await record(answer)
  })
  afterAll(() => front?.close())
  return { url: () => front?.url ?? '', lines: () => front?.lines() ?? [] }
}
