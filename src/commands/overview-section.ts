/** Declares the sections of `overview`: what they read from, what they contain, and how they are drawn. */

import type { projects } from '../catalogue/areas/projects.js'
import type { RecordOf } from '../client/types.js'
import type { Context, Text } from '../engine/command/context.js'

/** A project, as the list of projects has it. */
export type OverviewProject = RecordOf<(typeof projects)['list']>

/** The sources that a section reads from; the list of projects is read once for all. */
export interface OverviewSources extends Context {
  readonly readProjects: () => Promise<readonly OverviewProject[]>
}

/** Draws a section. */
export interface SectionWriter extends Pick<Text, 'drawBar' | 'emphasize' | 'mark'> {
  /** Formats text from outside in a number of columns: cut, or filled up. */
  readonly fitText: (text: string, columns: number) => string
  /** Formats text from outside behind other text, folded: further lines begin below its first. */
  readonly wrapAfter: (before: string, text: string) => readonly string[]
}

/** A fact as a row of a table. */
interface OverviewRow {
  readonly item: string
  readonly value: string | number
  readonly state?: string
}

/** The content of a section, as it was read. */
export interface ReadPart {
  /** The content as programs get it. */
  readonly value: unknown
  /** The text beside the title of the section. */
  readonly headline: string
  /** The parts that do not exist, in words. */
  readonly missing?: string
  /** True if some of the content exists and could not be read. */
  readonly incomplete?: true
  readonly drawLines: (pen: SectionWriter) => readonly string[]
  readonly rows: readonly OverviewRow[]
}

/** A section of the overview. */
export interface OverviewPart {
  readonly name: string
  readonly title: string
  /** True if svcctl has the content itself, so that the instance is not asked for it. */
  readonly own?: true
  /** Reads the content. @throws Failure if none of it can be read */
  readonly read: (sources: OverviewSources) => Promise<ReadPart>
}
