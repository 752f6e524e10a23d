/** How many requests reading took. */
import { largestPage } from '../../client/defaults.js'
import type { ReadableInstance } from '../../desired/instance.js'

export interface Counting {
  readonly instance: ReadableInstance
  readonly requests: () => number
}

/**
 * The same instance, its requests counted: a list is as many as it has pages.
 * @param told of each that is sent
 */
export const counted = (instance: ReadableInstance, told: () => void): Counting => {
  let requests = 0
  const one = <T>(work: Promise<T>): Promise<T> => {
    requests += 1
    told()
    return work
  }
  return {
    requests: () => requests,
    instance: {
      get: (ask) => one(instance.get(ask)),
      implied: (path) => one(instance.implied(path)),
      records: async (ask, wanted = () => true) => {
        let records = 0
        const found = await one(
          instance.records(ask, (record) => {
            records += 1
            return wanted(record)
          }),
        )
        requests += Math.max(0, Math.ceil(records / largestPage) - 1)
        return found
      },
      impliedRecords: (path) => one(instance.impliedRecords(path)),
      each: (items, work) => instance.each(items, work),
    },
  }
}
