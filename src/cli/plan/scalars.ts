/** One text of the command line → one value of the API, where people may say it in words that are theirs. */
import { isDuration } from '../../base/duration.js'
import type { JsonValue } from '../../base/json/value.js'
import { sentTime } from '../../base/relative.js'
import { textSize } from '../../base/secrets/held.js'
import type { StringParam } from '../../catalogue/params.js'
import { usage } from '../../errors.js'

const relative = '30d (so long ago), +30d, today or yesterday'
const written = { date: 'a day as YYYY-MM-DD', datetime: 'a time as YYYY-MM-DDTHH:MM:SSZ' } as const

/** A day or a moment, as the API takes it, of one that people say. @throws Failure `usage` */
const parseTime = (kind: keyof typeof written, text: string, label: string): string => {
  const time = sentTime(text, kind, Date.now())
  if (time === undefined) throw usage(`${label} takes ${written[kind]}, ${relative}, not "${text}"`)
  return time
}

/** @throws Failure `usage` for what is not of the format */
export const parseString = (param: StringParam, text: string, label: string): string => {
  switch (param.format) {
    case 'date':
    case 'datetime':
      return text === '' && param.clears === true ? text : parseTime(param.format, text, label)
    case 'duration':
      if (!isDuration(text))
        throw usage(
          `${label} takes a duration such as 1h30m or 3w1h, not "${text}"`,
          'Units are mo, w, d, h, m and s; a negative duration follows --.',
        )
      return text
    default:
      return text
  }
}

/** @throws Failure `usage` for what is no JSON, with nothing of it: it may come from a file or a variable */
export const parseJson = (text: string, label: string): JsonValue => {
  try {
    return JSON.parse(text)
  } catch {
    throw usage(`${label} takes JSON, not ${textSize(text)}`)
  }
}
