/** What the folder suggests: which `.svcctl.yaml` counts here, and what of it. */
import { findSuggestions } from '../../profile/suggested/find.js'
import type { PlaceService } from '../services.js'
import { type Check, ok, warning } from './check.js'

/** Nothing where there is no such file. */
export const suggestionChecks = async ({
  cwd,
  env,
}: Pick<PlaceService, 'cwd' | 'env'>): Promise<readonly Check[]> => {
  const check = 'suggestions'
  const path = findSuggestions(cwd, env)
  if (path === undefined) return []
  const { readSuggestions } = await import('../../profile/suggested/read.js')
  const { file, notes, warnings, ...said } = await readSuggestions(path)
  const ignored = [...warnings, ...notes]
  const words = Object.entries(said).map(([name, value]) => `${name} ${[value].flat().join(',')}`)
  const text = `${file}: ${words.length === 0 ? 'nothing' : words.join('; ')}`
  if (ignored.length === 0) return [ok(check, text)]
  return [
    warning(check, `${text}; ${ignored.join('; ')}`, 'Look who wrote it, and take that out of it.'),
  ]
}
