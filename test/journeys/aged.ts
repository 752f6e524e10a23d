/**
 * An embedded instance behind a proxy that makes it older or newer than the documents: with settings, fields and values that no
 * document has. Its words, its version and its missing routes are options of the embedded instance itself.
 */
import { afterAll, beforeAll } from 'vitest'
import { isObject } from '../../src/base/objects.js'
import type { SandboxOptions } from '../../src/sandbox/index.js'
import { useSharedSandbox } from '../sandbox/instance.js'
import {
  type Recorder,
  type ScriptedAnswer,
  type SeenRequest,
  startRecorder,
} from '../support/recorder.js'

type Hash = Record<string, unknown>

export interface Age extends Required<Pick<SandboxOptions, 'asOf' | 'words'>> {
  /** Settings that only this instance has, with their initial values. */
  readonly settings: Hash
  /** Fields of its runners by ID, added to those of the embedded instance or replacing them. */
  readonly runners: Readonly<Record<string, Hash>>
}

const apiRoot = '/api/v4'

/** Removes the headers about encoding and connection, because the answer is sent again by the proxy. */
const filterHeaders = (headers: Headers): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...headers].filter(
      ([name]) =>
        !/^(content-(length|encoding)|transfer-encoding|connection|keep-alive)$/.test(name),
    ),
  )

/** Starts the instance before the tests of a file, and stops it after them. */
export const createAgedInstance = ({ settings, runners, ...options }: Age) => {
  const embedded = useSharedSandbox({ ...options, speed: Number.POSITIVE_INFINITY })
  const own: Hash = { ...settings }

  const forward = async ({ method, url, headers, body }: SeenRequest): Promise<ScriptedAnswer> => {
    const { connection: _, 'content-length': __, ...sent } = headers
    const came = await fetch(embedded.url() + url, {
      method,
      headers: Object.entries(sent).map(([name, value]): [string, string] => [name, String(value)]),
      redirect: 'manual',
      ...(body === '' ? {} : { body }),
    })
    return {
      status: came.status,
      headers: filterHeaders(came.headers),
      body: new Uint8Array(await came.arrayBuffer()),
    }
  }
  const changed = async (
    seen: SeenRequest,
    change: (body: unknown) => unknown,
  ): Promise<ScriptedAnswer> => {
    const { status = 200, headers, body } = await forward(seen)
    if (status >= 300) return { status, headers, body }
    return { status, headers, body: change(JSON.parse(Buffer.from(body as Uint8Array).toString())) }
  }
  const asRunner = (record: unknown): unknown =>
    isObject(record) ? { ...record, ...runners[String(record.id)] } : record

  const answer = async (seen: SeenRequest): Promise<ScriptedAnswer> => {
    const { pathname, searchParams } = new URL(seen.url, 'http://instance.test')
    const path = pathname.slice(apiRoot.length)
    if (path === '/application/settings') {
      const sent: Hash = seen.method === 'PUT' ? JSON.parse(seen.body) : {}
      const names = Object.keys(sent)
      for (const name of names) if (Object.hasOwn(own, name)) own[name] = sent[name]
      // The embedded instance rejects an update without attributes.
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
    front = await startRecorder(answer)
  })
  afterAll(() => front?.close())
  return { url: () => front?.url ?? '', lines: () => front?.lines() ?? [] }
}
