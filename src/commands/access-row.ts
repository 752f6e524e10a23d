/** The rows of `svcctl access`, from which its page is drawn as well. */

/** An access to a place, and the list that gives it. */
export interface AccessRow {
  readonly place: string
  readonly kind: 'member' | 'approver' | 'deploy key' | 'branch'
  readonly name: string
  readonly id: number | null
  readonly access: string
  /** The list that gives the access; `unexplained` if none does. */
  readonly via: string
  readonly expires_at: string | null
}
