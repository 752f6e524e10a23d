/** Records the examples of all commands and the recipes of the guide as they are written. */

import { recipes } from '../../src/catalogue/recipes.js'
import { loadAllCommands, loadExamples } from '../../src/commands/index.js'
import { getCommandName } from '../../src/engine/command/derive.js'
import { findMissingPrograms } from '../support/shell.js'
import { createEntry, type Entry, type Group } from './entries.js'
import { holdRecord } from './record.js'

/** Examples of these areas are about the configuration, not the instance. */
const profileAreas = new Set(['alias', 'auth', 'profile', 'audit', 'journal', 'version'])

/** Lines that run until they are interrupted, and one that prompts. Both are recorded at a terminal. */
const unrecordedLine = /^sandbox serve|^auth login --base-url \S+$/

/** Further variables of single commands. */
const commandVariables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'jobs current': { SVC_JOB_TOKEN: 'sandbox-job-token' },
  'jobs agents': { SVC_JOB_TOKEN: 'sandbox-job-token' },
  api: { SVC_PROJECT: 'platform/app' },
}

const createExamples = async (): Promise<readonly Group[]> => {
  const groups = new Map<string, Entry[]>()
  for (const command of await loadAllCommands()) {
    const { area } = command
    const entries = groups.get(area) ?? []
    groups.set(area, entries)
    const lines = [...new Set(await loadExamples(command))]
    for (const line of lines.filter(
      (one) => !unrecordedLine.test(one) && findMissingPrograms(one).length === 0,
    )) {
      const entry = createEntry(line, [`svcctl ${line}`])
      entry.env = commandVariables[getCommandName(command)] ?? {}
      if (profileAreas.has(area)) entry.place = 'examples'
      entries.push(entry)
    }
  }
  return [...groups].map(([area, entries]) => ({ name: `examples/${area}`, entries }))
}

/** Settings of recipes that need more than the sample data. */
const recipeSettings: Readonly<Partial<Record<keyof typeof recipes, Partial<Entry>>>> = {
  'resource-group': {
    instance: 'hold',
    before: [
      'svcctl commits create -P platform/app --branch main --commit-message Twice --update grouped.yml=.gitlab-ci.yml',
    ],
  },
  'user-storage': {
    before: [
      'svcctl storage-move schedule projects --source-storage-name default --destination-storage-name second --yes',
    ],
  },
  compare: { place: 'stages' },
  // A page asks for the current user while its lists are read.
  'access-review': { unordered: true },
}

/** Replaces a number of a recipe by one that fits the small sample data. */
const replacements: readonly (readonly [shown: string, tried: string])[] = [
  ['last_activity_on>90d', 'last_activity_on>10d'],
  ['size>100000000', 'size>200'],
]

const fitSample = (line: string): string => {
  let fitted = line
  for (const [shown, tried] of replacements) fitted = fitted.replace(shown, tried)
  return fitted
}

const createRecipes = (): Group => ({
  name: 'recipes',
  entries: Object.entries(recipes).map(([name, { job, lines }]) => ({
    ...createEntry(
      job,
      lines.map((line) => fitSample(line)),
    ),
    ...recipeSettings[name as keyof typeof recipes],
  })),
})

holdRecord([...(await createExamples()), createRecipes()])
