/** The parts of the overview, in the order of its columns. */
import type { OverviewPart } from '../types.js'
import { certificatesPart } from './certificates.js'
import { jobsPart } from './jobs.js'
import { replicationPart } from './replication.js'
import { runnersPart } from './runners.js'
import { storagesPart } from './storages.js'
import { tokensPart } from './tokens.js'

export const parts: readonly OverviewPart[] = [
  runnersPart,
  jobsPart,
  certificatesPart,
  replicationPart,
  storagesPart,
  tokensPart,
]

/** What belongs here and has no endpoint: nothing is shown that the API does not say. */
export const untold = ['alerts', 'storage moves under way'] as const
