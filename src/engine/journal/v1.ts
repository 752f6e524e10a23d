/** Journals of format 1, as the first builds wrote them: turned into those of today while they are read. */
import { type Fields, isObject } from '../../base/objects.js'

/** A value that was given by reference: `{"secret": "env:NAME"}`, `{"row": "access_level"}`. */
const referenceIn = (value: unknown): unknown => {
  if (!isObject(value) || Object.keys(value).length !== 1) return value
  const { secret, row } = value
  if (typeof secret === 'string') return { $secret: secret }
  return typeof row === 'string' ? { $row: row } : value
}

const textIn = (text: unknown): unknown =>
  isObject(text) && 'text' in text ? { $file: text.text, sha256: text.sha256 } : text

const textsIn = (texts: unknown): unknown => (Array.isArray(texts) ? texts.map(textIn) : texts)

const changed = (fields: unknown, change: (value: unknown) => unknown): unknown =>
  isObject(fields)
    ? Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]))
    : fields

/** `2026-11-21T12:01:02Z`, by the name of a run. */
const beganBy = (id: unknown): string | null => {
  const [, date, time] = /^(\d{8})T(\d{6})-/.exec(String(id)) ?? []
  if (date === undefined || time === undefined) return null
  return `${date.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`
}

const upgradedHeader = ({ values, asked, ...header }: Fields): Fields => {
  const upgraded = { ...header, journal: 2, began: beganBy(header.id) }
  const input = changed(values, referenceIn)
  if (!isObject(asked)) return { ...upgraded, input, options: asked }
  const { parents, shard, ...options } = asked
  const flags = changed(options.flags, textsIn)
  return { ...upgraded, input, options: { ...options, flags }, parents, shard }
}

/** A line as it would be written today. */
export const upgraded = (line: Fields): Fields => {
  if (line.journal === 1) return upgradedHeader(line)
  if (line.state !== 'queued' || !('row' in line)) return line
  const { row, ...others } = line
  return { ...others, input: row }
}
