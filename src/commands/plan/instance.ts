/** The instance of a run as declared state asks for it. Whoever is given the first can write nothing. */
import { type Fields, isObject } from '../../base/objects.js'
import { type Endpoint, endpoint, many, one } from '../../catalogue/endpoint.js'
import { documented } from '../../catalogue/legible.js'
import { Unknown } from '../../catalogue/shapes/common.js'
import type { ReadableInstance, WritableInstance } from '../../desired/instance.js'
import type { InstanceService } from '../../engine/command/services.js'
import { Failure } from '../../errors.js'
import type { Ask, Whole } from '../../http/types.js'

interface Run {
  readonly instance: Pick<InstanceService, 'collect' | 'each' | 'send'>
}

/** A path with its query that the documents do not show; its answer may be anything. */
const beyond = (path: string, list: boolean): Endpoint =>
  endpoint(`GET ${path}`, list ? many(Unknown()) : one(Unknown()), {
    summary: 'Ask what the documents do not show',
    command: 'get',
    path: {},
    params: {},
    implied: true,
  })

const recordsIn = (values: readonly unknown[], { endpoint: { route } }: Ask): readonly Fields[] => {
  const records = values.filter(isObject)
  if (records.length === values.length) return records
  throw new Failure('unreachable', 'the list holds something that is no record', {
    request: route,
    hint: 'Check the base URL, and what stands between here and the instance.',
  })
}

/** Files speak in the names of the documents, whatever the instance calls things. */
const read = (whole: Whole): Whole => ({ ...whole, data: documented(whole.data) })

/** The instance, only to be read. */
export const readableOf = ({ instance }: Run): ReadableInstance => {
  const records: ReadableInstance['records'] = async (ask, wanted = () => true) => {
    // What is no record is kept, to be found out.
    const where = (record: unknown): boolean => !isObject(record) || wanted(record)
    const found = await instance.collect({ key: '', ...ask }, { whole: true, where })
    return recordsIn(found.map(documented), ask)
  }
  return {
    get: async (ask) => read(await instance.send({ key: '', ...ask })),
    records,
    implied: async (path) =>
      read(await instance.send({ key: '', endpoint: beyond(path, false), values: {} })),
    impliedRecords: (path) => records({ endpoint: beyond(path, true), values: {} }),
    each: (items, work) => instance.each(items, work),
  }
}

/** The same, to be written too. */
export const writableOf = (run: Run): WritableInstance => ({
  ...readableOf(run),
  send: async (ask) => read(await run.instance.send({ key: '', ...ask })),
})
