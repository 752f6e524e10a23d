/** The flags of commands that write, and of those that work on many objects. */
import { boolean, list, string } from '../../catalogue/params.js'
import { declare, expressions } from './declared.js'

export const writing = declare({
  strict: { param: boolean('exit 1 where the instance did not take an attribute') },
})

export const selecting = declare({
  select: {
    param: string('the objects of the list that match, instead of ids', {
      placeholder: 'expr',
      completes: 'condition',
    }),
    read: expressions,
  },
})

/** Of commands whose objects have attributes. */
export const sheets = declare({
  'row-fields': {
    param: list('string', 'with -: columns that are attributes of the object in their row', {
      placeholder: 'columns',
    }),
  },
})

export const journalling = declare({
  journal: {
    param: string('where it is written down what became of each object, or none', {
      placeholder: 'file|none',
      completes: 'file',
    }),
  },
  resume: {
    param: string('go on with a run: its journal, or the last of this command', {
      placeholder: 'file|last',
    }),
  },
})

/** What a journal keeps of its objects. */
export const recording = declare({
  'undo-record': {
    param: boolean('record previous values so that the run can be undone'),
    refusal: 'do not record previous values; the run cannot be undone',
    read: (texts) => texts?.at(-1) !== 'false',
  },
})

export const sharding = declare({
  shard: {
    param: string('only this part of the objects: the third of eight, or that of the CI job', {
      placeholder: '3/8|ci',
    }),
  },
})

export const rehearsing = declare({
  'dry-run': { param: boolean('read what would be changed and show it beside; write nothing') },
})

export const spreading = declare({
  'all-projects': { param: boolean('of every project that you can see') },
  'all-groups': { param: boolean('of every group that you can see') },
  recursive: {
    param: boolean('with --group: also of the groups below it, and of all their projects'),
    read: (texts) => (texts === undefined ? undefined : texts.at(-1) === 'true'),
  },
  'with-archived': { param: boolean('of archived projects, too') },
})
