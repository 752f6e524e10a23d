/** A collection of records by ID. */

export interface Saved<T> {
  next: number
  rows: T[]
}

export class Table<T extends { id: number }> {
  #rows: Map<number, T>
  #next: number

  constructor(saved: Saved<T> = { next: 1, rows: [] }) {
    this.#rows = new Map(saved.rows.map((row) => [row.id, row]))
    this.#next = saved.next
  }

  get(id: number | null | undefined): T | undefined {
    return id === null || id === undefined ? undefined : this.#rows.get(id)
  }

  /** All records, oldest ID first. */
  all(): T[] {
    return [...this.#rows.values()]
  }

  find(test: (row: T) => boolean): T | undefined {
    for (const row of this.#rows.values()) if (test(row)) return row
    return undefined
  }

  filter(test: (row: T) => boolean): T[] {
    const found: T[] = []
    for (const row of this.#rows.values()) if (test(row)) found.push(row)
    return found
  }

  some(test: (row: T) => boolean): boolean {
    return this.find(test) !== undefined
  }

  get size(): number {
    return this.#rows.size
  }

  /** Adds a record under the next free ID, or under its own. IDs are never given twice. */
  add(row: Omit<T, 'id'> & { id?: number }): T {
    const id = row.id ?? this.#next
    const added = { ...row, id } as T
    this.#next = Math.max(this.#next, id + 1)
    this.#rows.set(id, added)
    return added
  }

  remove(id: number): boolean {
    return this.#rows.delete(id)
  }

  toJSON(): Saved<T> {
    return { next: this.#next, rows: this.all() }
  }
}
