/** A plan on standard output: a page for people, one object for programs, an action a line elsewhere. */

import type { PlanAction, PlanDocument } from '../../desired/planfile/document.js'
import type { PlaceService, Services } from '../../engine/command/services.js'
import { exitCodes, usage } from '../../errors.js'
import { formatNamed, table } from '../../output/formats.js'
import type { Format } from '../../output/types.js'
import type { PlanGiven } from './flags.js'
import { documentOf, type MadePlan } from './making.js'
import type { Reported } from './markdown.js'
import { pageOf } from './page.js'

/** An action as a line of a table. */
const rowsOf = ({ actions }: PlanDocument) =>
  actions.map(({ verb, address, changes }) => ({
    verb,
    address,
    changes: changes.map(({ attribute }) => attribute).join(', '),
  }))

/** The format that was asked for. */
export const formatOf = async (
  place: Pick<PlaceService, 'env' | 'globals' | 'profile'>,
): Promise<Format> => {
  const { output } = place.globals
  const name = output ?? (place.env.SVC_OUTPUT || undefined) ?? (await place.profile())?.output
  return name === undefined ? table : formatNamed(name)
}

/** Fields that some actions have. */
const maybe = ['body', 'loses', 'replaces'] as const satisfies readonly (keyof PlanAction)[]

/** Prints a plan. No value of a secret is in it: nothing has to be masked. */
export const printPlan = async (services: Services, reported: Reported): Promise<void> => {
  const { answer } = services
  const { made } = reported
  const format = await formatOf(services.place)
  if (format.name === 'markdown')
    return answer.write((await import('./markdown.js')).notePage(reported))
  if (answer.reader === 'people') {
    const page = (): Iterable<string> => pageOf(made, answer)
    if (answer.terminal) return answer.printMany(made.plan.actions, { people: { page } })
    // In the log of a job it is read by people as well.
    for (const text of page()) await answer.write(text)
    return
  }
  const document = await documentOf(made)
  if (answer.reader === 'sheets')
    return answer.printMany(rowsOf(document), { columns: ['verb', 'address', 'changes'] })
  // What holds no object inside of another has the actions, one a line.
  if (format.nests !== true)
    return answer.printMany(document.actions, { known: maybe, reveal: true })
  await answer.print(document, { reveal: true })
}

/** What makes a run fail: by its line, else by the profile. */
export const failOnOf = async (
  { place }: Pick<Services, 'place'>,
  { flags }: PlanGiven,
): Promise<ReadonlySet<string>> =>
  new Set<string>(flags['fail-on'] ?? (await place.profile())?.failOn)

/** What was not read is an end of its own, and what was asked to be one. */
export const endOf = (
  { answer }: Services,
  { plan: { findings, unread } }: MadePlan,
  failOn: ReadonlySet<string>,
): void => {
  if (unread.length > 0 || findings.some(({ is }) => failOn.has(is))) answer.exit(exitCodes.partial)
}

/** Prints a plan that nothing comes of, writes its reports, and ends as it says. */
export const shownPlan = async (
  services: Services,
  given: PlanGiven,
  of: 'plan' | 'drift',
  made: MadePlan,
): Promise<void> => {
  const failOn = await failOnOf(services, given)
  const reported = { of, made, failOn }
  await printPlan(services, reported)
  await (await import('./reports.js')).writeReports(services, given, reported)
  endOf(services, made, failOn)
  if (failOn.has('refused')) checkLimits(made, 'apply refuses this plan')
}

/** @throws Failure `usage` for a plan that goes beyond a limit, which `said` begins */
export const checkLimits = ({ plan: { refused } }: MadePlan, said: string): void => {
  if (refused.length === 0) return
  const lifting = [...new Set(refused.map(({ flag }) => flag))]
  throw usage(
    `${said}: ${refused.map(({ text }) => text).join('; ')}`,
    `Look at the plan; what is meant is let through by ${lifting.join(', ')}.`,
  )
}
