/** A plan as a file has it: one object, in a stable order, without the value of any secret. */
import { createHash } from 'node:crypto'
import type { JsonValue } from '../../base/json/value.js'
import type { HeldText } from '../../base/secrets/held.js'
import type { Verb } from '../actions.js'
import type { SecretSource } from '../wishes.js'

/** The version of plan files that this tool writes and takes. */
export const planVersion = 2

/** A file that a plan was made of. */
interface PlanFile {
  readonly path: string
  readonly sha256: string
}

/** Where a secret comes from; one that is written out in the file is only said to be there. */
export type SecretReference =
  | Exclude<SecretSource, { literal: HeldText }>
  | { readonly literal: true }

/** A request of an action: secrets stand in its body as where they come from. */
export interface PlanRequest {
  readonly endpoint: string
  readonly path: string
  readonly body?: Readonly<Record<string, JsonValue>>
}

export interface PlanChange {
  readonly attribute: string
  readonly now?: JsonValue
  readonly wanted?: JsonValue
  readonly secret?: SecretReference
  readonly within?: string
  /** That the value is of. */
  readonly team?: string
  /** `file:line:column`. */
  readonly origin: string
}

export interface PlanAction extends PlanRequest {
  readonly id: string
  readonly verb: Verb
  readonly address: string
  readonly kind: string
  readonly scope: string
  readonly changes: readonly PlanChange[]
  readonly digest: string
  readonly waits_for: readonly string[]
  readonly loses?: string
  readonly replaces?: string
  readonly team?: string
  readonly origin: string
}

export interface PlanRemark {
  readonly is: string
  readonly address: string
  readonly text: string
  readonly origin?: string
}

export interface PlanUnread {
  readonly address: string
  readonly category: string
  readonly message: string
  readonly status?: number
}

export interface PlanCounts {
  readonly create: number
  readonly enable: number
  readonly update: number
  readonly replace: number
  readonly delete: number
  readonly impossible: number
  readonly unknown: number
  readonly unsupported: number
  readonly leftover: number
  readonly secret: number
  readonly unread: number
  readonly same: number
}

/** Who and what a plan was made by, and of. */
export interface PlanHead {
  readonly tool: string
  readonly instance: string
  readonly user: string | null
  /** The only part that differs between two plans of one state. */
  readonly created: string
  /** What was named on the line: files and folders. */
  readonly inputs: readonly string[]
  readonly files: readonly PlanFile[]
  readonly selection: Readonly<Record<string, JsonValue>>
}

export interface PlanDocument extends PlanHead {
  readonly plan: typeof planVersion
  readonly actions: readonly PlanAction[]
  readonly findings: readonly PlanRemark[]
  readonly unread: readonly PlanUnread[]
  readonly refused: readonly { readonly text: string; readonly flag: string }[]
  /** Digests of whole exact sets. */
  readonly sets: Readonly<Record<string, string>>
  readonly counts: PlanCounts
  /** Of all the rest but `created`: whoever changes what others read is found out. */
  readonly sha256: string
}

/** What a plan is told apart by: all that is read of it, in the order in which it is written. */
export const planDigest = (document: Omit<PlanDocument, 'sha256'>): string => {
  const text = JSON.stringify({ ...document, created: undefined, sha256: undefined })
  return createHash('sha256').update(text).digest('hex')
}
