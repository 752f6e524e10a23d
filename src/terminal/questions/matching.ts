/** Lists that are searched by typing. */

export interface Searchable {
  readonly name: string
  readonly description?: string
}

/** Positions of the items whose name or description holds every word of the term. */
export const matching = (items: readonly Searchable[], term: string): number[] => {
  const words = term.toLowerCase().split(/\s+/)
  return items.flatMap((item, i) => {
    const text = `${item.name} ${item.description ?? ''}`.toLowerCase()
    return words.every((word) => text.includes(word)) ? [i] : []
  })
}
