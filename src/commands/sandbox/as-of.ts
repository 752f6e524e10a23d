/** `--as-of`: the version as which the embedded instance checks CI configurations. */
import { string } from '../../catalogue/params.js'
import { usage } from '../../errors.js'

export const asOfFlag = (help: string) => string(help, { placeholder: 'major.minor' })

/**
 * The version that was asked for; undefined for the latest.
 * @throws Failure `usage` for what is none
 */
export const asOfVersion = async (text: string | undefined) => {
  if (text === undefined || text === 'latest') return undefined
  const { isVersion } = await import('../../sandbox/index.js')
  if (isVersion(text)) return text
  throw usage(`--as-of must be a version such as 14.5, or latest, not "${text}"`)
}
