/** The memory that records lie in. */

/**
 * The memory that a batch lies in, in few pieces: records are cut from the chunks that came, and
 * searching a chunk once is cheaper than searching each record. May hold more than the records.
 */
export const chunksOf = (batch: readonly Uint8Array[]): Uint8Array[] => {
  const chunks: Uint8Array[] = []
  for (const record of batch) {
    const last = chunks.at(-1)
    if (last === undefined || last.buffer !== record.buffer) chunks.push(record)
    else {
      const start = Math.min(last.byteOffset, record.byteOffset)
      const end = Math.max(last.byteOffset + last.length, record.byteOffset + record.length)
      chunks[chunks.length - 1] = Buffer.from(record.buffer, start, end - start)
    }
  }
  return chunks
}
