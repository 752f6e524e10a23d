/** Which version the instance is, and in which words it is spoken to. */
import { survived } from '../../errors.js'
import type { Services } from '../services.js'
import { vocabularyFile } from '../vocabulary/in-force.js'
import { versionOf } from '../vocabulary/reading.js'
import { type Check, failedBy, ok, warning } from './check.js'

/** What the instance says of itself. */
export const versionCheck = async (services: Services): Promise<Check> => {
  try {
    const version = await versionOf(services)
    return ok('version', version ?? 'the instance does not tell it')
  } catch (error) {
    const { status } = survived(error).details
    if (status === undefined) return failedBy('version', error)
    return ok('version', `the instance does not tell it (${status})`)
  }
}

/** The vocabulary in force, and the endpoints that it calls gone. */
export const vocabularyChecks = async ({ place }: Services): Promise<readonly Check[]> => {
  const file = vocabularyFile(place)
  if (file === undefined) return [ok('vocabulary', 'none: names are those of the documents')]
  try {
    const { loadChecked, readVocabulary } = await import('../../vocabulary/index.js')
    await loadChecked(file)
    const { words, names, gone } = await readVocabulary(file)
    return [
      ok('vocabulary', `${file}: ${words.length} words, ${names.length} names`),
      ...gone.map(({ key, value }) => warning('gone', `${key}: ${value}`)),
    ]
  } catch (error) {
    return [failedBy('vocabulary', error, 'svcctl vocabulary check says more.')]
  }
}
