/** Durations as instances read them: `1h 30m`, `2 weeks and 3 days`, `1:30`. */
const units = new Set(
  'mo mos month months mth mths w wk wks week weeks d day days h hr hrs hour hours m min mins minute minutes s sec secs second seconds y yr yrs year years'.split(
    ' ',
  ),
)
const part = /\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*(?:,|and\b)?\s*/iy
const longest = 200

export const isDuration = (text: string): boolean => {
  const given = text.trim()
  if (given === '' || given.length > longest) return false
  if (/^\d+(?::\d+){1,3}$/.test(given)) return true
  part.lastIndex = 0
  while (part.lastIndex < given.length) {
    const match = part.exec(given)
    if (match === null) return false
    const unit = (match[2] ?? '').toLowerCase()
    if (unit !== '' && !units.has(unit)) return false
  }
  return true
}
