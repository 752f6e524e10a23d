/** Types of the sections of `overview`. */
import type { projects } from '../../catalogue/areas/projects.js'
import type { RecordOf } from '../../client/types.js'
import type { Services, Text } from '../../engine/command/services.js'

/** A project, as the list of projects has it. */
export type OverviewProject = RecordOf<(typeof projects)['list']>

/** What a section reads from; the list of projects is read once for all. */
export interface OverviewSources extends Services {
  readonly projects: () => Promise<readonly OverviewProject[]>
}

/** Draws a section. */
export interface SectionWriter extends Pick<Text, 'bar' | 'mark' | 'strong'> {
  /** Text from outside, in so many columns: cut, or filled up. */
  readonly cell: (text: string, columns: number) => string
  /** Text from outside behind what stands already, folded: further lines begin below its first. */
  readonly after: (before: string, text: string) => readonly string[]
}

/** A fact as a row of a table. */
interface OverviewRow {
  readonly item: string
  readonly value: string | number
  readonly state?: string
}

/** What was read for a section. */
export interface ReadPart {
  /** As programs get it. */
  readonly value: unknown
  /** Beside its title. */
  readonly headline: string
  /** What of it is not there, in words. */
  readonly missing?: string
  /** Some of that is there and could not be read. */
  readonly incomplete?: true
  readonly lines: (pen: SectionWriter) => readonly string[]
  readonly rows: readonly OverviewRow[]
}

/** A section of the overview. */
export interface OverviewPart {
  readonly name: string
  readonly title: string
  /** It is this tool's own: the instance is not asked for it. */
  readonly own?: true
  /** @throws Failure where none of it could be read */
  readonly read: (sources: OverviewSources) => Promise<ReadPart>
}
