/** Declares the rows of `svcctl access`, which are also drawn as an HTML page. */

/** The access of a user, key or branch to a place, and the list that grants it. */
export interface AccessRow {
  readonly place: string
  readonly kind: 'member' | 'approver' | 'deploy key' | 'branch'
  readonly name: string
  readonly id: number | null
  readonly access: string
  /** The list that grants the access; `unexplained` if none does. */
  readonly via: string
  readonly expires_at: string | null
}
