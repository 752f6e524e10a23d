/** Texts of others in messages. */

/** A text of the file, as a message can quote it: one line, not long. */
export const quoteText = (text: string): string => {
  const line = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
  const short = line.length > 60 ? `${line.slice(0, 57)}…` : line
  return short.trim() === short ? short : `"${short}"`
}
